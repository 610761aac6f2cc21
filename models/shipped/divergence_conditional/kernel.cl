// Kernel divergence_conditional puts a barrier under a condition that not all work-items of the
// group share.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=4 local=2
//clmc:expect violated CL1003
//clmc:expect -D uniform=true verified

kernel void k(void) {
#ifdef uniform
  int which = get_group_id(0);
#else
  int which = get_local_id(0);
#endif
  if (which == 0)
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}
