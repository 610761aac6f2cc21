// The stack of Treiber (1986), between work-groups: two push, one pops.
//
//clmc:launch stack global=3 local=1 head=atomic_int[1]{0} next=zero[3] value=zero[3] out=zero[1]
//clmc:assert out[0] == 0 || out[0] == 11 || out[0] == 12
kernel void stack(global atomic_int *head, global int *next, global int *value, global int *out) {
  int me = get_global_id(0), top = atomic_load_explicit(head, memory_order_seq_cst, memory_scope_device);
  if (me > 0) {
    value[me] = 10 + me;
    do
      next[me] = top;
    while (!atomic_compare_exchange_strong_explicit(head, &top, me, memory_order_seq_cst, memory_order_relaxed, memory_scope_device));
  } else {
    while (top && !atomic_compare_exchange_strong_explicit(head, &top, next[top], memory_order_seq_cst, memory_order_acquire, memory_scope_device)) ;
    if (top)
      out[0] = value[top];
  }
}
