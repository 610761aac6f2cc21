// Kernel isa2_release_acquire hands plain data on through a chain of two flags.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=3 local=1
//clmc:expect verified
//clmc:expect spec=popl16 verified

global int data;
global atomic_int x, y;

kernel void k(void) {
  switch (get_global_id(0)) {
  case 0:
    data = 42;
    atomic_store_explicit(&x, 1, memory_order_release);
    break;
  case 1:
    if (atomic_load_explicit(&x, memory_order_acquire) == 1)
      atomic_store_explicit(&y, 1, memory_order_release);
    break;
  case 2:
    if (atomic_load_explicit(&y, memory_order_acquire) == 1)
      __assert(data == 42);
    break;
  }
}
