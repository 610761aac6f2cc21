// Kernel progress_barrier_twice has two work-groups meet twice at a barrier that they make
// of a counter.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=2 local=1
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa violated CL1020
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe violated CL1020
//clmc:expect liveness=lobe violated CL1020
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong violated CL1020
//clmc:expect liveness=obe fairness=strong violated CL1020
//clmc:expect liveness=hsa_obe fairness=strong violated CL1020
//clmc:expect liveness=lobe fairness=strong violated CL1020
//clmc:expect liveness=fair fairness=strong verified

global atomic_int come;
global int data[2];

kernel void k(void) {
  int me = get_group_id(0);
  for (int round = 1; round <= 2; round++) {
    data[me] += round;
    atomic_fetch_add_explicit(&come, 1, memory_order_acq_rel, memory_scope_device);
    while (atomic_load_explicit(&come, memory_order_acquire, memory_scope_device) < 2 * round) ;
  }
  __assert(data[1 - me] == 3);
}
