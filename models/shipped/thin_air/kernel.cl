// Kernel thin_air copies a global location to a local one and back, by release and acquire: can 42
// come out of nothing?
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=2 local=2
//clmc:expect verified

global atomic_int x;

kernel void k(void) {
  local atomic_int y;
  int id = get_local_id(0);
  if (id == 0)
    atomic_init(&y, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) {
    int t = atomic_load_explicit(&y, memory_order_acquire);
    atomic_store_explicit(&x, t, memory_order_release);
    __observe("r0", t);
  } else {
    int t = atomic_load_explicit(&x, memory_order_acquire);
    atomic_store_explicit(&y, t, memory_order_release);
    __observe("r1", t);
  }
}
