package explore

import (
	"context"
	"slices"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// readEarly are programs in which work-item 0 observes 1 if it has read 1 of w, but x = 1, which it would write alone had it read 0, has been read by P1 before: that
// puts 1 into z, which work-item 0 reads, so that it writes x = 1 all the same. P1 releases, so it promises nothing itself. Once work-item 0 has read 1 of w
// it can promise nothing, and once it has read 0 it does not come to what it observes. So P1 must read before work-item 0 does anything.
var readEarly = map[string][]string{
	"at once":                     {`if load(&w, rlx) == 0 { store(&x, 1, rlx) } else if load(&z, rlx) == 1 { d = 1; store(&x, 1, rlx) }`, `if load(&x, rlx) == 1 { store(&z, 1, rel) }`, `store(&w, 1, rlx)`},
	"by a read-modify-write":      {`if or(&w, 2, rlx) == 0 { store(&x, 1, rlx) } else if load(&z, rlx) == 1 { d = 1; store(&x, 1, rlx) }`, `if load(&x, rlx) == 1 { store(&z, 1, rel) }`, `store(&w, 1, rlx)`},
	"by one that others try, too": {`if or(&w, 2, rlx) == 0 { store(&x, 1, rlx) } else if load(&z, rlx) == 1 { d = 1; store(&x, 1, rlx) }`, `if load(&x, rlx) == 1 { store(&z, 1, rel) }`, `or(&w, 1, rlx)`},
	// P1 looks at x twice, and has written y in between, without which work-item 0 does not come to the write.
	"what it needs of who looks": {`if load(&w, rlx) == 0 { if load(&y, rlx) == 1 { store(&x, 1, rlx) } } else if load(&y, rlx) == 1 && load(&z, rlx) == 1 { d = 1; store(&x, 1, rlx) }`,
		`load(&x, rlx); store(&y, 1, rel); if load(&x, rlx) == 1 { store(&z, 1, rel) }`, `store(&w, 1, rlx)`},
	// It has read y before, whatever that was.
	"what it may have read of who looks": {`r := load(&w, rlx); load(&y, rlx); if r == 0 { store(&x, 1, rlx) } else if load(&z, rlx) == 1 { d = 1; store(&x, 1, rlx) }`,
		`if load(&x, rlx) == 1 { store(&z, 1, rel) }; store(&y, 1, rel)`, `store(&w, 1, rlx)`},
	// P1 has looked elsewhere before it writes y.
	"what it needs of who looked elsewhere": {`if load(&w, rlx) == 0 { if load(&y, rlx) == 1 { store(&x, 1, rlx) } } else if load(&y, rlx) == 1 && load(&z, rlx) == 1 { d = 1; store(&x, 1, rlx) }`,
		`load(&w, rlx); store(&y, 1, rel); if load(&x, rlx) == 1 { store(&z, 1, rel) }`, `store(&w, 1, rlx)`},
	// Another one writes y.
	"what it needs of a third": {`if load(&w, rlx) == 0 { if load(&y, rlx) == 1 { store(&x, 1, rlx) } } else if load(&y, rlx) == 1 && load(&z, rlx) == 1 { d = 1; store(&x, 1, rlx) }`,
		`if load(&x, rlx) == 1 { store(&z, 1, rel) }`, `store(&w, 1, rlx)`, `load(&x, rlx); store(&y, 1, rel)`},
}

// What a work-item promises before a step, as it cannot after it, is read by others.
func TestOvertaken(t *testing.T) {
	for name, does := range readEarly {
		for _, mode := range por.Modes() {
			r := Run(context.Background(), doing(does...), Options{POR: mode, All: true, Promises: manyPromises})
			if !r.Complete || len(r.Violations) > 0 || !slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool { return o["0:told"] == 1 }) {
				t.Errorf("%s, %s: %v, %d outcomes %v", name, mode, kinds(r), len(r.Outcomes), r.Outcomes)
			}
		}
	}
}

// No load is taken for a write that may stand in for another one, as by the code alone it has the order and scope of a read-modify-write of
// the same; and what goes wrong with a promise of that can be repeated.
func TestLoadsStandInForNothing(t *testing.T) {
	for _, does := range [][]string{
		{`r := load(&z, rlx); cl.Assert(r != 1, ""); cl.Observe("r", r)`, `cl.Observe("r", load(&z, rlx)); store(&w, 1, rlx)`, `r := load(&w, rlx); if r == 1 { cl.Observe("s", xchg(&z, 1, rlx)); cl.Observe("t", load(&z, rlx)) }; cl.Observe("r", r)`},
		{`r := load(&y, rlx); xchg(&w, 1, rlx); load(&w, rlx); cl.Assert(r != 2, "")`, `if load(&w, rlx) == 1 { store(&y, 2, rlx) }`, `store(&y, 1, rlx)`},
	} {
		p := doing(does...)
		where, _ := loadbuffering.Anywhere(state.NewMachine(p, memmodel.Specs[0]))
		for fn, writes := range where.Writes {
			for pc, promised := range writes {
				if promised && p.Funcs[fn].Code[pc].Op == ir.OpLoad {
					t.Errorf("a load can be promised, at %d of function %d", pc, fn)
				}
			}
		}
		for _, mode := range por.Modes() {
			r := Run(context.Background(), p, Options{POR: mode, All: true, Promises: manyPromises, KeepSchedule: true, needless: true})
			for _, v := range r.Violations {
				if !repeated(p, memmodel.Specs[0], &v) {
					t.Errorf("%s: %s cannot be repeated: %v", mode, v.Kind, v.Schedule)
				}
			}
			if !r.Complete || len(r.Violations) == 0 {
				t.Errorf("%s: complete is %v, %v", mode, r.Complete, kinds(r))
			}
		}
	}
}

// promisedTwice promises a write that it may come to at two places, of which only one is on a cycle.
const promisedTwice = `package main

import "github.com/clmc/clmc/models/cl"

const (
	rlx = cl.MemoryOrderRelaxed
	dev = cl.MemoryScopeDevice
)

var x cl.AtomicInt

func k() {
	loc := cl.Local[[2]cl.AtomicInt]()
	if cl.GetLocalID(0) == 0 {
		cl.AtomicInit(&loc[0], 0)
		cl.AtomicInit(&loc[1], 0)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	var e int32
	switch cl.GetGlobalID(0) {
	case 0:
		r := cl.AtomicExchangeExplicit(&x, 1, rlx, dev)
		if r == 1 {
			cl.AtomicCompareExchangeStrongExplicit(&loc[1], &e, 1, rlx, rlx, dev)
			if e == 1 {
				cl.AtomicStoreExplicit(&loc[0], 0, cl.MemoryOrderRelease, dev)
			}
		}
		cl.Assert(r != 1, "first")
	case 1:
		cl.AtomicCompareExchangeStrongExplicit(&loc[1], &e, 2, rlx, rlx, dev)
	case 2:
		var f int32
		e = cl.AtomicFetchAddExplicit(&x, 1, rlx, dev)
		cl.AtomicCompareExchangeStrongExplicit(&loc[1], &e, 2, rlx, rlx, dev)
		if cl.AtomicExchangeExplicit(&loc[0], 1, rlx, dev) == 0 {
			cl.AtomicStoreExplicit(&loc[1], 1, cl.MemoryOrderRelease, dev)
		} else {
			cl.AtomicCompareExchangeStrongExplicit(&loc[1], &f, 2, rlx, rlx, dev)
		}
	}
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(3, 3)) }
`

// What is promised can be repeated, wherever it might be written.
func TestPromisedTwice(t *testing.T) {
	p := must(load.Source("twice.go", []byte(promisedTwice), load.Options{}))
	for _, mode := range por.Modes() {
		r := Run(context.Background(), p, Options{POR: mode, All: true, KeepSchedule: true, Promises: manyPromises})
		if !r.Has(state.AssertionFailed) {
			t.Errorf("%s: %v", mode, kinds(r))
		}
		for _, v := range r.Violations {
			if !repeated(p, memmodel.Specs[0], &v) {
				t.Errorf("%s: %v cannot be repeated: %v", mode, v.Kind, v.Schedule)
			}
		}
	}
}
