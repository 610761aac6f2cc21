//clmc:launch locked global=2 local=2 lock=atomic_int[1]{0} count=zero[1]
kernel void locked(global atomic_int *lock, global int *count) {
    int expected = 0;
#ifdef FIX
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
#else
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
#endif
        expected = 0;
    *count += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

//first:cause that read is no acquire
//first:repair memory_order_acquire for the compare-exchange
