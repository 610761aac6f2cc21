// Kernel reduce_tree sums n values in local memory in log2(n) rounds.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch reduce global=8 local=8 input={1,2,3,4,5,6,7,8} result=zero[1]
//clmc:assert result[0] == 36
//clmc:expect verified

#define N 8

kernel void reduce(global const int *input, global int *result) {
  local int tile[N];
  int l = get_local_id(0);
  tile[l] = input[l];
  for (int stride = N / 2; stride > 0; stride /= 2) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l < stride)
      tile[l] += tile[l + stride];
  }
  if (l == 0)
    *result = tile[0];
}
