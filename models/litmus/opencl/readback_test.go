package opencl_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/litmus/gen"
	"github.com/clmc/clmc/models/litmus/internal/corpus"
	"github.com/clmc/clmc/models/litmus/opencl"
	"github.com/clmc/clmc/state/ir"
)

// readBack loads an emitted program by clmc's own front end, as a host launches it: with the buffers that
// the kernel says it needs, and those variables of each instance in the outcome that it says the test has.
func readBack(k *opencl.Kernel, source string, s *opencl.Shape) (*ir.Program, error) {
	return readEntry(k, source, opencl.Entry{Kernel: k.Name}, s)
}

// readEntry is readBack of one test of a program of many.
func readEntry(k *opencl.Kernel, source string, e opencl.Entry, s *opencl.Shape) (*ir.Program, error) {
	content := func(locs []litmus.Location) string {
		cells := make([]int64, s.Cells(len(locs)))
		for i := range int(s.N) {
			for at, l := range locs {
				cells[s.Index(at, i)] = l.Init
			}
		}
		return fmt.Sprintf("int[%d]{%s}", len(cells), strings.Trim(strings.ReplaceAll(fmt.Sprint(cells), " ", ","), "[]"))
	}
	args := []string{"mem=" + content(k.Globals), "fine=" + content(k.Fine), fmt.Sprintf("out=int[%d]", max(1, k.Outs)*int(s.N)),
		fmt.Sprintf("start=int[%d]", s.Starts()), "scratch=int[1]", fmt.Sprintf("shared=local[%d]", max(1, len(k.Locals))*int(s.Lanes*s.Iter))}
	for i, name := range strings.Fields("n sets lanes iter step base turn gap pair twist spin delay pre stress seed") {
		args = append(args, fmt.Sprintf("%s=%d", name, s.Args()[i]))
	}
	local := k.Roles * int(s.Lanes)
	for i, v := range e.Args {
		args = append(args, fmt.Sprintf("%s=%d", strings.Fields("test groups threads members")[i], v))
	}
	p, err := clc.Source(k.Name+".cl", []byte(source), clc.Options{KeepValues: true, Kernel: e.Kernel, Args: args, Global: fmt.Sprint(s.WorkGroups(k.Groups) * local), Local: fmt.Sprint(local)})
	if err != nil {
		return nil, err
	}
	base := map[string]int32{}
	for i, o := range p.Objects {
		base[o.Name] = o.Base
		switch o.Name {
		case "fine":
			p.Objects[i].Kind = memmodel.FineSVMAtomics
		case "mem": // a test does not say how the host shares it
			p.Objects[i].Kind = 0
		}
	}
	for i := range s.Instances() {
		for _, v := range k.Vars {
			name, at := "out", v.Index*int(s.N)+i
			if v.Place != opencl.InOut {
				name, at = map[opencl.Place]string{opencl.InMem: "mem", opencl.InFine: "fine"}[v.Place], s.Index(v.Index, i)
			}
			p.Final = append(p.Final, ir.FinalVar{Name: instance(v.Name, i), Addr: base[name] + int32(at)})
		}
	}
	return p, p.Verify()
}

// instance is the name of a variable of one instance.
func instance(name string, i int) string {
	if i > 0 {
		return fmt.Sprintf("%s@%d", name, i)
	}
	return name
}

// told is what a search says of a program: how it goes wrong, or its outcomes.
func told(t testing.TB, p *ir.Program, spec memmodel.Spec) string {
	r := explore.Run(t.Context(), p, explore.Options{Spec: spec})
	if len(r.Violations) > 0 {
		return r.Violations[0].Kind.ID()
	}
	if !r.Complete {
		return "incomplete"
	}
	var keys []string
	for _, o := range r.Outcomes {
		keys = append(keys, explore.OutcomeKey(o))
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}

// drawn is how many random tests there are beside those of the corpus.
const drawn = 2600

// tests are those of the corpus, and others that were drawn: with other placements, orders and scopes, fences and barriers.
func tests(t testing.TB) []*corpus.Test {
	list, err := corpus.Load(os.DirFS("../testdata/corpus"))
	if err != nil {
		t.Fatal(err)
	}
	for r := range gen.Random(51, drawn) {
		list = append(list, &corpus.Test{ID: r.Name, Source: r.Text})
	}
	return list
}

// readable is the program of a kernel with what clmc reads in place of assembly.
func readable(k *opencl.Kernel) string {
	if k.Mapping != opencl.PTX {
		return opencl.Source([]*opencl.Kernel{k})
	}
	plain := *k
	plain.Mapping = opencl.C11
	plain.Helpers = nil
	for _, h := range k.Helpers {
		plain.Helpers = append(plain.Helpers, meaning(h))
	}
	return opencl.Source([]*opencl.Kernel{&plain})
}

// meaning is what the name of a function says that its instructions do, in OpenCL C.
func meaning(helper string) string {
	head, _, _ := strings.Cut(helper, " {\n")
	words := strings.Split(head[strings.Index(head, "clmc_")+len("clmc_"):strings.LastIndex(head, "(")], "_")
	scope := map[string]string{"cta": "memory_scope_work_group", "gpu": "memory_scope_device", "sys": "memory_scope_all_svm_devices"}
	const both = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
	last := words[len(words)-1]
	switch words[0] {
	case "barrier":
		return head + " { barrier(" + both + "); }\n"
	case "fence":
		order := map[string]string{"acq": "memory_order_acq_rel", "sc": "memory_order_seq_cst"}[words[1]]
		return fmt.Sprintf("%s { atomic_work_item_fence(%s, %s, %s); }\n", head, both, order, scope[last])
	}
	n := len(words)
	order, at := "memory_order_"+strings.Join(words[1:n-2], "_"), scope[words[n-2]]
	p := fmt.Sprintf("(%s atomic_int *)p", map[string]string{"global": "global", "shared": "local"}[last])
	switch op := words[0]; op {
	case "ld":
		return fmt.Sprintf("%s { return atomic_load_explicit(%s, %s, %s); }\n", head, p, order, at)
	case "st":
		return fmt.Sprintf("%s { atomic_store_explicit(%s, v, %s, %s); }\n", head, p, order, at)
	case "cas":
		fail := map[string]string{"memory_order_release": "memory_order_relaxed", "memory_order_acq_rel": "memory_order_acquire"}[order]
		if fail == "" {
			fail = order
		}
		return fmt.Sprintf("%s { return atomic_compare_exchange_strong_explicit(%s, &e, d, %s, %s, %s); }\n", head, p, order, fail, at)
	case "exch":
		return fmt.Sprintf("%s { return atomic_exchange_explicit(%s, v, %s, %s); }\n", head, p, order, at)
	default:
		return fmt.Sprintf("%s { return atomic_fetch_%s_explicit(%s, v, %s, %s); }\n", head, op, p, order, at)
	}
}

// within reports whether what a program does is what a test may do.
func within(program, test string) bool {
	outcomes := strings.Split(test, "\n")
	for _, o := range strings.Split(program, "\n") {
		if !slices.Contains(outcomes, o) {
			return false
		}
	}
	return program != ""
}

// undefined reports whether a search found a violation, or was not complete.
func undefined(said string) bool { return !strings.Contains(said, "=") }

// TestReadBack: the emitted program, read by clmc's front end for OpenCL C, has exactly the outcomes of the
// test, under every reading; where a mapping orders more, it has no others.
func TestReadBack(t *testing.T) {
	count := map[string]int{}
	for i, c := range tests(t) {
		if i%*every != *from%*every {
			continue
		}
		test, err := litmus.Parse(c.ID, []byte(c.Source))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, m := range opencl.Mappings {
			k, err := opencl.Emit(test.Tree(), "t", m)
			if err != nil {
				count[string(m)+" not mapped: "+err.Error()]++
				continue
			}
			for _, spec := range memmodel.Specs {
				if _, ok := want[spec.Name]; !ok {
					want[spec.Name] = told(t, test.Program, spec)
				}
				if m != opencl.C11 && (undefined(want[spec.Name]) || spec.Name != "3.0" && i%(4**every) != 0) {
					continue
				}
				count[compare(t, k, spec, want[spec.Name])]++
			}
		}
	}
	t.Logf("%v", count)
	for _, m := range opencl.Mappings {
		if count[string(m)+" the same"] < 5 {
			t.Errorf("%s: only %d tests were found the same", m, count[string(m)+" the same"])
		}
	}
}

// compare compares what is said of a program with what is said of the test.
func compare(t *testing.T, k *opencl.Kernel, spec memmodel.Spec, want string) string {
	p, err := readBack(k, readable(k), opencl.Single())
	if err != nil {
		t.Fatalf("%s: %v\n%s", k.Test, err, readable(k))
	}
	got := told(t, p, spec)
	switch {
	case got == want:
		return string(k.Mapping) + " the same"
	case len(k.Stronger) > 0 && within(got, want):
		return string(k.Mapping) + " fewer"
	}
	t.Errorf("%s, %s, %s: the program has\n%s\nthe test has\n%s\n%v\n%s", k.Test, k.Mapping, spec.Name, got, want, k.Stronger, k.Source)
	return string(k.Mapping) + " different"
}

// TestReadBackMerged: a program that plays several tests has, for each of them, exactly its outcomes.
func TestReadBackMerged(t *testing.T) {
	var kernels []*opencl.Kernel
	var wants []string
	own, together := 0, 0
	judge := func() {
		source, entries := opencl.Merged(kernels)
		for i, k := range kernels {
			p, err := readEntry(k, source, entries[i], opencl.Single())
			if err != nil {
				t.Fatalf("%s: %v\n%s", k.Test, err, source)
			}
			if got := told(t, p, memmodel.Specs[0]); got != wants[i] {
				t.Errorf("%s: test %d of the program has\n%s\nthe test has\n%s\n%s", k.Test, i, got, wants[i], source)
			}
			if entries[i].Kernel == k.Name {
				own++
			} else {
				together++
			}
		}
		kernels, wants = nil, nil
	}
	for i, c := range tests(t) {
		if i%*every != (*from+*every/2)%*every {
			continue
		}
		test, err := litmus.Parse(c.ID, []byte(c.Source))
		if err != nil {
			t.Fatal(err)
		}
		k, err := opencl.Emit(test.Tree(), fmt.Sprintf("t%d", len(kernels)), opencl.C11)
		if err != nil {
			continue
		}
		kernels, wants = append(kernels, k), append(wants, told(t, test.Program, memmodel.Specs[0]))
		if len(kernels) == 10 {
			judge()
		}
	}
	judge()
	if t.Logf("%d tests share kernels, %d have their own", together, own); own < 5 || together < 20 {
		t.Error("too few tests")
	}
}

// TestInstances: several instances at a time do not disturb each other, wherever they lie and whoever plays them.
// Then their outcomes are all combinations of those of one.
func TestInstances(t *testing.T) {
	for _, c := range instances {
		test, err := litmus.Parse("t", []byte(c))
		if err != nil {
			t.Fatal(err)
		}
		k, err := opencl.Emit(test.Tree(), "t", opencl.C11)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		one := strings.Split(told(t, test.Program, memmodel.Spec{}), "\n")
		for _, a := range one {
			for _, b := range one {
				fields := strings.Fields(a)
				for _, f := range strings.Fields(b) {
					name, value, _ := strings.Cut(f, "=")
					fields = append(fields, instance(name, 1)+"="+value)
				}
				slices.Sort(fields)
				want = append(want, strings.Join(fields, " "))
			}
		}
		slices.Sort(want)
		for i, s := range shapes {
			p, err := readBack(k, readable(k), s)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(t, p, memmodel.Spec{}); got != strings.Join(want, "\n") {
				t.Errorf("%s, shape %d: the instances have\n%s\nwant\n%s\n%s", k.Test, i, got, strings.Join(want, "\n"), k.Source)
			}
		}
	}
}

// shapes are of two instances: of two lanes, of two rounds, of two sets; side by side, far apart, and turned round.
var shapes = []*opencl.Shape{
	{N: 2, Sets: 1, Lanes: 2, Iter: 1, Step: 1, Base: 2, Gap: 1, Pair: 1},
	{N: 2, Sets: 1, Lanes: 1, Iter: 2, Step: 2, Base: 1, Gap: 1, Pair: 1, Seed: 5},
	{N: 2, Sets: 2, Lanes: 1, Iter: 1, Step: 1, Base: 2, Gap: 1, Pair: 1, Turn: 2},
	{N: 4, Sets: 1, Lanes: 2, Iter: 1, Step: 3, Base: 12, Gap: 1, Pair: 1, Turn: 2, Twist: 2},
	{N: 4, Sets: 2, Lanes: 1, Iter: 1, Step: 2, Base: 1, Gap: 2, Pair: 3, Turn: 6, Spin: 2, Delay: 1, Seed: 9},
}

var instances = []string{
	`OpenCL SB
{ [x]=0; [y]=3; }
P0 (global atomic_int* x, global atomic_int* y) { atomic_store_explicit(x,1,memory_order_relaxed,memory_scope_device); int r0 = atomic_load_explicit(y,memory_order_relaxed,memory_scope_device); }
P1 (global atomic_int* x, global atomic_int* y) { atomic_store_explicit(y,1,memory_order_relaxed,memory_scope_device); int r0 = atomic_load_explicit(x,memory_order_relaxed,memory_scope_device); }
scopeTree (device (work_group P0) (work_group P1))
locations [0:r0; 1:r0;]
exists (true)`,
	`OpenCL MP_local
{ [x]=0; [y]=0; }
P0 (local int* x, local atomic_int* y) { *x = 1; atomic_store_explicit(y,1,memory_order_release,memory_scope_work_group); }
P1 (local int* x, local atomic_int* y) { int r0 = atomic_load_explicit(y,memory_order_acquire,memory_scope_work_group); int r1 = 7; if (r0 == 1) { r1 = *x; } }
scopeTree (device (work_group P0 P1))
locations [x; y; 1:r0; 1:r1;]
exists (true)`,
	`OpenCL barrier
{ [x]=0; }
P0 (global int* x) { *x = 1; barrier(CLK_GLOBAL_MEM_FENCE); }
P1 (global int* x) { barrier(CLK_GLOBAL_MEM_FENCE); int r0 = *x; }
scopeTree (device (work_group P0 P1))
locations [x; 1:r0;]
exists (true)`,
}
