//clmc:launch tally global=4 local=4 in=int[4]{1,2,3,4} out=zero[1]
kernel void tally(global const int *in, global int *out) {
    local int part[4];
    int i = get_local_id(0);
    part[i] = in[i];
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (i == 3)
        out[0] = part[0] + part[1] + part[2] + part[3];
}

//first:cause meets it at a barrier
//first:repair CLK_LOCAL_MEM_FENCE
