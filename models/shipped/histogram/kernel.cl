// Kernel histogram counts bytes: each work-group in local memory, which it then adds to the whole.
//
// Idiom: privatised histogram with the atomic functions of OpenCL 1.x. Source: OpenCL C 6.15.12.
//
// Derivation: the barrier orders the zeros before the first count, and another one the last count
// before the bins are read (rule 11.3); the counts in between are atomic (rule 7.7), in local memory
// within one group and in global memory with device scope (rule 3.9). With BUG the first barrier is
// missing: a work-item counts in a bin that another may not have cleared, a race (rule 9.1), or counts from
// what nobody has written (rule 1.4).
//
//clmc:launch histogram global=4 local=2 n=8 data=uchar[8]{0,1,1,3,3,3,2,1} bins=zero[4]
//clmc:assert bins[0] == 1 && bins[1] == 3 && bins[2] == 1 && bins[3] == 3
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001 CL1002

#define BINS 4

__kernel void histogram(uint n, __global const uchar *data, __global uint *bins) {
  __local uint mine[BINS];
  for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
    mine[b] = 0;
#ifndef BUG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&mine[data[i] % BINS]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
    atomic_add(&bins[b], mine[b]);
}
