//clmc:launch sum global=4 local=2 a=int[4]{1,2,3,4} part=zero[2] count=uint[1]{0} out=zero[1] tmp=local[2]
//clmc:assert out[0] == 10
kernel void sum(global const int *a, global int *part, volatile global uint *count, global int *out, local int *tmp) {
    int l = get_local_id(0);
    tmp[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        part[get_group_id(0)] = tmp[0] + tmp[1];
#ifdef FIX
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
#else
        mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
        if (atomic_inc(count) == get_num_groups(0) - 1) {
#ifdef FIX
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
#endif
            int s = 0;
            for (int g = 0; g < get_num_groups(0); g++)
                s += part[g];
            *out = s;
        }
    }
}

//first:cause that read is no acquire
//first:repair memory_order_release, memory_scope_device) instead of the fence
