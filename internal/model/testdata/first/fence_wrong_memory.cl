//clmc:launch pass global=2 local=1 data=zero[1] ready=atomic_int[1]{0} out=zero[1]
#ifdef FIX
#define M CLK_GLOBAL_MEM_FENCE
#else
#define M CLK_LOCAL_MEM_FENCE
#endif
kernel void pass(global int *data, global atomic_int *ready, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 7;
        atomic_work_item_fence(M, memory_order_release, memory_scope_device);
        atomic_store_explicit(ready, 1, memory_order_relaxed, memory_scope_device);
    } else {
        if (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device))
            out[0] = data[0];
    }
}

//first:cause CLK_LOCAL_MEM_FENCE
//first:repair CLK_GLOBAL_MEM_FENCE
