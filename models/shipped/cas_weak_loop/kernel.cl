// Kernel cas_weak_loop increments a counter by weak compare-exchanges in a loop.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch count global=2 local=1
//clmc:assert counter == 2
//clmc:expect verified

global atomic_int counter;

kernel void count(void) {
  int old = atomic_load_explicit(&counter, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(&counter, &old, old + 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
    ;
}
