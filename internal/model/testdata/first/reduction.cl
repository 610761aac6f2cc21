//clmc:launch reduce global=8 local=4 a=int[8]{1,2,3,4,5,6,7,8} out=zero[2] tmp=local[4]
//clmc:assert out[0] == 10
kernel void reduce(global const int *a, global int *out, local int *tmp) {
    int l = get_local_id(0);
    tmp[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            tmp[l] += tmp[l + s];
#ifdef FIX
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    if (l == 0)
        out[get_group_id(0)] = tmp[0];
}

//first:cause meets it at a barrier
//first:repair work_group_barrier(CLK_LOCAL_MEM_FENCE)
