//clmc:launch k global=2 local=1 n=zero[1] seen=zero[2]
//clmc:assert seen[0] == 2 && seen[1] == 2
//first:cause It hangs on what k(0) finds in n[0] in line
//first:cause Nothing orders the two
//first:repair have it wait for that
kernel void k(global atomic_int *n, global int *seen) {
    atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
#ifdef FIX
    while (atomic_load_explicit(n, memory_order_relaxed, memory_scope_device) < 2)
        ;
#endif
    seen[get_global_id(0)] = atomic_load_explicit(n, memory_order_relaxed, memory_scope_device);
}
