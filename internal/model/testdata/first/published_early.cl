//clmc:launch tasks global=2 local=1 queue=int[2]{0} tail=atomic_int[1]{0} sum=zero[1]
kernel void tasks(global int *queue, global atomic_int *tail, global int *sum) {
    if (get_global_id(0) == 0) {
#ifdef FIX
        int at = atomic_load_explicit(tail, memory_order_relaxed, memory_scope_device);
        queue[at] = 7;
        atomic_store_explicit(tail, at + 1, memory_order_release, memory_scope_device);
#else
        int at = atomic_fetch_add_explicit(tail, 1, memory_order_acq_rel, memory_scope_device);
        queue[at] = 7;
#endif
    } else if (atomic_load_explicit(tail, memory_order_acquire, memory_scope_device) > 0) {
        sum[0] = queue[0];
    }
}

//first:cause a release publishes only what comes before it
//first:repair Make the access in line 10 before the read-modify-write in line 9
