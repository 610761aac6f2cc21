// Kernel fft_local transforms four points in local memory, in two stages of two work-items.
//
// Idiom: Fourier transform within a work-group. Source: OpenCL C 6.15.8.
//
// Derivation: each butterfly of the first stage writes two places of its own, and the barrier orders these
// writes before the reads of the second stage (rule 11.3), which writes a, of which each work-item has two
// places. With BUG the second stage is done in place, and writes what the other work-item still reads in
// it: a race (rule 9.1). The transform of 1, 0, 0, 0 is 1, 1, 1, 1.
//
//clmc:launch fft global=2 local=2 a={1,0,0,0,0,0,0,0}
//clmc:assert a[0].x == 1.0 && a[1].x == 1.0 && a[3].x == 1.0 && a[2].y == 0.0
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__kernel void fft(__global float2 *a) {
  __local float2 t[4];
  int l = get_local_id(0);
  float2 p = a[l], q = a[l + 2];
  t[l] = p + q;
  t[l + 2] = times(p - q, l == 0 ? (float2)(1, 0) : (float2)(0, -1));
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef BUG
  p = t[2 * l];
  q = t[2 * l + 1];
  t[l] = p + q;
  t[l + 2] = p - q;
  a[l] = t[l];
  a[l + 2] = t[l + 2];
#else
  p = t[2 * l];
  q = t[2 * l + 1];
  a[l] = p + q;
  a[l + 2] = p - q;
#endif
}
