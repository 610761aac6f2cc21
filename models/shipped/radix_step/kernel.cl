// Kernel radix_step sorts by two bits of the keys.
//
// Idiom: a step of a radix sort: counts of each digit, prefix sums, and a scatter. Source: OpenCL C
// 6.15.16.
//
// Derivation: the scan gives each work-item how many before it have the same digit (rule 11.6), and the last
// work-item leaves how many there are; the barrier orders that before all read it (rule 11.3). The places are a
// permutation, so that no two work-items write the same one. With BUG the barrier is missing, and a collective
// function orders no memory (rule 11.6): a total is raced for (rule 9.1), or read before it is written (rule 1.4).
//
//clmc:launch radix_step global=8 local=8 keys=uint[8]{3,1,2,0,1,3,0,2} out=zero[8]
//clmc:assert out[0] == 0 && out[1] == 0 && out[2] == 1 && out[5] == 2 && out[7] == 3
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001 CL1002

__kernel void radix_step(__global const uint *keys, __global uint *out) {
  __local uint total[4];
  uint i = get_local_id(0), digit = keys[i] & 3, at = 0;
  for (uint d = 0; d < 4; d++) {
    uint mine = digit == d;
    uint before = work_group_scan_exclusive_add(mine);
    if (mine)
      at = before;
    if (i == get_local_size(0) - 1)
      total[d] = before + mine;
  }
#ifndef BUG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  for (uint d = 0; d < digit; d++)
    at += total[d];
  out[at] = keys[i];
}
