//clmc:launch f global=2 local=2 x=zero[1] y=zero[1]
kernel void f(global int *x, global int *y) {
    local atomic_int go;
    if (get_local_id(0) == 0)
        atomic_init(&go, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        x[0] = 5;
#ifdef FIX
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
#endif
        atomic_store_explicit(&go, 1, memory_order_release, memory_scope_work_group);
    } else if (atomic_load_explicit(&go, memory_order_acquire, memory_scope_work_group) == 1) {
#ifdef FIX
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
#endif
        y[0] = x[0];
    }
}

//first:cause but only in local memory
//first:repair Put atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_group) before line 12
