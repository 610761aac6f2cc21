// Kernel stencil_halo adds to each element its neighbours, from a tile with a border in local memory.
//
// Idiom: stencil with a halo. Source: OpenCL C 6.15.8.
//
// Derivation: each place of the tile has one work-item that writes it, those at its ends the first and the last of
// the group; the barrier orders these writes before the reads of neighbours (rule 11.3). in is only read.
// With BUG nobody writes the place behind the last one, which the last work-item reads (rule 1.4).
//
//clmc:launch stencil global=4 local=2 n=4 in={1,2,3,4} out=zero[4]
//clmc:assert out[0] == 3 && out[1] == 6 && out[2] == 9 && out[3] == 7
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1002

#define WG 2

__kernel void stencil(__global const int *in, __global int *out, int n) {
  __local int t[WG + 2];
  int g = get_global_id(0), l = get_local_id(0) + 1;
  t[l] = in[g];
  if (l == 1)
    t[0] = g > 0 ? in[g - 1] : 0;
#ifndef BUG
  if (l == WG)
    t[WG + 1] = g + 1 < n ? in[g + 1] : 0;
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = t[l - 1] + t[l] + t[l + 1];
}
