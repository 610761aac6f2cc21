package explore

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
)

// askFor asks the axioms for an outcome.
func askFor(o map[string]int64) axiom.Question {
	steps := 0
	q := axiom.Question{Stop: func() bool { steps++; return steps > 300 }, Values: slices.Collect(maps.Values(o))}
	q.Holds = func(value func(string) (int64, bool)) (holds, known bool) {
		holds = true
		for name, want := range o {
			v, ok := value(name)
			if ok && v != want {
				return false, true
			}
			holds = holds && ok
		}
		return holds, holds
	}
	return q
}

// TestWhyNot compares, on random programs and for outcomes that are listed and others made of their values, what the
// search says of an outcome with the account of all candidate executions: where there is none, the rules forbid
// every candidate; where there is one, they do not.
func TestWhyNot(t *testing.T) {
	var possible, impossible, chains, air atomic.Int32
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := draw(style, seed)
			spec := p.spec
			r := p.search(Options{MaxStates: 3000, Promises: manyPromises})
			if !r.Complete || len(r.Outcomes) == 0 {
				continue
			}
			listed := map[string]bool{}
			for _, o := range r.Outcomes {
				listed[OutcomeKey(o)] = true
			}
			for i, o := range mixtures(r.Outcomes) {
				if i == 6 {
					break
				}
				a, err := axiom.WhyNot(p.Program, spec, askFor(o))
				if err != nil {
					continue
				}
				is := listed[OutcomeKey(o)] || slices.ContainsFunc(r.Outcomes, func(all map[string]int64) bool { return includes(all, o) })
				switch {
				case is && a.Proved():
					t.Errorf("%s %d, spec %s: %s is possible, but all candidates are forbidden: %+v\n%s", style, seed, spec.Name, OutcomeKey(o), a, randprog.Format(p.Program))
				case !is && a.Allowed:
					t.Errorf("%s %d, spec %s: %s is impossible, but a candidate is allowed: %+v\n%s", style, seed, spec.Name, OutcomeKey(o), a, randprog.Format(p.Program))
				case is:
					possible.Add(1)
				default:
					impossible.Add(1)
					chains.Add(int32(count(len(a.Chain) > 0)))
					air.Add(int32(a.ThinAir))
				}
				circles(t, a)
			}
		}
	}, func() {
		p, i, c, n := possible.Load(), impossible.Load(), chains.Load(), int32(seeds.N())
		t.Logf("%d possible outcomes, %d impossible ones, %d with a chain; %d candidates out of thin air", p, i, c, air.Load())
		if *styles == "" && (p < 20*n || i < 10*n || c < 5*n) {
			t.Error("too few were compared")
		}
	})
}

// circles checks that a chain goes round in a circle, but for what rule 7.1 misses.
func circles(t *testing.T, a *axiom.Account) {
	for i := range a.Chain {
		if next := &a.Chain[(i+1)%len(a.Chain)]; a.Rule != "7.1" && a.Chain[i].To != next.From {
			t.Errorf("a chain that breaks off: %+v", a.Chain)
		}
	}
}

// includes reports whether an outcome has all values of another.
func includes(all, o map[string]int64) bool {
	for name, v := range o {
		if w, ok := all[name]; !ok || v != w {
			return false
		}
	}
	return true
}

// mixtures returns outcomes, and others made of one with a value of another.
func mixtures(outcomes []map[string]int64) (all []map[string]int64) {
	for i, o := range outcomes {
		all = append(all, o)
		for _, name := range slices.Sorted(maps.Keys(o)) {
			if v, ok := outcomes[(i+1)%len(outcomes)][name]; ok && v != o[name] {
				mixed := maps.Clone(o)
				mixed[name] = v
				all = append(all, mixed)
				break
			}
		}
	}
	return all
}

// barred are kernels with barriers that the host launches, and values of 0:r that some execution has and that none has.
var barred = map[string]struct {
	kernel               string // of 4 work-items in one group and, if it says so, sub-groups of 2
	possible, impossible []int64
}{
	// What comes before a barrier is seen behind it (rule 11.3), and nothing older (7.6).
	"seen behind": {`
	if l == 3 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	cl.Barrier(cl.CLKGlobalMemFence)
	if l == 0 {
		cl.Observe("r", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	}`, []int64{1}, []int64{0, 2}},
	// A barrier with another flag orders local memory only (11.4): the read may be of either value.
	"another flag": {`
	if l == 3 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	cl.Barrier(cl.CLKLocalMemFence)
	if l == 0 {
		cl.Observe("r", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	}`, []int64{0, 1}, []int64{2}},
	// A sub-group meets by itself (11.5): work-item 3 is in another one than 0, and 1 in the same.
	"sub-groups": {`
	switch l {
	case 1:
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	case 3:
		cl.AtomicFetchAddExplicit(&y, 2, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	cl.SubGroupBarrier(cl.CLKGlobalMemFence)
	if l == 0 {
		cl.Observe("r", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)+cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	}`, []int64{1, 3}, []int64{0, 2}},
	// A loop with a barrier in each round, and local memory: what 1 and 2 have written.
	"in rounds": {`
	t := cl.Local[[4]int32]()
	t[l] = int32(l) + 1
	sum := int32(0)
	for k := 1; k <= 2; k++ {
		cl.Barrier(cl.CLKLocalMemFence)
		if l == 0 {
			sum += t[k]
		}
	}
	if l == 0 {
		cl.Observe("r", sum)
	}`, []int64{5}, []int64{2, 3, 7}},
	// The number in the sub-group, which only the index space tells, and a sum over it (11.6).
	"a sum": {`
	s := cl.SubGroupReduceAdd(int32(cl.GetSubGroupLocalID() + 2*cl.GetSubGroupID()))
	if l == 0 {
		cl.Observe("r", s)
	}`, []int64{1}, []int64{0, 5, 6}},
}

// TestWhyNotBehindBarriers asks why kernels with barriers which a host launches do not have an outcome.
func TestWhyNotBehindBarriers(t *testing.T) {
	ask := func(v int64) axiom.Question {
		q := askFor(map[string]int64{"0:r": v})
		q.Stop = nil
		return q
	}
	for name, b := range barred {
		p, err := load.Source("barred.go", []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n//cl:sub_group_size 2\n\nvar x, y cl.AtomicInt\n\nfunc k() {\n\tl := cl.GetLocalID(0)\n"+
			"\t_, _ = &x, &y\n"+b.kernel+"\n}\n\nfunc main() {\n\tcl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 4))\n\tcl.Finish()\n}\n"), load.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		r := Run(context.Background(), p, Options{All: true})
		var found []int64
		for _, o := range r.Outcomes {
			found = append(found, o["0:r"])
		}
		if slices.Sort(found); r.Verdict != Verified || !slices.Equal(found, b.possible) {
			t.Errorf("%s: %v, with %v", name, r.Verdict, found)
		}
		for _, v := range b.possible {
			if a, err := axiom.WhyNot(p, memmodel.Specs[0], ask(v)); err != nil || !a.Allowed {
				t.Errorf("%s: %d is possible: %+v, %v", name, v, a, err)
			}
		}
		for _, v := range b.impossible {
			a, err := axiom.WhyNot(p, memmodel.Specs[0], ask(v))
			if err != nil || !a.Proved() {
				t.Errorf("%s: %d is impossible: %+v, %v", name, v, a, err)
				continue
			}
			circles(t, a)
		}
	}
}
