// Kernel ticketlock_relaxed is ticketlock that waits with relaxed loads.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch count global=2 local=1
//clmc:assert counter == 2
//clmc:expect violated CL1001
//clmc:expect -D fenced=true verified

global atomic_int next, serving;
global int counter;

kernel void count(void) {
  int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_device);
  while (atomic_load_explicit(&serving, memory_order_relaxed, memory_scope_device) != ticket)
    ;
#ifdef fenced
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
#endif
  counter++;
  atomic_store_explicit(&serving, ticket + 1, memory_order_release, memory_scope_device);
}
