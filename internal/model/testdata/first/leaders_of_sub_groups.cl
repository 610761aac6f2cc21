//clmc:launch sum global=8 local=8 a=int[8]{1,1,1,1,1,1,1,1} out=zero[1]
kernel void sum(global const int *a, global int *out) {
    local int part[2];
    int s = sub_group_reduce_add(a[get_local_id(0)]);
    if (get_sub_group_local_id() == 0)
        part[get_sub_group_id()] = s;
#ifdef FIX
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
#else
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (get_local_id(0) == 0)
        *out = part[0] + part[1];
}

//first:cause sub-group
//first:repair work_group_barrier
