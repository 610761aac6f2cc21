// The queue of Michael and Scott (1996), between work-groups: two enqueue, one dequeues. Node 0 is the dummy.
//
//clmc:launch queue global=3 local=1 head=atomic_int[1]{0} tail=atomic_int[1]{0} next=atomic_int[3]{0,0,0} value=zero[3] out=zero[1]
//clmc:assert out[0] == 0 || out[0] == 11 || out[0] == 12
kernel void queue(global atomic_int *head, global atomic_int *tail, global atomic_int *next, global int *value, global int *out) {
  int me = get_global_id(0);
  if (me > 0) {
    value[me] = 10 + me;
    int last, none = 0;
    while (true) {
      last = atomic_load_explicit(tail, memory_order_seq_cst, memory_scope_device);
      if (atomic_compare_exchange_strong_explicit(&next[last], &none, me, memory_order_seq_cst, memory_order_acquire, memory_scope_device))
        break;
      atomic_compare_exchange_strong_explicit(tail, &last, none, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
      none = 0;
    }
    atomic_compare_exchange_strong_explicit(tail, &last, me, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
  } else {
    int first = atomic_load_explicit(head, memory_order_seq_cst, memory_scope_device);
    int second = atomic_load_explicit(&next[first], memory_order_seq_cst, memory_scope_device);
    if (second && atomic_compare_exchange_strong_explicit(head, &first, second, memory_order_seq_cst, memory_order_relaxed, memory_scope_device))
      out[0] = value[second];
  }
}
