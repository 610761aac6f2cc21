// Kernel spinlock_flag protects a counter by a lock that work-groups spin on with test-and-set.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch count global=2 local=1
//clmc:assert counter == 2
//clmc:expect verified

global atomic_flag lock;
global int counter;

kernel void count(void) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire, memory_scope_device))
    ;
  counter++;
  atomic_flag_clear_explicit(&lock, memory_order_release, memory_scope_device);
}
