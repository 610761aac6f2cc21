package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// attempts draws units that change x, some by stores, and units that try to change it by compare-exchanges of which only a test is of interest:
// who fails in the same way with two values may have found either, may have learnt more from one of them, and may not fail with the other.
func (g *gen) attempts() {
	x, y := g.b.Atomic("x"), g.b.Atomic("y")
	d := g.b.Var(Var{Name: "d", Plain: g.chance(0.6)})
	for i := range 3 {
		t := g.b.Thread(memmodel.Place{Group: uint16(i)})
		if i > 0 && g.chance(0.4) {
			t.Load(y, pick(g, relaxed, acquire), device)
		}
		if i == 0 || g.chance(0.3) {
			g.touch(t, d, true)
		}
		for range 1 + g.IntN(2) {
			if i == 0 || i == 1 && g.chance(0.6) {
				g.move(t, x)
			} else {
				g.attempt(t, x, y, d)
			}
		}
		if i == 0 {
			t.Store(y, t.Int(1), pick(g, relaxed, release), device)
		}
	}
}

// attempt draws a compare-exchange of x, and what follows from it.
func (g *gen) attempt(t *Thread, x, y, d *Var) {
	ok, old := t.Reg(), t.Reg()
	want := t.Int(g.Int64N(4))
	switch g.IntN(4) {
	case 0:
		want = t.Reg()
		t.Set(want, t.Int(g.Int64N(4)))
	case 1:
		want = t.Load(y, relaxed, device)
	}
	t.CASInto(ok, old, x, CmpXchg{Expected: want, Desired: t.Int(g.Int64N(4)), Order: pick(g, relaxed, acquire), FailOrder: pick(g, relaxed, relaxed, acquire), Scope: device, Weak: g.chance(0.2)})
	then := func() {
		if g.chance(0.3) {
			t.Fence(globalFlag, acquire, device)
		}
		if g.chance(0.3) {
			t.Store(y, t.Int(2), pick(g, relaxed, release), device)
		} else {
			g.touch(t, d, g.chance(0.2))
		}
	}
	switch g.IntN(4) {
	case 0:
		t.Observe(ok)
		then()
	case 1:
		t.If(t.Bin(pick(g, ir.Lt, ir.Ne, ir.Eq), old, t.Int(g.Int64N(4))), then, nil)
		t.Observe(ok)
	case 2:
		t.If(ok, nil, then)
		t.Observe(old)
	default:
		t.If(ok, then, nil)
		t.Observe(ok)
	}
}
