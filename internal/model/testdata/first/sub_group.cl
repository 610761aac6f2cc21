#pragma OPENCL EXTENSION cl_khr_subgroups : enable
//clmc:launch rev global=4 local=4 a=int[4]{1,2,3,4} out=zero[4] tmp=local[4]
kernel __attribute__((intel_reqd_sub_group_size(4))) void rev(global const int *a, global int *out, local int *tmp) {
    int l = get_sub_group_local_id();
    tmp[l] = a[l];
#ifdef FIX
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#endif
    out[l] = tmp[3 - l];
}

//first:cause Both are in sub-group 0
//first:repair sub_group_barrier(CLK_LOCAL_MEM_FENCE)
