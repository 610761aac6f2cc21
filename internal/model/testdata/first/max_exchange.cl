//clmc:launch k global=2 local=1 a=float[2]{2.5,1.5} m=zero[1]
//clmc:assert m[0] == 1075838976
// atomic max of floats by compare-exchange on bits, but without the retry
kernel void k(global const float *a, global volatile int *m) {
    float v = a[get_global_id(0)];
    int old = atomic_or(m, 0);
#ifdef FIX
    while (as_float(old) < v) {
        int seen = atomic_cmpxchg(m, old, as_int(v));
        if (seen == old) break;
        old = seen;
    }
#else
    if (as_float(old) < v)
        atomic_xchg(m, as_int(v));
#endif
}

//first:cause A lost update
//first:repair a loop around atomic_compare_exchange_strong
