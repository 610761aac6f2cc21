//clmc:launch push global=2 local=1 tail=atomic_int[1]{0} q=zero[2]
kernel void push(global atomic_int *tail, global int *q) {
#ifdef FIX
    int at = atomic_fetch_add_explicit(tail, 1, memory_order_relaxed, memory_scope_device);
    q[at] = get_global_id(0) + 1;
#else
    int at = atomic_load_explicit(tail, memory_order_acquire, memory_scope_device);
    q[at] = get_global_id(0) + 1;
    atomic_store_explicit(tail, at + 1, memory_order_release, memory_scope_device);
#endif
}

//first:cause read the same value of tail[0]
//first:repair count it on in one atomic operation
