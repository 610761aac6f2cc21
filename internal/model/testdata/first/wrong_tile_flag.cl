// The consumer looks at its own flag and takes the data of the producer before it.
//clmc:launch chain global=3 local=1 part=zero[3] flag=atomic_int[3]{0,0,0} out=zero[3]
kernel void chain(global int *part, global atomic_int *flag, global int *out) {
    int g = get_group_id(0);
    part[g] = g + 1;
    atomic_store_explicit(&flag[g], 1, memory_order_release, memory_scope_device);
    if (g == 0)
        return;
#ifdef FIX
    while (atomic_load_explicit(&flag[g - 1], memory_order_acquire, memory_scope_device) == 0)
#else
    while (atomic_load_explicit(&flag[g], memory_order_acquire, memory_scope_device) == 0)
#endif
        ;
    out[g] = part[g - 1];
}

//first:cause a value of its own
//first:repair the element of flag that chain(0) writes in line 6
