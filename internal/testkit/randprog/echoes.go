package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// echoes draws units that write to x what stands there already, by read-modify-writes and
// plain stores, some of which release what the unit has done, beside others that change x
// and units that load it, twice if they like, and look at what was released.
func (g *gen) echoes() {
	x, d := g.b.Atomic("x"), g.b.Var(Var{Name: "d", Plain: g.chance(0.7)})
	groups := 1 + g.IntN(2)
	for i := range 2 + g.IntN(2) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(groups))})
		if i == 0 {
			g.touch(t, d, true)
		}
		for range 1 + g.IntN(2) {
			g.echo(t, x)
		}
		if i > 0 && g.chance(0.7) {
			r := t.Load(x, pick(g, acquire, acquire, relaxed), device)
			t.ExitUnless(pick(g, r, t.Bin(ir.Eq, r, t.Int(1))))
			g.touch(t, d, g.chance(0.3))
		}
	}
}

// touch reads or writes a variable as is proper for it.
func (g *gen) touch(t *Thread, d *Var, write bool) {
	switch {
	case !d.Plain && write:
		t.Store(d, t.Int(1), relaxed, device)
	case !d.Plain:
		t.Load(d, relaxed, device)
	case write:
		t.Write(d, t.Int(1))
	default:
		t.Read(d)
	}
}

// echo draws an access of x that may well leave it as it is.
func (g *gen) echo(t *Thread, x *Var) {
	scope := device
	if g.chance(0.05) {
		scope = workGroup
	}
	o := pick(g, relaxed, relaxed, relaxed, acquire, release, acqRel)
	if g.chance(0.1) {
		t.Fence(globalFlag, release, scope)
	}
	switch g.IntN(8) {
	case 0:
		t.RMW(ir.Or, x, t.Int(0), o, scope)
	case 1:
		t.RMW(ir.Add, x, t.Int(pick(g, int64(0), 0, 1)), o, scope)
	case 2, 3:
		t.RMW(ir.Xchg, x, t.Int(1), o, scope)
	case 4:
		t.RMW(ir.Max, x, t.Int(1), o, scope)
	case 5:
		t.CAS(x, CmpXchg{Expected: t.Int(1), Desired: t.Int(1), Order: o, FailOrder: relaxed, Scope: scope})
	case 6:
		t.Store(x, t.Int(pick(g, int64(1), 1, 2)), pick(g, relaxed, relaxed, release), scope)
	case 7:
		t.Load(x, pick(g, relaxed, acquire), scope)
	}
}
