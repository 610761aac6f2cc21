package explore

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// TestSimulation holds random executions of random programs against all executions: an outcome
// that is drawn is one of the program's, a violation is only drawn where there is one, and
// its schedule shows it again.
func TestSimulation(t *testing.T) {
	var ended, wrong atomic.Int32
	list, some := chosen(), seeds.Times(0.5)
	eachStyle(t, list, func(t *testing.T, style randprog.Style) {
		for seed := range some.All() {
			p := style.Program(uint64(seed))
			all := as(p, memmodel.Specs[0]).search(Options{POR: por.DPOR, MaxStates: 30_000})
			got := Simulate(context.Background(), p, Options{POR: por.DPOR, All: true}, Draw{Runs: 60, Seed: uint64(seed), MaxSteps: 300})
			if got.Complete || got.Verdict == Verified {
				t.Errorf("%s %d: %v, complete: %v", style, seed, got.Verdict, got.Complete)
			}
			for i := range got.Violations {
				wrong.Add(1)
				v := got.Violations[i]
				one := *got
				one.Violations = []Violation{v}
				if kind := replay(p, &one); kind != v.Kind {
					t.Errorf("%s %d: a %v replays to %v", style, seed, v.Kind, kind)
				}
			}
			if !all.Complete {
				continue
			}
			if len(got.Violations) > 0 && len(all.Violations) == 0 {
				t.Errorf("%s %d: %v is drawn, and no execution goes wrong", style, seed, kinds(got))
			}
			known := map[string]bool{}
			for _, o := range all.Outcomes {
				known[OutcomeKey(o)] = true
			}
			for _, o := range got.Outcomes {
				ended.Add(1)
				if k := OutcomeKey(o); !known[k] && len(all.Violations) == 0 {
					t.Errorf("%s %d: %s is drawn, and is no outcome", style, seed, k)
				}
			}
		}
	}, func() {
		if n, e, w := some.N()*len(list), int(ended.Load()), int(wrong.Load()); e < n || w*4 < n {
			t.Errorf("of %d programs, %d outcomes and %d violations were drawn", n, e, w)
		}
	})
}

// What is drawn depends on the seed alone, and enough draws show all that a small program
// can do: message passing by relaxed atomics, whose four outcomes are those of rule 7.1 (a
// load may read any store that nothing hides).
func TestSimulationOutcomes(t *testing.T) {
	p := must(load.Source("mp.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	} else {
		cl.Observe("y", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed))
		cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`), load.Options{}))
	draw := Draw{Runs: 200, Seed: 7}
	r := Simulate(context.Background(), p, Options{}, draw)
	if len(r.Outcomes) != 4 || r.Stats.Ends != 200 || r.Verdict != Inconclusive {
		t.Errorf("%v, %d executions, outcomes %v", r.Verdict, r.Stats.Ends, r.Outcomes)
	}
	again := Simulate(context.Background(), p, Options{}, draw)
	r.Stats.Elapsed, again.Stats.Elapsed = 0, 0
	if !reflect.DeepEqual(r, again) {
		t.Errorf("the same seed has drawn other executions:\n%+v\n%+v", r, again)
	}
}

// Waiting for what never comes is a deadlock however long the rounds are waited; waiting for
// what comes costs no steps.
func TestSimulationWaits(t *testing.T) {
	for _, c := range []struct {
		what, last string
		want       Verdict
	}{
		{"somebody stores", "cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease)", Inconclusive},
		{"somebody stores something else", "cl.AtomicStoreExplicit(&flag, 2, cl.MemoryOrderRelease)", Violated},
		{"nobody stores", "", Violated},
		{"somebody stores something else for ever, so that there is more than waiting", "for { cl.AtomicStoreExplicit(&flag, 2, cl.MemoryOrderRelaxed) }", Inconclusive},
		{"somebody does what changes nothing, but does not wait", "for { cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice) }", Inconclusive},
		{"somebody comes to an assumption that fails: no execution", "cl.Assume(cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire) == 1)", Inconclusive},
	} {
		p := must(load.Source("wait.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var flag cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire) != 1 {
		}
	} else {
		`+c.last+`
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`), load.Options{}))
		r := Simulate(context.Background(), p, Options{}, Draw{Runs: 20, MaxSteps: 40})
		if forever := strings.HasPrefix(c.last, "for"); r.Verdict != c.want || forever != (r.Simulated.CutShort > 0) {
			t.Errorf("%s: %v %v, want %v; %d cut short", c.what, r.Verdict, kinds(r), c.want, r.Simulated.CutShort)
		}
		if r.Verdict == Violated && replay(p, r) != state.Deadlock {
			t.Errorf("%s: %v", c.what, kinds(r))
		}
	}
}

// A failed assertion of an execution that goes on to race is the consequence of the race
// (rule 9.3), whichever comes first.
func TestSimulationRaceBehind(t *testing.T) {
	p := must(load.Source("behind.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var data int32

func k() {
	if cl.GetGlobalID(0) == 0 {
		cl.Assert(false, "fails")
	} else {
		data = 1
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(3, 1))
	cl.Finish()
}
`), load.Options{}))
	for seed := range uint64(20) {
		r := Simulate(context.Background(), p, Options{}, Draw{Runs: 20, Seed: seed})
		if !r.Has(state.DataRace) {
			t.Errorf("seed %d: %v, want the data race", seed, kinds(r))
		}
	}
}
