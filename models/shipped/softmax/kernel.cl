// Kernel softmax normalises a row: its largest element and the sum come from sub-groups.
//
// Idiom: reduction by sub-groups, joined in local memory. Source: OpenCL C 6.15.19.
//
// Derivation: a reduction gives all of a sub-group the same value (rule 11.6), which its first work-item leaves
// in local memory; the barriers order that before the group reads it (rule 11.3). With BUG both
// steps use one array: a sub-group may write its sum while the other still reads the largest, a race (rule 9.1).
//
//clmc:launch softmax global=8 local=8 x=zero[8] y=zero[8]
//clmc:assert y[0] == 0.125 && y[7] == 0.125
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001

__kernel void softmax(__global const float *x, __global float *y) {
  __local float most[2];
#ifdef BUG
#define sums most
#else
  __local float sums[2];
#endif
  int i = get_local_id(0);
  float m = sub_group_reduce_max(x[i]);
  if (get_sub_group_local_id() == 0)
    most[get_sub_group_id()] = m;
  barrier(CLK_LOCAL_MEM_FENCE);
  m = fmax(most[0], most[1]);
  float e = exp(x[i] - m);
  float s = sub_group_reduce_add(e);
  if (get_sub_group_local_id() == 0)
    sums[get_sub_group_id()] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i] = e / (sums[0] + sums[1]);
}
