package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
)

const awaitsHead = `package main

import "github.com/clmc/clmc/models/cl"

const rlx, dev = cl.MemoryOrderRelaxed, cl.MemoryScopeDevice

var x, y cl.AtomicInt

func load(x *cl.AtomicInt) int32     { return cl.AtomicLoadExplicit(x, rlx, dev) }
func store(x *cl.AtomicInt, v int32) { cl.AtomicStoreExplicit(x, v, rlx, dev) }
func add(x *cl.AtomicInt) int32      { return cl.AtomicFetchAddExplicit(x, 1, rlx, dev) }
func is(i int) bool                  { return cl.GetGlobalID(0) == i }

func k() {
	%s
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(%d, %d))
	cl.Finish()
}
`

// Which waits there are follows from the text: who waits for whom, and whether that one is of the same sub-group, of four.
var awaiting = map[string]struct {
	does        string
	items, size int
	want        string
}{
	"a flag":                     {`if is(0) { for load(&x) == 0 {} } else { store(&x, 1) }`, 2, 1, "k(0) for k(1), near: false"},
	"set before":                 {`if is(0) { store(&x, 1) }; for load(&x) == 0 {}`, 1, 1, ""},
	"by all in lockstep":         {`if is(0) { for load(&x) == 0 {} } else { store(&x, 1) }`, 2, 2, "k(0) for k(1), near: true"},
	"by another sub-group":       {`if is(0) { for load(&x) == 0 {} } else if is(7) { store(&x, 1) }`, 8, 8, ""},
	"a lock in lockstep":         {`for done := false; !done; { if cl.AtomicExchangeExplicit(&x, 1, rlx, dev) == 0 { store(&x, 0); done = true } }`, 4, 4, ""},
	"and in two groups":          {`for done := false; !done; { if cl.AtomicExchangeExplicit(&x, 1, rlx, dev) == 0 { store(&x, 0); done = true } }`, 2, 1, "k(1) for k(0), near: false"},
	"left before it is released": {`for cl.AtomicExchangeExplicit(&x, 1, rlx, dev) != 0 {}; store(&x, 0)`, 2, 2, "k(1) for k(0), near: true"},
	"a counter":                  {`add(&x); for load(&x) != 3 {}`, 3, 1, "k(0) for k(2), near: false"},
	"the last one":               {`if add(&x) == 2 { store(&y, 1) }`, 3, 1, ""},
	"a barrier before":           {`if is(1) { store(&x, 1) }; cl.WorkGroupBarrier(cl.CLKGlobalMemFence); for load(&x) == 0 {}`, 2, 2, ""},
	"what nobody needs":          {`if is(0) { for load(&x) == 0 && load(&y) == 0 {} } else { store(&y, 2) }`, 2, 1, "k(0) for k(1), near: false"},
	"who must come first":        {`if is(1) { for load(&x) == 0 {}; store(&y, 1) } else if is(0) { store(&x, 1); for load(&y) == 0 {} }`, 2, 1, "k(1) for k(0), near: false k(0) for k(1), near: false"},
	"a bounded wait":             {`if is(0) { for i := 0; i < 3 && load(&x) == 0; i++ {} } else { store(&x, 1) }`, 2, 1, ""},
	"in local memory":            {`f := cl.Local[cl.AtomicInt](); if is(0) { cl.AtomicInit(f, 0) }; cl.WorkGroupBarrier(cl.CLKLocalMemFence); if is(0) { for load(f) == 0 {} } else { store(f, 1) }`, 2, 2, "k(0) for k(1), near: true"},
	"which ends with the group":  {`f := cl.Local[cl.AtomicInt](); if is(0) { cl.AtomicInit(f, 0) }; cl.WorkGroupBarrier(cl.CLKLocalMemFence); if is(1) { for load(f) == 0 {} } else { store(f, 1) }`, 2, 2, "k(1) for k(0), near: true"},
	"a write that does not do":   {`if is(0) { for load(&x) != 2 {} } else if is(1) { store(&x, 1); store(&x, 2) }`, 2, 1, "k(0) for k(1), near: false"},
}

// Who would wait for what nobody has written, and does not come to it before the search meets a bound, waits for nothing.
func TestAwaitsUnwritten(t *testing.T) {
	const unwritten = `l := cl.Local[cl.AtomicInt](); store(&x, 1); store(&y, 1); for load(l) == 0 {}`
	p, err := load.Source("awaits.go", fmt.Appendf(nil, awaitsHead, unwritten, 4, 2), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for _, mode := range por.Modes() {
		for most := 1; most < 20; most++ {
			r := Run(context.Background(), p, Options{POR: mode, MaxStates: most})
			if len(r.Awaits) > 0 || r.Verdict == Verified {
				t.Errorf("%v, %d states: %v, %+v", mode, most, r.Verdict, r.Awaits)
			}
			if r.Verdict == Inconclusive {
				cut++
			}
		}
	}
	if cut == 0 {
		t.Error("no search met its bound")
	}
}

// Whoever asks for the verdict alone is told of no wait, and of the same verdict.
func TestNoAwaits(t *testing.T) {
	for name, c := range awaiting {
		p, err := load.Source("awaits.go", fmt.Appendf(nil, awaitsHead, c.does, c.items, c.size), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := Run(context.Background(), p, Options{NoAwaits: true})
		if r.Verdict != Verified || len(r.Awaits) > 0 || len(r.Between) > 0 {
			t.Errorf("%s: %v, %v, %v", name, r.Verdict, r.Awaits, r.Between)
		}
	}
}

// Waits for what nothing obliges to run are told with every reduction.
func TestAwaits(t *testing.T) {
	for name, c := range awaiting {
		p, err := load.Source("awaits.go", fmt.Appendf(nil, awaitsHead, c.does, c.items, c.size), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, mode := range por.Modes() {
			r := Run(context.Background(), p, Options{POR: mode})
			got := ""
			for i, w := range r.Awaits {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprintf("%s for %s, near: %v", w.Who, w.For, w.Near)
			}
			if got != c.want || r.Verdict != Verified {
				t.Errorf("%s, %s: %v, %q, want %q", name, mode, r.Verdict, got, c.want)
			}
		}
	}
}
