package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// loadBuffering draws threads that read one variable and then write the next
// around a cycle, with dependencies, fences, other accesses and, now and then, a
// barrier between, or a partner who writes behind a barrier, and sometimes a data race
// of those who read what was written.
func (g *gen) loadBuffering() {
	n := pick(g, 2, 2, 2, 3)
	scope := pick(g, workGroup, device)
	var vars []*Var
	for i := range n {
		region := pick(g, memmodel.Global, memmodel.Global, memmodel.Local)
		vars = append(vars, g.b.Var(Var{Name: string(rune('x' + i)), Region: region}))
	}
	barrier, racy := g.chance(0.1), g.chance(0.2)
	partners := !barrier && g.chance(0.1)
	if partners {
		scope = device
	}
	data := g.b.Plain("d")
	for i := range n {
		var place memmodel.Place
		if partners {
			place.Group = uint16(i)
		}
		t := g.b.Thread(place)
		from, to := vars[i], vars[(i+1)%n]
		var r Val
		if g.chance(0.85) {
			r = t.Load(from, pick(g, relaxed, relaxed, relaxed, acquire, acquire, seqCst), scope)
		} else {
			r = t.RMW(ir.Add, from, t.Int(0), pick(g, relaxed, acquire, acqRel), scope)
		}
		if barrier {
			t.Barrier("B", globalFlag, scope)
		}
		if g.chance(0.35) {
			g.interlude(t, vars, scope)
		}
		if partners && g.chance(0.5) { // another work-item answers
			flags := pick(g, 0, globalFlag)
			t.Barrier("P", flags, scope)
			t = g.b.Thread(place)
			t.Barrier("P", flags, scope)
			t.Store(to, t.Int(1), pick(g, relaxed, relaxed, release), scope)
			continue
		}
		g.answer(t, to, r, scope)
		if racy {
			t.If(r, func() { t.Write(data, t.Int(1)) }, nil)
		}
	}
	if g.chance(0.25) {
		t := g.b.Thread(memmodel.Place{})
		for range pick(g, 1, 2) {
			g.interlude(t, vars, scope)
		}
	}
}

// interlude adds an operation that has nothing to do with the cycle.
func (g *gen) interlude(t *Thread, vars []*Var, scope memmodel.Scope) {
	v := pick(g, vars...)
	switch g.IntN(6) {
	case 0:
		t.Fence(pick(g, globalFlag, localFlag, bothFlags), pick(g, acquire, acquire, release, seqCst), scope)
	case 1, 2:
		t.Store(v, t.Int(g.value()), pick(g, relaxed, relaxed, release, seqCst), scope)
	case 3:
		t.RMW(pick(g, ir.Add, ir.Xchg), v, t.Int(g.value()), pick(g, relaxed, acquire, acqRel), scope)
	default:
		t.Load(v, pick(g, relaxed, acquire, seqCst), scope)
	}
}

// answer writes a variable, with some dependency on r or none.
func (g *gen) answer(t *Thread, v *Var, r Val, scope memmodel.Scope) {
	o := pick(g, relaxed, relaxed, relaxed, relaxed, release, release, seqCst)
	x := t.Int(1)
	switch g.IntN(12) {
	case 0:
		x = r // data
	case 1:
		x = t.Bin(ir.Add, t.Bin(ir.Mul, r, t.Int(0)), x) // a fake one
	case 2:
		t.ExitUnless(r)
	case 3:
		t.If(r, func() { t.Store(v, x, o, scope) }, nil)
	case 4:
		t.RMW(pick(g, ir.Add, ir.Xchg), v, x, pick(g, relaxed, acquire, release, acqRel), scope)
		return
	case 5:
		t.CAS(v, CmpXchg{Expected: t.Int(0), Desired: x, Order: pick(g, relaxed, acqRel), FailOrder: relaxed, Scope: scope})
		return
	}
	t.Store(v, x, o, scope)
}
