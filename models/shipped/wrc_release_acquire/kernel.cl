// Kernel wrc_release_acquire passes a value on through a second work-item that releases what it
// has seen.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=3 local=1
//clmc:expect verified

global atomic_int x, y;

kernel void k(void) {
  switch (get_global_id(0)) {
  case 0:
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    break;
  case 1:
    __observe("r0", atomic_load_explicit(&x, memory_order_relaxed));
    atomic_store_explicit(&y, 1, memory_order_release);
    break;
  case 2:
    __observe("r1", atomic_load_explicit(&y, memory_order_acquire));
    __observe("r2", atomic_load_explicit(&x, memory_order_relaxed));
    break;
  }
}
