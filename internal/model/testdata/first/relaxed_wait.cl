//clmc:launch hand global=2 local=1 box=zero[1] ready=zero[1] out=zero[1]
#ifdef FIX
#define ORDER memory_order_acquire
#else
#define ORDER memory_order_relaxed
#endif
kernel void hand(global int *box, global atomic_int *ready, global int *out) {
    if (get_group_id(0) == 0) {
        box[0] = 42;
        atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
    } else {
        while (atomic_load_explicit(ready, ORDER, memory_scope_device) == 0)
            ;
        out[0] = box[0];
    }
}

//first:cause that read is no acquire
//first:repair memory_order_acquire for the load in line 12
