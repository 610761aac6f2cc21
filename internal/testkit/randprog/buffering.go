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

// helpedPromises draws a thread that answers behind nested branches on several variables,
// which one or two helpers write, and a last thread that reads the answer before it writes
// what the others read: so that the answer must be promised, and can be only when the helpers'
// writes have been. Helpers may need help in turn, or lose what they could have exchanged.
func (g *gen) helpedPromises() {
	switch {
	case g.chance(0.3):
		g.takenPromises()
		return
	case g.chance(0.3):
		g.baitedPromises()
		return
	case g.chance(0.15):
		g.rivalPromises()
		return
	}
	y := g.b.Atomic("y")
	vars := []*Var{g.b.Atomic("x"), g.b.Atomic("z")}
	if g.chance(0.15) {
		vars = append(vars, g.b.Atomic("w"))
	}
	order := func() memmodel.Order { return pick(g, relaxed, relaxed, relaxed, acquire) }
	t := g.b.Thread(memmodel.Place{})
	g.nested(t, y, vars, order)
	of := [][]*Var{vars}
	if g.chance(0.5) {
		of = [][]*Var{vars[:1], vars[1:]}
	}
	for i, mine := range of {
		t := g.b.Thread(memmodel.Place{})
		switch g.IntN(8) {
		case 0, 1:
			g.nested(t, mine[0], []*Var{vars[(i+1)%len(vars)]}, order)
		case 2, 3:
			other := vars[(i+1)%len(vars)]
			ok, _ := t.CAS(other, CmpXchg{Expected: t.Int(0), Desired: t.Int(3), Order: relaxed, FailOrder: relaxed, Scope: device})
			t.If(ok, func() { t.Store(mine[0], t.Int(1), relaxed, device) }, func() { g.nested(t, mine[0], []*Var{y}, order) })
		default:
			t.Load(y, order(), device)
			g.help(t, mine[0])
		}
		for _, v := range mine[1:] {
			g.help(t, v)
		}
	}
	g.lastOf(y, vars)
}

// takenPromises draws a thread that writes what helps others, or the answer itself, if it can
// exchange m, or else if it reads another's help: so it may promise that, and keep it when somebody
// else has taken m away, if the help has been promised by then.
func (g *gen) takenPromises() {
	m, help, y, begin := g.b.Atomic("m"), g.b.Atomic("b"), g.b.Atomic("y"), g.b.Atomic("g")
	order := func() memmodel.Order { return pick(g, relaxed, relaxed, relaxed, relaxed, relaxed, acquire) }
	debtor, first := g.chance(0.5), y
	if !debtor {
		first = g.b.Atomic("l")
	}
	t := g.b.Thread(memmodel.Place{})
	ok, _ := t.CAS(m, CmpXchg{Expected: t.Int(0), Desired: t.Int(5), Order: order(), FailOrder: relaxed, Scope: device})
	t.If(ok, func() { t.Store(first, t.Int(1), relaxed, device) }, func() { g.nested(t, first, []*Var{help}, order) })
	until := begin // what the helper reads first
	if debtor {
		until = g.b.Atomic("k")
		t.Store(until, t.Int(1), pick(g, relaxed, release), device)
	}
	t = g.b.Thread(memmodel.Place{})
	t.Load(until, order(), device)
	if debtor {
		t.Store(help, t.Int(1), relaxed, device)
	} else {
		g.nested(t, help, []*Var{first}, order)
	}
	t = g.b.Thread(memmodel.Place{})
	if r := t.Load(begin, order(), device); debtor || g.chance(0.2) {
		t.ExitUnless(r)
	}
	if debtor && g.chance(0.6) {
		t.Fence(globalFlag, release, device)
	}
	t.RMW(pick(g, ir.Add, ir.Add, ir.Xchg), m, t.Int(1), pick(g, relaxed, relaxed, release), device)
	if !debtor {
		t = g.b.Thread(memmodel.Place{})
		t.Load(begin, order(), device)
		g.nested(t, y, []*Var{m, help}, order)
	}
	t = g.b.Thread(memmodel.Place{})
	g.nested(t, begin, []*Var{y}, order)
}

// baitedPromises draws a thread that may promise x before it reads a, and having read it only
// if it may read what another has promised that has read x; others write a, and what they
// read before that may be why somebody is about to read a promise, or not.
func (g *gen) baitedPromises() {
	a, x, y, u := g.b.Atomic("a"), g.b.Atomic("x"), g.b.Atomic("y"), g.b.Atomic("u")
	f := g.b.Var(Var{Name: "f", Region: memmodel.Local})
	order := func() memmodel.Order { return pick(g, relaxed, relaxed, relaxed, relaxed, acquire) }
	told := g.chance(0.7)
	t := g.b.Thread(memmodel.Place{})
	r := t.Load(a, order(), device)
	if told { // a write that cannot be promised
		t.Fence(localFlag, release, workGroup)
		t.Store(f, r, relaxed, workGroup)
	}
	t.If(r, func() { g.nested(t, x, []*Var{y}, order) }, func() { g.help(t, x) })
	t = g.b.Thread(memmodel.Place{})
	if told {
		t.Load(f, relaxed, workGroup)
	}
	g.nested(t, y, []*Var{x}, order)
	last := pick(g, x, x, y)
	fenced := g.chance(0.8)
	unpromised := func() {
		if fenced {
			t.Fence(globalFlag, release, device)
		}
	}
	t = g.b.Thread(memmodel.Place{})
	if g.chance(0.7) { // the one who writes a has waited for another
		t.ExitUnless(t.Load(u, order(), device))
		unpromised()
		g.help(t, a)
		t = g.b.Thread(memmodel.Place{})
		a = u
	}
	t.Load(last, order(), device)
	unpromised()
	g.help(t, a)
}

// rivalPromises draws two threads that write if they can exchange m, or else if they read what
// the other has written, and one that takes m away from both.
func (g *gen) rivalPromises() {
	m, x, y := g.b.Atomic("m"), g.b.Atomic("x"), g.b.Atomic("y")
	order := func() memmodel.Order { return pick(g, relaxed, relaxed, relaxed, relaxed, acquire) }
	for _, v := range [][2]*Var{{x, y}, {y, x}} {
		t := g.b.Thread(memmodel.Place{})
		ok, _ := t.CAS(m, CmpXchg{Expected: t.Int(0), Desired: t.Int(5), Order: order(), FailOrder: relaxed, Scope: device})
		t.If(ok, func() { g.help(t, v[0]) }, func() { g.nested(t, v[0], []*Var{v[1]}, order) })
	}
	t := g.b.Thread(memmodel.Place{})
	t.Load(pick(g, x, y), order(), device)
	if g.chance(0.8) {
		t.Fence(globalFlag, release, device)
	}
	t.RMW(pick(g, ir.Add, ir.Xchg), m, t.Int(1), pick(g, relaxed, relaxed, seqCst), device)
}

// nested has a thread answer 1 to v if it reads something else than 0 in each of several variables.
func (g *gen) nested(t *Thread, v *Var, from []*Var, order func() memmodel.Order) {
	if len(from) == 0 {
		t.Store(v, t.Int(1), pick(g, relaxed, relaxed, relaxed, release), device)
		return
	}
	var els func()
	if g.chance(0.1) {
		els = func() { t.Store(v, t.Int(1), relaxed, device) }
	}
	t.If(t.Load(from[0], order(), device), func() { g.nested(t, v, from[1:], order) }, els)
}

// help writes 1 to a variable, or adds it.
func (g *gen) help(t *Thread, v *Var) {
	if g.chance(0.2) {
		t.Blind(pick(g, ir.Add, ir.Xchg), v, t.Int(1), relaxed, device)
		return
	}
	t.Store(v, t.Int(1), pick(g, relaxed, relaxed, relaxed, release), device)
}

// lastOf reads the answer and then writes to what the others read.
func (g *gen) lastOf(y *Var, vars []*Var) {
	t := g.b.Thread(memmodel.Place{})
	if g.chance(0.5) {
		t.RMW(ir.Add, y, t.Int(1), relaxed, device)
	} else if r := t.Load(y, relaxed, device); g.chance(0.3) {
		t.ExitUnless(r)
	}
	if g.chance(0.2) {
		t.Fence(globalFlag, release, device)
	}
	for _, v := range vars {
		if g.chance(0.8) {
			t.Store(v, t.Int(2), pick(g, relaxed, release, release), device)
		} else {
			t.Blind(ir.Add, v, t.Int(2), pick(g, relaxed, release), device)
		}
	}
}
