//clmc:launch k global=4 local=2 buf=zero[2] flag=zero[1] out=zero[2]
//first:cause and k(0) pass the work_group_barrier at
//first:repair Add CLK_GLOBAL_MEM_FENCE to the flags of the barrier in line 21.
#ifdef FIX
#define FLAGS CLK_GLOBAL_MEM_FENCE
#else
#define FLAGS CLK_LOCAL_MEM_FENCE
#endif
// Work-group 0 fills a block and raises a flag; work-group 1 waits for that. Neither barrier orders the block.
kernel void k(global int *buf, global atomic_int *flag, global int *out) {
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        buf[l] = l + 10;
        work_group_barrier(FLAGS);
        if (l == 0)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        if (l == 0)
            while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
                ;
        work_group_barrier(FLAGS);
        out[l] = buf[l];
    }
}
