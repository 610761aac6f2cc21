// Kernel reduce_tree_lockstep is reduce_tree without barriers in its last rounds, trusting the
// work-items of a sub-group to run in lockstep.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch reduce global=8 local=8 input={1,2,3,4,5,6,7,8} result=zero[1]
//clmc:assert result[0] == 36
//clmc:expect violated CL1001
//clmc:expect -D subGroupBarrier=true verified

#define N 8

kernel void reduce(global const int *input, global int *result) {
  local int tile[N];
  int l = get_local_id(0);
  tile[l] = input[l];
  for (int stride = N / 2; stride > 0; stride /= 2) {
    if (stride >= 4) // the partners are in different sub-groups
      work_group_barrier(CLK_LOCAL_MEM_FENCE);
#ifdef subGroupBarrier
    else
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (l < stride)
      tile[l] += tile[l + stride];
  }
  if (l == 0)
    *result = tile[0];
}
