// Kernel tiled_product multiplies two matrices by tiles in local memory.
//
// Idiom: tiled matrix product. Source: OpenCL C 6.15.8.
//
// Derivation: the first barrier orders the writes of a tile before its reads by all of the group, the
// second these reads before the writes of the next tile (rule 11.3); each element of c has one
// work-item, and a and b are only read. With BUG the second barrier is missing: a work-item that is
// ahead fills a tile that another still reads, a race (rule 9.1).
//
//clmc:launch mm global=4,4 local=2,2 n=4 a=float[16]{1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1} b=float[16]{0..15} c=zero[16]
//clmc:assert c[0] == 0 && c[6] == 6 && c[15] == 15
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001

#define T 2

__kernel void mm(int n, __global const float *a, __global const float *b, __global float *c) {
  __local float ta[T][T], tb[T][T];
  int x = get_local_id(0), y = get_local_id(1);
  int col = get_global_id(0), row = get_global_id(1);
  float acc = 0;
  for (int t = 0; t < n / T; t++) {
    ta[y][x] = a[row * n + t * T + x];
    tb[y][x] = b[(t * T + y) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < T; k++)
      acc = mad(ta[y][k], tb[k][x], acc);
#ifndef BUG
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
  c[row * n + col] = acc;
}
