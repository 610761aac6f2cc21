//clmc:launch red global=4 local=4 in=int[4]{1,2,3,4} out=zero[1]
//clmc:assert out[0] == 10
kernel void red(global const int *in, global int *out) {
  local int tile[4];
  int l = get_local_id(0);
  tile[l] = in[l];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (int s = 2; s > 0; s >>= 1) {
    if (l < s) tile[l] += tile[l + s];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (l == 0) *out = tile[0];
}
