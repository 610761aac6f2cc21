//clmc:launch k global=2 local=2 in=int[2]{4,9} best=zero[1]
//clmc:assert best[0] == 9
//first:cause in two accesses
//first:repair such as atomic_fetch_max (in OpenCL 1.x atomic_max)
kernel void k(global const int *in, volatile global int *best) {
#ifdef FIX
    atomic_max(best, in[get_global_id(0)]);
#else
    best[0] = max(best[0], in[get_global_id(0)]);
#endif
}
