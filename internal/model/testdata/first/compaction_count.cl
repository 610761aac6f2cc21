//clmc:launch compact global=4 local=2 in=int[4]{5,0,6,7} out=zero[4] n=atomic_int[1]{0}
kernel void compact(global const int *in, global int *out, global atomic_int *n) {
    int i = get_global_id(0);
    if (in[i] == 0)
        return;
#ifdef FIX
    int at = atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
#else
    int at = atomic_load_explicit(n, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(n, at + 1, memory_order_relaxed, memory_scope_device);
#endif
    out[at] = in[i];
}

//first:cause read the same value of n[0]
//first:repair count it on in one atomic operation
