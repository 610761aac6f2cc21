// Kernel mp_wrong_scope uses work-group scope between work-groups.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch mp global=2 local=1
//clmc:expect violated CL1001

global int data;
global atomic_int flag;

kernel void mp(void) {
  switch (get_global_id(0)) {
  case 0:
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    break;
  case 1:
    if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 1)
      __assert(data == 42);
    break;
  }
}
