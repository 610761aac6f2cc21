// Kernel lb_data is load buffering in which one store writes the value that its work-item has
// loaded.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=2 local=1
//clmc:expect verified
//clmc:expect promises=0 verified

global atomic_int x, y;

kernel void k(void) {
  int r;
  switch (get_global_id(0)) {
  case 0:
    r = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, r, memory_order_relaxed);
    __observe("r0", r);
    break;
  case 1:
    r = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    __observe("r1", r);
    break;
  }
}
