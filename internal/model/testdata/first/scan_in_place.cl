//clmc:launch scan global=4 local=4 a=int[4]{1,2,3,4} out=zero[4] t=local[4]
//clmc:assert out[3] == 10
// Hillis-Steele in place without the second barrier
kernel void scan(global const int *a, global int *out, local int *t) {
    int l = get_local_id(0);
    t[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 4; d *= 2) {
        int v = l >= d ? t[l - d] : 0;
#ifdef FIX
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        t[l] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = t[l];
}

//first:cause need not run in step
//first:repair work_group_barrier(CLK_LOCAL_MEM_FENCE) between the two accesses
