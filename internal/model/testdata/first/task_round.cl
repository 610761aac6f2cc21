//clmc:launch run global=4 local=2 head=atomic_int[1]{0} tail=atomic_int[1]{2} tasks=int[4]{10,20,0,0} out=zero[4] cur=local[1]
// Chai's task queue: the leader takes a task for its group through local memory.
kernel void run(global atomic_int *head, global atomic_int *tail, global int *tasks, global int *out, local int *cur) {
    for (;;) {
        if (get_local_id(0) == 0) {
            int h = atomic_fetch_add_explicit(head, 1, memory_order_acq_rel, memory_scope_device);
            cur[0] = h < 2 ? h : -1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int t = cur[0];
        if (t < 0)
            break;
        if (get_local_id(0) == 0)
            out[t] = tasks[t];
#ifdef FIX
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}

//first:cause is a round of a loop ahead
//first:repair after line 10, at the end of each round
