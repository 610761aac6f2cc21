//clmc:launch k global=4 local=2 work=int[2]{1,2} s=local[2] out=zero[4]
// persistent loop whose bound differs between the work-items of a group
kernel void k(global const int *work, local int *s, global int *out) {
    int l = get_local_id(0);
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef FIX
    for (int i = 0; i < 2; i++) {
        if (i < work[l])
            s[l] += i;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    for (int i = 0; i < work[l]; i++) {
        s[l] += i;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    out[get_global_id(0)] = s[l];
}

//first:cause part at the condition in line 14
//first:repair put only the accesses around it under the condition
