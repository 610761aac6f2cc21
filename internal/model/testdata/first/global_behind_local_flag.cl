// The flag is in local memory, the data in global memory: a release of the one publishes nothing of the other.
//clmc:launch mp global=2 local=2 data=zero[1] out=zero[1]
kernel void mp(global int *data, global int *out) {
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *data = 42;
#ifdef FIX
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
#endif
        atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else if (atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_work_group) == 1) {
#ifdef FIX
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
#endif
        *out = *data;
    }
}

//first:cause neither is more than relaxed
//first:repair atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE
