//clmc:launch step global=2 local=1 arrived=atomic_int[1]{0} x=zero[2] y=zero[2]
kernel void step(global atomic_int *arrived, global int *x, global int *y) {
    int g = get_group_id(0);
    x[g] = g + 1;
#ifdef FIX
    atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
    while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) < 2)
        ;
#else
    if (get_group_id(0) == 0)
        atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
    while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) < 2)
        ;
#endif
    y[g] = x[1 - g];
}

//first:cause whose last value is 1
//first:cause compares arrived[0], which is 1, with 2
//first:repair let as many come there as it waits for
