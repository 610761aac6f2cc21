// A lock that is tested before it is tested and set, between work-groups.
//
//clmc:launch ttas global=3 local=1 lock=atomic_int[1]{0} data=zero[1]
//clmc:assert data[0] == 3
kernel void ttas(global atomic_int *lock, global int *data) {
  do
    while (atomic_load_explicit(lock, memory_order_seq_cst, memory_scope_device)) ;
  while (atomic_exchange_explicit(lock, 1, memory_order_seq_cst, memory_scope_device));
  (*data)++;
  atomic_store_explicit(lock, 0, memory_order_seq_cst, memory_scope_device);
}
