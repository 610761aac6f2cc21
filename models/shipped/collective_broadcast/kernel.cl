// Kernel collective_broadcast hands a value from one work-item of a two-dimensional work-group to
// all.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=2,2 local=2,1
//clmc:expect verified

global atomic_int next;

kernel void k(void) {
  int ticket = -1;
  if (get_local_id(0) == 1 && get_local_id(1) == 0)
    ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_device);
  __observe("ticket", work_group_broadcast(ticket, 1, 0));
}
