// A lock of one writer or several readers, between work-groups: the lock counts the readers, and is -1 while somebody writes.
//
//clmc:launch rw global=3 local=1 lock=atomic_int[1]{0} data=zero[2] out=zero[3]
//clmc:assert out[1] == 0 && out[2] == 0
kernel void rw(global atomic_int *lock, global int *data, global int *out) {
  int me = get_global_id(0), free = 0;
  if (me == 0) {
    while (!atomic_compare_exchange_strong_explicit(lock, &free, -1, memory_order_seq_cst, memory_order_relaxed, memory_scope_device))
      free = 0;
    data[0]++;
    data[1]++;
    atomic_store_explicit(lock, 0, memory_order_seq_cst, memory_scope_device);
  } else {
    int readers;
    do
      readers = atomic_load_explicit(lock, memory_order_seq_cst, memory_scope_device);
    while (readers < 0 || !atomic_compare_exchange_strong_explicit(lock, &readers, readers + 1, memory_order_seq_cst, memory_order_relaxed, memory_scope_device));
    out[me] = data[0] - data[1];
    atomic_fetch_sub_explicit(lock, 1, memory_order_seq_cst, memory_scope_device);
  }
}
