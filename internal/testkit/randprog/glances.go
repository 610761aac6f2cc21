package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// glances draws units that change x by read-modify-writes one after the other, some of which release
// what the unit has done, and units that load x and only test what they have read: who goes on in the
// same way after two values may have read either, and may have learnt more from one of them.
func (g *gen) glances() {
	x, y := g.b.Atomic("x"), g.b.Atomic("y")
	d := g.b.Var(Var{Name: "d", Plain: g.chance(0.6)})
	for i := range 3 {
		t := g.b.Thread(memmodel.Place{Group: uint16(i)})
		if i < 2 && g.chance(0.3) {
			t.Load(y, pick(g, relaxed, acquire), device)
		}
		if i == 0 || g.chance(0.3) {
			g.touch(t, d, true)
		}
		for range 1 + g.IntN(2) {
			if i == 0 || i == 1 && g.chance(0.7) {
				g.move(t, x)
			} else {
				g.glance(t, x, y, d)
			}
		}
	}
}

// move draws a change of x that follows upon what is there, but for a store now and then.
func (g *gen) move(t *Thread, x *Var) {
	o := pick(g, relaxed, relaxed, release, acqRel)
	switch g.IntN(8) {
	case 0:
		t.Blind(ir.Xchg, x, t.Int(g.Int64N(4)), o, device)
	case 1:
		t.Store(x, t.Int(g.Int64N(4)), pick(g, relaxed, release), device)
	case 2:
		t.Blind(ir.Sub, x, t.Int(1), o, device)
	case 3:
		t.CASInto(t.Reg(), t.Reg(), x, CmpXchg{Expected: t.Int(g.Int64N(2)), Desired: t.Int(3), Order: o, FailOrder: relaxed, Scope: device})
	default:
		t.Blind(ir.Add, x, t.Int(1), o, device)
	}
}

// glance draws a test of x, and what follows from it.
func (g *gen) glance(t *Thread, x, y, d *Var) {
	r, k := t.Reg(), t.Reg()
	t.Set(k, t.Int(0))
	t.LoadInto(r, t.Addr(x, 0), pick(g, relaxed, relaxed, acquire), device)
	then := func() {
		if g.chance(0.4) {
			t.Fence(globalFlag, acquire, device)
		}
		switch g.IntN(4) {
		case 0:
			t.Store(y, t.Int(1), pick(g, relaxed, release), device)
		case 1:
			t.Set(k, t.Bin(ir.Add, k, t.Int(1)))
		default:
			g.touch(t, d, g.chance(0.2))
		}
	}
	test := t.Bin(pick(g, ir.Lt, ir.Ne, ir.Eq), r, t.Int(g.Int64N(4)))
	switch g.IntN(5) {
	case 0:
		then()
	case 1:
		t.If(test, then, nil)
		t.Observe(pick(g, r, k))
	case 2:
		t.If(test, func() { t.Set(k, r) }, then)
		t.Observe(k)
	default:
		t.If(test, then, func() { t.Set(k, t.Int(2)) })
		t.Observe(k)
	}
}
