// A barrier between work-groups by a counter: the last to come lets all go on.
//
//clmc:launch meet global=3 local=1 count=atomic_int[1]{0} go=atomic_int[1]{0} data=zero[3] out=zero[3]
//clmc:assert out[0] == 2 && out[1] == 3 && out[2] == 1
kernel void meet(global atomic_int *count, global atomic_int *go, global int *data, global int *out) {
  int me = get_global_id(0);
  data[me] = me + 1;
  if (atomic_fetch_add_explicit(count, 1, memory_order_seq_cst, memory_scope_device) == 2)
    atomic_store_explicit(go, 1, memory_order_seq_cst, memory_scope_device);
  else
    while (!atomic_load_explicit(go, memory_order_seq_cst, memory_scope_device)) ;
  out[me] = data[(me + 1) % 3];
}
