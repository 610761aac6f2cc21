//clmc:launch reduce global=4 local=4 a=int[4]{1,2,3,4} out=zero[1] s=local[4]
//clmc:assert out[0] == 10
// warp-synchronous: the last steps rely on lockstep
kernel void reduce(global const int *a, global int *out, volatile local int *s) {
    int l = get_local_id(0);
    s[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 2) s[l] += s[l + 2];
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (l < 1) s[l] += s[l + 1];
    if (l == 0) out[0] = s[0];
}

//first:cause need not run in step
//first:repair work_group_barrier(CLK_LOCAL_MEM_FENCE) between the two accesses
