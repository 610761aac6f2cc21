//clmc:launch k global=2 local=1 key=atomic_int[2]{0} val=zero[2] out=zero[1]
// hash table: the slot is claimed by its key, the value follows
kernel void k(global atomic_int *key, global int *val, global int *out) {
    if (get_global_id(0) == 0) {
#ifdef FIX
        val[1] = 42;
#endif
        int e = 0;
        atomic_compare_exchange_strong_explicit(&key[1], &e, 7, memory_order_acq_rel, memory_order_relaxed, memory_scope_device);
#ifndef FIX
        val[1] = 42;
#endif
    } else if (atomic_load_explicit(&key[1], memory_order_acquire, memory_scope_device) == 7)
        out[0] = val[1];
}

//first:cause a release publishes only what comes before it
//first:repair before the compare-exchange in line 9
