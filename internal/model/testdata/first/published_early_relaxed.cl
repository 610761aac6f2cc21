// The flag is set before the data are there and, besides, by relaxed operations: to set it later is not enough.
//clmc:launch mp global=2 local=1 data=zero[1] flag=atomic_int[1]{0} out=zero[1]
kernel void mp(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
#ifdef FIX
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
#else
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
        *data = 42;
#endif
    } else {
#ifdef FIX
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
#else
        if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1)
#endif
            *out = *data;
    }
}

//first:cause Published too early
//first:repair memory_order_release
