//clmc:launch post global=2 local=1 mail=zero[1] full=zero[1] out=zero[1]
#ifdef FIX
#define SCOPE memory_scope_device
#else
#define SCOPE memory_scope_work_group
#endif
kernel void post(global int *mail, global atomic_int *full, global int *out) {
    if (get_group_id(0) == 1) {
        mail[0] = 3;
        atomic_store_explicit(full, 1, memory_order_release, SCOPE);
    } else if (atomic_load_explicit(full, memory_order_acquire, SCOPE) == 1) {
        out[0] = mail[0];
    }
}

//first:cause memory_scope_work_group
//first:repair memory_scope_device
