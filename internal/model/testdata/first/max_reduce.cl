// A tree reduction: the barrier of the last step is left out for speed.
//clmc:launch maxi global=4 local=4 in=int[4]{4,3,2,9} out=zero[1]
kernel void maxi(global const int *in, global int *out) {
    local int t[4];
    int l = get_local_id(0);
    t[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 2)
        t[l] = max(t[l], t[l + 2]);
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (l == 0)
        *out = max(t[0], t[1]);
}

//first:cause line 9
//first:repair after line 9 and before line 13
