//clmc:launch share global=2 local=1 item=zero[1] top=zero[1] out=zero[1]
kernel void share(global int *item, global atomic_int *top, global int *out) {
    if (get_group_id(0) == 0) {
        item[0] = 9;
        atomic_fetch_add_explicit(top, 1, memory_order_release, memory_scope_device);
    } else {
        int n = 1;
#ifdef FIX
        if (atomic_compare_exchange_strong_explicit(top, &n, 0, memory_order_acquire, memory_order_relaxed, memory_scope_device))
#else
        if (atomic_compare_exchange_strong_explicit(top, &n, 0, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
#endif
            out[0] = item[0];
    }
}

//first:cause that read is no acquire
//first:repair memory_order_acquire
