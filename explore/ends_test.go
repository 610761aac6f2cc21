package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
)

// helpedDifference returns what the reduced search with all promises changes of the unreduced one in a program, and whether that could be told.
func helpedDifference(p *drawn) (difference string, told bool) {
	opt := Options{POR: por.DPOR, MaxStates: 2000, Promises: manyPromises, needless: true}
	reduced := p.search(opt)
	if !reduced.LoadBuffering || !reduced.Complete {
		return "", false
	}
	opt.POR = por.None
	full := p.search(opt)
	if !full.Complete {
		return "", false
	}
	return disagreement(reduced.Result, full.Result), true
}

// TestHelpAsUnitsEnd tests that promises that help others are found as work-items of a kernel end, after which units have other numbers.
func TestHelpAsUnitsEnd(t *testing.T) {
	if told := noneDiffers(t, randprog.Ends, seeds.Times(5), helpedDifference); told < max(1, seeds.N()/4) {
		t.Errorf("of %d programs only %d tell", seeds.N(), told)
	}
}

// TestHelpAtTheLastStep tests the same on a program of which the last step of a work-item is an operation on what the other one may promise. That one finds 1 in z, behind its own addition, only
// if the first work-item's store comes between the two; and the addition that finds 0 reads the store itself, which that one makes early (rule 7.8) if it has then read y = 1.
func TestHelpAtTheLastStep(t *testing.T) {
	p := must(load.Source("last.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

const (
	rlx = cl.MemoryOrderRelaxed
	dev = cl.MemoryScopeDevice
)

var y, z cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		r0 := cl.AtomicFetchAddExplicit(&z, 1, rlx, dev)
		cl.Observe("r0", r0)
		if r0 == 1 {
			cl.Observe("r1", cl.AtomicFetchAddExplicit(&z, 1, rlx, dev))
			cl.AtomicStoreExplicit(&y, 1, rlx, dev)
		}
	} else {
		cl.Observe("r2", cl.AtomicLoadExplicit(&y, rlx, dev))
		cl.AtomicStoreExplicit(&z, 0, rlx, dev)
		cl.Observe("r3", cl.AtomicFetchMinExplicit(&z, 7, rlx, dev))
	}
}

func main() {
	cl.AtomicInit(&z, 1)
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`), load.Options{}))
	full := explored(p, Options{POR: por.None})
	for _, mode := range por.Modes() {
		r := explored(p, Options{POR: mode})
		if d := disagreement(r, full); d != "" || !r.Complete || !full.Complete {
			t.Errorf("reduction %s: %s", mode, d)
		}
		if !occurs(r, "0:r0=1 0:r1=0 1:r2=1 1:r3=0") && !occurs(r, "0:r0=1 0:r1=0 1:r2=1 1:r3=1") {
			t.Errorf("reduction %s: the second addition does not read the store: %v", mode, r.Outcomes)
		}
	}
}
