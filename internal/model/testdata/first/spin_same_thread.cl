// A lock that is taken again by a helper.
//clmc:launch add global=2 local=1 lock=atomic_int[1]{0} sum=zero[1]
void take(global atomic_int *l) { while (atomic_exchange_explicit(l, 1, memory_order_acquire, memory_scope_device)) ; }
void give(global atomic_int *l) { atomic_store_explicit(l, 0, memory_order_release, memory_scope_device); }
void count(global atomic_int *l, global int *sum) {
#ifndef FIX
    take(l);
#endif
    *sum += 1;
#ifndef FIX
    give(l);
#endif
}
kernel void add(global atomic_int *lock, global int *sum) {
    take(lock);
    count(lock, sum);
    give(lock);
}

//first:cause itself
//first:repair line 7
