package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// trials draws units that take and let go what others only try to take, so that what they write stands there again and again: some of the others store it without
// having it, take what is written again, look at it, or learn from a try that fails.
func (g *gen) trials() {
	g.keepers(func(t *Thread, _ *Var, body func()) { t.Repeat(1+g.Int64N(2), func(Val) { body() }) })
}

// retrials draws the same, where some keep on until they have what they want.
func (g *gen) retrials() {
	g.keepers(func(t *Thread, until *Var, body func()) {
		if g.chance(0.4) {
			t.Repeat(1+g.Int64N(2), func(Val) { body() })
			return
		}
		t.While(func() Val { return t.Bin(ir.Ne, t.Load(until, relaxed, device), t.Int(1)) }, body)
	})
}

// keepers draws units that do some things again and again.
func (g *gen) keepers(again func(t *Thread, until *Var, body func())) {
	x, y := g.b.Atomic("x"), g.b.Atomic("y")
	d := g.b.Var(Var{Name: "d", Plain: g.chance(0.5)})
	units := 2 + g.IntN(2)
	for i := range units {
		t := g.b.Thread(memmodel.Place{Group: uint16(i)})
		if i == 0 {
			again(t, y, func() { g.keep(t, x, d) })
		} else {
			again(t, y, func() { g.trial(t, x, y, d) })
		}
		if g.chance(0.6) {
			t.Store(y, t.Int(1), pick(g, relaxed, release), device)
		}
	}
}

// keep draws a unit that takes x and lets it go.
func (g *gen) keep(t *Thread, x, d *Var) {
	take := pick(g, relaxed, acquire)
	done := func() {
		if g.chance(0.3) {
			g.touch(t, d, true)
		}
		if g.chance(0.15) {
			t.Fence(globalFlag, release, device)
		}
		if g.chance(0.15) {
			t.Blind(ir.Xchg, x, t.Int(0), pick(g, relaxed, release), device)
		} else {
			t.Store(x, t.Int(pick(g, int64(0), 0, 0, 0, 1)), pick(g, relaxed, release, release), device)
		}
	}
	switch g.IntN(4) {
	case 0:
		t.Store(x, t.Int(1), pick(g, relaxed, release), device)
		done()
	case 1:
		t.If(t.Bin(ir.Eq, t.RMW(ir.Xchg, x, t.Int(1), take, device), t.Int(0)), done, nil)
	default:
		ok, old := t.Reg(), t.Reg()
		t.CASInto(ok, old, x, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: take, FailOrder: relaxed, Scope: device, Weak: g.chance(0.2)})
		t.If(ok, done, nil)
	}
}

// trial draws a unit that tries to take x.
func (g *gen) trial(t *Thread, x, y, d *Var) {
	got, old := t.Reg(), t.Reg()
	t.Set(old, t.Int(0))
	want := pick(g, int64(0), 0, 0, 1, 2)
	switch g.IntN(6) {
	case 0: // which may find what it writes
		t.RMWInto(old, ir.Xchg, x, t.Int(1), pick(g, relaxed, acquire, release), device)
		t.Set(got, t.Bin(ir.Eq, old, t.Int(0)))
	case 1: // which takes nothing
		t.LoadInto(old, t.Addr(x, 0), pick(g, relaxed, acquire), device)
		t.Set(got, t.Int(pick(g, int64(0), 0, 1)))
	default:
		t.CASInto(got, old, x, CmpXchg{Expected: t.Int(want), Desired: t.Int(pick(g, int64(1), 1, 3)), Order: pick(g, relaxed, acquire), FailOrder: pick(g, relaxed, relaxed, acquire), Scope: device, Weak: g.chance(0.2)})
	}
	free := func() { t.Store(x, t.Int(pick(g, int64(0), 0, 1)), pick(g, relaxed, release), device) }
	failed := func() {
		switch g.IntN(6) {
		case 0:
			t.Fence(globalFlag, acquire, device)
			g.touch(t, d, false)
		case 1:
			g.touch(t, d, g.chance(0.3))
		case 2:
			free()
		case 3:
			t.Store(y, t.Int(1+g.Int64N(2)), pick(g, relaxed, release), device)
		}
	}
	t.If(got, func() {
		if g.chance(0.4) {
			g.touch(t, d, true)
		}
		free()
	}, failed)
	t.Observe(pick(g, got, old))
}
