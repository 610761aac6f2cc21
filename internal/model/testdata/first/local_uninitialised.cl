//clmc:launch hist global=4 local=4 in=int[4]{0,1,1,0} out=zero[2]
kernel void hist(global const int *in, global int *out) {
    local int bins[2];
    int l = get_local_id(0);
#ifdef FIX
    if (l < 2) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    atomic_inc(&bins[in[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 2)
        atomic_add(&out[l], bins[l]);
}

//first:cause not even zeros
//first:repair Let one work-item of the group write bins[0] first
