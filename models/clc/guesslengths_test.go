package clc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/clc"
)

// TestLengthen checks how long the objects of the first launch become: of eight work-items in two groups, or of four by four. What is expected follows from the greatest index of each kernel.
func TestLengthen(t *testing.T) {
	const id = `int i = get_global_id(0), l = get_local_id(0), g = get_group_id(0); `
	for name, c := range map[string]struct {
		text string
		want string // an argument of the launch
	}{
		// 100 * 7 is the last; of two numbers, as one, 2*40*7 and the next; of an element of 12 bytes.
		"a factor":  {`kernel void k(global int *a) { a[100*get_global_id(0)] = 1; }`, "a=zero[701]"},
		"a vector":  {`kernel void k(global int *a) { vstore2((int2)(1), 40*get_global_id(0), a); }`, "a=zero[562]"},
		"a struct":  {`typedef struct { int x, y, z; } S; kernel void k(global S *a) { a[20*get_global_id(0)].y = 1; }`, "a=zero[141]"},
		"a loop":    {`kernel void k(global int *a) { ` + id + `for (int j = 0; j < 50; j++) a[8*j + i] = 1; }`, "a=zero[400]"},
		"no factor": {`kernel void k(global int *a) { a[get_global_id(0)] = 1; }`, "a=zero[64]"},
		// The least length of local memory is that of a group: here 3*3 + 5, and one.
		"local memory": {`kernel void k(global int *o, local int *t) { ` + id + `t[3*l + 5] = 1; o[i] = t[3*l + 5]; }`, "t=local[15]"},
		// What another work-item has written before the barrier: 30 * 3.
		"by local memory": {`kernel void k(global int *a, local int *t) { ` + id + `t[l] = 30*l; barrier(CLK_LOCAL_MEM_FENCE); a[t[3 - l]] = 1; }`, "a=zero[91]"},
		// What a pointer points to that moves is one of those that have as many bytes.
		"a pointer that moves": {`kernel void k(global char *a, ulong offset) { a += offset; *(global int *)(a + 400*get_global_id(0)) = 1; }`, "a=zero[29"},
		// What the first run has too few elements for, it does not read: that which decides grows with it.
		"by content": {`kernel void k(global const int *a, global int *o) { o[3*a[20*get_global_id(0)]] = 1; }`, "o=zero[421]"},
		// No length helps where the index is negative, or beyond any length.
		"before it":  {`kernel void k(global int *a) { a[(int)get_global_id(0) - 1] = 1; }`, "a=zero[64]"},
		"too far":    {`kernel void k(global int *a) { a[1000000*get_global_id(0)] = 1; }`, "a=zero[64]"},
		"an image":   {`kernel void k(write_only image2d_t m) { ` + id + `for (int j = 0; j < 10; j++) write_imagef(m, (int2)(i, j), (float4)(1)); }`, "m=image[8,10]"},
		"a volume":   {`#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable` + "\n" + `kernel void k(write_only image3d_t m) { write_imagef(m, (int4)(get_global_id(1), get_global_id(0), 5, 0), (float4)(1)); }`, "m=image[4,4,6]"},
		"an edge":    {`constant sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE; kernel void k(read_only image2d_t m, global float *o) { ` + id + `o[i] = read_imagef(m, s, (int2)(90, 90)).x; }`, "!m="},
		"no sampler": {`kernel void k(read_only image2d_t m, global float *o) { ` + id + `o[i] = read_imagef(m, (int2)(i, 9)).x; }`, "m=image[8,10]"},
		// Who waits for another one, which comes later, is left there.
		"waiting": {`kernel void k(global int *a, global int *f) { ` + id + `if (i == 0) while (atomic_add(f, 0) == 0); else atomic_inc(f); a[30*i] = 1; }`, "a=zero[211]"},
	} {
		file := filepath.Join(t.TempDir(), "k.cl")
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := clc.Guesses(file, clc.Options{}, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		g := list[0]
		for more, n := true, 0; more && n < 6; n++ {
			p, err := clc.Source(file, []byte(c.text), g.Launch())
			if err != nil {
				t.Fatalf("%s: %s: %v", name, g.Line(), err)
			}
			more = g.Fill(p.Data) || g.Lengthen(p)
		}
		if name == "before it" || name == "too far" {
			if g.Grow("a") {
				t.Errorf("%s: it becomes longer in vain: %s", name, g.Line())
			}
		}
		want, without := strings.CutPrefix(c.want, "!")
		if strings.Contains(g.Line(), want) == without {
			t.Errorf("%s: %s, want %s", name, g.Line(), c.want)
		}
	}
}
