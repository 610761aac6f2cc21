//clmc:launch scan global=2 local=1 in=int[2]{3,4} out=zero[2] agg=zero[2] status=atomic_int[2]{0}
//clmc:assert out[1] == 7
kernel void scan(global const int *in, global int *out, global int *agg, global atomic_int *status) {
    int g = get_group_id(0);
#ifdef FIX
    agg[g] = in[g];
    atomic_store_explicit(&status[g], 1, memory_order_release, memory_scope_device);
#else
    atomic_store_explicit(&status[g], 1, memory_order_release, memory_scope_device);
    agg[g] = in[g];
#endif
    int acc = in[g];
    for (int p = g - 1; p >= 0; p--) {
        while (atomic_load_explicit(&status[p], memory_order_acquire, memory_scope_device) == 0)
            ;
        acc += agg[p];
    }
    out[g] = acc;
}

//first:cause a release publishes only what comes before it
//first:repair Make the access in line 10 before the store in line 9
