//clmc:launch blur global=4 local=4 in=int[4]{1,2,3,4} out=zero[4]
int neighbour(local int *tile, int x) {
    int l = get_local_id(0);
    tile[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    return tile[(l + 1) % 4];
}
kernel void blur(global const int *in, global int *out) {
    local int tile[4];
    int i = get_global_id(0);
#ifdef FIX
    int n = neighbour(tile, in[i]);
    if (in[i] > 1)
        out[i] = n;
#else
    if (in[i] > 1)
        out[i] = neighbour(tile, in[i]);
#endif
}

//first:cause part at the condition in line 16
//first:repair come to the barrier in line 5
