//clmc:launch scan global=2 local=1 in=int[2]{3,4} out=zero[2] sum=zero[2] status=atomic_int[2]{0}
//clmc:assert out[1] == 7
kernel void scan(global const int *in, global int *out, global int *sum, global atomic_int *status) {
    int g = get_group_id(0);
    int acc = in[g];
    if (g > 0) {
#ifdef FIX
        while (atomic_load_explicit(&status[g - 1], memory_order_acquire, memory_scope_device) != 2)
#else
        while (atomic_load_explicit(&status[g - 1], memory_order_relaxed, memory_scope_device) != 2)
#endif
            ;
        acc += sum[g - 1];
    }
    sum[g] = acc;
#ifdef FIX
    atomic_store_explicit(&status[g], 2, memory_order_release, memory_scope_device);
#else
    atomic_store_explicit(&status[g], 2, memory_order_relaxed, memory_scope_device);
#endif
    out[g] = acc;
}

//first:cause neither is more than relaxed
//first:repair memory_order_release for the store
