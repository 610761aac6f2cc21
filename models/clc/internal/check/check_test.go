package check

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

func parse(src string, std tree.Std) (*tree.Unit, error) {
	u, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(src), Std: std})
	return u, err
}

func TestFirst(t *testing.T) {
	u, w, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(`
#define WG 8
typedef struct { float4 v; int n; } item;
float helper(__global const float *p, int i) { return p[i] * 2.0f + sin(p[i]); }
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void reduce(__global float *in, __global float *out, __local float *tmp, uint n, item it) {
  uint l = get_local_id(0), g = get_global_id(0);
  __local int count;
  float4 a = (float4)(1, it.v.xy, 2);
  a.xz += a.yw * 3;
  tmp[l] = g < n ? helper(in, g) : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s) tmp[l] += tmp[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) { out[get_group_id(0)] = tmp[0]; atomic_inc((__global int*)out); }
  switch (n) { case 1: case 2: n++; break; default: n--; }
}
kernel void k2(global atomic_int *f, global int *d, read_only image2d_t img) {
  atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
  if (atomic_load_explicit(f, memory_order_acquire) == 1) d[0] = 3;
  float4 p = read_imagef(img, (int2)(1, 2));
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ d[1] = 1; });
  d[convert_int_sat(p.x)] = as_int(p.y);
  vstore4(p, 0, (global float*)d);
  int z = 0; z = z++ + 1;
}
`)})
	t.Log(w)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(u.Funcs), strings.Repeat("-", 3), u.Kernels[0].Name)
}
