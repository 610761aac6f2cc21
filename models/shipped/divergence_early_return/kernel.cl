// Kernel divergence_early_return has the work-items beyond the end of the data return before the
// barrier.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=4 local=2
//clmc:expect violated CL1003
//clmc:expect -D size=4 verified

#ifndef size
#define size 3
#endif

global int out[4];

kernel void k(void) {
  local int tile[2];
  int i = get_global_id(0), l = get_local_id(0);
  if (i >= size)
    return;
  tile[l] = i;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[1 - l];
}
