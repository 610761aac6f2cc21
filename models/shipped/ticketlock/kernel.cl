// Kernel ticketlock protects a counter by a lock that serves in order of arrival.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch count global=2 local=1
//clmc:assert counter == 2
//clmc:expect verified

global atomic_int next, serving;
global int counter;

kernel void count(void) {
  int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_device);
  while (atomic_load_explicit(&serving, memory_order_acquire, memory_scope_device) != ticket)
    ;
  counter++;
  atomic_store_explicit(&serving, ticket + 1, memory_order_release, memory_scope_device);
}
