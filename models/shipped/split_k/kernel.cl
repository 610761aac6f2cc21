// Kernel split_k multiplies a matrix and a vector; each row has several work-groups, which add their
// parts of the sum by compare-and-exchange of the bits.
//
// Idiom: split-K product, and addition of floats in OpenCL 1.x. Source: OpenCL C 6.15.12.
//
// Derivation: an exchange takes place only if nobody else has written since the value was read, and then
// reads the last one (rule 7.7), so that no addition is lost; the function has device scope (rule 3.9). The parts
// are whole numbers, whose sums do not depend on the order. With BUG the sum is read and written by plain
// accesses: a race (rule 9.1).
//
//clmc:launch product global=2,2 local=1,1 k=4 a=float[8]{1,2,3,4,5,6,7,8} x={1,1,1,1} y=zero[2]
//clmc:assert y[0] == 10 && y[1] == 26
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001

void add(volatile __global float *p, float v) {
#ifdef BUG
  *p += v;
#else
  uint old = as_uint(0.0f), seen;
  while ((seen = atomic_cmpxchg((volatile __global uint *)p, old, as_uint(as_float(old) + v))) != old)
    old = seen;
#endif
}

__kernel void product(int k, __global const float *a, __global const float *x, volatile __global float *y) {
  int row = get_global_id(0), part = k / get_num_groups(1);
  float sum = 0;
  for (int i = get_group_id(1) * part; i < (get_group_id(1) + 1) * part; i++)
    sum += a[row * k + i] * x[i];
  add(&y[row], sum);
}
