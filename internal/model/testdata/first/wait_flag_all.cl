// All work-items wait for the flag, but the data come from every work-item of the first group.
//clmc:launch hand global=4 local=2 data=zero[2] flag=atomic_int[1]{0} out=zero[2]
kernel void hand(global int *data, global atomic_int *flag, global int *out) {
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[l] = l + 1;
#ifdef FIX
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        if (l == 0)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
        out[l] = data[1 - l];
}

//first:cause they meet at no barrier
//first:repair after the access in line 6 and before this store in line 11
