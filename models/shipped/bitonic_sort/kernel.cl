// Kernel bitonic_sort sorts in local memory by a network of comparisons.
//
// Idiom: bitonic sort within a work-group. Source: OpenCL C 6.15.8; Batcher's network.
//
// Derivation: in a step, each pair of elements has one work-item; the barrier before it orders what
// other work-items did in the step before (rule 11.3). With BUG there is one barrier for all steps of
// a stage: a pair of one step is made of elements that others write in the step before, a race (rule 9.1).
//
//clmc:launch sort global=2 local=2 a={3,1,4,2}
//clmc:assert a[0] == 1 && a[1] == 2 && a[2] == 3 && a[3] == 4
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001

#define N 4

__kernel void sort(__global int *a) {
  __local int t[N];
  uint l = get_local_id(0);
  t[l] = a[l];
  t[l + N / 2] = a[l + N / 2];
  for (uint size = 2; size <= N; size <<= 1) {
#ifdef BUG
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
#ifndef BUG
      barrier(CLK_LOCAL_MEM_FENCE);
#endif
      uint i = 2 * l - (l & (stride - 1)), j = i + stride;
      bool up = (i & size) == 0;
      int x = t[i], y = t[j];
      if ((x > y) == up) {
        t[i] = y;
        t[j] = x;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  a[l] = t[l];
  a[l + N / 2] = t[l + N / 2];
}
