//clmc:launch bump global=2 local=1 lock=zero[1] n=zero[1]
#ifdef FIX
#define SCOPE memory_scope_device
#else
#define SCOPE memory_scope_work_group
#endif
kernel void bump(global atomic_int *lock, global int *n) {
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, SCOPE))
        ;
    n[0] += 1;
    atomic_store_explicit(lock, 0, memory_order_release, SCOPE);
}

//first:cause memory_scope_work_group does not reach
//first:repair memory_scope_device in both
