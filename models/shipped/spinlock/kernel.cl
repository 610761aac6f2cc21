// Kernel spinlock protects a counter by a lock that work-groups spin on.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch count global=2 local=1
//clmc:assert counter == 2
//clmc:expect verified

global atomic_int lock;
global int counter;

void acquire(void) {
  for (;;) {
    int expected = 0;
    if (atomic_compare_exchange_weak_explicit(&lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
      return;
  }
}

kernel void count(void) {
  acquire();
  counter++;
  atomic_store_explicit(&lock, 0, memory_order_release, memory_scope_device);
}
