package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// late draws units that try to exchange x for what they expect there, and mostly do not look at
// what they find instead: only at whether they got it, or by a fence. Others may bring back what is
// expected, by every kind of write, before or when it is asked for, or after a hand-over.
func (g *gen) late() {
	x, d := g.b.Atomic("x"), g.b.Plain("d")
	groups := 1 + g.IntN(2)
	for i := range 2 + g.IntN(2) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(groups))})
		if g.chance(0.3) {
			t.Write(d, t.Int(1))
		}
		for range 1 + g.IntN(2) {
			if g.chance(0.7) {
				g.tryLate(t, x, int64(i+1))
			} else {
				g.bringBack(t, x)
			}
		}
		if g.chance(0.3) {
			t.Fence(globalFlag, acquire, device)
		}
		switch g.IntN(4) {
		case 0:
			t.Load(x, relaxed, device)
		case 1:
			t.ExitUnless(t.Load(x, pick(g, acquire, relaxed), device))
			t.Read(d)
		case 2:
			t.Read(d)
		}
	}
}

// tryLate exchanges x for a value of the thread's own, if it has the expected one.
func (g *gen) tryLate(t *Thread, x *Var, own int64) {
	ok, old := t.Reg(), t.Reg()
	t.CASInto(ok, old, x, CmpXchg{
		Expected: t.Int(pick(g, int64(0), 0, 0, 1)), Desired: t.Int(pick(g, own, own, own, 0)), Weak: g.chance(0.15),
		Order: pick(g, relaxed, acquire, release, acqRel), FailOrder: pick(g, relaxed, relaxed, relaxed, acquire), Scope: device,
	})
	if g.chance(0.6) {
		t.Observe(ok)
	}
	if g.chance(0.15) {
		t.Observe(old)
	}
}

// bringBack writes to x, mostly what nobody expects there.
func (g *gen) bringBack(t *Thread, x *Var) {
	v := t.Int(pick(g, int64(0), 2, 3, 3))
	switch g.IntN(4) {
	case 0, 1:
		t.Store(x, v, pick(g, relaxed, release), device)
	case 2:
		t.RMW(ir.Xchg, x, v, relaxed, device)
	case 3:
		t.RMW(pick(g, ir.Sub, ir.And), x, t.Int(1), relaxed, device)
	}
}
