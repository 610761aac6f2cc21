// Atomics of both kinds, barriers, fences, blocks.
global atomic_int flag = ATOMIC_VAR_INIT(0);

kernel void synchronisation(global int *g, local int *l, global atomic_uint *a, global atomic_flag *m) {
  int expected = 1, old = atomic_inc(g) + atomic_cmpxchg(&l[1], 0, 2) + atom_add(g, 'a');
  atomic_store_explicit(&flag, old, memory_order_release, memory_scope_device);
  while (atomic_load_explicit(&flag, memory_order_acquire) != 1) ;
  atomic_compare_exchange_strong((global atomic_int *)&flag, &expected, 3);
  uint u = atomic_fetch_add(a, 1) + *a;
  *a = u;
  ++a[1];
  while (atomic_flag_test_and_set(m)) ;
  atomic_flag_clear(m);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
  g[0] = work_group_reduce_add(g[1]);
  event_t e = async_work_group_copy(l, g, 4, 0);
  wait_group_events(1, &e);
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4, 2), ^(local void *p) { ((local int *)p)[0] = old; g[1] = u; }, 16);
  printf("%d %v2f\n", old, (float2)(1));
}
