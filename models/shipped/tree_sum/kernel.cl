// Kernel tree_sum adds up an array: each work-group its part in local memory, by a tree, and the
// sums of the groups by an atomic function of OpenCL 1.x.
//
// Idiom: reduction with a tile given as an argument. Source: OpenCL C 6.15.8, 6.15.12.
//
// Derivation: the barrier at the head of the loop orders the writes of a round before the reads of the
// next (rule 11.3), and all work-items meet each, the stride being the same for all (rule 11.1). The
// additions to out are atomic and have device scope (rules 3.9, 7.7). With BUG the barrier stands
// within the condition, so that half of the group does not come to it (rule 11.1).
//
//clmc:launch sum global=8 local=4 n=7 in=int[8]{1..8} out=zero[1] tile=local[4]
//clmc:assert out[0] == 28
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1003

__kernel void sum(int n, __global const int *in, __global int *out, __local int *tile) {
  int i = get_global_id(0), l = get_local_id(0);
  tile[l] = i < n ? in[i] : 0;
#ifdef BUG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  for (int stride = get_local_size(0) / 2; stride > 0; stride >>= 1) {
#ifdef BUG
    if (l < stride) {
      tile[l] += tile[l + stride];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < stride)
      tile[l] += tile[l + stride];
#endif
  }
  if (l == 0)
    atomic_add(out, tile[0]);
}
