// Kernel sb_release_acquire is store buffering with release stores and acquire loads: they do not
// forbid the weak outcome.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=2 local=1
//clmc:expect verified

global atomic_int x, y;

kernel void k(void) {
  switch (get_global_id(0)) {
  case 0:
    atomic_store_explicit(&x, 1, memory_order_release);
    __observe("r0", atomic_load_explicit(&y, memory_order_acquire));
    break;
  case 1:
    atomic_store_explicit(&y, 1, memory_order_release);
    __observe("r1", atomic_load_explicit(&x, memory_order_acquire));
    break;
  }
}
