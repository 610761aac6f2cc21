package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
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

// roundForEver races on x; what comes of the flags then is asked of its third case. If that stores nothing, work-item 0 goes round
// for ever once it is chosen: it is the only one left, and both flags are 0. If it stores, every execution can end.
const roundForEver = `package main

import "github.com/clmc/clmc/models/cl"

const stores = false

var x int32
var a, b cl.AtomicInt

func k() {
	x++
	if cl.GetGroupID(0) == 0 {
		for cl.AtomicLoad(&a) == 0 && cl.AtomicLoad(&b) == 0 {
		}
		return
	}
	switch cl.Choose(3) {
	case 0:
		cl.AtomicStore(&a, 1)
	case 1:
		cl.AtomicStore(&b, 1)
	default:
		if stores {
			cl.AtomicStore(&b, 2)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// That there is no way out after a race is listed, too, and marked.
func TestNoWayOutAfterRaces(t *testing.T) {
	for _, stores := range []string{"false", "true"} {
		p, err := load.Source("round.go", []byte(roundForEver), load.Options{Defines: map[string]string{"stores": stores}})
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{}, {Workers: 2}, {POR: por.None}} {
			opt.All, opt.Beyond = true, true
			r := Run(context.Background(), p, opt)
			found := map[state.Kind]int{}
			for _, v := range r.Violations {
				if found[v.Kind]++; v.Kind != state.DataRace && (!v.After || len(v.Schedule) == 0) {
					t.Errorf("stores %s: %v is not after undefined behaviour", stores, v.Kind)
				}
			}
			if found[state.DataRace] == 0 || found[state.NoWayOut] != map[string]int{"false": 1}[stores] || len(found) > 2 {
				t.Errorf("stores %s, %+v: %v", stores, opt, found)
			}
		}
	}
}

// failsBesideRaces are programs in which one work-item fails because of a race, of which the second access comes only
// afterwards, and others wait for it. All would end if it went on.
var failsBesideRaces = map[string]string{
	"nobody waits":           "cl.Assert(x == 1, \"x is set\")",
	"somebody waits":         "cl.Assert(x == 1, \"x is set\")\ncl.AtomicStore(&flag, 1)",
	"somebody goes round":    "cl.Assert(x == 1, \"x is set\")\ncl.AtomicStore(&gate, 1)",
	"a division":             "cl.Observe(\"r\", 1/x)\ncl.AtomicStore(&flag, 1)",
	"nobody has written it":  "cl.Observe(\"r\", *l)\ncl.AtomicStore(&flag, 1)",
	"somebody at a barrier":  "cl.Assert(x == 1, \"x is set\")\ncl.WorkGroupBarrier(cl.CLKLocalMemFence)\nreturn",
	"a collective's partner": "cl.Assert(x == 1, \"x is set\")\ncl.WorkGroupReduceAdd(int32(1))\nreturn",
}

// Who has failed stands still in what is explored beyond the race, though it may well go on: neither this
// nor waiting for it is a deadlock.
func TestFailedBesideRacesIsNotStuck(t *testing.T) {
	const rest = `
		return
	}
	x = 1
	*l = 1
	if waits {
		for cl.AtomicLoad(&flag) == 0 {
		}
	}
	if circles {
		for cl.AtomicLoad(&flag) == 0 && cl.AtomicLoad(&gate) == 0 {
		}
	}
	if meets == 1 {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
	if meets == 2 {
		cl.WorkGroupReduceAdd(int32(1))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
`
	for name, code := range failsBesideRaces {
		waits, circles := strings.Contains(code, "&flag"), strings.Contains(code, "&gate")
		meets := 0
		if strings.Contains(code, "WorkGroupBarrier") {
			meets = 1
		} else if strings.Contains(code, "WorkGroupReduceAdd") {
			meets = 2
		}
		head := fmt.Sprintf("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nconst waits, circles, meets = %v, %v, %d\n", waits, circles, meets)
		head += "\nvar x int32\nvar flag, gate cl.AtomicInt\n\nfunc k() {\nl := cl.Local[int32]()\nif cl.GetGlobalID(0) == 0 {\n"
		p, err := load.Source("fails.go", []byte(head+code+rest), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, opt := range []Options{{}, {POR: por.None}, {Workers: 2}} {
			opt.All, opt.Beyond = true, true
			r := Run(context.Background(), p, opt)
			races := 0
			for _, v := range r.Violations {
				switch v.Kind {
				case state.DataRace:
					races++
				case state.Deadlock, state.NoWayOut:
					t.Errorf("%s, %+v: %v at %s", name, opt, v.Kind, v.Line)
				}
			}
			if races == 0 {
				t.Errorf("%s, %+v: no race in %+v", name, opt, r.Violations)
			}
		}
	}
}
