package clc_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/shipped"
)

// hosted reads a kernel for a device.
func hosted(t *testing.T, text string, opt clc.Options) *clc.Hosted {
	t.Helper()
	h, why, err := clc.Host("k.cl", []byte(text), opt)
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	return h
}

// TestHost: a device is given what the launch says, byte by byte.
func TestHost(t *testing.T) {
	h := hosted(t, `//clmc:launch k global=4,2 local=2 offset=1 n=3 s={1,{2,0x0304}} v={1,2,3,4} a=short[4]{1,-2} b=a p=null tmp=local[5] c=uint[2]{1|7,9}
struct S { char a; struct { uchar b; ushort c; } in; };
kernel void k(int n, struct S s, char4 v, global short *a, global short *b, global int *p, local long *tmp, global uint *c) { c[1] = a[0] + b[0] + n + s.a + v.x; }
`, clc.Options{})
	l := h.Launches[0][0]
	if len(h.Launches) != 1 || len(h.Launches[0]) != 1 || l.Kernel != "k" || !slices.Equal(l.Global, []int{4, 2}) || !slices.Equal(l.Local, []int{2, 1}) || !slices.Equal(l.Offset, []int{1, 0}) || l.Seen {
		t.Errorf("%+v", l)
	}
	want := [][]byte{{3, 0, 0, 0}, {1, 0, 2, 0, 4, 3}, {1, 2, 3, 4}}
	for i, w := range want {
		if got := l.Args[i].Value.Initial; !slices.Equal(got, w) || l.Args[i].Buffer >= 0 {
			t.Errorf("argument %d: % x", i, got)
		}
	}
	if a := l.Args; a[3].Buffer != a[4].Buffer || !a[5].Null || a[6].Local != 40 || a[7].Buffer == a[3].Buffer {
		t.Errorf("%+v", a)
	}
	if got := h.Buffers[l.Args[3].Buffer].Initial; !slices.Equal(got, []byte{1, 0, 0xfe, 0xff, 0, 0, 0, 0}) {
		t.Errorf("a: % x", got)
	}
	c := h.Buffers[l.Args[7].Buffer]
	if len(c.Choices) != 1 || c.Choices[0].At != 0 || !slices.Equal(c.Choices[0].Values[1], []byte{7, 0, 0, 0}) || c.Initial[4] != 9 {
		t.Errorf("c: %+v", c)
	}
}

// TestHostAsserts: what lines assert is computed from bytes as the search computes it: of each verified kernel that is shipped all assertions hold of
// all outcomes.
func TestHostAsserts(t *testing.T) {
	checked := 0
	for _, m := range shipped.All() {
		if !m.IsKernel() || !strings.Contains(m.Source, "//clmc:launch") {
			continue
		}
		h, why, err := clc.Host(m.Path, []byte(m.Source), clc.Options{})
		if err != nil || (why == "") != (h != nil) {
			t.Errorf("%s: %q, %v", m.Name, why, err)
		}
		if h == nil || len(h.Asserts) == 0 || len(h.Uncompared) > 0 {
			continue
		}
		r := explore.Run(t.Context(), h.Program, explore.Options{MaxStates: 2000, Promises: explore.NoPromises})
		for _, o := range r.Outcomes {
			contents := contentsOf(h, o)
			for i := range h.Asserts {
				if checked++; !h.Asserts[i].Holds(contents) {
					t.Errorf("%s: %s does not hold of %v", m.Name, h.Asserts[i].Text, o)
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d assertions were looked at", checked)
	}
}

// contentsOf are buffers as an outcome has them.
func contentsOf(h *clc.Hosted, o map[string]int64) (contents [][]byte) {
	for i := range h.Buffers {
		contents = append(contents, slices.Clone(h.Buffers[i].Initial))
	}
	contents = append(contents, make([]byte, h.Variables))
	for i := range h.Cells {
		c := &h.Cells[i]
		copy(contents[c.Buffer][c.At:], binary.LittleEndian.AppendUint64(nil, uint64(o[c.Outcome]))[:max(c.Type.Bits(), 8)/8])
	}
	return contents
}

// TestHostAssertFails: an assertion that does not hold is told.
func TestHostAssertFails(t *testing.T) {
	h := hosted(t, "//clmc:launch k global=1 local=1 a=int[2]{5,-6} b=float[1]{1.5} c=ulong[1]{18446744073709551615}\n"+
		"//clmc:assert a[0] == 5 && a[1] < 0 && b[0] * 2.0 == 3.0 && c[0] > 1\n//clmc:assert a[0] / (a[0] - 5) == 0\n//clmc:assert -a[1] == 7\n//clmc:assert !(a[1] == -6)\n"+
		"kernel void k(global int *a, global float *b, global ulong *c) { a[0] = 5; }\n", clc.Options{})
	contents := contentsOf(h, nil)
	for i := range h.Buffers {
		copy(contents[i], h.Buffers[i].Initial)
	}
	for i, want := range []bool{true, false, false, false} {
		if got := h.Asserts[i].Holds(contents); got != want {
			t.Errorf("%s: %v", h.Asserts[i].Text, got)
		}
	}
}

// TestHostText: assertions and annotations do nothing on a device, what is observed is stored, and no line moves.
func TestHostText(t *testing.T) {
	const text = "//clmc:launch k global=2 local=2 a=zero[1]\nkernel void k ( global int *a )\n{\n  /* __observe(\"no\", 1) */\n  assert(a[0] == 0); __observe(\"r\", 1); __observe(\"long\", 2);\n}\n"
	h := hosted(t, text, clc.Options{Defines: []string{"N=4"}})
	body := h.Text[strings.Index(h.Text, "#line 1 \"k.cl\"\n")+len("#line 1 \"k.cl\"\n"):]
	want := strings.NewReplacer("int *a )", "int *a , global long *clmc_seen)", `__observe("r", 1)`, `__observe(  0, 1)`, `__observe("long", 2)`, `__observe(     1, 2)`).Replace(text) + "\n"
	if body != want || !slices.Equal(h.Names, []string{"r", "long"}) || !h.Launches[0][0].Seen || !strings.Contains(h.Text, "#define N 4\n") {
		t.Errorf("%s\n%q", h.Text, h.Names)
	}
	for what, text := range map[string]string{
		"a macro":           "#define O(x) __observe(\"r\", x)\nkernel void k(global int *a) { O(1); }",
		"another function":  "void f(int x) { __observe(\"r\", x); }\nkernel void k(global int *a) { f(1); __observe(\"q\", 1); }",
		"named again":       "kernel void k(global int *a);\nkernel void k(global int *a) { __observe(\"q\", 1); }",
		"only in functions": "void f(int x) { __observe(\"r\", x); }\nkernel void k(global int *a) { f(1); }",
	} {
		h := hosted(t, text, clc.Options{Global: "1", Local: "1", Args: []string{"a=zero[1]"}})
		if len(h.Names) > 0 || h.Launches[0][0].Seen || strings.Contains(h.Text, "clmc_seen") || len(h.Uncompared) != 1 {
			t.Errorf("%s: %q\n%s", what, h.Uncompared, h.Text)
		}
	}
}

// TestHostFloats: numbers decide where nothing rounds them, or every device in the same way.
func TestHostFloats(t *testing.T) {
	for body, want := range map[string][2]bool{ // Math and Sums
		"y[0] = sin(x[0]); n[0] = 1;":              {false, false}, // which nothing needs
		"n[0] = (int)(x[0] + 1.0f);":               {false, true},
		"n[0] = (int)(x[0] / 3.0f);":               {true, false},
		"n[0] = x[0] < 2.0f;":                      {false, false},
		"n[0] = (int)fma(x[0], x[1], 1.0f);":       {true, true},
		"if (sqrt(x[0]) > 1.0f) n[0] = 1;":         {true, false},
		"n[0] = (int)x[0]; y[0] = x[0] * 2.0f;":    {false, false},
		"n[0] = as_int(x[0] * x[0]); y[1] = x[0];": {false, true},
	} {
		h := hosted(t, "kernel void k(global const float *x, global float *y, global int *n) { "+body+" }", clc.Options{Global: "1", Local: "1", Args: []string{"x=float[2]{1.5,2}", "y=float[2]", "n=int[1]"}})
		if got := [2]bool{h.Math, h.Sums}; got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}

// TestUnhosted: what no device can be given is told.
func TestUnhosted(t *testing.T) {
	for text, want := range map[string]string{
		"kernel void k(global int *a) { static global int g; a[0] = g++; }":                                "static variable",
		"kernel void k(global int *a) { a[0] = get_sub_group_id(); }":                                      "sub-groups",
		"int f(int x); kernel void k(global int *a) { a[0] = f(1); }":                                      "no definition",
		"kernel void k(global int *a, read_only image2d_t i) { a[0] = 1; }":                                "image2d_t",
		"kernel void k(global int *a, queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), ^{ a[0] = 1; }); }": "enqueues",
	} {
		args := []string{"a=zero[1]"}
		if strings.Contains(text, "image") {
			args = append(args, "i=image[2,2]")
		}
		_, why, err := clc.Host("k.cl", []byte(text), clc.Options{Global: "1", Local: "1", Args: args, Undefined: true})
		if !strings.Contains(why, want) {
			t.Errorf("%s: %q, %v", text, why, err)
		}
	}
}
