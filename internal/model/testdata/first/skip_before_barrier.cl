//clmc:launch clip global=4 local=4 in=int[4]{1,0,3,4} out=zero[4]
kernel void clip(global const int *in, global int *out) {
    local int t[4];
    int i = get_local_id(0);
    t[i] = in[i];
#ifndef FIX
    if (in[i] == 0)
        return;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[i ^ 1];
}

//first:cause CL1003
//first:repair barrier
