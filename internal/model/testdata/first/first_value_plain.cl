// The leader sets the counter back by an ordinary write, and nobody waits for that.
//clmc:launch count global=2 local=2 n=int[1]{7} out=zero[1]
kernel void count(volatile global int *n, global int *out) {
    int l = get_local_id(0);
    if (l == 0)
        *n = 0;
#ifdef FIX
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    atomic_inc(n);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        *out = *n;
}

//first:cause gives it its first value, and nothing has the others wait for that
//first:repair barrier(CLK_GLOBAL_MEM_FENCE) between the two accesses
