// The leader clears the counter in local memory, and nobody waits for that.
//clmc:launch count global=2 local=2 a=int[2]{0,1} out=zero[1]
kernel void count(global const int *a, global int *out) {
    local atomic_int n;
    int l = get_local_id(0);
    if (l == 0)
        atomic_init(&n, 0);
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (a[l])
        atomic_fetch_add_explicit(&n, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        *out = atomic_load_explicit(&n, memory_order_relaxed, memory_scope_work_group);
}

//first:cause no barrier stands between
//first:repair after line 7 and before line 12
