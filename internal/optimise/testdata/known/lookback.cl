// The decoupled look-back of Merrill and Garland (2016): each work-group publishes its sum, and adds those before it, until one has published its prefix.
//
//clmc:launch scan global=3 local=1 state=atomic_int[3]{0,0,0} sum=zero[3] prefix=zero[3]
//clmc:assert prefix[0] == 1 && prefix[1] == 3 && prefix[2] == 6
kernel void scan(global atomic_int *state, global int *sum, global int *prefix) {
  int me = get_global_id(0), all = me + 1;
  if (me > 0) {
    sum[me] = all;
    atomic_store_explicit(&state[me], 1, memory_order_seq_cst, memory_scope_device);
    for (int before = me - 1; before >= 0; before--) {
      int s;
      do
        s = atomic_load_explicit(&state[before], memory_order_seq_cst, memory_scope_device);
      while (s == 0);
      if (s == 2) {
        all += prefix[before];
        break;
      }
      all += sum[before];
    }
  }
  prefix[me] = all;
  atomic_store_explicit(&state[me], 2, memory_order_seq_cst, memory_scope_device);
}
