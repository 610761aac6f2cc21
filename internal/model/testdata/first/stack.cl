// A free list by compare-exchange: the next pointer is written after the node is published.
//clmc:launch push global=2 local=1 head=atomic_int[1]{-1} next=int[2]{7,7} out=zero[2]
kernel void push(global atomic_int *head, global int *next, global int *out) {
    int me = get_global_id(0);
    if (me == 0) {
#ifdef FIX
        next[0] = -1;
        atomic_store_explicit(head, 0, memory_order_release, memory_scope_device);
#else
        atomic_store_explicit(head, 0, memory_order_release, memory_scope_device);
        next[0] = -1;
#endif
    } else {
        int h = atomic_load_explicit(head, memory_order_acquire, memory_scope_device);
        if (h >= 0)
            out[1] = next[h];
    }
}

//first:cause comes before the access
//first:repair Make the access in line 11 before the store in line 10
