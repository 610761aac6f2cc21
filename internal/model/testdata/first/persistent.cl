//clmc:launch k global=4 local=2 count=atomic_int[1]{0} x=zero[4] y=zero[4]
// persistent threads: a global barrier by the first work-item of each group
kernel void k(global atomic_int *count, global int *x, global int *y) {
    int i = get_global_id(0);
    x[i] = i;
#ifdef FIX
    barrier(CLK_GLOBAL_MEM_FENCE);
#else
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (get_local_id(0) == 0) {
        atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);
        while (atomic_load_explicit(count, memory_order_acquire, memory_scope_device) < 2)
            ;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    y[i] = x[3 - i];
}

//first:cause order local memory only
//first:repair Add CLK_GLOBAL_MEM_FENCE
