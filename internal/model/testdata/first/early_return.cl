//clmc:launch scale n=3 global=4 local=4 in=int[4]{0,1,2,3} out=zero[4] tmp=local[4]
kernel void scale(int n, global const int *in, global int *out, local int *tmp) {
    int i = get_global_id(0);
#ifndef FIX
    if (i >= n)
        return;
#endif
    tmp[get_local_id(0)] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
    out[i] = tmp[(get_local_id(0) + 1) % get_local_size(0)];
}

//first:cause part at the condition
//first:repair instead of returning early
