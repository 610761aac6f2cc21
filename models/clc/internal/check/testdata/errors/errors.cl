// One of each sort of error, as it is shown.
#define SQUARE(x) ((x) * (x))
#define STORE(p, v) *(p) = undefined_thing(v)
#include "missing/../helper.h"

int twice(global int *p) { return p[0] * 2; }
int again(int n) { return n > 0 ? again(n - 1) : 0; }

kernel void errors(global int *out, local int *tmp, constant float *c, float4 v, int4 iv, int n) {
	int x = twice(tmp);
	float4 w = iv;
	out[0] = SQUARE(v);
	STORE(out, 3);
	out[get_gobal_id(0)] = 1;
	c[0] = 2.0f;
	int a[n];
	v.xx = v.zw;
	if (iv) out[1] = 2;
	out[2] = max(n, 1u);
	out[3] = sin(n);
	barrier();
	atomic_add(&n, 1);
	local int inside = 3;
	for (int i = 0; i < 4; i++) { local int deeper; deeper = i; }
	int (*f)(global int *) = twice;
	out.x = 1;
	__syncthreads();
	goto nowhere;
	n = "text";
	int *p = out;
	global int *q = p;
	float r = 1.0 % 2;
	v = v * 2.0;
	return n;
}
