// Kernel lb_relaxed lets two work-items each read one location and then write the other, all
// relaxed.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=2 local=1
//clmc:expect verified
//clmc:expect promises=0 verified

global atomic_int x, y;

kernel void k(void) {
  switch (get_global_id(0)) {
  case 0:
    __observe("r0", atomic_load_explicit(&x, memory_order_relaxed));
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    break;
  case 1:
    __observe("r1", atomic_load_explicit(&y, memory_order_relaxed));
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    break;
  }
}
