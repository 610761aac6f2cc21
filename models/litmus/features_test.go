package litmus_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// features are tests of what the format can say, with the outcomes that they
// have. Most have one thread, so that the memory model does not matter.
var features = []struct{ name, text, want string }{
	{"arithmetic", test("int r = (1+2)*3 - 7/2 % 2; *y = r;", "y=8"), "y=8"},
	{"precedence", test("int r = 1 | 2 ^ 3 & 1 == 1; *y = r + (1 < 2 == 1) * 10;", "y=0"), "y=13"},
	{"comparisons", test("*y = (1<2) + (2<=2)*2 + (3>2)*4 + (2>=3)*8 + (1!=1)*16 + (4==4)*32;", "y=0"), "y=39"},
	{"unary", test("int r = 5; *y = -r + !r * 10 + ~0;", "y=0"), "y=-6"},
	{"wrap", test("int r = 2147483647; *y = r + 1;", "y=0"), "y=-2147483648"},
	{"hexadecimal", test("*y = 0x1f;", "y=0x1f"), "y=31"},
	{"and", test("int r = *y == 1 && atomic_fetch_add(x, 1); *y = r;", "x=0 /\\ y=0"), "x=0 y=0"},
	{"or", test("int r = *y == 0 || atomic_fetch_add(x, 1); *y = r;", "x=0 /\\ y=0"), "x=0 y=1"},
	{"else", test("int r = 2; if (r == 1) *y = 1; else if (r == 2) { *y = 2; } else *y = 3;", "y=0"), "y=2"},
	{"while", test("int r; while (r < 3) { r = r + 1; *y = *y + r; }", "y=0"), "y=6"},
	{"load of parentheses", test("*y = 3; int r = (*y + 1); *y = r;", "y=0"), "y=4"},
	{"undeclared register", test("r1 = 4; *y = r1 + r2; r2 = 1;", "y=0"), "y=4"},
	{"declared twice", test("int r = 1, s = r + 1, t; int r = s + 1; *y = r + t;", "y=0"), "y=3"},
	{"exchange", test("int r = atomic_exchange(x, 7);", "x=0 /\\ 0:r=0"), "0:r=0 x=7"},
	{"read-modify-writes", test("atomic_fetch_add(x, 12); atomic_fetch_sub(x, 1); atomic_fetch_and(x, 10); atomic_fetch_or(x, 5); atomic_fetch_xor(x, 3); atomic_fetch_max(x, 9); int r = atomic_fetch_min(x, 4);", "x=0 /\\ 0:r=0"), "0:r=12 x=4"},
	{"compare and exchange", test("int r = atomic_compare_exchange_strong(x, y, 1); int s = atomic_compare_exchange_strong(x, y, 2);", "x=0 /\\ y=0 /\\ 0:r=0 /\\ 0:s=0"), "0:r=1 0:s=0 x=1 y=0"},
	{"compare and exchange, weak", test("int r = atomic_compare_exchange_weak(x, y, 1);", "x=0 /\\ 0:r=0"), "0:r=0 x=0|0:r=1 x=1"},
	{"compare and exchange with a value", test("int r = atomic_compare_exchange_strong(x, 0, 1);", "x=0 /\\ 0:r=0"), "0:r=1 x=1"},
	{"atomic operation on a plain location", test("atomic_store(y, 1); int r = *y;", "0:r=1"), "0:r=1"},
	{"plain access to an atomic location", test("*x = 1; int r = *x;", "0:r=1"), "0:r=1"},
	{"atomic_init", test("atomic_init(x, 5);", "x=1"), "x=5"},
	{"underscores and prefixes", "OpenCL t\n{}\n__kernel void P0 (__global volatile atomic_int* x, int __local *y, atomic_int* z) { atomic_store(x, 1); *y = 2; atomic_store(z, 3); }\nexists (x=1 /\\ y=2 /\\ z=3)", "x=1 y=2 z=3"},
	{"comments", "(* a (b *) OpenCL t // name\n\"info\"\nCom=Rf Fr\n (* c *) { /* d */ [x]=1; } // e\nP0 (* f *) (global int* x) { (* g *) *x = (*x + 1); /* h */ }\n(*i*) exists (* j *) (x=1)", "x=2"},
	{"initial values", "OpenCL t\n{ [x]=-4; y=5; 0:r=6; P0:s=7; [z]=8 }\nP0 (global int* x, global int* y) { *x = *x + *y; }\nlocations [x;y;z;0:r;0:s]", "0:r=6 0:s=7 x=1 y=5 z=8"},
	{"locations and condition", "OpenCL t\n{}\nP0 (global int* x, global int* y) { int r = 1; *x = r; }\nlocations [x; [x]; 0:r;]\nforall (x=1 /\\ P0:r=1 /\\ y==0)", "0:r=1 x=1 y=0"},
	{"no scope tree", "OpenCL t\n{}\nP0 (local atomic_int* x) { barrier(CLK_LOCAL_MEM_FENCE); }\nP1 (local atomic_int* x) { }\nexists (x=0)", "x=0"},
	{"divergence", "OpenCL t\n{}\nP0 (local atomic_int* x) { barrier(CLK_LOCAL_MEM_FENCE); }\nP1 (local atomic_int* x) { }\nscopeTree (device (work_group P0 P1))\nexists (x=0)", state.BarrierDivergence.ID()},
	{"header placement", "OpenCL t\n{}\nP0@wg 0, dev 0 (local atomic_int* x) { barrier(CLK_LOCAL_MEM_FENCE); }\nP1@wg 1,dev 0 (local atomic_int* x) { barrier(CLK_LOCAL_MEM_FENCE); }\nexists (x=0)", "x=0"},
	{"header placement, one group", "OpenCL t\n{}\nP0@wg 1, dev 0 (local int* x) { *x = 1; barrier(CLK_LOCAL_MEM_FENCE); }\nP1@wg 1,dev 0 (local int* x) { barrier(CLK_LOCAL_MEM_FENCE); int r = *x; }\nexists (1:r=0)", "1:r=1"},
	{"sub-groups", "OpenCL t\n{}\nP0 (local int* x) { *x = 1; sub_group_barrier(CLK_LOCAL_MEM_FENCE); }\nP1 (local int* x) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); int r = *x; }\nP2 (local int* x) {}\nscopeTree (device (kernel (work_group (sub_group P0 P1) P2)))\nexists (1:r=0)", "1:r=1"},
	{"labels", "OpenCL t\n{}\nP0 (local int* x) { B0: barrier(CLK_LOCAL_MEM_FENCE); }\nP1 (local int* x) { B1: barrier(CLK_LOCAL_MEM_FENCE); }\nscopeTree (device (work_group P0 P1))\nexists (x=0)", state.BarrierDivergence.ID()},
	{"barrier in a loop", "OpenCL t\n{}\nP0 (local int* x) { int i; while (i < 3) { *x = *x + 1; barrier(CLK_LOCAL_MEM_FENCE); i = i + 1; } }\nP1 (local int* x) { int i; while (i < 3) { B: barrier(CLK_LOCAL_MEM_FENCE); i = i + 1; } int r = *x; }\nscopeTree (device (work_group P0 P1))\nexists (1:r=0)", state.BarrierDivergence.ID()},
	{"barrier in a loop, unlabelled", "OpenCL t\n{}\nP0 (local int* x) { int i; while (i < 3) { *x = *x + 1; barrier(CLK_LOCAL_MEM_FENCE); i = i + 1; } }\nP1 (local int* x) { int i; while (i < 3) { barrier(CLK_LOCAL_MEM_FENCE); i = i + 1; } int r = *x; }\nscopeTree (device (work_group P0 P1))\nexists (1:r=0)", "1:r=3"},
	{"skipped iteration", "OpenCL t\n{}\nP0 (local int* x) { int i; while (i < 2) { if (i == 1) { barrier(CLK_LOCAL_MEM_FENCE); } i = i + 1; } }\nP1 (local int* x) { int i; while (i < 2) { if (i == 0) { barrier(CLK_LOCAL_MEM_FENCE); } i = i + 1; } }\nscopeTree (device (work_group P0 P1))\nexists (x=0)", state.BarrierDivergence.ID()},
	{"division by zero", test("int r = 1 / *y;", "0:r=0"), state.DivisionByZero.ID()},
	{"dark corners of conditions", test("*y = 3;", "not (y=1 || y < 3) && (true \\/ false) /\\ y<=3 /\\ y>2 /\\ y >= 3 /\\ y != 4 /\\ ~(y<>3)"), "y=3"},
}

// TestFeatures explores each feature's test and compares its outcomes, or the
// first violation.
func TestFeatures(t *testing.T) {
	for _, c := range features {
		test := parse(t, c.name, c.text)
		r := explore.Run(context.Background(), test.Program, explore.Options{Spec: memmodel.Specs[0]})
		var got []string
		for _, o := range r.Outcomes {
			got = append(got, explore.OutcomeKey(o))
		}
		slices.Sort(got)
		for _, v := range r.Violations {
			got = []string{v.Kind.ID()}
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: outcomes %q, want %q", c.name, s, c.want)
		}
	}
}

// TestFencesBesideTheBarrier: every reading must find that P1 sees P0's store.
// Suppose that r=0. Then fence F1 precedes fence F0 in S (rule 8.6). But F0 is
// sequenced before an entry of the barrier which happens before an exit that is
// sequenced before F1, so that F0 precedes F1: where seq_cst operations are
// actions of both kinds of memory by rule 8.2, else because the published models
// constrain S by Fsb?;(ghb|lhb|fr|mo);sbF?, where Fsb and sbF are
// sequenced-before from and to fences. The barrier names global memory and the
// fences local memory, so that without either nothing is ordered.
func TestFencesBesideTheBarrier(t *testing.T) {
	const fence = "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n"
	const barrier = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n"
	test := parse(t, "fences", "OpenCL fences\n{}\n"+
		"P0 (local atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed);\n"+fence+barrier+"}\n"+
		"P1 (local atomic_int* x) {\n"+barrier+fence+"int r = atomic_load_explicit(x, memory_order_relaxed); }\n"+
		"scopeTree (device (work_group P0 P1))\nexists (1:r=0)")
	for _, spec := range memmodel.Specs {
		r := explore.Run(context.Background(), test.Program, explore.Options{Spec: spec})
		if len(r.Outcomes) != 1 || r.Outcomes[0]["1:r"] != 1 || len(r.Violations) > 0 {
			t.Errorf("%s: %v %v", spec.Name, r.Outcomes, r.Violations)
		}
	}
}

// Places are numbered within what contains them.
func TestPlaces(t *testing.T) {
	threads := "P0 () {}\nP1 () {}\nP2 () {}\nP3 () {}\n"
	for tree, want := range map[string]string{
		"": "0.0.0.0 0.0.1.0 0.0.2.0 0.0.3.0",
		"scopeTree (device (work_group P0 P1) (work_group P2)) (device (work_group P3))":                      "0.0.0.0 0.0.0.1 0.0.1.0 1.1.0.0",
		"scopeTree (device P0 P1 P2 P3)":                                                                      "0.0.0.0 0.0.1.0 0.0.2.0 0.0.3.0",
		"scopeTree (device (work_group P3 P1 P0 P2))":                                                         "0.0.0.2 0.0.0.1 0.0.0.3 0.0.0.0",
		"scopeTree (device (kernel (work_group P0) (work_group P1)) (kernel (work_group (sub_group P2 P3))))": "0.0.0.0 0.0.1.0 0.1.0.0 0.1.0.0",
		"scopeTree (work_group P0 P1) (work_group P2 P3)":                                                     "0.0.0.0 0.0.0.1 0.0.1.0 0.0.1.1",
		"scopeTree (device (work_group (sub_group P0 P1) P2 P3))":                                             "0.0.0.0 0.0.0.0 0.0.0.1 0.0.0.2",
		"scopeTree (device (kernel (work_group P0 P1)) (work_group P2 P3))":                                   "0.0.0.0 0.0.0.1 0.1.0.0 0.1.0.1",
	} {
		p := parse(t, tree, "OpenCL t\n{}\n"+threads+tree+"\nexists (true)").Program
		var got []string
		for _, th := range p.Threads {
			got = append(got, fmt.Sprintf("%d.%d.%d.%d", th.Place.Device, th.Place.Kernel, th.Place.Group, th.Place.Sub))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", tree, s, want)
		}
	}
}
