//clmc:launch k global=2 local=2 go=local[1] ago=atomic_int[1]{0} x=zero[1] out=zero[1]
kernel void k(volatile local int *go, global atomic_int *ago, global int *x, global int *out) {
    int l = get_local_id(0);
    if (l == 0) go[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        x[0] = 1;
#ifdef FIX
        atomic_store_explicit(ago, 1, memory_order_release, memory_scope_work_group);
#else
        go[0] = 1;
#endif
    } else {
#ifdef FIX
        while (atomic_load_explicit(ago, memory_order_acquire, memory_scope_work_group) == 0)
            ;
#else
        while (go[0] == 0)
            ;
#endif
        out[0] = x[0];
    }
}

//first:cause neither access is atomic
//first:repair memory_order_acquire, memory_scope_work_group
