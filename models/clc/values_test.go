package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/models/clc"
)

// TestValues goes through kernels and what is said of the content of their buffers.
func TestValues(t *testing.T) {
	const any, given = "holds for every content of ", "holds only for the given content of "
	for i, c := range []struct{ body, want string }{
		{"out[i] = a[i] * 2;", any + "a."},
		{"__local int t[2]; t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[1 - i];", any + "a."},
		{"int p[2] = {a[i], 1}; int s = 0; for (int k = 0; k < 2; k++) s += p[k]; out[i] = s;", any + "a"},
		{"float4 v = (float4)(a[i]); v = select(v, fmax(v, 1.0f), isless(v, v.yxwz)); out[i] = step(v.x, 2.0f) + sign(v.y);", any + "a."},
		{"out[a[i]] = i;", given + "a (used in an address at k.cl:1)"},
		{"if (a[i]) out[i] = 1;", given + "a (decides a branch at k.cl:1)"},
		{"out[i] = 5 / a[i];", given + "a (decides whether"},
		{"__assert(a[i] == 0);", given + "a (decides an assertion"},
		{"atomic_add(&out[0], a[i]);", given + "a (used in an atomic operation"},
		{"atomic_add(&a[0], 1);", given + "a (used in an atomic operation at k.cl:1)"},
		{"out[i] = a[i]; if (out[i]) out[i] = 2;", given + "a (decides a branch at k.cl:1), out (decides a branch"},
		{"int p[2] = {a[i], 1}; out[p[i] & 1] = 1;", given + "a (used in an address"},
		{"__local int t[2]; t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); if (t[1 - i]) out[i] = 1;", given + "a (decides a branch"},
	} {
		text := "__kernel void k(__global int *a, __global int *out) { int i = get_global_id(0); " + c.body + " }"
		p, err := clc.Source("k.cl", []byte(text), clc.Options{Global: "2", Local: "2"})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, c.want) {
			t.Errorf("%d: %s\n%s\nwant %s", i, c.body, notes, c.want)
		}
	}
}

// TestScalarValues goes through kernels and what is said of their arguments that are no pointers.
func TestScalarValues(t *testing.T) {
	const any, given = "holds for every value of ", "holds only for the given "
	for i, c := range []struct{ body, want string }{
		{"out[i] = v.y * n;", any + "n, v."},
		{"out[i] = 1;", any + "n, v."},
		{"out[i] = a[i] + n;", "The result holds for every content of a, and for every value of n, v."},
		{"out[n & 1] = v.x;", any + "v. It " + given + "n (used in an address at k.cl:1)."},
		{"for (int j = 0; j < n; j++) out[i] = v.x;", given + "n (decides a branch at k.cl:1)."},
		{"out[i] = 1; if (v.y == 1) out[i] = n;", any + "n. It " + given + "v (decides a branch at k.cl:1)."},
		{"out[i] = 7 / n;", given + "n (decides whether an operation is allowed"},
		{"__assert(n);", given + "n (decides an assertion at k.cl:1)."},
		{"atomic_add(out, n);", "for the given n (used in an atomic operation at k.cl:1)."},
		{"int p[2] = {n, 1}; out[i] = p[a[i] & 1]; out[p[0] & 1] = 1;", given + "content of a (used in an address at k.cl:1), and for the given n (used in an address at k.cl:1)."},
		{"enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ a[i] = n; out[i] = v.x; });", any + "n, v."},
		{"enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ a[n] = v.x; });", given + "n (used in an address at k.cl:1)."},
	} {
		text := "__kernel void k(__global int *a, __global int *out, int n, int2 v) { int i = get_global_id(0); " + c.body + " }"
		p, err := clc.Source("k.cl", []byte(text), clc.Options{Global: "2", Local: "2", Args: []string{"n=1", "v={1,2}"}})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, c.want) {
			t.Errorf("%d: %s\n%s\nwant %s", i, c.body, notes, c.want)
		}
	}
}

// TestWithin sees that a buffer is not taken for the one behind it.
func TestWithin(t *testing.T) {
	const text = "__kernel void k(__global int *a, __global int *b, __global int *out) { int i = get_global_id(0); out[b[i] & 1] = a[i]; }"
	p, err := clc.Source("k.cl", []byte(text), clc.Options{Global: "2", Local: "2", Args: []string{"a=zero[2]", "b=zero[2]", "out=zero[2]"}})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "The result holds for every content of a. It holds only for the given content of b (used in an address at k.cl:1).") {
		t.Error(notes)
	}
}

// TestFarAway loads kernels whose addresses lie beyond what there is: one has no registers at all.
func TestFarAway(t *testing.T) {
	for _, body := range []string{"atomic_inc(a); out[0xffffffff] = 1;", "int p[3] = {1, 2, 3}; int *q = p; q[a[0] & 1] = 4; out[0] = p[1000];"} {
		text := "__kernel void k(__global int *a, __global int *out) { " + body + " }"
		if _, err := clc.Source("k.cl", []byte(text), clc.Options{Global: "2", Local: "2"}); err != nil {
			t.Error(err)
		}
	}
}

// TestData sees that what cannot be found out is taken for needed, and what values are told.
func TestData(t *testing.T) {
	text := "__kernel void k(__global int *a, float f, int2 v, uint n, ulong w) { if (n && f > 1 && v.x) a[w] = 1; }"
	p, err := clc.Source("k.cl", []byte(text), clc.Options{Global: "2", Local: "2", Args: []string{"f=1.5", "v={1,2}", "n=4294967295", "w=1|2"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range p.Data {
		got = append(got, d.Name+"="+d.Value)
		if !d.Scalar || !d.Decides || d.Why == "" || d.At.Line != 1 {
			t.Errorf("%+v", d)
		}
	}
	if s := strings.Join(got, " "); s != "f=1.5 n=4294967295 v= w=" || !p.HasData {
		t.Error(s)
	}
}
