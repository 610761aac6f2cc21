// The consumer waits until the counter is not 0, and there are two producers.
//clmc:launch gather global=3 local=1 data=zero[2] n=atomic_int[1]{0} out=zero[1]
kernel void gather(global int *data, global atomic_int *n, global int *out) {
    int g = get_global_id(0);
    if (g < 2) {
        data[g] = 5;
        atomic_fetch_add_explicit(n, 1, memory_order_acq_rel, memory_scope_device);
    } else {
#ifdef FIX
        while (atomic_load_explicit(n, memory_order_acquire, memory_scope_device) < 2)
#else
        while (atomic_load_explicit(n, memory_order_acquire, memory_scope_device) == 0)
#endif
            ;
        out[0] = data[0] + data[1];
    }
}

//first:cause line 12
//first:repair only when all have
