//clmc:launch box global=2 local=1 full=atomic_int[1]{0} slot=zero[1] got=zero[3]
kernel void box(global atomic_int *full, global int *slot, global int *got) {
    if (get_global_id(0) == 0) {
        for (int v = 1; v < 3; v++) {
#ifdef FIX
            while (atomic_load_explicit(full, memory_order_acquire, memory_scope_device) == 1)
                ;
#else
            while (atomic_load_explicit(full, memory_order_relaxed, memory_scope_device) == 1)
                ;
#endif
            slot[0] = v;
            atomic_store_explicit(full, 1, memory_order_release, memory_scope_device);
        }
    } else {
        for (int n = 0; n < 2; n++) {
            while (atomic_load_explicit(full, memory_order_acquire, memory_scope_device) == 0)
                ;
            got[n] = slot[0];
            atomic_store_explicit(full, 0, memory_order_release, memory_scope_device);
        }
    }
}

//first:cause that read is no acquire
//first:repair memory_order_acquire for the load in line 9
