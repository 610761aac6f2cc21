package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// loiters draws units that change x by read-modify-writes one after the other, units that wait until
// x has some value, or some value no longer, and others that look at x as it changes: by a load, by a
// compare-exchange, or in a wait that is given up or remembers what it has seen.
func (g *gen) loiters() {
	x, d := g.b.Atomic("x"), g.b.Plain("d")
	groups := 1 + g.IntN(2)
	for i := range 3 {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(groups))})
		if g.chance(0.3) {
			t.Write(d, t.Int(1))
		}
		for range 1 + bit(i == 0) + bit(g.chance(0.2)) {
			if i == 0 || g.chance(0.3) {
				g.change(t, x)
			} else {
				g.await(t, x)
			}
		}
		if g.chance(0.2) {
			t.Read(d)
		}
	}
}

// change draws a write of x that mostly follows upon what is there.
func (g *gen) change(t *Thread, x *Var) {
	o := pick(g, relaxed, relaxed, release, acqRel)
	switch g.IntN(6) {
	case 0, 1, 2:
		t.Blind(pick(g, ir.Add, ir.Add, ir.Sub), x, t.Int(1), o, device)
	case 3:
		t.Blind(ir.Xchg, x, t.Int(g.Int64N(3)), o, device)
	case 4:
		t.Blind(ir.Or, x, t.Int(2), o, device)
	case 5:
		t.Store(x, t.Int(g.Int64N(3)), pick(g, relaxed, release), device)
	}
}

// await draws a wait for x, or something that is nearly one.
func (g *gen) await(t *Thread, x *Var) {
	o, k := pick(g, relaxed, acquire, acquire), g.Int64N(3)
	r, n := t.Reg(), t.Reg()
	t.Set(n, t.Int(0))
	again := func() Val {
		t.LoadInto(r, t.Addr(x, 0), o, device)
		return t.Bin(pick(g, ir.Eq, ir.Ne, ir.Ne, ir.Lt), r, t.Int(k))
	}
	switch g.IntN(8) {
	case 0:
		t.Load(x, o, device)
	case 1:
		ok, old := t.Reg(), t.Reg()
		t.CASInto(ok, old, x, CmpXchg{Expected: t.Int(k), Desired: t.Int(5), Order: relaxed, FailOrder: relaxed, Scope: device})
		t.Observe(old)
	case 2: // and gives up
		t.While(func() Val { return t.Bin(ir.And, again(), t.Bin(ir.Lt, n, t.Int(1))) }, func() { t.Set(n, t.Bin(ir.Add, n, t.Int(1))) })
		t.Observe(n)
	case 3: // and remembers the last of what it did not wait for
		t.While(again, func() { t.Set(n, r) })
		t.Observe(n)
	default:
		t.While(again, nil)
		if g.chance(0.5) {
			t.Observe(r)
		}
	}
}
