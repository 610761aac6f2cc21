//clmc:launch k global=2 local=1 sem=int[1]{2} sum=zero[1]
//clmc:assert sum[0] == 2
//first:cause Both are inside at once
//first:repair Let sem[0] admit one at a time
#ifdef FIX
#define LEFT 1
#else
#define LEFT 0
#endif
kernel void k(global atomic_int *sem, global int *sum) {
    int c;
    for (;;) {
        c = atomic_load_explicit(sem, memory_order_relaxed, memory_scope_device);
        if (c > LEFT && atomic_compare_exchange_strong_explicit(sem, &c, c - 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
            break;
    }
    sum[0]++;
    atomic_fetch_add_explicit(sem, 1, memory_order_release, memory_scope_device);
}
