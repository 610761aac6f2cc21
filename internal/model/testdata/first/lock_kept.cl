//clmc:launch k global=2 local=1 lock=atomic_int[1]{0} c=int[1]{1}
// spin lock that the early exit forgets to release
kernel void k(global atomic_int *lock, global int *c) {
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    if (c[0] > 1) {
#ifdef FIX
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
#endif
        return;
    }
    c[0]++;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    c[0]++;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

//first:cause has ended without writing it again
//first:repair on each way to the end
