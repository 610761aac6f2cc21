// Kernel mp_release_acquire hands plain data to another work-group behind a flag that is released
// and acquired.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch mp global=2 local=1
//clmc:expect verified
//clmc:expect spec=2.0 verified
//clmc:expect spec=popl16 verified

global int data;
global atomic_int flag;

kernel void mp(void) {
  switch (get_global_id(0)) {
  case 0:
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_device);
    break;
  case 1:
    if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_device) == 1)
      __assert(data == 42);
    break;
  }
}
