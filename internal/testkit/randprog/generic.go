package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// genericPointers draws message passing within one work-group through flags
// and data that pointers select: which region an access is of, and so which
// happens-before relation orders it, depends on a value that is loaded.
func (g *gen) genericPointers() {
	regions := []memmodel.Region{memmodel.Global, memmodel.Local}
	if g.chance(0.5) {
		regions[0], regions[1] = regions[1], regions[0]
	}
	pair := func(names string, plain bool) (v [2]*Var) {
		for i, r := range regions {
			v[i] = g.b.Var(Var{Name: names[i : i+1], Region: r, Plain: plain})
		}
		return v
	}
	sel, flags, data := g.b.Atomic("s"), pair("xy", false), pair("de", true)
	at := func(t *Thread, v [2]*Var) Val {
		if g.chance(0.6) {
			return t.Addr(pick(g, v[0], v[1]), 0)
		}
		return t.Select(t.Load(sel, relaxed, device), v[0], v[1])
	}
	p := &passing{gen: g, scope: workGroup, flags: flagsOfBoth}
	t := g.b.Thread(memmodel.Place{})
	for range pick(g, 1, 1, 2) {
		t.StoreAt(at(t, data), t.Int(1), memmodel.NonAtomic, 0)
	}
	p.fencesOf(t, 1, release, acqRel)
	t.StoreAt(at(t, flags), t.Int(1), pick(g, relaxed, release, release), workGroup)
	r := g.b.Thread(memmodel.Place{})
	r.ExitUnless(r.LoadAt(at(r, flags), pick(g, relaxed, acquire, acquire), workGroup))
	p.fencesOf(r, 1, acquire, acqRel)
	r.LoadAt(at(r, data), memmodel.NonAtomic, 0)
	q := g.b.Thread(memmodel.Place{})
	q.Store(sel, q.Int(1), relaxed, device)
}

var flagsOfBoth = flags{globalFlag, localFlag, bothFlags, bothFlags}

// Select computes the address of x where cond is not 0, else that of y.
func (t *Thread) Select(cond Val, x, y *Var) Val {
	r := t.Reg()
	t.If(t.Bin(ir.Ne, cond, t.Int(0)), func() { t.Set(r, t.Addr(x, 0)) }, func() { t.Set(r, t.Addr(y, 0)) })
	return r
}
