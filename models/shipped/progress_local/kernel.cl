// Kernel progress_local has a work-item wait for a flag in local memory.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=4 local=2
//clmc:expect verified
//clmc:expect liveness=unfair verified
//clmc:expect liveness=hsa verified
//clmc:expect liveness=obe verified
//clmc:expect liveness=hsa_obe verified
//clmc:expect liveness=lobe verified
//clmc:expect liveness=fair verified
//clmc:expect liveness=hsa fairness=strong verified
//clmc:expect liveness=obe fairness=strong verified
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
//clmc:expect liveness=gpu verified
//clmc:expect liveness=gpu-lockstep violated CL1020
//clmc:expect liveness=opencl violated CL1020
//clmc:expect liveness=device=fair,group=unfair violated CL1020
//clmc:expect liveness=device=fair,group=hsa violated CL1020
//clmc:expect liveness=device=fair,group=obe verified
//clmc:expect liveness=device=fair,group=lobe verified

kernel void k(void) {
  local atomic_int flag;
  bool first = get_local_id(0) == 0;
  if (first) atomic_init(&flag, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (!first) {
    atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
    return;
  }
  while (atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_work_group) == 0) ;
}
