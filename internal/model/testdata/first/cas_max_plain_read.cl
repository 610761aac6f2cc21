//clmc:launch top global=3 local=1 m=zero[1] in={3,1,2}
kernel void top(global int *m, global const int *in) {
    int v = in[get_global_id(0)];
#ifdef FIX
    int old = atomic_load_explicit((global atomic_int *)m, memory_order_relaxed, memory_scope_device);
#else
    int old = m[0];
#endif
    while (old < v && !atomic_compare_exchange_weak_explicit((global atomic_int *)m, &old, v,
               memory_order_relaxed, memory_order_relaxed, memory_scope_device))
        ;
}

//first:cause One side is atomic
//first:repair Make the access in line 7 atomic
