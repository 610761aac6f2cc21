package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// Three racyCounters that race, each after the one before, and what comes of it: b is 2 where one
// work-item has seen the other's write (rule 9.3: all but the race of a is after undefined behaviour
// in executions in which a is first).
const racyCounters = `package main

import "github.com/clmc/clmc/models/cl"

var a, b, c int32

func k() {
	a++
	b++
	c++
	cl.Assert(a < 2, "a counts once")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// A search that goes beyond races lists all three, and what fails after them, marked; without
// that it lists the first one only. Every schedule leads to what its violation says.
func TestBeyondRaces(t *testing.T) {
	p, err := load.Source("racyCounters.go", []byte(racyCounters), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{}, {Workers: 2}, {NoSymmetry: true}} {
		opt.All = true
		for _, beyond := range []bool{false, true} {
			opt.Beyond = beyond
			r := Run(context.Background(), p, opt)
			races, fails := map[string]bool{}, map[string]bool{}
			for _, v := range r.Violations {
				if v.Kind == state.DataRace {
					races[v.Location] = true
				} else {
					fails[v.Line] = true
				}
				if !v.After && (v.Kind != state.DataRace || v.Location != "a") {
					t.Errorf("%+v: %v of %q is not after undefined behaviour", opt, v.Kind, v.Location)
				}
			}
			if beyond != (len(races) == 3) || beyond != (len(fails) == 1) || len(races) == 0 || r.After != beyond {
				t.Errorf("%+v: races on %v, failures at %v", opt, races, fails)
			}
			if r.Verdict != Violated || len(r.Outcomes) > 0 {
				t.Errorf("%+v: %v, outcomes %v", opt, r.Verdict, r.Outcomes)
			}
		}
	}
}

// stuckAfterRaces are programs whose units never get on, once two of them have raced.
var stuckAfterRaces = map[string]string{
	// Both wait for a flag that nobody sets.
	"waits for a value": `
var a int32
var flag cl.AtomicInt

func k() {
	a++
	for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`,
	// The child waits for an event that nobody completes, and its parent's command for the child.
	"nobody can take a step": `
var a int32

func child() {}

func k() {
	a++
	if cl.GetGlobalID(0) == 0 {
		e := cl.CreateUserEvent()
		cl.EnqueueKernelEvents(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), []cl.ClkEvent{e}, nil, child)
		cl.ReleaseEvent(e)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`,
}

// A deadlock that comes after a race is listed, and marked as what else comes after one.
func TestStuckAfterRaces(t *testing.T) {
	for name, code := range stuckAfterRaces {
		p, err := load.Source("stuck.go", []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n"+code), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := Run(context.Background(), p, Options{All: true, Beyond: true})
		stuck := 0
		for _, v := range r.Violations {
			if v.Kind == state.Deadlock {
				stuck++
				if !v.After || len(v.Schedule) == 0 {
					t.Errorf("%s: it is not after undefined behaviour: %+v", name, v)
				}
			}
		}
		if stuck != 1 {
			t.Errorf("%s: %d deadlocks in %+v", name, stuck, r.Violations)
		}
	}
}
