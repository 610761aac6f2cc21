//clmc:launch work global=2 local=1 next=atomic_int[1]{0} turn=zero[1] sum=zero[1]
kernel void work(global atomic_int *next, global int *turn, global int *sum) {
    int mine = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
#ifdef FIX
    while (atomic_load_explicit((global atomic_int *)turn, memory_order_acquire, memory_scope_device) != mine) {}
#else
    while (turn[0] != mine) {}
#endif
    sum[0] += 1;
    atomic_store_explicit((global atomic_int *)turn, mine + 1, memory_order_release, memory_scope_device);
}

//first:cause One side is atomic
//first:repair atomic_load_explicit (memory_order_acquire
