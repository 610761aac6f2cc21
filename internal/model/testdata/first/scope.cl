//clmc:launch mp global=2 local=1 data=zero[1] flag=atomic_int[1]{0} out=zero[1]
#ifdef FIX
#define S memory_scope_device
#else
#define S memory_scope_work_group
#endif
kernel void mp(global int *data, global atomic_int *flag, global int *out) {
    if (get_group_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, S);
    } else {
        while (atomic_load_explicit(flag, memory_order_acquire, S) == 0)
            ;
        *out = *data;
    }
}

//first:cause memory_scope_work_group does not reach
//first:repair Use memory_scope_device in both
