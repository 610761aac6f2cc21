// Swizzles, literals, lanes, comparisons, built-in functions with vectors.
kernel __attribute__((reqd_work_group_size(4, 2, 1)))
void vectors(global float4 *v, global int4 *iv, global float *f, global uchar4 *uc, float3 t, int n) {
  float4 a = (float4)(1, v[0].yx, f[2]), b = (float4)(0.5f), c = 2;
  a.xz = b.lo * 2 + n;
  a.s3 = t.z;
  a[n] += b[1];
  v[0].odd = a.even;
  iv[0] = a < b;
  iv[1] = (a == b && iv[0] > 3) ? iv[0] : -1;
  v[1] = iv[0] ? a : b;
  v[2] = fma(a, b, c) + fmax(a, 0.0f) + clamp(b, 0.0f, 1.0f) + dot(a, b);
  uc[0] = convert_uchar4_sat_rte(a * 255);
  iv[2] = as_int4(a) & 0x7fffffff;
  iv[2] = iv[2] << n >> (int4)(1, 2, 3, 4);
  f[0] = any(iv[0]) ? length(t) : normalize(t).x;
  vstore3(t.zyx, n, f);
  a = vload4(1, f).wzyx;
  v[n] = (float4)true * (float4)(a.xyz.zy, t.xy);
}
