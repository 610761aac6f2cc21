package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
)

// TestGPUVerifyHeader goes through headers: what is launched is told by what the kernel asserts of its sizes.
func TestGPUVerifyHeader(t *testing.T) {
	const is = "__kernel void k(__global int *a) { __assert(get_local_size(0) == 4 && get_local_size(1) == 2 && get_global_size(0) == 8 && get_global_size(1) == 6); "
	const line = "__kernel void k(__global int *a) { __assert(get_local_size(0) == 4 && get_global_size(0) == 8 && get_work_dim() == 1); "
	for _, c := range []struct {
		text, want string // ids of violations, verified, or part of an error
		opt        clc.Options
	}{
		{"//pass\n//--local_size=[4,2] --num_groups=[2,3]\n" + is + "}", "verified", clc.Options{}},
		{"//pass\n\n//--local_size=[4, 2] --global_size=[8, 6] --no-inline\n" + is + "}", "verified", clc.Options{}},
		{"//--num_groups=2\n//--local_size=4\n" + line + "}", "verified", clc.Options{}},
		{"//--local_size=4 --num_groups=2\n" + line + "}", "verified", clc.Options{}},
		{"//--local_size=8 --num_groups=2\n" + line + "}", "CL1004", clc.Options{}},
		{"//--local_size=8 --num_groups=2\n" + line + "}", "verified", clc.Options{Local: "4", Global: "8"}},
		{"//--local_size=2 --num_groups=1\n__kernel void k(__global int *a) { a[0] = get_local_id(0); }", "CL1001", clc.Options{}},
		{"//--local_size=2 --num_groups=1\n__kernel void first() { }\n__kernel void k(__global int *a, int n) { a[n * get_local_id(0)] = 1; }", "verified", clc.Options{Args: []string{"n=1"}}},
		{"//--local_size=2 --num_groups=1\n__kernel void first() { }\n__kernel void k(__global int *a) { a[0] = 1; }", "verified", clc.Options{Kernel: "first"}},
		{"//--local_size=2 --num_groups=1\n__kernel void first() { }\n__kernel void k(__global int *a) { a[0] = 1; }", "CL1001", clc.Options{}},
		{"//--local_size=2 --num_groups=1\n__kernel void k(__global int *a) { }", "k has no parameter m", clc.Options{Args: []string{"m=1"}}},
		{"//--local_size=2 --num_groups=1\n__kernel void k(int n) { }", "k.cl:1:1: k needs a value for its argument n", clc.Options{}},
		{"__kernel void k(__global int *a) { }\n//--local_size=2 --num_groups=1\n", "no header for GPUVerify", clc.Options{}},
		{"//--local_size=[4,2] --num_groups=2\n" + is + "}", "does not fit", clc.Options{}},
		{"//--local_size=4 --num_groups=2 -DW=4 -D V --no-inline\n__kernel void k() { __assert(W == 4 && V == 1); }", "verified", clc.Options{}},
		{"//--local_size=4 --num_groups=2 -DW=4\n__kernel void k() { __assert(W == 5); }", "verified", clc.Options{Defines: []string{"W=5"}}},
		{"//--local_size=4 --num_groups=2\n// not -DW=4\n__kernel void k() { __assert(W == 4); }", "W is unknown", clc.Options{}},
		{"//--local_size=1 --num_groups=1 --kernel-args=[k,0x10,-2]\n__kernel void k(int n, __global int *a, short m) { __assert(n == 16 && m == -2); }", "verified", clc.Options{}},
		{"//--local_size=1 --num_groups=1 --kernel-args=[k,0x10,-2]\n__kernel void k(int n, __global int *a, short m) { __assert(n == 16); }", "CL1004", clc.Options{Args: []string{"n=17"}}},
		{"//--local_size=1 --num_groups=1 --kernel-args=[k,*,3]\n__kernel void k(int n, int m) { }", "a value for its argument n", clc.Options{}},
		{"//--local_size=1 --num_groups=1 --kernel-args=[other,1]\n__kernel void k(int n) { }", "a value for its argument n", clc.Options{}},
		{"//--local_size=1 --num_groups=1 --kernel-args=[k,1,2]\n__kernel void k(int n) { }", "a value for its argument n", clc.Options{}},
		{"//--local_size=1 --num_groups=1\n#define N 64\n__kernel void k(uint n, int m) { __requires(n == N && -3 == m); __assert(n == 64 && m == -3); }", "verified", clc.Options{}},
		{"//--local_size=1 --num_groups=1\n__kernel void k(uint n) { __requires(n == 64 || n == 32); }", "a value for its argument n", clc.Options{}},
		{"//--local_size=1 --num_groups=1\n__kernel void k(uint n) { if (get_global_id(0)) __requires(n == 64); }", "a value for its argument n", clc.Options{}},
		{"//--local_size=x --num_groups=2\n" + is + "}", "does not fit", clc.Options{}},
		{"//--local_size=x --global_size=2\n" + is + "}", "is not a local size", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --global_size=8\n" + line + "}", "both", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --local_size=4\n" + line + "}", "twice", clc.Options{}},
		{"//--local_size=4 --num_groups=2\n", "no kernel", clc.Options{}},
		// What changes the meaning is obeyed or refused by name.
		{"//pass\n//--local_size=4 --num_groups=2 --global_offset=64\n__kernel void k() { __assert(get_global_id(0) >= 64 && get_global_offset(0) == 64); }", "verified", clc.Options{}},
		{"//--global_offset=[8,0] --local_size=[4,1] --num_groups=[2,1]\n__kernel void k() { __assert(get_global_id(0) >= 8 && get_global_id(1) == 0); }", "verified", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --global_offset=64\n__kernel void k() { __assert(get_global_id(0) >= 64); }", "CL1004", clc.Options{Offset: "3"}},
		{"//--blockDim=4 --gridDim=2\n" + line + "}", "verified", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --warp-sync=32\n" + line + "}", "k.cl:1:1: the header has --warp-sync=32", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --32-bit\n" + line + "}", "the header has --32-bit", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --64-bit --opencl\n" + line + "}", "verified", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --only-requires\n" + line + "}", "the header has --only-requires", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --bugle-lang=cu\n" + line + "}", "the header has --bugle-lang=cu", clc.Options{}},
		{"//--local_size=4 --num_groups=2\n//--local_offset=3\n" + line + "}", "k.cl:2:1: the header has --local_offset=3", clc.Options{}},
		{"//--local_size=4 --num_groups=2 64\n" + line + "}", "the header has 64", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --clang-opt=-DW=4\n__kernel void k() { __assert(W == 4); }", "verified", clc.Options{}},
		{"//--local_size=4 --num_groups=2 \"--clang-opt=-DW=4 -DV\"\n__kernel void k() { __assert(W == 4 && V == 1); }", "verified", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --clang-opt=-m32\n" + line + "}", "--clang-opt=-m32", clc.Options{}},
		{"//--local_size=1 --num_groups=1 --kernel-args=[k,1,2]\n__kernel void k(int n) { }", "2 values for k, which has 1 scalars", clc.Options{}},
		{"//--local_size=1 --num_groups=1 --kernel-args=[k,1.5]\n__kernel void k(float f) { __assert(f == 1.5f); }", "verified", clc.Options{}},
		{"//--local_size=1 --num_groups=1 --kernel-args=[k,N]\n__kernel void k(int n) { }", "is not a value", clc.Options{}},
		{"//--local_size=4 --num_groups=2 --only-intra-group --boogie-opt=/x\n__kernel void k(__global int *a) { a[get_local_id(0)] = 1; }", "CL1001", clc.Options{}},
		// Sizes that are open, or that do not go together, are for the flags to say.
		{"//--local_size=[4,4] --num_groups=[2,2,2]\n__kernel void k() { __assert(get_global_size(0) == 8 && get_global_size(1) == 2 && get_local_size(1) == 1); }", "verified", clc.Options{Global: "8,2", Local: "4,1"}},
		{"//--local_size=[4,4] --num_groups=[2,2,2]\n__kernel void k() { __assert(get_local_size(1) == 4); }", "verified", clc.Options{Global: "8,4"}},
		{"//--local_size=[4,4] --num_groups=[2,2,2]\n__kernel void k() { __assert(get_global_size(2) == 6); }", "verified", clc.Options{Local: "1,1,3"}},
		{"//--local_size=[4,4] --num_groups=[2,2,2]\n__kernel void k() { }", "does not fit", clc.Options{}},
		{"//--local_size=4 --num_groups=*\n__kernel void k() { __assert(get_global_size(0) == 8); }", "verified", clc.Options{Global: "8"}},
		{"//--local_size=4 --num_groups=*\n__kernel void k() { }", "add --global N", clc.Options{}},
		{"//--local_size=* --num_groups=2\n__kernel void k() { __assert(get_global_size(0) == 6); }", "verified", clc.Options{Local: "3"}},
		{"//--local_size=[*,1] --num_groups=[2,1]\n__kernel void k() { }", "add --local N", clc.Options{}},
		{"//--local_size=[2,*] --global_size=[4,*]\n__kernel void k() { __assert(get_global_size(1) == 3); }", "verified", clc.Options{Local: "2,3", Global: "4,3"}},
		{"\ufeff//--local_size=4 --num_groups=2\n" + line + "}", "verified", clc.Options{}},
	} {
		c.opt.GPUVerify = true
		if got := verdictOf(t, c.text, c.opt); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// verdictOf returns what is found: an error, verified, or an id.
func verdictOf(t *testing.T, text string, opt clc.Options) string {
	p, err := clc.Source("k.cl", []byte(text), opt)
	if err != nil {
		return err.Error()
	}
	r := explore.Run(t.Context(), p, explore.Options{})
	if len(r.Violations) > 0 {
		return r.Violations[0].Kind.ID()
	}
	return r.Verdict.String()
}

// TestAnnotations sees which annotations are heeded, and that the others are ignored, with one note.
func TestAnnotations(t *testing.T) {
	opt := clc.Options{GPUVerify: true, Args: []string{"a=int[2]{0|1}"}}
	for _, c := range []struct {
		body, want string
		ignored    string // how many, "" for none
	}{
		{"__assert(a[0] < 1);", "CL1004", ""},
		{"__requires(a[0] < 1); __assert(a[0] < 1);", "verified", ""},
		{"__assert(__ite(i == 1, 5, 6) == 6 - i && __is_pow2(4) && !__is_pow2(6) && __mod_pow2(i + 4, 4) == i);", "verified", ""},
		{"__assert(__add_noovfl(i, 1) + __add_noovfl_unsigned(1u, 1u) == i + 3 && __dominator_enabled());", "verified", ""},
		{"__candidate_assert(i > 7); __candidate_global_assert(i > 7); __candidate_requires(i > 7); __assert(i < 1);", "CL1004", "3"},
		{"__assert(__atomic_has_taken_value(a, 0, 7)); __assert(__ptr_offset_bytes(a) == 7); __assert(i < 1);", "CL1004", "2"},
		{"__assume(a[0] < 1); __assert(a[0] < 1);", "verified", ""},
		{"bugle_assume(a[0] < 1); __unsafe_assert(a[0] < 1);", "verified", ""},
		{"__unsafe_assert(a[0] < 1);", "CL1004", ""},
		{"__unsafe_assert(i != __other_int(i)); __unsafe_global_assert(i > 7); __unsafe_candidate_assert(i > 7); __assert(i < 1);", "CL1004", "3"},
		{"__assert(__same_group & i < 7); __assert(i < 1);", "CL1004", "1"},
		{"__non_temporal_loads_begin(); __assert(i < 2); __non_temporal_loads_end();", "verified", "2"},
		{"__assert(__ite_unsigned_int(i == 1, 5u, 6u) == __add_int(5, 1) - i && __add_noovfl_unsigned_char(i, 1) == __add(i, 1));", "verified", ""},
		{"__assert(__implies(i == 1, i > 1));", "CL1004", ""},
		{"__assert(__implies(i == 1, i > 0) && __enabled());", "verified", ""},
		{"__assert(__implies(__write(a), i == 7));", "verified", "1"},
		{"__requires(i != __other_int(i)); __assert(i < 1);", "CL1004", "1"},
		{"__assert(__distinct_int(i));\n__assert(\n__uniform_int(i) &&\n i < 7); __assert(i < 1);", "CL1004", "2"},
		{"for (int j = 0; __invariant(j > 7), __global_invariant(__no_read(a)), j < 2; j++) a[i] = j;", "verified", "2"},
		{"while (__invariant(i > 7), i < 1) i++;\n__ensures(i == 9);", "verified", "2"},
		{"__barrier_invariant_1(i > 7, i); __assert(a[i] < 2);", "verified", "1"},
		{"a[i] = 1; // __invariant(x)\n/* __other_int(1) */", "verified", ""},
		{"__invariant(i", "k.cl:", ""},
	} {
		text := "//--local_size=2 --num_groups=1\n__axiom(get_local_size(0) == 3);\n__kernel void k(__global int *a) { int i = get_local_id(0);\n" + c.body + " }\n"
		if c.ignored == "" {
			text = strings.Replace(text, "__axiom(get_local_size(0) == 3);", "", 1)
		} else {
			c.ignored = string(c.ignored[0]+1) + " annotations are ignored" // that axiom, too
		}
		if got := verdictOf(t, text, opt); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
			continue
		}
		p, err := clc.Source("k.cl", []byte(text), opt)
		if err != nil {
			continue
		}
		notes := strings.Join(p.Notes, "\n")
		if n := strings.Count(notes, "ignored"); n != min(len(c.ignored), 1) || !strings.Contains(notes, c.ignored) {
			t.Errorf("%s: the notes are\n%s\nwant %s", c.body, notes, c.ignored)
		}
		if p.Sources[0].Text != text {
			t.Errorf("%s: the source is kept as\n%s", c.body, p.Sources[0].Text)
		}
	}
	const unknown = "//--local_size=2 --num_groups=1\nDECLARE_UF_BINARY(f, int, int, int)\nDECLARE_UF_UNARY(g, unsigned, unsigned);\n__kernel void k(__global int *a) { a[get_local_id(0)] = "
	if got := verdictOf(t, unknown+"1; }", clc.Options{GPUVerify: true}); got != "verified" {
		t.Error(got)
	}
	if got := verdictOf(t, unknown+"f(1, 2) + g(3); }", clc.Options{GPUVerify: true}); !strings.Contains(got, "k.cl:4:57: f is declared, but not defined") {
		t.Error(got)
	}
	sum := clc.Options{GPUVerify: true, Defines: []string{"DECLARE_UF_BINARY(f,a,b,r)=r f(a x, b y) { return x + y; }", "DECLARE_UF_UNARY(f,a,r)=r f(a x) { return x; }"}}
	if got := verdictOf(t, unknown+"f(1, 2) + g(3); __assert(a[get_local_id(0)] == 6); }", sum); got != "verified" {
		t.Error(got)
	}
	// Without the flag they are functions that nobody knows.
	if got := verdictOf(t, "//clmc:launch k global=1 local=1\n__kernel void k() { __invariant(1); }", clc.Options{}); !strings.Contains(got, "__invariant is unknown") {
		t.Error(got)
	}
}
