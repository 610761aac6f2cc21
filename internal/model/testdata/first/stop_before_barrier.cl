// All search in step until one has found something. Who has found it may say so before another has looked whether to go on:
// then they part at the barrier.
//clmc:launch search global=2 local=2 a=int[4]{0,7,0,0} out=zero[1]
kernel void search(global const int *a, global int *out) {
    local int found;
    int l = get_local_id(0);
    if (l == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 2; i++) {
#ifdef FIX
        int stop = found;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (stop)
            break;
#else
        if (found)
            break;
#endif
        if (a[2 * i + l] == 7)
            atomic_xchg(&found, 1);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        *out = found;
}

//first:cause decides who comes to the barrier
//first:repair barrier(CLK_LOCAL_MEM_FENCE)
