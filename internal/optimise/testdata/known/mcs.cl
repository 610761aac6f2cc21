// The queue lock of Mellor-Crummey and Scott (1991), between work-groups: each waits on a node of its own.
//
//clmc:launch mcs global=2 local=1 tail=atomic_int[1]{0} next=atomic_int[3]{0,0,0} locked=atomic_int[3]{0,0,0} data=zero[1]
//clmc:assert data[0] == 2
kernel void mcs(global atomic_int *tail, global atomic_int *next, global atomic_int *locked, global int *data) {
  int me = get_global_id(0) + 1;
  atomic_store_explicit(&next[me], 0, memory_order_seq_cst, memory_scope_device);
  atomic_store_explicit(&locked[me], 1, memory_order_seq_cst, memory_scope_device);
  int before = atomic_exchange_explicit(tail, me, memory_order_seq_cst, memory_scope_device);
  if (before) {
    atomic_store_explicit(&next[before], me, memory_order_seq_cst, memory_scope_device);
    while (atomic_load_explicit(&locked[me], memory_order_seq_cst, memory_scope_device)) ;
  }
  (*data)++;
  int own = me, behind = atomic_load_explicit(&next[me], memory_order_seq_cst, memory_scope_device);
  if (!behind) {
    if (atomic_compare_exchange_strong_explicit(tail, &own, 0, memory_order_seq_cst, memory_order_relaxed, memory_scope_device))
      return;
    do
      behind = atomic_load_explicit(&next[me], memory_order_seq_cst, memory_scope_device);
    while (!behind);
  }
  atomic_store_explicit(&locked[behind], 0, memory_order_seq_cst, memory_scope_device);
}
