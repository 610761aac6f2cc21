// The queue lock of Craig (1993) and of Magnusson, Landin and Hagersten (1994), between work-groups: each waits on the node before its own.
//
//clmc:launch clh global=3 local=1 tail=atomic_int[1]{0} locked=atomic_int[4]{0,0,0,0} data=zero[1]
//clmc:assert data[0] == 3
kernel void clh(global atomic_int *tail, global atomic_int *locked, global int *data) {
  int me = get_global_id(0) + 1;
  atomic_store_explicit(&locked[me], 1, memory_order_seq_cst, memory_scope_device);
  int before = atomic_exchange_explicit(tail, me, memory_order_seq_cst, memory_scope_device);
  while (atomic_load_explicit(&locked[before], memory_order_seq_cst, memory_scope_device)) ;
  (*data)++;
  atomic_store_explicit(&locked[me], 0, memory_order_seq_cst, memory_scope_device);
}
