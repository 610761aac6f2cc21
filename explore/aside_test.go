package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// asideStyles are the styles in which executions with and without a race lie near each other, for how many times as many programs as
// there are seeds.
var asideStyles = map[randprog.Style]float64{randprog.Told: 20, randprog.Loops: 4}

// Executions without a race show the same, whatever a search leaves out, though others have one: outcomes are those of a search that
// leaves nothing out.
func TestRacesSetAside(t *testing.T) {
	eachStyle(t, append(chosen(), randprog.Told, randprog.Loops, randprog.Cycles), func(t *testing.T, style randprog.Style) {
		some, compared := seeds.Times(max(1, asideStyles[style])), 0
		for seed := range some.All() {
			p := draw(style, seed)
			for _, promises := range []int{NoPromises, manyPromises} {
				d, told := lostBesideRaces(p, promises)
				if d != "" {
					t.Fatalf("seed %d, promises %d: %s\n%s", seed, promises, d, randprog.Format(p.Program))
				}
				if told {
					compared++
				}
			}
		}
		if style == randprog.Told && compared < max(1, some.N()/4) {
			t.Errorf("only %d comparisons in %d programs", compared, some.N())
		}
	}, nil)
}

// lostBesideRaces says which reduction shows other outcomes than there are. It reports whether the program is small enough, and some
// executions have a race and others an outcome.
func lostBesideRaces(p *drawn, promises int) (difference string, told bool) {
	opt := Options{POR: por.None, Aside: true, MaxStates: 4000, Promises: promises, Keep: memmodel.KeepMessages | memmodel.KeepOrders}
	full := p.search(opt)
	if !full.Complete || !full.Has(state.DataRace) || len(full.Outcomes) == 0 || promises > 0 && !full.LoadBuffering {
		return "", false
	}
	opt.Keep = 0
	for _, opt.POR = range por.Modes() {
		opt.Beyond = false
		r := p.search(opt)
		if !r.Complete && r.POR == por.Sleep {
			continue // it may only find that no execution ends
		}
		opt.Beyond = true // which follows what has raced, too
		if past := p.search(opt); past.Complete && !slices.EqualFunc(past.Outcomes, r.Outcomes, maps.Equal) {
			return fmt.Sprintf("%s: %d outcomes, and %d where paths go on behind races", opt.POR, len(r.Outcomes), len(past.Outcomes)), true
		}
		if !r.Complete || !slices.EqualFunc(r.Outcomes, full.Outcomes, maps.Equal) {
			return fmt.Sprintf("%s: %d outcomes, in full %d; %v", opt.POR, len(r.Outcomes), len(full.Outcomes), r.Incomplete), true
		}
	}
	return "", true
}

// toldByChance are programs in which work-item 0 races for d, but is told of it, and then observes 1, in some executions: by what it does in vain,
// or so it seems. By name, what the work-items do; P1 writes d and releases it.
var toldByChance = map[string][]string{
	// P1 reads 1 of y, which P0 writes later in its program. P0 adds behind P1, and its fence acquires that.
	"an addition": {`or(&z, 0, rlx); store(&y, 1, rlx); fence(acq)`, `if load(&y, rlx) == 1 { d = 1; or(&z, 1, rel) }`},
	// P0 reads 1 of z, then 0, which P2 has put behind it.
	"a round": {`for load(&z, rlx) == 1 {}; store(&y, 1, rlx); fence(acq)`, `if load(&y, rlx) == 1 { d = 1; store(&z, 1, rel) }`, `store(&z, 0, rlx)`},
	// It looks at z while it waits for w.
	"a look":     {`for load(&w, rlx) == 0 { load(&z, rlx) }; store(&y, 1, rlx); fence(acq)`, `if load(&y, rlx) == 1 { d = 1; store(&z, 1, rel) }`, `store(&w, 1, rlx)`},
	"with locks": {`for load(&w, rlx) == 0 { load(&z, rlx) }; store(&y, 1, rlx); fence(acq)`, `if xchg(&z, 1, acq) == 0 { if load(&y, rlx) == 1 { d = 1 }; store(&z, 0, rel) }`, `store(&w, 1, rlx)`},
	// It has failed to exchange what P1 has written, and then succeeds with what P2 writes.
	"an attempt that is made again": {`for { e := int32(0); if cas(&z, &e, 1, rlx, rlx) { break } }; store(&y, 1, rlx); fence(acq)`, `if load(&y, rlx) == 1 { d = 1; store(&z, 5, rel) }`, `store(&z, 0, rlx)`},
	// P2 has the lock, and has it no more; in between P1 tries to take it, in vain, and P0 as well, behind P1: its exchange reads what that of P1 has written.
	"a lock": {`for xchg(&z, 1, rlx) == 1 {}; store(&y, 1, rlx); fence(acq)`, `if load(&y, rlx) == 1 { d = 1; xchg(&z, 1, rel) }`, `if xchg(&z, 1, acq) == 0 { store(&z, 0, rel) }`},
	// Without promises, too: P0 acquires 1, and waits on.
	"at once":              {`for load(&z, acq) != 3 {}`, `d = 1; store(&z, 1, rel)`, `store(&z, 3, rlx)`},
	"the first of a round": {`for load(&z, acq) != 3 { if load(&w, rlx) == 1 { return } }`, `d = 1; store(&z, 1, rel); store(&w, 1, rlx)`, `store(&z, 3, rlx)`},
	"and by a fence":       {`for load(&z, rlx) != 3 { if load(&w, rlx) == 1 { return } }; fence(acq)`, `d = 1; store(&z, 1, rel); store(&w, 1, rlx)`, `store(&z, 3, rlx)`},
	"in the midst of one":  {`for load(&w, rlx) == 0 { load(&z, acq); if load(&y, rlx) == 1 { return } }`, `d = 1; store(&z, 1, rel); store(&y, 1, rlx)`, `store(&w, 1, rlx)`},
	// It adds behind P1, to which a fence has handed d.
	"among additions": {`or(&z, 1, rlx); fence(acq)`, `d = 1; fence(rel); or(&z, 2, rlx)`},
	// P1 releases d by a fence, if it reads the 2 that P2 writes; which reads y, that P1 writes then, before that in its program.
	"as another waits": {`if load(&y, acq) == 0 { return }`, `d = 1; for load(&w, rlx) == 2 { fence(rel) }; store(&y, 1, rlx)`, `if load(&y, rlx) == 1 { e = 1 }; store(&w, 2, rlx); cl.Assume(e == 1)`, `store(&w, 3, rlx)`},
	// P0 reads what P1 has written once more, and released, while it waited for what P0 writes then.
	"as another waits, once more":  {`if load(&z, acq) != 0 { return }`, `d = 1; for or(&z, 0, rel) != 1 {}`, `store(&z, 1, rlx)`},
	"and tries to take a lock":     {`if xchg(&z, 0, acqRel) == 1 { return }`, `d = 1; for xchg(&z, 0, acqRel) != 1 {}`, `store(&z, 1, rlx)`},
	"and has released it by fence": {`if load(&z, acq) != 0 { return }`, `d = 1; fence(rel); for or(&z, 0, rlx) != 1 {}`, `store(&z, 1, rlx)`},
	// P2 adds 2 to the 1, and P0, which would end if it read that, acquires the release by the 3.
	"what is carried": {`for { r := load(&z, acq); if r == 1 { return }; if r == 4 { break } }`, `d = 1; store(&z, 1, rel)`, `or(&z, 2, rlx); store(&z, 4, rlx)`},
	// P0 acquires the 1 and waits, then the 3: so it is told of both. The exchange leaves nothing but a wait to who reads the 1.
	"who waits": {`for load(&z, acq) < 2 {}; d += e - 1`, `d = 1; store(&z, 1, rel)`, `if xchg(&z, 2, rlx) == 1 { e = 1; store(&z, 3, rel) }`},
}

const toldByChanceHead = `package main

import "github.com/clmc/clmc/models/cl"

const (
	rlx, acq, rel = cl.MemoryOrderRelaxed, cl.MemoryOrderAcquire, cl.MemoryOrderRelease
	acqRel        = cl.MemoryOrderAcqRel
	dev           = cl.MemoryScopeDevice
)

var w, x, y, z cl.AtomicInt
var d, e int32

func load(x *cl.AtomicInt, o cl.MemoryOrder) int32           { return cl.AtomicLoadExplicit(x, o, dev) }
func store(x *cl.AtomicInt, v int32, o cl.MemoryOrder)       { cl.AtomicStoreExplicit(x, v, o, dev) }
func xchg(x *cl.AtomicInt, v int32, o cl.MemoryOrder) int32  { return cl.AtomicExchangeExplicit(x, v, o, dev) }
func or(x *cl.AtomicInt, v int32, o cl.MemoryOrder) int32    { return cl.AtomicFetchOrExplicit(x, v, o, dev) }
func add(x *cl.AtomicInt, v int32, o cl.MemoryOrder) int32   { return cl.AtomicFetchAddExplicit(x, v, o, dev) }
func fence(o cl.MemoryOrder)                                 { cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, o, dev) }
func cas(x *cl.AtomicInt, e *int32, v int32, o, f cl.MemoryOrder) bool {
	return cl.AtomicCompareExchangeStrongExplicit(x, e, v, o, f, dev)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(%d, 1))
	cl.Finish()
}

func k() {
	switch cl.GetGlobalID(0) {
`

// doing returns the program of work-items that do so.
func doing(does ...string) *ir.Program {
	text := fmt.Sprintf(toldByChanceHead, len(does))
	for i, does := range does {
		text += fmt.Sprintf("case %d:\n%s\n", i, does)
		if i == 0 {
			text += "cl.Observe(\"told\", d)\n"
		}
	}
	return must(load.Source("told.go", []byte(text+"}\n}\n"), load.Options{}))
}

func TestToldByChance(t *testing.T) {
	t.Parallel()
	for name, does := range toldByChance {
		p := doing(does...)
		for _, mode := range por.Modes() {
			r := Run(context.Background(), p, Options{POR: mode, All: true, Aside: true, MaxStates: 1000, Promises: manyPromises})
			if !r.Has(state.DataRace) || !slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool { return o["0:told"] == 1 }) {
				t.Errorf("%s, %s: %v, %d outcomes %v", name, mode, kinds(r), len(r.Outcomes), r.Outcomes)
			}
		}
	}
}

// Executions in which something is promised that would not matter but for that can be told, and repeated.
func TestAsideRepeated(t *testing.T) {
	p := doing(`for { e := int32(3); if cas(&z, &e, 9, acq, rlx) { break } }; store(&y, 1, rlx)`, `if load(&y, rlx) == 1 { d = 1; store(&z, 2, rel) }`, `store(&z, 3, rlx); store(&z, 2, rlx)`)
	for _, mode := range por.Modes() {
		r := Run(context.Background(), p, Options{POR: mode, All: true, Aside: true})
		if !r.Has(state.DataRace) || !r.Complete {
			t.Errorf("%s: %v, complete is %v", mode, kinds(r), r.Complete)
		}
		for _, v := range r.Violations {
			if !repeated(p, memmodel.Specs[0], &v) {
				t.Errorf("%s: %v cannot be repeated: %v", mode, v.Kind, v.Schedule)
			}
		}
	}
}

// repeated reports whether a violation shows on some machine on which its schedule may be repeated.
func repeated(p *ir.Program, spec memmodel.Spec, v *Violation) bool {
	for m := range Replayers(p, spec, v.Schedule) {
		if t := newConcretiser(m); t.performs(v.Schedule) && (t.s.Violation.Kind == v.Kind || v.Kind == state.Deadlock || v.Kind == state.NoWayOut) {
			return true
		}
	}
	return false
}
