//clmc:launch phases global=4 local=2 arrived=atomic_int[1]{0} a=zero[4] out=zero[4]
kernel void phases(global atomic_int *arrived, global int *a, global int *out) {
    int i = get_global_id(0);
    a[i] = i;
#ifdef FIX
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    if (get_local_id(0) == 0) {
        atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
        while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) < 2)
            ;
    }
#ifdef FIX
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    out[i] = a[(i + 2) % 4];
}

//first:cause comes by without waiting
//first:repair one after the acquire
