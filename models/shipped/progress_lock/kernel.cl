// Kernel progress_lock has two work-groups take a spin lock once.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=2 local=1
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa violated CL1020
//clmc:expect liveness=obe verified
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong violated CL1020
//clmc:expect liveness=obe fairness=strong verified
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified

global atomic_int lock;
global int data;

kernel void k(void) {
  while (atomic_exchange_explicit(&lock, 1, memory_order_acquire, memory_scope_device) != 0) ;
  data++;
  atomic_store_explicit(&lock, 0, memory_order_release, memory_scope_device);
}
