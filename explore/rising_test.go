package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// TestRisingTickets tests that who takes tickets takes later ones later, whatever else it does: work-items wait for what others do who have taken earlier ones than they
// have, and tell of their own. So along program order and reads-from tickets only go up, there is no cycle, and no promise matters. Without that, a loop that takes tickets never ends,
// or one that tries again takes any.
func TestRisingTickets(t *testing.T) {
	for _, take := range []string{"cl.AtomicFetchAddExplicit(&next, 1, rlx, dev)", "swap()"} {
		p := must(load.Source("tickets.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

const (
	rlx = cl.MemoryOrderRelaxed
	dev = cl.MemoryScopeDevice
	n   = 3
)

var next, tries cl.AtomicInt
var ready [2 * n]cl.AtomicInt

func swap() int32 {
	for {
		t := cl.AtomicLoadExplicit(&next, rlx, dev)
		cl.AtomicFetchAddExplicit(&tries, 1, rlx, dev)
		if t >= n || cl.AtomicCompareExchangeStrongExplicit(&next, &t, t+1, rlx, rlx, dev) {
			return t
		}
	}
}

func k() {
	for {
		t := `+take+`
		if t >= n {
			return
		}
		cl.AtomicStoreExplicit(&ready[t], 1, rlx, dev)
		for t > 0 && cl.AtomicLoadExplicit(&ready[t-1], rlx, dev) == 0 {
		}
	}
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)) }
`), load.Options{}))
		needlessByValues(t, take, p)
	}
}

// needlessByValues tests that promises matter to a program by its code alone, and not by what is in its counters.
func needlessByValues(t *testing.T, name string, p *ir.Program) {
	t.Helper()
	if m := state.NewMachine(p, memmodel.Specs[0]); !loadbuffering.May(m) || loadbuffering.Matters(m) {
		t.Errorf("%s: by the code promises matter: %v, by values: %v", name, loadbuffering.May(m), loadbuffering.Matters(m))
	}
}

// TestRisingFalls tests that a counter is not taken to go up though it does for as long as one looks at it first. P2 makes n 1, and P0 reads that, and n again before it stores x. P1 makes n 0
// if it has read x = 1, which P0 can promise then, as it writes it alone (rule 7.8); nothing keeps P0's second read from what P1 has written.
func TestRisingFalls(t *testing.T) {
	for name, change := range map[string]func(p *randprog.Thread, n *randprog.Var){
		"a store":       func(p *randprog.Thread, n *randprog.Var) { p.Store(n, p.Int(0), rlx, dev) },
		"an exchange":   func(p *randprog.Thread, n *randprog.Var) { p.RMW(ir.Xchg, n, p.Int(0), rlx, dev) },
		"a subtraction": func(p *randprog.Thread, n *randprog.Var) { p.RMW(ir.Sub, n, p.Int(1), rlx, dev) },
	} {
		b := randprog.NewBuilder("falls")
		n, x, m := b.Atomic("n"), b.Atomic("x"), b.Atomic("m")
		p := b.Thread(memmodel.Place{})
		p.If(p.RMW(ir.Add, m, p.Int(1), rlx, dev), nil, func() { // it goes up
			p.If(p.Bin(ir.Eq, p.Load(n, rlx, dev), p.Int(1)), func() {
				p.Load(n, rlx, dev)
				p.Store(x, p.Int(1), rlx, dev)
			}, nil)
		})
		q := b.Thread(memmodel.Place{Group: 1})
		q.If(q.Load(x, rlx, dev), func() { change(q, n) }, nil)
		o := b.Thread(memmodel.Place{Group: 2})
		o.RMW(ir.Max, n, o.Int(1), rlx, dev)
		for _, mode := range por.Modes() {
			if r := toTheFirst(b.Program(), mode); !r.Complete || !occurs(r, "0:r1=1 0:r2=0 1:r0=1") {
				t.Errorf("%s, reduction %s: P0 does not read what comes of x, which it has stored early; %v", name, mode, r.Outcomes)
			}
		}
	}
}

// TestFallingMinima tests that what is a minimum only goes down, and that who leaves it as it is tells nothing: work-items relax the edges of a graph, twice, and along program order and
// reads-from what they write only goes up from edge to edge, so no promise matters. That a second round finds a distance as it was left says nothing to who reads it.
func TestFallingMinima(t *testing.T) {
	for _, relax := range []string{"cl.AtomicFetchMinExplicit(&dist[v], d, rlx, dev)", "lower(v, d)"} {
		p := must(load.Source("relax.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

const (
	rlx = cl.MemoryOrderRelaxed
	dev = cl.MemoryScopeDevice
	n   = 4
)

var dist [n]cl.AtomicInt

func lower(v int, d int32) {
	for e := cl.AtomicLoadExplicit(&dist[v], rlx, dev); e > d; {
		if cl.AtomicCompareExchangeStrongExplicit(&dist[v], &e, d, rlx, rlx, dev) {
			return
		}
	}
}

func relax(v int, d int32) { `+relax+` }

func k() {
	i := cl.GetGlobalID(0)
	for range 2 {
		if d := cl.AtomicLoadExplicit(&dist[i], rlx, dev); d < 9 {
			relax((i+1)%n, d+1)
			relax((i+2)%n, d+3)
		}
	}
}

func main() {
	for i := range n {
		cl.AtomicInit(&dist[i], 9)
	}
	cl.AtomicInit(&dist[0], 0)
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(3, 1))
	cl.Finish()
}
`), load.Options{}))
		needlessByValues(t, relax, p)
	}
}

// TestRisingOnceMore tests that who writes once more what is there is read by who changes it. P0 reads y = 1, which P1 stores behind its addition to x, and then finds 0 in x:
// so its own write of 0 comes before that of 1 in modification order, and P1's addition reads it (rule 7.7). That is a cycle, and P1 can promise y, which it comes to whatever it reads (rule 7.8).
// If P1 loads x in place of adding to it, it may read the first 0 as well, before P0 has done anything.
func TestRisingOnceMore(t *testing.T) {
	once := func(change func(p *randprog.Thread, x *randprog.Var)) *ir.Program {
		b := randprog.NewBuilder("once more")
		x, y, w := b.Atomic("x"), b.Atomic("y"), b.Atomic("w")
		p := b.Thread(memmodel.Place{})
		p.Load(y, rlx, dev)
		p.If(p.RMW(ir.Or, x, p.Int(0), rlx, dev), func() { p.Store(w, p.Int(1), rlx, dev) }, nil) // so that it matters what is in x
		q := b.Thread(memmodel.Place{Group: 1})
		change(q, x)
		q.Store(y, q.Int(1), rlx, dev)
		return b.Program()
	}
	for name, c := range map[string]struct {
		p       *ir.Program
		matters bool
	}{
		"an addition": {once(func(p *randprog.Thread, x *randprog.Var) { p.RMW(ir.Add, x, p.Int(1), rlx, dev) }), true},
		"a compare-exchange": {once(func(p *randprog.Thread, x *randprog.Var) {
			p.CAS(x, randprog.CmpXchg{Expected: p.Int(0), Desired: p.Int(1), Order: rlx, FailOrder: rlx, Scope: dev})
		}), true},
		"a load":       {once(func(p *randprog.Thread, x *randprog.Var) { p.Load(x, rlx, dev) }), false},
		"another such": {once(func(p *randprog.Thread, x *randprog.Var) { p.RMW(ir.Max, x, p.Int(0), rlx, dev) }), false},
	} {
		if m := state.NewMachine(c.p, memmodel.Specs[0]); loadbuffering.Matters(m) != c.matters {
			t.Errorf("%s: promises matter: %v", name, !c.matters)
		}
		for _, mode := range por.Modes() {
			if r := toTheFirst(c.p, mode); !r.Complete || !occurs(r, "0:r0=1 0:r1=0 w=0 y=1") {
				t.Errorf("%s, reduction %s: P0 does not read y = 1 and then x = 0; %v", name, mode, r.Outcomes)
			}
		}
	}
}

// TestRisingOnceMoreTells tests that who writes once more what is there, and releases, stays behind who did so before. P1 reads y = 1, which P0 stores behind its own restoring of z, and
// restores z before P0 does, so that it reads the first 0, and P0 what P1 has written (rule 7.7). P1 has acquired nothing then: P0 has released to those only who come later. So it may read 0 in x (rules 7.2 to 7.6),
// which P0 has stored first of all. P0 can promise y, as alone it finds 0 in z (rule 7.8). If P1 came second, it would acquire x = 1.
func TestRisingOnceMoreTells(t *testing.T) {
	type doing = func(p *randprog.Thread, z *randprog.Var) randprog.Val
	restore := func(order memmodel.Order) doing {
		return func(p *randprog.Thread, z *randprog.Var) randprog.Val { return p.RMW(ir.Or, z, p.Int(0), order, dev) }
	}
	behindFence := func(p *randprog.Thread, z *randprog.Var) randprog.Val {
		p.Fence(memmodel.GlobalFence, rel, dev)
		return p.RMW(ir.Max, z, p.Int(0), rlx, dev)
	}
	beforeFence := func(p *randprog.Thread, z *randprog.Var) randprog.Val {
		r := p.RMW(ir.Or, z, p.Int(0), rlx, dev)
		p.Fence(memmodel.GlobalFence, acq, dev)
		return r
	}
	for name, c := range map[string]struct{ first, second doing }{
		"by orders":        {restore(rel), restore(acq)},
		"one does both":    {restore(memmodel.AcqRel), restore(acq)},
		"a release fence":  {behindFence, restore(acq)},
		"an acquire fence": {restore(rel), beforeFence}, // two fences would synchronise by y (rule 6.3)
	} {
		b := randprog.NewBuilder("told")
		x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
		p := b.Thread(memmodel.Place{})
		p.Store(x, p.Int(1), rlx, dev)
		p.If(c.first(p, z), nil, func() { p.Store(y, p.Int(1), rlx, dev) })
		q := b.Thread(memmodel.Place{Group: 1})
		q.Load(y, rlx, dev)
		c.second(q, z)
		q.Load(x, rlx, dev)
		program := b.Program()
		for _, mode := range por.Modes() {
			if r := toTheFirst(program, mode); !r.Complete || !occurs(r, "1:r0=1 1:r2=0") {
				t.Errorf("%s, reduction %s: P1 does not read y = 1 and x = 0; %v", name, mode, r.Outcomes)
			}
		}
	}
}

// TestRisingOnceMoreInAll tests that no race stands for what is behind it. P1 writes d if it has read y = 1, and releases by writing once more what is in z; P0's own restoring of z reads that and acquires
// it by the fence (rules 5.4, 6.5), though y comes after it: P0 can promise y, which it comes to if z is 0 (rule 7.8), before the fence. So it reads d = 1 without a race, and the assertion fails.
func TestRisingOnceMoreInAll(t *testing.T) {
	p := must(load.Source("all.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

const (
	rlx = cl.MemoryOrderRelaxed
	dev = cl.MemoryScopeDevice
)

var y, z cl.AtomicInt
var d int32

func k() {
	if cl.GetGlobalID(0) == 0 {
		if cl.AtomicFetchOrExplicit(&z, 0, rlx, dev) == 0 {
			cl.AtomicStoreExplicit(&y, 1, rlx, dev)
		}
		cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, dev)
		cl.Assert(d != 1, "told")
	} else if cl.AtomicLoadExplicit(&y, rlx, dev) == 1 {
		d = 1
		cl.AtomicFetchOrExplicit(&z, 0, cl.MemoryOrderRelease, dev)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`), load.Options{}))
	for _, mode := range por.Modes() {
		if r := explored(p, Options{POR: mode}); !r.Has(state.AssertionFailed) || !r.Has(state.DataRace) {
			t.Errorf("reduction %s: only %v", mode, kinds(r))
		}
	}
}
