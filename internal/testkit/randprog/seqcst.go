package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// gaps draws threads that store to two locations both by seq_cst operations and by others,
// look at them by seq_cst loads, and write data that nothing guards but what they
// have seen: what rule 8.3 forbids decides whether there is a race.
func (g *gen) gaps() {
	vars := []*Var{g.b.Atomic("x"), g.b.Atomic("y")}
	d := g.b.Plain("d")
	weight := pick(g, 1, 2, 3) // how often x is drawn for y
	any := func() *Var {
		if g.IntN(1+weight) == 0 {
			return vars[1]
		}
		return vars[0]
	}
	n := pick(g, 2, 2, 3)
	for range n {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		for range pick(g, 1, 2, 2, 4-n) {
			switch g.IntN(8) {
			case 0, 1, 2:
				t.Store(any(), t.Int(g.value()), seqCst, device)
			case 3, 4:
				t.Store(vars[0], t.Int(g.value()), pick(g, relaxed, relaxed, release), device)
			case 5:
				t.RMW(ir.Xchg, any(), t.Int(g.value()), pick(g, relaxed, acqRel, seqCst), device)
			default:
				t.Load(any(), pick(g, seqCst, seqCst, seqCst, acquire), device)
			}
		}
		if g.chance(0.7) { // perhaps only if it has seen what it should not
			r := t.Load(any(), seqCst, device)
			if g.chance(0.8) {
				t.ExitUnless(t.Bin(ir.Eq, r, t.Int(g.Int64N(g.last+1))))
			}
			t.Write(d, t.Int(1))
		}
	}
}

// relays draws threads that hand on by read-modify-writes what nobody loads, with
// seq_cst operations and fences around.
func (g *gen) relays() {
	x, y := g.b.Atomic("x"), g.b.Atomic("y")
	d := g.b.Plain("d")
	fences := g.chance(0.4)
	guarded := g.chance(0.5)
	n := pick(g, 2, 3, 3)
	for i := range n {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		if guarded && i == 0 {
			t.Write(d, t.Int(1))
		}
		for range pick(g, 1, 2, 2, 5-n) {
			switch g.IntN(7) {
			case 0, 1, 2:
				r := t.RMW(ir.Xchg, x, t.Int(g.value()), pick(g, seqCst, seqCst, relaxed, acqRel, acquire), device)
				if guarded && i > 0 && g.chance(0.4) {
					t.ExitUnless(r)
					t.Read(d)
				}
			case 3:
				t.Store(pick(g, x, y, y), t.Int(g.value()), pick(g, seqCst, seqCst, release, relaxed), device)
			case 4:
				t.Load(y, pick(g, seqCst, seqCst, relaxed), device)
			case 5:
				t.RMW(ir.Xchg, y, t.Int(g.value()), pick(g, seqCst, acqRel), device)
			default:
				if fences {
					t.Fence(globalFlag, seqCst, device)
				} else {
					t.Store(y, t.Int(g.value()), seqCst, device)
				}
			}
		}
	}
}

// chains draws data that passes through three or four threads by seq_cst operations
// and fences of either region, so that some links are no action of the data's (rule 6.8).
func (g *gen) chains() {
	region := func() memmodel.Region { return pick(g, memmodel.Global, memmodel.Local, memmodel.Local) }
	d := g.b.Var(Var{Name: "d", Region: pick(g, memmodel.Global, memmodel.Global, memmodel.Local), Plain: true})
	flag := g.b.Var(Var{Name: "x", Region: region()})
	fence := func(t *Thread) {
		if g.chance(0.85) {
			t.Fence(pick(g, globalFlag, localFlag, bothFlags, bothFlags), pick(g, seqCst, seqCst, seqCst, acqRel), workGroup)
		}
	}
	order := func() memmodel.Order { return pick(g, relaxed, seqCst, seqCst) }
	t := g.b.Thread(memmodel.Place{})
	t.Write(d, t.Int(1))
	fence(t)
	t.Store(flag, t.Int(1), order(), workGroup)
	for i := range pick(g, 1, 1, 2) {
		next := flag
		if g.chance(0.4) {
			next = g.b.Var(Var{Name: string("yz"[i]), Region: region()})
		}
		t := g.b.Thread(memmodel.Place{})
		switch {
		case next == flag && g.chance(0.8):
			r := t.RMW(ir.Add, flag, t.Int(1), pick(g, seqCst, seqCst, seqCst, acqRel), workGroup)
			t.ExitUnless(r)
			if g.chance(0.6) {
				t.Store(flag, t.Int(5), relaxed, workGroup)
			}
		default:
			t.ExitUnless(t.Load(flag, order(), workGroup))
			fence(t)
			t.Store(next, t.Int(g.value()+5), order(), workGroup)
		}
		flag = next
	}
	t = g.b.Thread(memmodel.Place{})
	r := t.Load(flag, order(), workGroup)
	t.ExitUnless(t.Bin(ir.Le, t.Int(pick(g, int64(1), 2, 5)), r))
	fence(t)
	t.Read(d)
}

// seqCstLocks draws threads that take a lock of any make, orders and scope, with or without
// right, before they write data; some wait for what an exchange of their own ends.
func (g *gen) seqCstLocks() {
	l, x := g.b.Atomic("l"), g.b.Atomic("x")
	d := g.b.Plain("d")
	kind := g.IntN(4)
	take, clear := pick(g, acquire, acqRel, seqCst, seqCst), pick(g, release, seqCst, seqCst, relaxed)
	scope := pick(g, device, device, device, allSVM, workGroup)
	for range pick(g, 2, 2, 3) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		if g.chance(0.2) { // sets a flag until it finds it set
			t.While(func() Val { return t.Bin(ir.Eq, t.RMW(ir.Xchg, x, t.Int(1), take, scope), t.Int(0)) }, nil)
			continue
		}
		if g.chance(0.15) {
			t.While(func() Val { return t.Bin(ir.Eq, t.Load(x, pick(g, acquire, seqCst), scope), t.Int(0)) }, nil)
		}
		t.While(func() Val { return g.tries(t, kind, l, take, scope) }, nil)
		t.Write(d, t.Bin(ir.Add, t.Read(d), t.Int(1)))
		if g.chance(0.2) {
			t.Store(x, t.Int(1), pick(g, relaxed, seqCst), scope)
		}
		if g.chance(0.95) {
			t.Store(l, t.Int(0), clear, scope)
		}
	}
}

// tries tries to take a lock and returns whether that has failed.
func (g *gen) tries(t *Thread, kind int, l *Var, o memmodel.Order, s memmodel.Scope) Val {
	fail := o
	if o == acqRel {
		fail = acquire
	}
	switch kind {
	case 0:
		return t.RMW(ir.Xchg, l, t.Int(1), o, s)
	case 1: // test, and test-and-set
		r := t.Reg()
		t.LoadInto(r, t.Addr(l, 0), fail, s)
		t.If(r, nil, func() { t.RMWInto(r, ir.Xchg, l, t.Int(1), o, s) })
		return r
	}
	ok, _ := t.CAS(l, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: o, FailOrder: fail, Scope: s, Weak: kind == 3})
	return t.Bin(ir.Eq, ok, t.Int(0))
}

// long draws threads of which one performs more seq_cst operations in a row than the
// graph of S holds, and data that may be in a race behind them.
func (g *gen) long() {
	x, y, z := g.b.Atomic("x"), g.b.Atomic("y"), g.b.Atomic("z")
	d := g.b.Plain("d")
	t := g.b.Thread(memmodel.Place{})
	ops := []int{g.IntN(5), g.IntN(5)}
	t.Repeat(65+g.Int64N(10), func(Val) {
		for _, op := range ops {
			switch op {
			case 0:
				t.Store(x, t.Int(1), seqCst, device)
			case 1:
				t.RMW(ir.Add, x, t.Int(0), seqCst, device)
			case 2:
				t.LoadInto(t.Reg(), t.Addr(y, 0), seqCst, device)
			case 3:
				t.Fence(globalFlag, seqCst, device)
			default:
				t.Store(y, t.Int(1), seqCst, device)
			}
		}
	})
	t.Write(d, t.Int(1))
	if g.chance(0.5) {
		t.Store(z, t.Int(1), pick(g, relaxed, seqCst), device)
	}
	if u := g.b.Thread(memmodel.Place{Group: 1}); g.chance(0.7) {
		if g.chance(0.7) {
			u.ExitUnless(u.Load(z, pick(g, acquire, seqCst, relaxed), device))
		}
		u.Write(d, u.Int(2))
	}
}
