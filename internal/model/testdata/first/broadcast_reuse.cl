// The leader draws tasks for its group, and the others read which one while it draws the next.
//clmc:launch work global=2 local=2 next=atomic_int[1]{0} done=zero[6]
kernel void work(global atomic_int *next, global int *done) {
    local int task;
    int l = get_local_id(0);
    for (;;) {
        if (l == 0)
            task = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
        barrier(CLK_LOCAL_MEM_FENCE);
        int t = task;
#ifdef FIX
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (t >= 2)
            return;
        done[2 * t + l] = 1;
    }
}

//first:cause line 8
//first:cause line 10
//first:repair after line 10, at the end of each round
