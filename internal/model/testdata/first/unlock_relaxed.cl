//clmc:launch histogram global=2 local=1 locks=atomic_int[2]{0} bins=zero[2]
void acquire(global atomic_int *l) {
    int expected = 0;
    while (!atomic_compare_exchange_weak_explicit(l, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
        expected = 0;
}
void release(global atomic_int *l) {
#ifdef FIX
    atomic_store_explicit(l, 0, memory_order_release, memory_scope_device);
#else
    atomic_store_explicit(l, 0, memory_order_relaxed, memory_scope_device);
#endif
}
kernel void histogram(global atomic_int *locks, global int *bins) {
    int b = 1;
    acquire(&locks[b]);
    bins[b]++;
    release(&locks[b]);
}

//first:cause that write is no release
//first:repair memory_order_release for the store in line 11
