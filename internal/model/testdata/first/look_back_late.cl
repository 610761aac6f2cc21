//clmc:launch scan global=3 local=1 in=int[3]{1,2,3} agg=zero[3] pre=zero[3] st=atomic_int[3]{0} out=zero[3]
//clmc:assert out[2] == 6
// CUB's decoupled look-back: status 1 = aggregate there, 2 = prefix there
kernel void scan(global const int *in, global int *agg, global int *pre, global atomic_int *st, global int *out) {
    int g = get_group_id(0), v = in[g], ex = 0;
    agg[g] = v;
    if (g == 0) pre[g] = v;
    atomic_store_explicit(&st[g], g == 0 ? 2 : 1, memory_order_release, memory_scope_device);
    for (int p = g - 1; p >= 0; p--) {
        int s;
        while ((s = atomic_load_explicit(&st[p], memory_order_acquire, memory_scope_device)) == 0)
            ;
        if (s == 2) { ex += pre[p]; break; }
        ex += agg[p];
    }
    if (g > 0) {
#ifdef FIX
        pre[g] = ex + v;
        atomic_store_explicit(&st[g], 2, memory_order_release, memory_scope_device);
#else
        atomic_store_explicit(&st[g], 2, memory_order_release, memory_scope_device);
        pre[g] = ex + v;
#endif
    }
    out[g] = ex + v;
}

//first:cause comes before the access
//first:repair before the store in line 21
