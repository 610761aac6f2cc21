// OpenCL 1.2: groups count when they are done, and the first one polls a volatile int.
//clmc:launch all global=2 local=1 part=zero[2] n=zero[1] out=zero[1]
#ifdef FIX
kernel void all(global int *part, volatile global atomic_int *n, global int *out) {
    part[get_global_id(0)] = 1;
    atomic_fetch_add_explicit(n, 1, memory_order_release, memory_scope_device);
    if (get_global_id(0) == 0) {
        while (atomic_load_explicit(n, memory_order_acquire, memory_scope_device) < 2)
            ;
#else
kernel void all(global int *part, volatile global int *n, global int *out) {
    part[get_global_id(0)] = 1;
    atomic_inc(n);
    if (get_global_id(0) == 0) {
        while (*n < 2)
            ;
#endif
        *out = part[0] + part[1];
    }
}

//first:cause not atomic
//first:cause line 15
//first:repair atomic_load_explicit
