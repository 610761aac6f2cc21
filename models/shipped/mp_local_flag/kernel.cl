// Kernel mp_local_flag guards global data by a flag in local memory.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch mp global=2 local=2
//clmc:expect violated CL1001

global int data;

kernel void mp(void) {
  local atomic_int flag;
  int id = get_local_id(0);
  if (id == 0)
    atomic_init(&flag, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) {
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  } else if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 1)
    __assert(data == 42);
}
