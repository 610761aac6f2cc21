// The second group never sets its flag, and waits for it; that the first one sets its own has nothing to do with it.
//clmc:launch hand global=4 local=2 n=1 out=zero[2]
kernel void hand(int n, global int *out) {
    local atomic_int flag;
    int l = get_local_id(0), g = get_group_id(0);
    if (l == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
#ifndef FIX
        if (g < n)
#endif
            atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    } else {
        while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 0)
            ;
        out[g] = 1;
    }
}

//first:cause hand(2) has written flag last, in step 9 in line 7, and has ended
//first:repair on each way to the end
