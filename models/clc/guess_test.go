package clc_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/clc"
)

// TestGuesses checks the launches that are found in the text of kernels. What is expected is derived from the kernel in the comment of
// each: which sizes its own index computations leave room for.
func TestGuesses(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // the lines, but for buffers that hold zeros
	}{
		// A bound on global ids is the number of work-items, one less, and one more.
		"bound": {`kernel void k(global int *a, int n) { int i = get_global_id(0); if (i < n) a[i] = 1; }`,
			[]string{"k global=8 local=4 n=8", "k global=8 local=4 n=7", "k global=8 local=4 n=9", "k global=4 local=4 n=4"}},
		// Two dimensions have bounds of their own.
		"two bounds": {`kernel void k(global int *a, int w, int h) { int x = get_global_id(0), y = get_global_id(1); if (x < w && y < h) a[y*w + x] = 1; }`,
			[]string{"k global=4,4 local=2,2 h=4 w=4", "k global=4,4 local=2,2 h=3 w=3", "k global=4,4 local=2,2 h=5 w=5", "k global=2,2 local=2,2 h=2 w=2"}},
		// Who asks only which group it is is alone in it.
		"groups": {`kernel void k(global int *a) { a[get_group_id(0)] = 1; }`,
			[]string{"k global=2 local=1", "k global=1 local=1"}},
		// Who asks only for its place in a group writes for that group: two groups would write the same.
		"one group": {`kernel void k(global int *a) { a[get_local_id(0)] = 1; }`,
			[]string{"k global=4 local=4", "k global=8 local=8"}},
		// Who asks nothing is alone, unless it shares atomics.
		"task":    {`kernel void k(global int *a) { a[0]++; }`, []string{"k global=1 local=1"}},
		"counter": {`kernel void k(global int *a) { atomic_inc(a); }`, []string{"k global=8 local=4", "k global=4 local=4", "k global=8 local=2"}},
		// An attribute says the local size; a local array of 16 is for 16 work-items unless the kernel asks for the local size.
		"attribute": {`kernel __attribute__((reqd_work_group_size(8, 2, 1))) void k(global int *a) { a[get_global_id(0)] = 1; }`,
			[]string{"k global=16,2", "k global=8,2"}},
		"array": {`kernel void k(global int *a) { local int t[16]; int l = get_local_id(0); t[l] = l; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[15 - l]; }`,
			[]string{"k global=32 local=16", "k global=16 local=16"}},
		"padded array": {`kernel void k(global int *a) { local int t[8][8+1]; t[get_local_id(1)][get_local_id(0)] = 1; a[get_global_id(1)*64 + get_global_id(0)] = 1; }`,
			[]string{"k global=16,8 local=8,8", "k global=8,8 local=8,8"}},
		"flexible": {`kernel void k(global int *a) { local int t[256]; for (int i = get_local_id(0); i < 256; i += get_local_size(0)) t[i] = 0; a[get_global_id(0)] = 0; }`,
			[]string{"k global=8 local=4", "k global=4 local=4", "k global=8 local=2"}},
		// An offset is 0; what counts bytes has room for twice as many of the next lower as there are work-items: 4, 64 and 1,024 bytes for eight.
		"bytes": {`kernel void k(global char *p, ulong offset, ulong nb0, ulong nb1, ulong nb2) { p += offset; *(global int *)(p + get_global_id(0)*nb0 + get_group_id(0)*nb1 + get_group_id(0)*nb2) = 1; }`,
			[]string{"k global=8 local=4 nb0=4 nb1=64 nb2=1024 --arg offset=0", "k global=4 local=4 nb0=4 nb1=32 nb2=256 --arg offset=0", "k global=8 local=2 nb0=4 nb1=64 nb2=1024 --arg offset=0"}},
		// So it is where the offset has been computed before.
		"bytes of a variable": {`kernel void k(global char *p, ulong nb1) { ulong row = get_group_id(0)*nb1; global float *a = (global float *)(p + row); a[get_local_id(0)] = 1; }`,
			[]string{"k global=8 local=4 nb1=64", "k global=4 local=4 nb1=32", "k global=8 local=2 nb1=64"}},
		"by value": {`typedef struct { int n; float f; } P; kernel void k(global float *a, P p, float4 v, float x) { a[get_local_id(0)] = p.f + v.x + x; }`,
			[]string{"k global=4 local=4 p={4,1.0} v={1.0,1.0,1.0,1.0} x=1.0", "k global=4 local=4 p={1,1.0} v={1.0,1.0,1.0,1.0} x=1.0", "k global=8 local=8 p={2,1.0} v={1.0,1.0,1.0,1.0} x=1.0"}},
		// Each group has eight elements of its own, and as many work-items; or four that have two each; or a tile of eight by eight.
		"tile": {`kernel void k(global int *a) { int l = get_local_id(0); a[get_group_id(0) * 8 + l] = 1; }`,
			[]string{"k global=16 local=8", "k global=8 local=8"}},
		"two each": {`kernel void k(global int *a) { int l = get_local_id(0); a[get_group_id(0) * 8 + 2*l] = 1; }`,
			[]string{"k global=8 local=4", "k global=4 local=4"}},
		"two apart": {`kernel void k(global int *a) { local int t[16]; int l = get_local_id(0); t[l] = 1; t[l + 8] = 2; barrier(CLK_LOCAL_MEM_FENCE); a[get_group_id(0) * 16 + l] = t[l ^ 1]; }`,
			[]string{"k global=16 local=8", "k global=8 local=8"}},
		"tile of two dimensions": {`kernel void k(global int *a, local int *t) { int x = get_local_id(0), y = get_local_id(1); t[y*8 + x] = 1; a[get_group_id(1)*8 + y] = 1; }`,
			[]string{"k global=8,8 local=8,8 t=local[64]"}},
		"one number for two dimensions": {`kernel void k(global int *a) { int m = get_local_id(1) * get_local_size(0) + get_local_id(0); a[get_group_id(0)*16 + m] = 1; }`,
			[]string{"k global=8,4 local=4,4", "k global=4,4 local=4,4"}},
		// Parts of eight need a group of eight, and none is halved; two sub-groups of four, too.
		"parts": {`kernel void k(global int *a) { a[get_global_id(0)] = get_local_id(0) % 8 + get_local_size(0); }`,
			[]string{"k global=16 local=8", "k global=8 local=8", "k global=32 local=16"}},
		"sub-groups": {`kernel void k(global int *a) { a[get_global_id(0)] = sub_group_reduce_add(1); }`,
			[]string{"k global=16 local=8", "k global=8 local=8", "k global=16 local=4"}},
		// What is subtracted from a bound, or shifts, is small; a row has room for all elements, 32 of them; other numbers are small in
		// the last launches.
		"less": {`kernel void k(global int *a, int n, int t) { int i = get_global_id(0); if (i < n - t) a[i] = 1; }`,
			[]string{"k global=8 local=4 n=8 t=1", "k global=8 local=4 n=7 t=1", "k global=8 local=4 n=9 t=1", "k global=4 local=4 n=4 t=1"}},
		// What is subtracted from a global id that it is compared with leaves as many work-items behind it as before it.
		"back": {`kernel void k(global int *a, int n, int s) { int i = get_global_id(0); if (i < s) a[i] = 1; else if (i < n) a[i - s] += 1; }`,
			[]string{"k global=8 local=4 n=8 s=4", "k global=8 local=4 n=7 s=3", "k global=8 local=4 n=9 s=5", "k global=4 local=4 n=4 s=2"}},
		// So it is not with the row above, which is subtracted from the place in the last one.
		"row above": {`kernel void k(global int *a, int w) { int x = get_global_id(0), y = get_global_id(1), at = y*w + x; a[at] = x == w - 1 ? 1 : a[at - w]; }`,
			[]string{"k global=4,4 local=2,2 w=4", "k global=4,4 local=2,2 w=5", "k global=2,2 local=2,2 w=2"}},
		// Work-items behind the eighth do for something else what the first eight do.
		"halves": {`kernel void k(global int *a, local int *t) { int l = get_local_id(0), i; if (l < 8) { i = l; t[i] = 1; } else { i = l - 8; t[8 + i] = 1; } a[get_group_id(0)*8 + i] = 1; }`,
			[]string{"k global=32 local=16 t=local[16]", "k global=16 local=16 t=local[16]"}},
		// The distance of rows is one, too, in a function to which it is passed.
		"row of a function": {`void put(global int *a, int w) { a[get_group_id(1)*w + get_group_id(0)*16 + 4*get_local_id(0)] = 1; } kernel void k(global int *a, int pitch) { put(a, pitch); }`,
			[]string{"k global=8,2 local=4,1 pitch=32", "k global=4,1 local=4,1 pitch=16"}},
		// The lowest distance has room for the longest number; and one of 32 bits is a number of bytes if it is called so.
		"bytes of longs": {`kernel void k(global char *p, ulong nb0) { *(global long *)(p + get_global_id(0)*nb0) = 1; }`,
			[]string{"k global=8 local=4 nb0=8", "k global=4 local=4 nb0=8", "k global=8 local=2 nb0=8"}},
		"bytes by name": {`kernel void k(global char *p, int nb1_bytes, int width) { *(global int *)(p + get_group_id(0)*nb1_bytes + get_group_id(0)*width) = 1; }`,
			[]string{"k global=2 local=1 nb1_bytes=16 width=2", "k global=1 local=1 nb1_bytes=8 width=1"}},
		"row": {`kernel void k(global int *a, int w) { int l = get_local_id(0); a[get_group_id(1)*w + get_group_id(0)*16 + 4*l] = 1; }`,
			[]string{"k global=8,2 local=4,1 w=32", "k global=4,1 local=4,1 w=16"}},
		// Local ids that index a local array as they are say its sizes, also where the kernel numbers all work-items of a group.
		"indices": {`kernel void k(global int *a) { local int t[4][8+1]; int m = get_local_id(1)*get_local_size(0) + get_local_id(0); t[get_local_id(1)][get_local_id(0)] = 1; a[get_group_id(0)*32 + m] = 1; }`,
			[]string{"k global=16,4 local=8,4", "k global=8,4 local=8,4"}},
		// Rows of local memory that is given, of 16: each work-item has a column.
		"rows": {`kernel void k(global int *a, local int *t, int w) { int l = get_local_id(0); for (int i = 0; i < 16; i++) t[i*16 + l] = a[i*w + l]; }`,
			[]string{"k global=16 local=16 t=local[16] w=16"}},
		// Work-items that share a loop go on by as many as there are in a group.
		"shared loop": {`kernel void k(global int *a) { local int t[256]; int l = get_local_id(0); for (uint i = l; i < 256; i += 64) t[i] = 0; barrier(CLK_LOCAL_MEM_FENCE); a[get_group_id(0)*256 + l] = t[255 - l]; }`,
			[]string{"k global=128 local=64", "k global=64 local=64"}},
		"shared loops": {`kernel void k(global int *a) { local int t[32][32]; for (int y = get_local_id(1); y < 32; y += 8) for (int x = get_local_id(0); x < 32; x += 16) t[y][x] = a[y*32 + x]; }`,
			[]string{"k global=16,8 local=16,8"}},
		// What goes into a variable that nobody reads is not asked for: all groups would do the same.
		"unread": {`kernel void k(global int *a) { int g = get_global_id(0), n = get_group_id(0); a[get_local_id(0)] = 1; }`,
			[]string{"k global=4 local=4", "k global=8 local=8"}},
		// Work-items that differ in their global id of the third dimension alone would share t[l]: none of a group do.
		"planes": {`kernel void k(global int *a) { local int t[16]; int l = get_local_id(0); t[l] = l; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(2)*16 + l] = t[15 - l]; }`,
			[]string{"k global=16,1,2 local=16,1,1", "k global=16,1,1 local=16,1,1"}},
		// So it is with local memory that is given; but not where there is none, or where the local id of each dimension tells places apart.
		"planes of given memory": {`kernel void k(global int *a, local int *t) { int l = get_local_id(0); t[l] = l; a[get_global_id(1)*64 + l] = t[l]; }`,
			[]string{"k global=2,2 local=2,1 t=local[2]", "k global=2,1 local=2,1 t=local[2]", "k global=2,2 local=1,1 t=local[1]"}},
		"planes without memory": {`kernel void k(global int *a) { a[get_global_id(1)*64 + get_local_id(0)] = 1; }`,
			[]string{"k global=2,4 local=2,2", "k global=2,2 local=2,2", "k global=2,4 local=1,2"}},
		"places of two dimensions": {`kernel void k(global int *a, local int *t) { t[get_local_linear_id()] = 1; a[get_global_id(1)*64 + get_local_id(0)] = 1; }`,
			[]string{"k global=2,4 local=2,2 t=local[4]", "k global=2,2 local=2,2 t=local[4]", "k global=2,4 local=1,2 t=local[2]"}},
		// The first sixteen work-items of a group, of whatever size, fill an array of sixteen.
		"filled": {`kernel void k(global int *a) { local int t[16]; int l = get_local_id(0); if (l < 16 && a[0]) t[l] = 1; barrier(CLK_LOCAL_MEM_FENCE); a[get_group_id(0)*get_local_size(0) + l] = t[3]; }`,
			[]string{"k global=32 local=16", "k global=16 local=16"}},
		// The group behind has eight by eight elements, too.
		"next group": {`kernel void k(global int *a, local int *t, int w) { int x = get_local_id(0), y = get_local_id(1); t[y*8 + x] = a[((get_group_id(1) + 2)*8 + y)*w + x]; }`,
			[]string{"k global=8,8 local=8,8 t=local[64] w=24"}},
		// A sub-group for each row: of these the kernel knows the fourth.
		"a sub-group a row": {`kernel void k(global int *a) { if (get_local_id(1) == 3) a[get_global_id(0)] = sub_group_reduce_add(1) + get_sub_group_local_id(); }`,
			[]string{"k global=8,4 local=4,4", "k global=4,4 local=4,4"}},
		// A work-item that knows its place in its sub-group alone, and shares nothing with others, is of a group of one; not so with local memory, with a
		// barrier, or where it asks for another place. A group has as many sub-groups as groups are multiplied by.
		"a sub-group a group": {`kernel void k(global int *a, int n) { int s = 0; for (int i = get_sub_group_local_id(); i < n; i += get_max_sub_group_size()) s += i; s = sub_group_reduce_add(s); if (get_sub_group_local_id() == 0) a[get_group_id(0)] = s; }`,
			[]string{"k global=8 local=4 n=8", "k global=4 local=4 n=4", "k global=8 local=4 n=1", "k global=8 local=4 n=2"}},
		"sub-groups with a barrier": {`kernel void k(global int *a) { barrier(CLK_GLOBAL_MEM_FENCE); a[get_group_id(0)*8 + get_sub_group_local_id()] = 1; }`,
			[]string{"k global=16 local=8", "k global=8 local=8"}},
		"sub-groups with local memory": {`kernel void k(global int *a, local int *t) { t[get_sub_group_local_id()] = 1; a[get_group_id(0)*8] = 1; }`,
			[]string{"k global=16 local=8 t=local[8]", "k global=8 local=8 t=local[8]"}},
		"a row for each sub-group": {`kernel void k(global int *a) { int g = get_group_id(0), row = (g * 2 + get_sub_group_id()) * 4; a[row + get_sub_group_local_id()] = 1; }`,
			[]string{"k global=16 local=8", "k global=8 local=8"}},
		"one sub-group for a group": {`kernel void k(global int *a) { int row = (1 * get_group_id(0) + get_sub_group_id()) * 4; a[row + get_sub_group_local_id()] = 1; }`,
			[]string{"k global=8 local=4", "k global=4 local=4"}},
		// What is called an offset is 0 but in the last launches, and what is called an increment 1, and then 1 and 2, as other small scalars.
		"names": {`kernel void k(global int *a, int a_offset, int a_inc) { a[get_local_id(0)*a_inc + a_offset] = 1; }`,
			[]string{"k global=4 local=4 a_inc=1 a_offset=0", "k global=4 local=4 a_inc=1 a_offset=1", "k global=8 local=8 a_inc=2 a_offset=2"}},
		// Each comparison holds in one launch, and does not in another; each label of a switch is gone to, and none; a flag is set, and is not.
		"cases": {`kernel void k(global int *a, int mode) { int i = get_global_id(0); if (mode == 3) a[i] = 1; else if (mode > 7) a[i] = 2; }`,
			[]string{"k global=8 local=4 mode=3", "k global=4 local=4 mode=4", "k global=8 local=2 mode=8", "k global=8 local=4 mode=7"}},
		"switch": {`kernel void k(global int *a, uint how) { switch (how) { case 5: a[get_global_id(0)] = 1; break; default: a[get_global_id(0)] = 2; } }`,
			[]string{"k global=8 local=4 how=5", "k global=4 local=4 how=0", "k global=8 local=2 how=5", "k global=8 local=4 how=0"}},
		"flag": {`kernel void k(global int *a, int twice) { a[get_group_id(0)] = 1; if (!twice) return; a[get_group_id(0)] = 2; }`,
			[]string{"k global=2 local=1 twice=1", "k global=1 local=1 twice=0", "k global=2 local=1 twice=0"}},
		// A bound stays what it is for.
		"a bound is compared": {`kernel void k(global int *a, int n) { int i = get_global_id(0); if (n == 5) return; if (i < n) a[i] = 1; }`,
			[]string{"k global=8 local=4 n=8", "k global=8 local=4 n=7", "k global=8 local=4 n=9", "k global=4 local=4 n=4"}},
		"two kernels": {`kernel void a(global int *p) { p[get_local_id(0)] = 1; } kernel void b(global int *p) { p[get_group_id(0)] = 1; }`,
			[]string{"a global=4 local=4", "a global=8 local=8", "b global=2 local=1", "b global=1 local=1"}},
		"a helper asks": {`int me(void) { return get_global_id(0); } kernel void k(global int *a) { a[me()] = 1; }`,
			[]string{"k global=8 local=4", "k global=4 local=4", "k global=8 local=2"}},
	} {
		file := filepath.Join(t.TempDir(), "k.cl")
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := clc.Guesses(file, clc.Options{}, 4)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, g := range list {
			words := strings.Fields(strings.TrimPrefix(g.Line(), "//clmc:launch "))
			words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, "=zero[") })
			if line := strings.Join(words, " "); !slices.Contains(got, line) {
				got = append(got, line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
		for _, g := range list { // and each is a launch that loads
			if _, err := clc.Source(file, []byte(c.text), g.Launch()); err != nil {
				t.Errorf("%s: %s: %v", name, g.Line(), err)
			}
		}
	}
}

// TestAskedExtensions: those that lines of the preprocessor ask for count, each once, and not those of Khronos, or in other lines.
func TestAskedExtensions(t *testing.T) {
	const text = `#pragma OPENCL EXTENSION cl_other_thing : enable
#ifdef cl_intel_required_subgroup_size
#define INTEL 1
# elif defined(cl_qcom_reqd_sub_group_size) && !defined( cl_khr_fp16 )
#endif
#if defined cl_intel_required_subgroup_size || cl_arm_core_id
#endif
#ifndef cl_amd_fp64
#endif
int cl_my_variable;
`
	if got, want := clc.AskedExtensions([]byte(text)), []string{"cl_intel_required_subgroup_size", "cl_qcom_reqd_sub_group_size", "cl_arm_core_id"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAddresses: what an address comes from is told, whatever else comes of it first, also by way of an atomic operation, of private memory and of other buffers.
func TestAddresses(t *testing.T) {
	const text = `kernel void k(global const int *a, global const int *b, global int *c, global atomic_int *d, global atomic_int *e, global int *f, global int *g, int n, int m) {
  if (a[0])
    c[a[1]] = 1;
  if (b[0])
    c[0] = 1;
  c[atomic_load(&d[0])] = 2;
  c[atomic_fetch_add(&e[0], 1)] = 3;
  int own[2];
  own[m != 0] = f[0];
  g[0] = own[1];
  c[g[0]] = 4;
  if (n)
    c[1] = n;
}
`
	p, err := clc.Source("k.cl", []byte(text), clc.Options{Kernel: "k", Global: "1", Local: "1", Args: []string{"n=1", "m=1"}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"a": true, "b": false, "d": true, "e": true, "f": true, "g": true, "n": false, "m": true}
	for _, d := range p.Data {
		if addresses, ok := want[d.Name]; !ok || d.Addresses != addresses || !d.Decides {
			t.Errorf("%+v, want %t", d, addresses)
		}
		delete(want, d.Name)
	}
	if len(want) > 0 {
		t.Errorf("nothing is said of %v", want)
	}
}

// A buffer whose content decides can become as long as any: numbers beyond what a line can say are zeros.
func TestGrownBuffers(t *testing.T) {
	text := `kernel void k(global float4 *a, global int *out) { int i = (int)a[get_global_id(0)].x; if (i > 2) out[0] = i; }`
	file := filepath.Join(t.TempDir(), "k.cl")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := clc.Guesses(file, clc.Options{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	g := list[0]
	for more := true; more; {
		p, err := clc.Source(file, []byte(text), g.Launch())
		if err != nil {
			t.Fatalf("%s: %v", g.Line(), err)
		}
		more = g.Fill(p.Data) || g.Grow("a")
	}
	if !strings.Contains(g.Line(), "a=[262144]{0..") {
		t.Error(g.Line())
	}
}

// TestRuledOut checks which lines the values of a launch rule out: none that another call comes to, none that no value can come to, none that is reached by a
// variable that the kernel computes.
func TestRuledOut(t *testing.T) {
	const text = `int pick(int x, int how) {
    if (how == 2)
        x = -x;
    return x;
}
kernel void k(global int *a, int n, int mode) {
    int small = n, i = get_global_id(0);
    if (small <= 0)
        return;
    if (mode == 2)
        a[i] = 5;
    a[i] += pick(a[i], mode) + pick(a[i], WHAT);
    if (0)
        a[i] = 6;
    switch (mode) {
    case 4:
        a[i] = 7;
        break;
    default:
        a[i] = 8;
    }
    if (i == 100)
        a[i] = 9;
}
`
	for _, c := range []struct {
		what, n, mode string
		want          []int32
	}{
		{"1", "4", "3", []int32{3, 11, 17}},
		{"2", "4", "3", []int32{11, 17}}, // the second call comes to line 3
		{"2", "4", "2", []int32{17}},
		{"2", "4", "4", []int32{11, 20}},
		{"2", "0", "4", []int32{3, 4, 11, 12, 17, 20, 22, 23}},
		{"2", "4", "2..4", nil},
	} {
		p, err := clc.Source("k.cl", []byte(text), clc.Options{Global: "4", Local: "2", Args: []string{"a=zero[8]", "n=" + c.n, "mode=" + c.mode}, Defines: []string{"WHAT=" + c.what}})
		if err != nil {
			t.Fatal(err)
		}
		var got []int32
		for _, f := range p.Funcs {
			for _, at := range f.RuledOut {
				if !slices.Contains(got, at.Line) {
					got = append(got, at.Line)
				}
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("n=%s mode=%s, and pick of %s: %v, want %v", c.n, c.mode, c.what, got, c.want)
		}
	}
}
