//clmc:launch pass global=2 local=1 data=zero[1] ready=atomic_int[1]{0} out=zero[1]
kernel void pass(global int *data, global atomic_int *ready, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 7;
#ifdef FIX
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(ready, 1, memory_order_relaxed, memory_scope_device);
#else
        atomic_store_explicit(ready, 1, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
#endif
    } else {
        if (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device))
            out[0] = data[0];
    }
}

//first:cause line 10
//first:repair fence in line 10 before
