// Three philosophers, each takes the fork on its left first.
//clmc:launch dine global=3 local=1 fork=atomic_int[3]{0,0,0} meals=zero[3]
void take(global atomic_int *f) {
    int free = 0;
    while (!atomic_compare_exchange_strong_explicit(f, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
        free = 0;
}
void put(global atomic_int *f) { atomic_store_explicit(f, 0, memory_order_release, memory_scope_device); }

kernel void dine(global atomic_int *fork, global int *meals) {
    int i = get_global_id(0), a = i, b = (i + 1) % 3;
#ifdef FIX
    if (a > b) { int t = a; a = b; b = t; }
#endif
    take(&fork[a]);
    take(&fork[b]);
    meals[i]++;
    put(&fork[b]);
    put(&fork[a]);
}

//first:cause wait for each other's locks
//first:cause line 16
//first:repair in one order everywhere
