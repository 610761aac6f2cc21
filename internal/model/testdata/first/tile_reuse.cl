//clmc:launch mul global=2 local=2 a=int[4]{1,2,3,4} out=zero[2]
kernel void mul(global const int *a, global int *out) {
    local int tile[2];
    int l = get_local_id(0), acc = 0;
    for (int t = 0; t < 2; t++) {
        tile[l] = a[t * 2 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 2; k++)
            acc += tile[k];
#ifdef FIX
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    out[get_global_id(0)] = acc;
}

//first:cause is a round of a loop ahead of
//first:repair after line 9, at the end of each round
