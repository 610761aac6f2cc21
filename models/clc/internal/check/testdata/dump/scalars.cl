// Promotions, the usual conversions, folding, loops and jumps.
constant int table[4] = {1, 2, [3] = 4};
global uint count;
enum { N = 3, M = N * 2 };

static float mean(float a, int n) { return n ? a / n : 0; }

kernel void scalars(global char *c, global uchar *uc, global long *l, global float *f, int n, uint u) {
  c[0] = c[1] + uc[n];
  l[0] = n + u + 1L;
  f[n] = f[0] * 2 + n;
  c[2] += 1.5f;
  n <<= u;
  n = -c[0] >> 3;
  u = sizeof(table) + M;
  bool b = f[0];
  f[1] = mean(u, N) + table[n & 3];
  int i, j = 0;
  for (i = 0; i < n && !b; i++, j--) {
    if (i == 2) continue;
    if (i > N || f[i] != f[i]) break;
  }
  while (j) --j;
  do { u++; } while (u < 10);
  switch (c[0]) {
  case 'a': n = 1;
  case 2 ... 4: break;
  default: n = 2;
  }
again:
  if ((n = j++) > 3) goto again;
  count = (n, j);
}
