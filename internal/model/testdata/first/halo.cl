//clmc:launch blur global=4 local=4 in=int[6]{1,2,3,4,5,6} out=zero[4]
kernel void blur(global const int *in, global int *out) {
    local int tile[6];
    int l = get_local_id(0), n = get_local_size(0);
    tile[l + 1] = in[l + 1];
    if (l == 0)
        tile[0] = in[0];
#ifdef FIX
    if (l == n - 1)
        tile[n + 1] = in[n + 1];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l] + tile[l + 1] + tile[l + 2];
}

//first:cause line 5
//first:cause line 7
//first:cause the condition in line 6 holds (`if (l == 0)`)
//first:repair tile[5]
