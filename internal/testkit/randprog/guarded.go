package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// guarded draws threads that read one variable and write another while they hold a lock, or
// nearly so: before they take it, when they have let it go, without having got it, or with
// another lock; and somebody who may let go of what he does not hold. What is read may
// then be written by who has the lock later, which no search without promises finds.
func (g *gen) guarded() {
	locks := []*Var{g.b.Var(Var{Name: "m", Hidden: true})}
	if g.chance(0.2) {
		locks = append(locks, g.b.Var(Var{Name: "n", Hidden: true}))
	}
	vars := []*Var{g.b.Atomic("x"), g.b.Atomic("y")}
	for i := range 2 {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		g.holder(t, pick(g, locks...), vars[i%2], vars[(i+1)%2])
	}
	if g.chance(0.15) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		t.Store(locks[0], t.Int(0), release, device)
	}
}

// holder draws a thread that takes a lock, reads x, writes y and lets go.
func (g *gen) holder(t *Thread, m, x, y *Var) {
	const early, inside, late = 0, 1, 2
	when := func(odd int) int {
		if g.chance(0.15) {
			return odd
		}
		return inside
	}
	reads, writes := when(early), when(late)
	r := t.Reg()
	t.Set(r, t.Int(0))
	act := func(now int) {
		if reads == now {
			t.LoadInto(r, t.Addr(x, 0), relaxed, device)
		}
		if writes == now {
			t.Store(y, g.made(t, r), relaxed, device)
		}
	}
	act(early)
	take, scope := pick(g, acquire, acquire, acquire, acquire, acqRel, relaxed), device
	if g.chance(0.03) {
		scope = workGroup
	}
	kind := g.IntN(4)
	fences := g.chance(0.3) // instead of orders, or almost
	if fences {
		take = pick(g, relaxed, relaxed, relaxed, relaxed, acquire)
	}
	fence := func(o memmodel.Order) {
		if fences && !g.chance(0.08) {
			t.Fence(pick(g, globalFlag, globalFlag, globalFlag, globalFlag, globalFlag, bothFlags, localFlag), pick(g, o, o, o, o, o, acqRel, acquire, release), scope)
		}
	}
	got := func() Val { return g.takes(t, m, kind, take, scope) }
	section := func() {
		if fences && g.chance(0.05) {
			act(inside)
			fence(acquire)
		} else {
			fence(acquire)
			act(inside)
		}
		fence(release)
		g.letGo(t, m, fences, scope)
	}
	switch {
	case g.chance(0.15):
		t.While(func() Val { return t.Bin(ir.Eq, got(), t.Int(0)) }, nil)
		section()
	case g.chance(0.2): // in whichever case
		got()
		section()
	default:
		t.If(got(), section, nil)
	}
	act(late)
	t.Observe(r)
}

// made draws what is written: something of its own, or one more than what has been read.
func (g *gen) made(t *Thread, r Val) Val {
	v := t.Int(g.value())
	if g.chance(0.3) {
		v = t.Bin(ir.Add, r, t.Int(1))
	}
	return v
}

// letGo draws how a lock is let go of, if it is, behind a fence or not.
func (g *gen) letGo(t *Thread, m *Var, fenced bool, s memmodel.Scope) {
	switch free := g.frees(fenced); {
	case g.chance(0.1):
	case g.chance(0.2):
		t.RMW(ir.Xchg, m, t.Int(0), free, s)
	default:
		t.Store(m, t.Int(0), free, s)
	}
}

// frees draws the order in which a lock is let go of, behind a fence or not.
func (g *gen) frees(fenced bool) memmodel.Order {
	if fenced {
		return relaxed
	}
	return pick(g, release, release, release, release, release, relaxed)
}

// takes draws how a lock is tried, and returns whether that was the first.
func (g *gen) takes(t *Thread, m *Var, kind int, o memmodel.Order, s memmodel.Scope) Val {
	r := t.Reg()
	switch kind {
	case 0:
		t.RMWInto(r, ir.Xchg, m, t.Int(1), o, s)
	case 1:
		t.RMWInto(r, ir.Or, m, t.Int(1), o, s)
	default:
		old := t.Reg()
		t.CASInto(r, old, m, CmpXchg{Expected: t.Int(0), Desired: t.Int(int64(kind) - 1), Order: o, FailOrder: relaxed, Scope: s})
		return r
	}
	return t.Bin(ir.Eq, r, t.Int(0))
}
