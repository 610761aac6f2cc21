// Kernel progress_lookback_ids adds up a prefix sum by look-back among work-groups in the
// order of their ids.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=3 local=1
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa verified
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong verified
//clmc:expect liveness=obe fairness=strong violated CL1020
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
//clmc:expect liveness=gpu verified

global atomic_int state[3];  // 1: all up to this one are summed up
global int sum[3];

kernel void k(void) {
  int me = get_group_id(0);
  sum[me] = me + 1;
  if (me > 0) {
    while (atomic_load_explicit(&state[me - 1], memory_order_acquire, memory_scope_device) == 0) ;
    sum[me] += sum[me - 1];
  }
  atomic_store_explicit(&state[me], 1, memory_order_release, memory_scope_device);
  __assert(sum[me] == (me + 1) * (me + 2) / 2);
}
