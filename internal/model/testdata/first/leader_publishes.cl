//clmc:launch k global=4 local=2 flag=atomic_int[1]{0} x=zero[2] out=zero[4]
// both items of the group write, only the leader publishes, without a barrier before
kernel void k(global atomic_int *flag, global int *x, global int *out) {
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        x[l] = l + 1;
#ifdef FIX
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        if (l == 0) atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        if (l == 0) while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0) ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[l] = x[1 - l];
    }
}

//first:cause they meet at no barrier in between
//first:repair after the access in line 6 and before this store in line 10
