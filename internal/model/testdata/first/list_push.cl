//clmc:launch k global=2 local=1 head=atomic_int[1]{-1} next=int[2]{-1,-1} item=zero[2] out=zero[1]
// linked list: push with compare-exchange, walked by a reader
kernel void k(global atomic_int *head, global int *next, global int *item, global int *out) {
    if (get_global_id(0) == 0) {
        item[1] = 9;
        int h = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
        do
            next[1] = h;
        while (!atomic_compare_exchange_weak_explicit(head, &h, 1,
#ifdef FIX
            memory_order_release,
#else
            memory_order_acquire,
#endif
            memory_order_relaxed, memory_scope_device));
    } else {
        for (int n = atomic_load_explicit(head, memory_order_acquire, memory_scope_device); n >= 0; n = next[n])
            out[0] += item[n];
    }
}

//first:cause that write is no release
//first:repair memory_order_acq_rel for the compare-exchange
