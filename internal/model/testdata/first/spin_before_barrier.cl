// The leader spins for a flag that another work-item of its group sets behind the barrier.
//clmc:launch sync global=2 local=2 flag=atomic_int[1]{0} out=zero[1]
kernel void sync(global atomic_int *flag, global int *out) {
    int l = get_local_id(0);
#ifdef FIX
    if (l == 1)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
#endif
    if (l == 0)
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group) == 0)
            ;
    barrier(CLK_GLOBAL_MEM_FENCE);
#ifndef FIX
    if (l == 1)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
#endif
    if (l == 0)
        *out = 1;
}

//first:cause line 10
//first:cause line 15
//first:repair before the barrier
