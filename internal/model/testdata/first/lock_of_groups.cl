// All work-groups take the lock; the two work-items that are seen to race are of one group, for which a lock of the work-group would do.
//clmc:launch locked global=4 local=2 lock=atomic_int[1]{0} count=zero[1]
#ifdef FIX
#define S memory_scope_device
#else
#define S memory_scope_sub_group
#endif
__attribute__((intel_reqd_sub_group_size(1)))
kernel void locked(global atomic_int *lock, global int *count) {
    if (get_global_id(0) == 3)
        return;
    if (atomic_exchange_explicit(lock, 1, memory_order_acquire, S))
        return;
    *count += 1;
    atomic_store_explicit(lock, 0, memory_order_release, S);
}

//first:cause memory_scope_sub_group does not reach
//first:repair Use memory_scope_device
