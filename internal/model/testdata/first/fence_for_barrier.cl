//clmc:launch dot global=4 local=2 a=float[4]{1,2,3,4} b=float[4]{1,1,1,1} part=zero[2] tmp=local[2]
//clmc:assert part[0] == 3
// CLBlast-like: the first work-item adds before all have written
kernel void dot(global const float *a, global const float *b, global float *part, local float *tmp) {
    int l = get_local_id(0), i = get_global_id(0);
    tmp[l] = a[i] * b[i];
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    mem_fence(CLK_LOCAL_MEM_FENCE);
#endif
    if (l == 0) part[get_group_id(0)] = tmp[0] + tmp[1];
}

//first:cause waits for nobody
//first:repair work_group_barrier(CLK_LOCAL_MEM_FENCE) between the two accesses
