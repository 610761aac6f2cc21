// Kernel uninitialised_local reads local memory that nobody has written.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch shift global=2 local=2
//clmc:expect violated CL1002

#define N 2

global int out[N];

kernel void shift(void) {
  local int tile[N + 1];
  int i = get_local_id(0);
  tile[i] = i;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[i + 1];
}
