// Two producers count in a counter each; the consumer waits for one of them and reads what both have made.
//clmc:launch gather global=3 local=1 data=zero[2] done=atomic_int[2]{0,0} out=zero[1]
kernel void gather(global int *data, global atomic_int *done, global int *out) {
    int g = get_group_id(0);
    if (g < 2) {
        data[g] = 10 + g;
        atomic_fetch_add_explicit(&done[g], 1, memory_order_release, memory_scope_device);
        return;
    }
    while (atomic_load_explicit(&done[0], memory_order_acquire, memory_scope_device) == 0)
        ;
#ifdef FIX
    while (atomic_load_explicit(&done[1], memory_order_acquire, memory_scope_device) == 0)
        ;
#endif
    out[0] = data[0] + data[1];
}

//first:cause done[0], which is a value of gather(0)
//first:repair the element of done that gather(1) writes in line 7
