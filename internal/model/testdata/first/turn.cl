//clmc:launch chain global=2 local=1 turn=atomic_int[1]{2} out=zero[2]
kernel void chain(global atomic_int *turn, global int *out) {
    int g = get_group_id(0);
#ifdef FIX
    if (g == 0)
        atomic_store(turn, 0);
#endif
    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_device) != g)
        ;
    out[g] = g;
    atomic_store_explicit(turn, g + 1, memory_order_release, memory_scope_device);
}

//first:cause Nobody has written turn[0]
//first:repair before anybody waits
