//clmc:launch mp global=2 local=1 data=zero[1] flag=atomic_int[1]{0} out=zero[1]
kernel void mp(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        *data = 42;
#ifdef FIX
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
#else
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
#endif
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
        *out = *data;
    }
}

//first:cause that write is no release
//first:repair memory_order_release for the store
