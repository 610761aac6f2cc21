
//clmc:launch blur global=4 local=4 in=int[8]{1,2,3,4,5,6,7,8} out=zero[4]
kernel void blur(global const int *in, global int *out) {
    local int tile[8];
    int l = get_local_id(0);
    tile[l + 2] = in[l + 2];
#ifdef FIX
    if (l < 2) {
#else
    if (l < 1) {
#endif
        tile[l] = in[l];
        tile[l + 6] = in[l + 6];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l] + tile[l + 2] + tile[l + 4];
}

//first:cause the condition in line 10 holds (`if (l < 1)`)
//first:repair line 10
