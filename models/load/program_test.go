package load_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state/ir"
)

// kernels is a file of kernels for the models of these tests.
const kernels = `#include "pair.h"
global int seen = SEEN;
constant int table[2] = {3, 4};
kernel void tree_sum(global const int *in, global int *out, local int *tmp, global atomic_int *count) {
  local int first;
  int l = get_local_id(0);
  if (l == 0) first = table[1];
  tmp[l] = in[get_global_id(0)];
  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
    BARRIER;
    if (l < s) tmp[l] += tmp[l + s];
  }
  if (l == 0) out[get_group_id(0)] = tmp[0] + first;
  atomic_fetch_add(count, seen - 6);
}
kernel void scale(global pair *p, float4 v, const float f, ulong n) {
  int i = get_global_id(0);
  p[i].a = v.y * f;
  p[i].b[1] = get_work_dim() + get_global_size(0) + n;
}
kernel void nothing(void) { }
`

const model = `package main

import "github.com/clmc/clmc/models/cl"

type pair struct {
	x int32
	y [2]uint16
}

//cl:program k.cl -cl-std=CL2.0 -cl-mad-enable -DSEEN=7 -D BARRIER=barrier(CLK_LOCAL_MEM_FENCE) -I inc
var kernels struct {
	TreeSum func(in, out []int32, tmp cl.LocalMem[int32], count []cl.Atomic[int32])
	Scale   func(p []pair, v [4]float32, f float32, n uint64)
	None    func() 'cl:"nothing"'
}

var (
	in    [8]int32
	out   [2]int32
	count [1]cl.Atomic[int32]
	pairs [4]pair
)

func main() {
	for i := range in {
		in[i] = int32(i)
	}
	cl.EnqueueNDRangeKernel(func() { kernels.TreeSum(in[:], out[:], cl.LocalArg[int32](4), count[:]) }, cl.NDRange1D(8, 4))
	for n := range uint64(2) {
		cl.EnqueueNDRangeKernel(func() { kernels.Scale(pairs[:], [4]float32{1, 2, 3, 4}, 0.5, n); kernels.None() }, cl.NDRange1D(4, 2))
	}
	cl.Finish()
	cl.Assert(out[0] == 10 && out[1] == 26, "sums, and what the table adds")
	cl.Assert(pairs[1].x == 1 && pairs[3].y[1] == 6, "one dimension, four work-items, and n of the second launch")
	cl.Assert(cl.AtomicLoad(&count[0]) == 8, "eight work-items")
}
`

// folder writes a model and its kernels, with some words exchanged, and returns the model's path.
func folder(t *testing.T, exchange ...string) string {
	t.Helper()
	dir := t.TempDir()
	r := strings.NewReplacer(exchange...)
	for name, text := range map[string]string{"m.go": strings.ReplaceAll(model, "'", "`"), "k.cl": kernels, "inc/pair.h": "typedef struct { int a; ushort b[2]; } pair;\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(r.Replace(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "m.go")
}

// TestProgram explores a model whose kernels are in OpenCL C: the sums and counts are what its loops say. Loaded again from
// its texts, with no file left, it is the same.
func TestProgram(t *testing.T) {
	path := folder(t)
	p, err := load.File(path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	again, err := load.Sources(p.Name, p.Sources, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.String() != again.String() {
		t.Error("loaded again it is another program")
	}
	kept, err := load.File(folder(t), load.Options{KeepValues: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*ir.Program{p, again, kept} {
		if r := explore.Run(context.Background(), p, explore.Options{}); r.Verdict != explore.Verified {
			t.Errorf("%v %v", r.Verdict, r.Violations)
		}
	}
}

// TestProgramSubGroups sees that a kernel has the sub-groups that it requires: of four work-items, 2 and 2 make two.
func TestProgramSubGroups(t *testing.T) {
	const attribute = "kernel __attribute__((intel_reqd_sub_group_size(2))) void scale"
	path := folder(t, "kernel void scale", attribute, "get_work_dim()", "get_max_sub_group_size()", "pairs[3].y[1] == 6", "pairs[3].y[1] == 7", "NDRange1D(4, 2)", "NDRange1D(4, 4)")
	p, err := load.File(path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := explore.Run(context.Background(), p, explore.Options{}); r.Verdict != explore.Verified { // 2 + 4 + 1
		t.Errorf("%v %v", r.Verdict, r.Violations)
	}
}

// TestProgramRace leaves the barrier out: tmp races (rule 9.1).
func TestProgramRace(t *testing.T) {
	p, err := load.File(folder(t, "barrier(CLK_LOCAL_MEM_FENCE)", ";"), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(context.Background(), p, explore.Options{})
	if len(r.Violations) == 0 || r.Violations[0].Kind.ID() != "CL1001" {
		t.Fatalf("%v %v", r.Verdict, r.Violations)
	}
	races := slices.ContainsFunc(p.Positions, func(at ir.Pos) bool { return filepath.Base(p.Sources[at.File].Name) == "k.cl" && at.Line == 11 })
	if !races {
		t.Error("the program has no place where the race is")
	}
	if !slices.ContainsFunc(p.Objects, func(o ir.Object) bool { return o.Name == "tmp" && o.Func >= 0 }) {
		t.Error("local memory is not named after the parameter")
	}
}

// TestProgramNull passes no memory, which the kernel reads (CL1006).
func TestProgramNull(t *testing.T) {
	p, err := load.File(folder(t, "kernels.TreeSum(in[:]", "kernels.TreeSum(nil"), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(context.Background(), p, explore.Options{})
	if len(r.Violations) == 0 || r.Violations[0].Kind.ID() != "CL1006" {
		t.Fatalf("%v %v", r.Verdict, r.Violations)
	}
}

// TestProgramRefused goes through models that do not fit their kernels.
func TestProgramRefused(t *testing.T) {
	for _, c := range []struct{ exchange, want string }{
		{"in, out []int32|in, out []uint32|in    [8]int32|in [8]uint32|out   [2]int32|out [2]uint32|= int32(i)|= uint32(i)", "k.cl:4: parameter 1 is __global const int *; the model declares []uint32"},
		{"count []cl.Atomic[int32]|count []int32|count [1]cl.Atomic[int32]|count [1]int32|cl.AtomicLoad(&count[0])|count[0]", "parameter 4 is __global atomic_int *; the model declares []int32"},
		{"n uint64)|n int64)|range uint64(2)|range int64(2)", "parameter 4 is ulong; the model declares int64"},
		{"in, out []int32|in int32, out []int32|in[:], out[:]|in[0], out[:]", "parameter 1 is __global const int *; the model declares int32"},
		{"f float32|f []float32|0.5, n|nil, n", "parameter 3 is float; the model declares []float32"},
		{"v [4]float32, f|f|[4]float32{1, 2, 3, 4}, |", "scale has 4 parameters; the model declares 3"},
		{"y [2]uint16|y [3]uint16", "parameter 1 is __global struct pair *; the model declares []pair"},
		{"`cl:\"nothing\"`|", "the file has no kernel for None; it has tree_sum, scale, nothing"},
		{"int l = get|global float *f = (global float *)out; f[0] = 1; int l = get", "out, memory of a model in Go, also as float"},
		{"k.cl -cl|none.cl -cl", "none.cl"},
		{"k.cl -cl|../k.cl -cl", "outside the folder of the model"},
		{"-I inc|-I /etc", "outside the folder of the model"},
		{"-I inc|", "cannot include \"pair.h\""},
		{"-I inc|-O2", "does not know the option \"-O2\""},
		{"program k.cl|program", "names no file"},
		{"CL2.0|CL7", "want one of CL1.0"},
		{"get_work_dim()|get_work_dime()", "k.cl:19:15: the function get_work_dime is unknown"},
		{"func main() {|func main() {\n\t//cl:program k.cl", "applies to no variable"},
		{"kernels struct {|kernels struct {\n\tn int32", "is a struct of functions without results"},
		{"func main() {|func main() {\n\tkernels.None()", "only an enqueued function can call a kernel"},
		{"func main() {|func main() {\n\tf := kernels.None\n\tcl.EnqueueNDRangeKernel(f, cl.NDRange1D(1, 1))", "can only be called"},
		{"LocalArg[int32](4)|LocalArg[int32](int(out[0]))", "must be a constant"},
		{"	cl.EnqueueNDRangeKernel(func() { kernels.TreeSum(in[:]|	x := in[:]\n	if out[0] > 0 {\n		x = out[:]\n	}\n	cl.EnqueueNDRangeKernel(func() { kernels.TreeSum(x",
			"clmc cannot determine at load time which memory in is"},
	} {
		p, err := load.File(folder(t, strings.Split(c.exchange, "|")...), load.Options{})
		if err == nil {
			t.Errorf("%s: %s", c.exchange, p.Name)
		} else if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "internal error") {
			t.Errorf("%s: %v\nwant %s", c.exchange, err, c.want)
		}
	}
}

// TestProgramLayout passes what is laid out with gaps in OpenCL C, and memory that the kernel sees as bits: member i of element
// 1 is the one that Go calls so, and the bits of 1.0f are 0x3f800000.
func TestProgramLayout(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.cl": `typedef struct { char c; int i; float3 v; short s; } gap;
kernel void set(global gap *p, gap one, float3 w, global uint *bits, local int *tmp) {
  global gap *q = p + 1;
  q->i = one.i + 1;
  q->s = one.s;
  q->v.z = one.v.y + w.z;
  *(global float *)bits = 1.0f;
  tmp[0] = 5;
  p[0].c = ((local int *)(local void *)tmp)[0];
}
`,
		"m.go": `package main

import "github.com/clmc/clmc/models/cl"

//cl:program k.cl
var kernels struct {
	Set func(p []gap, one gap, w [4]float32, bits []uint32, tmp cl.LocalMem[int32])
}

type gap struct {
	c int8
	i int32
	v [4]float32
	s int16
}

var (
	list [3]gap
	bits [2]uint32
)

func main() {
	one := gap{1, 2, [4]float32{3, 4, 5, 6}, 7}
	cl.EnqueueNDRangeKernel(func() { kernels.Set(list[:], one, [4]float32{8, 9, 10, 11}, bits[1:], cl.LocalArg[int32](1)) }, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Assert(list[1].i == 3 && list[1].s == 7 && list[1].v[2] == 14 && list[0].c == 5, "members")
	cl.Assert(list[0].i == 0 && list[2].s == 0 && list[1].c == 0 && list[1].v[3] == 0, "the others")
	cl.Assert(bits[1] == 0x3f800000 && bits[0] == 0, "bits")
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := load.File(filepath.Join(dir, "m.go"), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := explore.Run(context.Background(), p, explore.Options{}); r.Verdict != explore.Verified {
		t.Errorf("%v %v", r.Verdict, r.Violations)
	}
}

// TestProgramEnqueues explores models whose kernel enqueues blocks: with what they capture, on the default queue and one that is
// passed; a child that waits for its parent sees what it did (rules 12.9, 12.12), and one that does not races (12.1).
func TestProgramEnqueues(t *testing.T) {
	const model = `package main

import "github.com/clmc/clmc/models/cl"

//cl:program k.cl
var kernels struct {
	Parent func(q cl.Queue, a []int32, n int32)
}

var a [4]int32

func main() {
	cl.EnqueueNDRangeKernel(func() { kernels.Parent(cl.GetDefaultQueue(), a[:], 3) }, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Assert(a[0] == 1 && a[1] == 5 && a[2] == 6, "what the children did")
}
`
	const kernel = `void twice(queue_t q, global int *a, int n) {
  void (^add)(void) = ^{ a[get_global_id(0) + 1] = a[0] + n + get_global_id(0) + 1; };
  enqueue_kernel(q, FLAGS, ndrange_1D(2, 1), add);
}
kernel void parent(queue_t q, global int *a, int n) {
  int (^one)(int) = ^(int x) { return x + n - 3; };
  a[0] = one(1);
  twice(q, a, n);
}
`
	for flags, want := range map[string]string{"CLK_ENQUEUE_FLAGS_WAIT_KERNEL": "", "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP": "", "CLK_ENQUEUE_FLAGS_NO_WAIT": "CL1001"} {
		dir := t.TempDir()
		for name, s := range map[string]string{"m.go": model, "k.cl": strings.ReplaceAll(kernel, "FLAGS", flags)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, err := load.File(filepath.Join(dir, "m.go"), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := explore.Run(t.Context(), m, explore.Options{})
		found := ""
		for _, v := range r.Violations {
			found += v.Kind.ID() + " "
		}
		if want == "" && r.Verdict != explore.Verified || !strings.Contains(found, want) {
			t.Errorf("%s: found %v %s, want %q", flags, r.Verdict, found, want)
		}
	}
}
