//clmc:launch shift global=4 local=4 a=int[4]{1,2,3,4} out=zero[4]
kernel void shift(global int *a, global int *out) {
    int i = get_global_id(0);
    a[i] = a[i] * 2;
#ifdef FIX
    barrier(CLK_GLOBAL_MEM_FENCE);
#else
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    out[i] = a[(i + 1) % 4];
}

//first:cause its flags are CLK_LOCAL_MEM_FENCE
//first:repair Add CLK_GLOBAL_MEM_FENCE
