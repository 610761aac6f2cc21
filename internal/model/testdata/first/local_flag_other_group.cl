// The groups hand over through a flag in local memory, of which each has its own.
//clmc:launch hand global=2 local=1 data=zero[1] out=zero[1]
kernel void hand(global int *data, global int *out) {
    local atomic_int flag;
    atomic_init(&flag, 0);
    if (get_group_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_device);
    } else {
#ifndef FIX
        while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_device) == 0)
            ;
        *out = *data;
#endif
    }
}

//first:cause each work-group has its own
//first:repair global
