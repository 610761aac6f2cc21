package shipped

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// stmt is a statement of a kernel for two work-items. What they differ in is
// numbers: parameters, of which each work-item has its own.
type stmt struct {
	loop  []stmt // a loop that goes round as often as parameter rounds says
	when  []stmt // an if, taken in the round of the innermost loop that parameter rounds names
	label string // of a barrier
	param int
	leave bool // a break: Go only
}

// kernel is a kernel with the parameters of two work-items.
type kernel struct {
	body   []stmt
	params [2][]int
	breaks bool
	labels int
}

// drawKernel draws a kernel. Parameters mostly agree.
func drawKernel(rng *rand.Rand) *kernel {
	k := &kernel{}
	breaks := rng.IntN(2) == 0
	param := func() int {
		n := rng.IntN(3)
		k.params[0] = append(k.params[0], n)
		if rng.IntN(3) == 0 {
			n = rng.IntN(3)
		}
		k.params[1] = append(k.params[1], n)
		return len(k.params[0]) - 1
	}
	var block func(depth, nested int) []stmt
	block = func(depth, nested int) (list []stmt) {
		for range 1 + rng.IntN(3) {
			switch n := rng.IntN(10); {
			case n < 4 && nested < 4:
				p := param()
				list = append(list, stmt{loop: block(depth+1, nested+1), param: p})
			case n < 7 && depth > 0 && nested < 4:
				p := param()
				list = append(list, stmt{when: block(depth, nested+1), param: p})
			case n == 7 && depth > 0 && breaks:
				k.breaks = true
				p := param()
				list = append(list, stmt{when: []stmt{{leave: true}}, param: p})
			default:
				k.labels++
				list = append(list, stmt{label: fmt.Sprint("B", k.labels)})
			}
		}
		return list
	}
	k.body = block(0, 0)
	return k
}

// meetings executes the kernel and lists the barriers that a work-item comes to,
// each with the iteration of every loop around it: what the work-items of a group
// must agree on (rule 11.1).
func (k *kernel) meetings(item int) (list []string) {
	var rounds []int
	var run func(body []stmt) (left bool)
	run = func(body []stmt) bool {
		for _, s := range body {
			n := k.params[item][s.param:]
			switch {
			case s.loop != nil:
				rounds = append(rounds, 0)
				for ; rounds[len(rounds)-1] < n[0]; rounds[len(rounds)-1]++ {
					if run(s.loop) {
						break
					}
				}
				rounds = rounds[:len(rounds)-1]
			case s.when != nil:
				if rounds[len(rounds)-1] == n[0] && run(s.when) {
					return true
				}
			case s.leave:
				return true
			default:
				list = append(list, fmt.Sprint(s.label, rounds))
			}
		}
		return false
	}
	run(k.body)
	return list
}

// goText writes the kernel as a model.
func (k *kernel) goText() string {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n")
	fmt.Fprintf(&b, "var p [2][%d]int32\n\nfunc kernel() {\n\ti := cl.GetLocalID(0)\n\t_ = i\n", 1+len(k.params[0]))
	for n := range k.params[0] {
		fmt.Fprintf(&b, "\tp%d := p[i][%d]\n\t_ = p%d\n", n, n, n)
	}
	var write func(body []stmt, depth int)
	write = func(body []stmt, depth int) {
		for _, s := range body {
			switch {
			case s.loop != nil:
				fmt.Fprintf(&b, "for l%d := int32(0); l%d < p%d; l%d++ {\n", depth, depth, s.param, depth)
				write(s.loop, depth+1)
				b.WriteString("}\n")
			case s.when != nil:
				fmt.Fprintf(&b, "if l%d == p%d {\n", depth-1, s.param)
				write(s.when, depth)
				b.WriteString("}\n")
			case s.leave:
				b.WriteString("break\n")
			default:
				b.WriteString("cl.WorkGroupBarrier(cl.CLKLocalMemFence)\n")
			}
		}
	}
	write(k.body, 0)
	b.WriteString("}\n\nfunc main() {\n")
	for item, params := range k.params {
		for n, v := range params {
			fmt.Fprintf(&b, "\tp[%d][%d] = %d\n", item, n, v)
		}
	}
	b.WriteString("\tcl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))\n\tcl.Finish()\n}\n")
	return b.String()
}

// litmusText writes the kernel as a litmus test.
func (k *kernel) litmusText() string {
	var b strings.Builder
	b.WriteString("OPENCL t\n{ [x]=0; }\n")
	for item, params := range k.params {
		fmt.Fprintf(&b, "P%d (global int* x) {\n", item)
		var write func(body []stmt, depth int)
		write = func(body []stmt, depth int) {
			for _, s := range body {
				switch {
				case s.loop != nil:
					fmt.Fprintf(&b, "l%d = 0; while (l%d < %d) {\n", depth, depth, params[s.param])
					write(s.loop, depth+1)
					fmt.Fprintf(&b, "l%d = l%d + 1; }\n", depth, depth)
				case s.when != nil:
					fmt.Fprintf(&b, "if (l%d == %d) {\n", depth-1, params[s.param])
					write(s.when, depth)
					b.WriteString("}\n")
				default:
					fmt.Fprintf(&b, "%s: work_group_barrier(CLK_LOCAL_MEM_FENCE);\n", s.label)
				}
			}
		}
		write(k.body, 0)
		b.WriteString("}\n")
	}
	b.WriteString("scopeTree (device (work_group P0 P1))\nexists (x=0)\n")
	return b.String()
}

// A barrier is met by all if and only if all come to the same barriers in the same
// iterations, whichever front end reads the kernel.
func TestRoundsOfBothFrontEnds(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(400) {
		k := drawKernel(rand.New(rand.NewPCG(seed, 11)))
		want := "diverges"
		if slices.Equal(k.meetings(0), k.meetings(1)) {
			want = "ends"
		}
		counts["go "+want]++
		p, err := load.Source("kernel.go", []byte(k.goText()), load.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.goText())
		}
		if got := divergence(p, por.DPOR); got != want {
			t.Fatalf("seed %d: %s, want %s: %v and %v\n%s", seed, got, want, k.meetings(0), k.meetings(1), k.goText())
		}
		if k.breaks {
			counts["break "+want]++
			continue
		}
		counts["litmus "+want]++
		l, err := litmus.Parse("kernel.litmus", []byte(k.litmusText()))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.litmusText())
		}
		if got := divergence(l.Program, por.DPOR); got != want {
			t.Fatalf("seed %d: %s, want %s: %v and %v\n%s", seed, got, want, k.meetings(0), k.meetings(1), k.litmusText())
		}
	}
	for _, what := range []string{"go ends", "go diverges", "litmus ends", "litmus diverges", "break ends", "break diverges"} {
		if counts[what] < 25 {
			t.Errorf("only %d kernels of the kind %q", counts[what], what)
		}
	}
}

// divergence says how the executions of a program end.
func divergence(p *ir.Program, mode por.Mode) string {
	r := explore.Run(context.Background(), p, explore.Options{Spec: memmodel.Specs[0], POR: mode, MaxStates: 20_000})
	switch {
	case r.Has(state.BarrierDivergence):
		return "diverges"
	case len(r.Violations) > 0:
		return r.Violations[0].Kind.String()
	case !r.Complete:
		return "has too many states"
	}
	return "ends"
}

// Kernels for two work-items of one group and a flag that the host's other kernel
// sets, with what follows from rule 11.1 for them.
func TestRounds(t *testing.T) {
	for _, c := range []struct{ name, want, body string }{
		{"a break after the barrier: iterations 0 and 1 of the loop that it leaves", "diverges",
			"for j := range 2 { if j == i { barrier(); break } }"},
		{"likewise, in one iteration", "ends",
			"for j := range 4 { if j == 2 { barrier(); break } }"},
		{"a return after the barrier", "diverges",
			"for j := range 2 { if j == i { barrier(); return } }"},
		{"behind the loop nobody asks who went round how often", "ends",
			"for j := range 5 { if j == i { break }; if never != 0 { barrier() } }; barrier()"},
		{"continue", "diverges",
			"for j := range 3 { if j != i { continue }; barrier() }"},
		{"a labelled continue: outer iterations 0 and 1", "diverges",
			"outer: for j := range 3 { for range 2 { if j < i { continue outer }; barrier(); break outer } }"},
		{"the same sum of rounds: (1, 0) and (0, 1)", "diverges",
			"for j := range 2 { for k := range 2 { if j == i && k == 1-i { barrier() } } }"},
		{"the same inner round of other outer rounds", "diverges",
			"for j := range 2 { for k := range 2 { if j == i && k == 1 { barrier() } } }"},
		{"an inner loop begins anew: rounds made in an earlier outer round do not count", "ends",
			"for j := range 2 { for k := range 1 + i { if j == 1 && k == 0 { barrier() } } }"},
		{"a barrier in each round of the inner loop alone: (0, 1) and (1, 0)", "diverges",
			"for j := range 2 { for k := 0; ; k++ { barrier(); if j == 0 && k == 1-i || j == 1 { break } }; if j == 0 && i == 0 { break } }"},
		{"two loops with one head", "diverges",
			"n := 0; for { for step(&n, 1+i) { if n == 4 { barrier() } }; if n > 4 { break } }"},
		{"a sub-group barrier in each round does not keep the work-group together", "diverges",
			"for j := range 2 { cl.SubGroupBarrier(cl.CLKLocalMemFence); if j == i { barrier() } }"},
		{"both branches of an if", "diverges", "if i == 0 { barrier() } else { barrier() }"},
		{"a helper called in two places", "diverges", "if i == 0 { helper(1, 0) } else { helper(1, 0) }"},
		{"a helper's loop in the caller's loop", "ends", "for range 3 { helper(2, 1) }"},
		{"a helper's loop, other iterations", "diverges", "for range 3 { helper(2, i) }"},
		{"a call of a helper, other iterations of the caller's loop", "diverges", "for j := range 2 { if j == i { helper(1, 0); break } }"},
		{"a loop made by goto", "diverges", "j := 0\nagain:\n\tif j == i { barrier() }\n\tj++\n\tif j < 2 { goto again }"},
		{"likewise, in one iteration", "ends", "j := 0\nagain:\n\tif j == 1 { barrier() }\n\tj++\n\tif j < 3 { goto again }"},
		{"two loops made by goto that overlap", "diverges",
			"j := 0\na:\n\tif j == 1+2*i { barrier() }\nb:\n\tj++\n\tif j == 1 { goto a }\n\tif j == 2 { goto b }\n\tif j == 3 && i == 0 { goto b }\n\tif j < 4 { goto a }"},
		{"a collective as the condition", "ends", "for j := 0; cl.WorkGroupAny(j < 2); j++ { barrier() }"},
		{"a collective in other rounds", "diverges", "for j := range 2 { if j == i { cl.WorkGroupReduceAdd(int32(1)) } }"},
		{"an asynchronous copy in other rounds", "diverges",
			"tile := cl.Local[[2]int32](); for j := range 2 { if j == i { e := cl.AsyncWorkGroupCopy(tile[:], data[:], 2, 0); cl.WaitGroupEvents(e) } }"},
		{"a loop without end that all go round together", "ends",
			"n := 0; for k := 0; ; k = 1 - k { if k == 1 { barrier(); n = (n + 1) & 3; if cl.WorkGroupAny(set() != 0) { break } } }"},
		{"waiting in the loop around the barrier: any number of rounds", "diverges",
			"for { if set() != 0 { barrier(); break } }"},
		{"likewise, in several steps", "diverges",
			"for { a := set(); b := set(); if a + b == 2 { barrier(); break } }"},
		{"waiting around a barrier that nobody comes to", "ends",
			"for set() == 0 { if never != 0 { barrier() } }"},
		{"waiting in a loop in the loop around the barrier", "ends",
			"for range 2 { for set() == 0 { }; barrier() }"},
	} {
		text := "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n" +
			"//cl:sub_group_size 1\n\n//cl:memory svm_fine_atomics\nvar flag cl.AtomicInt\n\nvar never int32\n\nvar data [2]int32\n\n" +
			"func set() int32 { return cl.AtomicLoadExplicit(&flag, cl.MemoryOrderRelaxed, cl.MemoryScopeAllSVMDevices) }\n\n" +
			"func barrier() { cl.WorkGroupBarrier(cl.CLKLocalMemFence) }\n\n" +
			"func helper(n, at int) { for j := range n { if j == at { barrier() } } }\n\n" +
			"func step(n *int, by int) bool { *n += by; return *n%3 != 0 }\n\n" +
			"func kernel() {\n\ti := cl.GetLocalID(0)\n\t_ = i\n\t" + c.body + "\n}\n\n" +
			"func main() {\n\tnever = 0\n\tcl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 2))\n" +
			"\tcl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed)\n\tcl.Finish()\n}\n"
		p, err := load.Source("kernel.go", []byte(text), load.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, mode := range por.Modes() {
			if got := divergence(p, mode); got != c.want {
				t.Errorf("%s, reduction %s: %s, want %s\n%s", c.name, mode, got, c.want, text)
			}
		}
	}
}
