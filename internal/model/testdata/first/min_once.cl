//clmc:launch k global=2 local=1 m=int[1]{9} in=int[2]{3,5}
//clmc:assert m[0] == 3
//first:cause The compare-exchange of m[0] by k(0)
//first:cause k(0) does not try again: what it was to write is lost
//first:repair Try again in a loop
kernel void k(global atomic_int *m, global const int *in) {
    int v = in[get_global_id(0)];
    int e = atomic_load(m);
#ifdef FIX
    while (v < e && !atomic_compare_exchange_strong(m, &e, v))
        ;
#else
    if (v < e)
        atomic_compare_exchange_strong(m, &e, v);
#endif
}
