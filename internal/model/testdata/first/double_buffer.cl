//clmc:launch k global=2 local=2 in=int[6]{1,2,3,4,5,6} out=zero[6] buf=local[4]
// double buffering in local memory over three tiles
kernel void k(global const int *in, global int *out, local int *buf) {
    int l = get_local_id(0);
    buf[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < 3; t++) {
        int cur = (t & 1) * 2, nxt = 2 - cur;
        if (t < 2)
            buf[nxt + l] = in[(t + 1) * 2 + l];
        out[t * 2 + l] = buf[cur + 1 - l];
#ifdef FIX
        barrier(CLK_LOCAL_MEM_FENCE);
#else
        if (t == 0)
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}

//first:cause is a round of a loop ahead
//first:repair after line 11, at the end of each round
