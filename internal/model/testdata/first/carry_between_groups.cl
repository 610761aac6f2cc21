// The groups hand the end of their part to the next one, and hope that the barrier is for all.
//clmc:launch carry global=4 local=2 a=int[4]{1,2,3,4} ends=zero[2] out=zero[4]
kernel void carry(global int *a, global int *ends, global int *out) {
    size_t g = get_group_id(0), l = get_local_id(0);
    size_t i = get_global_id(0);
    if (l == get_local_size(0) - 1)
        ends[g] = a[i];
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#ifdef FIX
    if (g > 0 && i < 1)
#else
    if (g > 0)
#endif
        out[i] = a[i] + ends[g - 1];
}

//first:cause joins only the work-items of one work-group
//first:repair kernel
