package opencl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/litmus/opencl"
	"github.com/clmc/clmc/state/ir"
)

// constructs are tests with what those of the corpus do without.
var constructs = []string{
	// Operands are evaluated from left to right, which C leaves open, and some only if they matter.
	`OpenCL order
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) { int r0 = atomic_fetch_add(x, 1) * 10 + atomic_fetch_add(x, 2) - atomic_load(y); }
P1 (global atomic_int* x, global atomic_int* y) { int r0 = atomic_load(x) == 1 && atomic_exchange(y, 5) == 0 || atomic_fetch_max(y, 2) > 0; }
exists (0:r0=0 /\ 1:r0=0 /\ x=0 /\ y=0)`,
	`OpenCL nested
{ [x]=1; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) { atomic_store(y, atomic_load(x) + !atomic_load(y)); int r0 = atomic_fetch_min(x, atomic_fetch_sub(y, 1)); }
P1 (global atomic_int* x, global atomic_int* y) { atomic_fetch_xor(x, 6); atomic_fetch_or(y, 8); atomic_fetch_and(y, 9); }
exists (0:r0=0 /\ x=0 /\ y=0)`,
	// A compare_exchange reads a location that it expects beforehand, and a weak one may fail.
	`OpenCL expected
{ [x]=0; [e]=0; 1:r5=-3; }
P0 (global atomic_int* x, global int* e) { int r0 = atomic_compare_exchange_strong_explicit(x, e, 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device); }
P1 (global atomic_int* x, global int* e) { int r0 = atomic_compare_exchange_weak_explicit(x, *e + 0, 2, memory_order_release, memory_order_relaxed, memory_scope_device); int r5; int r6 = -2147483648; }
exists (0:r0=1 /\ 1:r0=1 /\ 1:r5=0 /\ 1:r6=0 /\ x=0)`,
	// A loop that waits, and names that C or the program around has a use for.
	`OpenCL while
{ [int_]=0; [mem]=0; 1:n=4; }
P0 (global atomic_int* mem, local atomic_int* out) { atomic_store_explicit(mem, 1, memory_order_release); }
P1 (global atomic_int* mem, local atomic_int* out) { while (atomic_load_explicit(mem, memory_order_acquire) == 0) { n = 5; } int kernel0 = n; atomic_store_explicit(out, n + 1, memory_order_relaxed, memory_scope_work_group); }
exists (1:kernel0=0 /\ 1:n=4 /\ out=0 /\ int_=0)`,
	// Plain accesses of a location that others access atomically, and atomic_init.
	`OpenCL init
{ [x]=7; [y]=-1; }
P0 (global atomic_int* x, global int* y) { atomic_init(x, 3); *y = 4; barrier(CLK_GLOBAL_MEM_FENCE); int r0 = *x; }
P1 (global atomic_int* x, global int* y) { barrier(CLK_GLOBAL_MEM_FENCE); int r0 = atomic_fetch_add_explicit(x, *y, memory_order_relaxed, memory_scope_work_group); }
P2 (global atomic_int* x, global int* y) { if (0) { int r0 = *y; } }
scopeTree (device (work_group P0) (work_group P1) (work_group P2))
exists (0:r0=0 /\ 1:r0=0 /\ x=0 /\ y=0 /\ 2:r0=0)`,
	// What OpenCL 1.x can order: within a work-group.
	`OpenCL message
{ [x]=0; [y]=0; }
P0 (global int* x, global atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_release, memory_scope_work_group); }
P1 (global int* x, global atomic_int* y) { int r1; int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_work_group); if (r0 == 1) { r1 = *x; } }
scopeTree (device (work_group P0 P1))
exists (1:r0=0 /\ 1:r1=0 /\ x=0 /\ y=0)`,
	// Several barriers, in one of two groups, with values that live across them.
	`OpenCL barriers
{ [x]=0; [y]=0; }
P0 (local int* x, global atomic_int* y) { int r0 = 2; A: work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group); *x = r0 + 1; B: barrier(CLK_LOCAL_MEM_FENCE); }
P1 (local int* x, global atomic_int* y) { int r0 = *x; A: work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group); B: barrier(CLK_LOCAL_MEM_FENCE); int r1 = *x; if (r1 == 3) { atomic_store_explicit(y, r0 + 9, memory_order_relaxed); } else { r1 = 1; } }
P2 (global atomic_int* y) { int r0 = atomic_load_explicit(y, memory_order_relaxed); }
scopeTree (device (work_group P0 P1) (work_group P2))
exists (1:r1=0 /\ 2:r0=0 /\ x=0)`,
}

// TestConstructs: each construct of a test means in the program what it means in the test.
func TestConstructs(t *testing.T) {
	for _, c := range constructs {
		test, err := litmus.Parse("t", []byte(c))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range opencl.Mappings {
			k, err := opencl.Emit(test.Tree(), "t", m)
			if err != nil {
				t.Logf("%s, %s: %v", test.Name, m, err)
				continue
			}
			if got := compare(t, k, memmodel.Specs[0], told(t, test.Program, memmodel.Specs[0])); got != string(m)+" the same" && m == opencl.C11 {
				t.Errorf("%s: %s", test.Name, got)
			}
		}
	}
}

// TestOneAtATime: no statement has two operations that others can see, whose order C leaves open.
func TestOneAtATime(t *testing.T) {
	seen := 0
	for _, c := range constructs {
		test, err := litmus.Parse("t", []byte(c))
		if err != nil {
			t.Fatal(err)
		}
		k, err := opencl.Emit(test.Tree(), "t", opencl.C11)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(k.Source) {
			n := strings.Count(line, "_explicit(") + strings.Count(line, "clmc_cas_") + strings.Count(line, "= *v_")
			seen += n
			if n > 1 {
				t.Errorf("%s: %s", test.Name, line)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d operations were seen", seen)
	}
}

// TestUnmapped: what has no program under a mapping is refused with the reason.
func TestUnmapped(t *testing.T) {
	const two = "P0 (global atomic_int* x) { %s }\nP1 (global atomic_int* x) { %s }\n%s\nexists (x=0)"
	for _, c := range []struct {
		m                  opencl.Mapping
		first, other, rest string
		want               string
	}{
		{opencl.C11, "", "", "scopeTree (device P0) (device P1)", "several devices"},
		{opencl.C11, "", "", "scopeTree (device (kernel (work_group P0)) (kernel (work_group P1)))", "several kernels"},
		{opencl.C11, "sub_group_barrier(CLK_LOCAL_MEM_FENCE);", "sub_group_barrier(CLK_LOCAL_MEM_FENCE);", "scopeTree (device (work_group P0 P1))", "sub-group"},
		{opencl.PTX, "int r = atomic_load_explicit(x, memory_order_relaxed, memory_scope_sub_group);", "", "", "sub-group"},
		{opencl.C11, "if (1) { barrier(CLK_LOCAL_MEM_FENCE); }", "", "", "branch"},
		{opencl.C11, "barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_GLOBAL_MEM_FENCE);", "scopeTree (device (work_group P0 P1))", "different barriers"},
		{opencl.C11, "barrier(CLK_LOCAL_MEM_FENCE);", "", "scopeTree (device (work_group P0 P1))", "different barriers"},
		{opencl.Legacy, "atomic_store(x, 1);", "", "", "no seq_cst"},
		{opencl.Legacy, "atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);", "", "", "within a work-group"},
		{opencl.Legacy, "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_all_svm_devices);", "", "", "one device"},
		{opencl.Legacy, "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);", "", "", "within a work-group"},
		{opencl.Legacy, "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);", "", "", "within a work-group"},
	} {
		test, err := litmus.Parse("t", fmt.Appendf(nil, "OpenCL t\n{ [x]=0; }\n"+two, c.first, c.other, c.rest))
		if err != nil {
			t.Fatal(err)
		}
		_, err = opencl.Emit(test.Tree(), "t", c.m)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// TestPTX: the instructions of each function are those that its name says. The expected ones are written from the mapping of C++ to PTX:
// seq_cst operations are preceded by fence.sc.
func TestPTX(t *testing.T) {
	test, err := litmus.Parse("t", []byte(`OpenCL t
{ [x]=0; [l]=0; }
P0 (global atomic_int* x, local atomic_int* l) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(l, 1, memory_order_release, memory_scope_work_group);
  atomic_store_explicit(x, 1, memory_order_seq_cst, memory_scope_all_svm_devices);
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group);
  r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);
  r0 = atomic_load_explicit(l, memory_order_seq_cst, memory_scope_work_group);
  r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  r0 = atomic_fetch_sub_explicit(x, 1, memory_order_acq_rel, memory_scope_device);
  r0 = atomic_exchange_explicit(x, 1, memory_order_seq_cst, memory_scope_device);
  r0 = atomic_fetch_min_explicit(x, 1, memory_order_release, memory_scope_device);
  r0 = atomic_compare_exchange_strong_explicit(x, 1, 2, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device);
  r0 = atomic_compare_exchange_strong_explicit(x, 1, 2, memory_order_release, memory_order_relaxed, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE|CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE|CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
  barrier(CLK_GLOBAL_MEM_FENCE|CLK_LOCAL_MEM_FENCE);
}
exists (0:r0=1)`))
	if err != nil {
		t.Fatal(err)
	}
	k, err := opencl.Emit(test.Tree(), "t", opencl.PTX)
	if err != nil || len(k.Stronger) > 0 {
		t.Fatal(err, k.Stronger)
	}
	var got []string
	for _, h := range k.Helpers {
		text := ""
		for _, part := range strings.Split(h, "asm volatile(\"")[1:] {
			text += strings.Split(part, "\"")[0] + " "
		}
		got = append(got, strings.TrimSpace(text))
	}
	want := []string{
		"atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;",
		"atom.relaxed.gpu.global.add.u32 %0, [%1], %2;",
		"atom.release.gpu.global.cas.b32 %0, [%1], %2, %3;",
		"atom.release.gpu.global.min.s32 %0, [%1], %2;",
		"bar.sync 0;",
		"fence.acq_rel.cta;",
		"fence.sc.cta; ld.acquire.cta.shared.u32 %0, [%1];",
		"fence.sc.gpu;",
		"fence.sc.gpu; atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;",
		"fence.sc.gpu; atom.acq_rel.gpu.global.exch.b32 %0, [%1], %2;",
		"fence.sc.sys; st.release.sys.global.u32 [%0], %1;",
		"ld.acquire.gpu.global.u32 %0, [%1];",
		"ld.relaxed.cta.global.u32 %0, [%1];",
		"st.relaxed.gpu.global.u32 [%0], %1;",
		"st.release.cta.shared.u32 [%0], %1;",
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if sub := k.Helpers[slices.IndexFunc(k.Helpers, func(h string) bool { return strings.Contains(h, "clmc_sub_") })]; !strings.Contains(sub, `"r"(-v)`) {
		t.Errorf("a subtraction adds what is not the negative: %s", sub)
	}
}

// TestHarness: clmc_clear gives memory its initial values, where Shape says that it is; clmc_check counts outcomes, and keeps those that nobody wants.
func TestHarness(t *testing.T) {
	final := func(kernel string, args ...string) map[string]int64 {
		t.Helper()
		p, err := clc.Source("harness.cl", []byte(opencl.Harness), clc.Options{KeepValues: true, Kernel: kernel, Global: "2", Local: "1", Args: args})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.Objects {
			for i := range o.Init {
				p.Final = append(p.Final, ir.FinalVar{Name: fmt.Sprintf("%s[%d]", o.Name, i), Addr: o.Base + int32(i)})
			}
		}
		r := explore.Run(t.Context(), p, explore.Options{})
		if len(r.Violations) > 0 || !r.Complete {
			t.Fatal(r.Violations, r.Complete)
		}
		merged := map[string]int64{}
		for i, o := range r.Outcomes { // only the order of what is kept depends on the schedule
			for name, v := range o {
				if strings.HasPrefix(name, "others") {
					v = max(v, merged[name])
				} else if i > 0 && merged[name] != v {
					t.Fatalf("%s: %d or %d", name, v, merged[name])
				}
				merged[name] = v
			}
		}
		return merged
	}
	s := &opencl.Shape{N: 4, Step: 3, Base: 1, Turn: 2}
	got := final("clmc_clear", "mem=int[11]", "fine=int[10]", "out=int[4]", "start=int[3]{5,5,5}", "init={8,9,7}",
		"mems=2", "fines=1", "outs=1", "starts=3", "count=3", "n=4", "step=3", "base=1", "turn=2")
	for i := range 3 {
		for k := range 2 {
			if v := got[fmt.Sprintf("mem[%d]", s.Index(k, i))]; v != int64(8+k) {
				t.Errorf("location %d of instance %d is %d: %v", k, i, v, got)
			}
		}
		if got[fmt.Sprintf("fine[%d]", s.Index(0, i))] != 7 {
			t.Errorf("%v", got)
		}
	}
	if got["start[2]"] != 0 || got["out[2]"] == 0 || got["out[3]"] != 0 {
		t.Errorf("%v", got)
	}
	// Three instances have x, register and fine location (1,0,0), (2,0,0) and (1,1,4); the first two are wanted. The fourth does not count.
	mem, fine := make([]string, 10), make([]string, 10)
	for i := range mem {
		mem[i], fine[i] = "0", "0"
	}
	for i, x := range []string{"1", "2", "1", "1"} {
		mem[s.Index(0, i)] = x
	}
	fine[s.Index(0, 2)] = "4"
	got = final("clmc_check", "mem={"+strings.Join(mem, ",")+"}", "fine={"+strings.Join(fine, ",")+"}", "out={0,0,1,0}",
		"vars={1,0, 0,0, 2,0}", "wanted={2,0,0, 1,0,0}", "counts=int[3]", "others=int[6]", "nvars=3", "nwanted=2", "room=2", "count=3", "n=4", "step=3", "base=1", "turn=2")
	for name, want := range map[string]int64{"counts[0]": 1, "counts[1]": 1, "counts[2]": 1, "others[0]": 1, "others[1]": 1, "others[2]": 4, "others[3]": 0} {
		if got[name] != want {
			t.Errorf("%s is %d, want %d", name, got[name], want)
		}
	}
}

func BenchmarkEmit(b *testing.B) {
	var trees []*litmus.Tree
	for _, c := range tests(b) {
		test, err := litmus.Parse(c.ID, []byte(c.Source))
		if err != nil {
			b.Fatal(err)
		}
		trees = append(trees, test.Tree())
	}
	for i := 0; b.Loop(); i++ {
		if k, err := opencl.Emit(trees[i%len(trees)], "t", opencl.C11); err == nil {
			opencl.Source([]*opencl.Kernel{k})
		}
	}
}
