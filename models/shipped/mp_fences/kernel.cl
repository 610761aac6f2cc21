// Kernel mp_fences hands data over with relaxed atomics and two fences.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch mp global=2 local=1
//clmc:expect verified
//clmc:expect spec=popl16 verified

global int data;
global atomic_int flag;

kernel void mp(void) {
  bool seen;
  switch (get_global_id(0)) {
  case 0:
    data = 42;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_device);
    break;
  case 1:
    seen = atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_device) == 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    if (seen)
      __assert(data == 42);
    break;
  }
}
