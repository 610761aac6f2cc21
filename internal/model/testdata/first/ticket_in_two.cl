//clmc:launch take global=3 local=3 n=zero[1] tickets=zero[3]
//clmc:assert tickets[0] + tickets[1] + tickets[2] == 3
kernel void take(global atomic_int *n, global int *tickets) {
#ifdef FIX
  int t = atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
#else
  int t = atomic_load_explicit(n, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(n, t + 1, memory_order_relaxed, memory_scope_device);
#endif
  tickets[get_global_id(0)] = t;
}
//first:cause A lost update
//first:repair Make the update of n[0] one atomic operation
