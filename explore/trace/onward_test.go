package trace

import (
	"context"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// roundBesideRaces goes round for ever, and reads x while others write it, without inclusive scope (rule 3.5). Where
// the load of seq_cst comes between the two writes, its place in S is settled later (rule 8.3): what has
// raced meanwhile is no violation yet, and nothing that ends the execution.
const roundBesideRaces = `package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func k() {
	l := cl.Local[cl.AtomicInt]()
	cl.AtomicInit(l, 0)
	for {
		cl.AtomicLoadExplicit(l, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		cl.AtomicLoadExplicit(&x, cl.MemoryOrderSeqCst, cl.MemoryScopeWorkGroup)
	}
}

func main() {
	e := cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	cl.SetEventCallback(e, cl.CLSubmitted, func(ev cl.Event, st int32) {
		cl.AtomicFetchMaxExplicit(&x, 1, cl.MemoryOrderRelease)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed)
	})
	cl.Finish()
}
`

// What is listed beyond races can be repeated, also where a race on the way has not come true yet.
func TestNoWayOutBesideRaces(t *testing.T) {
	p, err := load.Source("round.go", []byte(roundBesideRaces), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []por.Mode{por.DPOR, por.None} {
		stuck := 0
		r := explore.Run(context.Background(), p, explore.Options{POR: mode, All: true, Beyond: true})
		for _, v := range r.Violations {
			tr, err := Build(p, memmodel.Specs[0], v)
			if err != nil {
				t.Errorf("%v, %v: %v", mode, v.Kind, err)
				continue
			}
			if v.Kind == state.NoWayOut {
				stuck++
				if len(tr.Waits) == 0 {
					t.Errorf("%v: nobody is said to go round for ever", mode)
				}
			}
		}
		if stuck == 0 {
			t.Errorf("%v: no state without a way out in %+v", mode, r.Violations)
		}
	}
}
