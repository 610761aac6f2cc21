//clmc:launch hand global=2 local=1 box=zero[1] ready=zero[1] out=zero[1]
kernel void hand(global int *box, global atomic_int *ready, global int *out) {
    if (get_group_id(0) == 0) {
#ifdef FIX
        box[0] = 42;
        atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
#else
        atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
        box[0] = 42;
#endif
    } else if (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device)) {
        out[0] = box[0];
    }
}

//first:cause Published too early
//first:repair Make the access in line 9 before the store in line 8
