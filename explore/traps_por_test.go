package explore

import (
	"fmt"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Programs that tell broken reductions apart, which random programs seldom do.

// peek loads a variable without making the value part of the outcome.
func peek(t *randprog.Thread, v *randprog.Var) randprog.Val {
	r := t.Reg()
	t.LoadInto(r, t.Addr(v, 0), rlx, dev)
	return r
}

// never runs a branch that is not taken. The search believes that it may be.
func never(t *randprog.Thread, v randprog.Val, then func()) {
	t.If(t.Bin(ir.Eq, v, t.Int(5)), then, nil)
}

// sleeper: the state in which P0 has read 0, P2 has ended and z is as it was in
// the beginning is met first with P1 asleep, behind P2's first branch, and then,
// with P1 awake, behind the second. What P1 writes below it shows only the
// second time. P0 may read g as 2.
func sleeper() *ir.Program {
	b := randprog.NewBuilder("sleeper")
	x, z, g := b.Atomic("x"), b.Atomic("z"), b.Var(randprog.Var{Name: "g", Hidden: true})
	p, q := b.Atomic("p"), b.Atomic("q")
	a, t, u, w := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2)), b.Thread(place(3))
	seen := a.Reg()
	r := peek(a, x)
	a.If(r, func() { a.LoadInto(seen, a.Addr(g, 0), rlx, dev) }, nil)
	never(a, r, func() { a.Store(z, a.Int(1), rlx, dev) })
	a.Observe(seen)
	r = t.Load(z, rlx, dev)
	t.Store(x, t.Int(1), rlx, dev)
	never(t, r, func() { t.Store(q, t.Int(1), rlx, dev) })
	u.If(peek(u, p), func() {
		u.Store(g, u.Int(1), rlx, dev)
		u.If(peek(u, q), func() { u.Store(z, u.Int(1), rlx, dev) }, nil)
	}, func() { u.Store(g, u.Int(2), rlx, dev) })
	for _, v := range []*randprog.Var{p, q, z} {
		w.Store(v, w.Int(1), rlx, dev)
	}
	return b.Program()
}

// renumbered: P2's write of z depends on the initial value of y. When P1 has
// read x, y's messages move up, and that one gets the number that P0's message
// of x had before. P0 may read z as 1.
func renumbered() *ir.Program {
	b := randprog.NewBuilder("renumbered")
	x, y, z := b.Var(randprog.Var{Name: "x", Hidden: true}), b.Var(randprog.Var{Name: "y", Hidden: true}), b.Atomic("z")
	p, u, v, w := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2)), b.Thread(place(3))
	r := p.Load(z, rlx, dev)
	p.Store(x, p.Int(1), rlx, dev)
	never(p, r, func() { p.Store(y, p.Int(2), rlx, dev) })
	peek(u, x)
	v.If(peek(v, y), nil, func() { v.Store(z, v.Int(1), rlx, dev) })
	w.Store(y, w.Int(1), rlx, dev)
	return b.Program()
}

// rounds: P0 chooses a value, looks at x, and goes round unless it finds that P1
// has counted y. What P1 then writes it may see in the same round only, with
// either value, from the second round on.
func rounds() *ir.Program {
	b := randprog.NewBuilder("rounds")
	x, y := b.Atomic("x"), b.Atomic("y")
	a, t := b.Thread(place(0)), b.Thread(place(1))
	seen, done := a.Reg(), a.Reg()
	count := func(t *randprog.Thread, n int64) randprog.Val {
		r := t.Reg()
		t.RMWInto(r, ir.Add, y, t.Int(n), rlx, dev)
		return r
	}
	a.Set(done, count(a, 0))
	a.While(func() randprog.Val { return a.Bin(ir.Eq, done, a.Int(0)) }, func() {
		v := a.Choose(2)
		a.If(peek(a, x), func() {
			a.Set(seen, a.Bin(ir.Add, v, a.Int(1)))
			a.Set(done, a.Int(1))
		}, func() { a.Set(done, count(a, 0)) })
	})
	a.Observe(seen)
	never(t, count(t, 1), nil)
	t.Store(x, t.Int(1), rlx, dev)
	return b.Program()
}

// sleepers: when P1 waits for P4 at the barrier and P0 sleeps, P2 reads x, which
// only P0 writes. P0 may have read what P3 writes, which nobody else has shown yet:
// it is not enough that P2 has its turn. P2 may read x as 2.
func sleepers() *ir.Program {
	b := randprog.NewBuilder("sleepers")
	x, y := b.Atomic("x"), b.Var(randprog.Var{Name: "y", Hidden: true})
	p, q, m, n := b.Atomic("p"), b.Atomic("q"), b.Atomic("m"), b.Atomic("n")
	c, v, t, w, z := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2)), b.Thread(place(3)), b.Thread(place(1))
	c.Store(x, c.Bin(ir.Add, c.Load(y, rlx, dev), c.Int(1)), rlx, dev)
	never(v, v.Load(p, rlx, dev), func() { v.Store(n, v.Int(1), rlx, dev) })
	v.Barrier("B", memmodel.GlobalFence, dev)
	never(v, v.Load(q, rlx, dev), func() { v.Store(n, v.Int(1), rlx, dev) })
	v.Store(y, v.Int(7), rlx, dev)
	t.Observe(t.Load(x, rlx, dev))
	never(w, w.Load(n, rlx, dev), func() {
		for _, l := range []*randprog.Var{p, q, m} {
			w.Store(l, w.Int(1), rlx, dev)
		}
	})
	w.Store(y, w.Int(1), rlx, dev)
	never(z, z.Load(m, rlx, dev), func() { z.Store(n, z.Int(1), rlx, dev) })
	z.Barrier("B", memmodel.GlobalFence, dev)
	return b.Program()
}

// exchanged: P2 may read what P0 exchanges the first value for and then what P1 stores and P0 waits
// for: an exchange is a round of waiting only if it changes nothing, be it of an old value.
func exchanged() *ir.Program {
	b := randprog.NewBuilder("exchanged")
	x := b.Atomic("x")
	p := b.Code()
	b.Run(p, place(0))
	r := p.Reg()
	p.While(func() randprog.Val {
		p.RMWInto(r, ir.Xchg, x, p.Int(1), rlx, dev)
		return p.Bin(ir.Ne, r, p.Int(5))
	}, nil)
	q := b.Thread(place(1))
	q.Store(x, q.Int(5), rlx, dev)
	w := b.Thread(place(2))
	w.Load(x, rlx, dev)
	w.Load(x, rlx, dev)
	return b.Program()
}

// released writes d and releases it by x = 1; another unit writes x = 2.
func released(b *randprog.Builder) (d, x *randprog.Var) {
	d, x = b.Plain("d"), b.Atomic("x")
	p, q := b.Thread(place(0)), b.Thread(place(1))
	p.Write(d, p.Int(1))
	p.Store(x, p.Int(1), rel, dev)
	q.Store(x, q.Int(2), rlx, dev)
	return d, x
}

// inVain is a compare-exchange of x that finds nothing that it expects.
func inVain(t *randprog.Thread, x *randprog.Var, failOrder memmodel.Order) {
	t.CASInto(t.Reg(), t.Reg(), x, randprog.CmpXchg{Expected: t.Int(7), Desired: t.Int(8), Order: failOrder, FailOrder: failOrder, Scope: dev})
}

// lateButAcquiring: P2's compare-exchange fails, whatever it finds, but if it finds 1 it acquires d,
// and if it finds 2, P2 races for d (rule 6.1).
func lateButAcquiring() *ir.Program {
	b := randprog.NewBuilder("late-but-acquiring")
	d, x := released(b)
	r := b.Thread(place(2))
	r.ExitUnless(r.Bin(ir.Eq, r.Load(x, rlx, dev), r.Int(1)))
	inVain(r, x, acq)
	r.Read(d)
	return b.Program()
}

// lateBehindFence: P3 knows of x = 1 from P2, which has not acquired d; what its
// compare-exchange finds, a fence acquires (rule 6.4).
func lateBehindFence() *ir.Program {
	b := randprog.NewBuilder("late-behind-fence")
	d, x := released(b)
	y := b.Atomic("y")
	w := b.Thread(place(2))
	w.ExitUnless(w.Bin(ir.Eq, w.Load(x, rlx, dev), w.Int(1)))
	w.Store(y, w.Int(1), rel, dev)
	r := b.Thread(place(3))
	r.ExitUnless(r.Load(y, acq, dev))
	inVain(r, x, rlx)
	r.Fence(memmodel.GlobalFence, acq, dev)
	r.Read(d)
	return b.Program()
}

// narrowAdder: P0's first addition has a scope that does not reach P1, and races with the loads by which
// P1 waits. The one that reads 2 acquires what P0 has done, and does not race with it.
func narrowAdder() *ir.Program {
	b := randprog.NewBuilder("narrow-adder")
	x := b.Atomic("x")
	p := b.Code()
	b.Run(p, place(0))
	p.Blind(ir.Add, x, p.Int(1), rlx, memmodel.ScopeWorkGroup)
	p.Blind(ir.Add, x, p.Int(1), rel, dev)
	q := b.Code()
	b.Run(q, place(1))
	q.While(func() randprog.Val { return q.Bin(ir.Ne, peekAcquire(q, x), q.Int(2)) }, nil)
	return b.Program()
}

// peekAcquire is peek with an acquire.
func peekAcquire(t *randprog.Thread, v *randprog.Var) randprog.Val {
	r := t.Reg()
	t.LoadInto(r, t.Addr(v, 0), acq, dev)
	return r
}

// A wait races also by what it reads in vain.
func TestAWaitRaces(t *testing.T) {
	for _, mode := range por.Modes() {
		if r := explored(narrowAdder(), Options{POR: mode, Promises: NoPromises}); !r.Has(state.DataRace) {
			t.Errorf("%s: no race is found; %v", mode, r.Incomplete)
		}
	}
}

// racingRound: P0 goes round until it sees x; in each round that it does not it reads y, too, by an operation whose
// scope P2 is not in. Then it has P2 write y, without ordering it: a race with the read of a round that
// need not have been (rules 3.5 and 9.2). If another, the read that races is not the last of the round.
func racingRound(another bool) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprint("racing-round-", another))
	x, y, z, w := b.Atomic("x"), b.Atomic("y"), b.Atomic("z"), b.Atomic("w")
	p := b.Thread(place(0))
	p.While(func() randprog.Val { return p.Bin(ir.Eq, peek(p, x), p.Int(0)) }, func() {
		seen := p.Reg()
		p.LoadInto(seen, p.Addr(y, 0), rlx, memmodel.ScopeWorkGroup)
		p.BreakIf(p.Bin(ir.Eq, seen, p.Int(5)))
		if another {
			p.BreakIf(p.Bin(ir.Eq, peek(p, w), p.Int(5)))
		}
	})
	p.Store(z, p.Int(1), rlx, dev)
	q := b.Thread(place(1))
	q.Store(x, q.Int(1), rlx, dev)
	r := b.Thread(place(2))
	r.ExitUnless(r.Load(z, rlx, dev))
	r.Store(y, r.Int(7), rlx, dev)
	never(r, peek(r, z), func() { r.Store(w, r.Int(7), rlx, dev) })
	return b.Program()
}

// inTheMiddle: the first round begins with the read that ends the others, so the unit has not been where that
// leads. It ends when it sees x, which comes, and y does not.
func inTheMiddle() *ir.Program {
	b := randprog.NewBuilder("in-the-middle")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(place(0))
	first := p.Reg()
	p.Set(first, p.Int(1))
	p.While(func() randprog.Val { return p.Int(1) }, func() {
		seen := p.Reg()
		p.Set(seen, p.Int(0))
		p.If(first, nil, func() { p.Set(seen, peek(p, x)) })
		p.BreakIf(seen)
		p.Set(first, p.Int(0))
		p.BreakIf(peek(p, y))
	})
	q := b.Thread(place(1))
	q.Store(x, q.Int(1), rlx, dev)
	never(q, peek(q, b.Atomic("w")), func() { q.Store(y, q.Int(1), rlx, dev) })
	return b.Program()
}

// either has p show one of two values, so that looking for one way out does not find all.
func either(b *randprog.Builder, p *randprog.Thread) {
	v := b.Var(randprog.Var{Name: "v", Hidden: true})
	p.Load(v, rlx, dev)
	q := b.Thread(place(3))
	q.Store(v, q.Int(1), rlx, dev)
}

// answered: P0 sets z in each round, which has P1 store x, which P0 sees in the next.
func answered() *ir.Program {
	b := randprog.NewBuilder("answered")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	p := b.Thread(place(0))
	p.While(func() randprog.Val { return p.Bin(ir.Eq, peek(p, x), p.Int(0)) }, func() {
		p.RMW(ir.Or, z, p.Int(1), rlx, dev)
		p.BreakIf(peek(p, y))
	})
	either(b, p)
	q := b.Thread(place(1))
	q.ExitUnless(peek(q, z))
	q.Store(x, q.Int(1), rlx, dev)
	never(q, peek(q, b.Atomic("w")), func() { q.Store(y, q.Int(1), rlx, dev) })
	return b.Program()
}

// remembered: P0 tells whether it has gone round, or, if it says what, what it has read of y last: 0 or 1.
func remembered(what bool) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprint("remembered-", what))
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(place(0))
	seen := p.Reg()
	p.Set(seen, p.Int(0))
	p.While(func() randprog.Val { return p.Bin(ir.Eq, peek(p, x), p.Int(0)) }, func() {
		r := seen
		if !what {
			p.Set(seen, p.Int(1))
			r = p.Reg()
		}
		p.LoadInto(r, p.Addr(y, 0), rlx, dev)
		p.BreakIf(p.Bin(ir.Eq, r, p.Int(5)))
	})
	p.Observe(seen)
	either(b, p)
	q := b.Thread(place(1))
	q.Store(y, q.Int(1), rlx, dev)
	q.Store(x, q.Int(1), rlx, dev)
	never(q, peek(q, b.Atomic("w")), func() { q.Store(y, q.Int(2), rlx, dev) })
	return b.Program()
}

// lookBefore: P0 tries to take a lock that seems to be free, and so does P1, twice each; who holds it
// writes d, which the lock orders (rules 6.1 and 7.7).
func lookBefore(take memmodel.Order) *ir.Program {
	b := randprog.NewBuilder("look-before-" + take.String())
	l, d := b.Var(randprog.Var{Name: "l", Hidden: true}), b.Plain("d")
	for i := range 3 {
		t := b.Thread(place(i))
		free := t.Reg()
		t.Set(free, t.Int(0))
		t.While(func() randprog.Val { return t.Bin(ir.Eq, free, t.Int(0)) }, func() {
			t.If(t.Bin(ir.Eq, peek(t, l), t.Int(0)), func() {
				r := t.Reg()
				t.RMWInto(r, ir.Xchg, l, t.Int(1), take, dev)
				t.Set(free, t.Bin(ir.Eq, r, t.Int(0)))
			}, nil)
		})
		t.Write(d, t.Int(1))
		t.Store(l, t.Int(0), rel, dev)
	}
	return b.Program()
}

// zeroAgain: P0 waits until it has not found y zero twice, where P1 has put a zero that P0 need not have seen. The newest
// zero is left out, since the older one teaches less, and the older one is a round of waiting. P1 goes
// on by an exchange and sets what P0 looks at before it waits: the last of two slots, where by is 1.
func zeroAgain(by int64) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprint("zero-again-", by))
	y, d := b.Atomic("y"), b.Var(randprog.Var{Name: "d", Len: 2})
	p, q := b.Thread(place(0)), b.Thread(place(1))
	seen := p.Reg()
	p.LoadInto(seen, p.Addr(d, 1), rlx, dev)
	p.Observe(seen)
	p.While(func() randprog.Val {
		first := p.Bin(ir.Eq, peek(p, y), p.Int(0))
		return p.Bin(ir.And, first, p.Bin(ir.Eq, peek(p, y), p.Int(0)))
	}, nil)
	q.Store(y, q.Int(0), rlx, dev)
	old := q.Reg()
	for range 2 {
		q.RMWInto(old, ir.Add, y, q.Int(by), rlx, dev)
	}
	q.StoreAt(q.Elem(d, old), q.Int(2), rlx, dev)
	return b.Program()
}

// What P1 does depends on nothing that P0 does, so P0 may look before or after it. When P1 is done, y is 2, which P0
// reads in the end (rule 7.9). If P1 adds nothing, y stays zero: P0 waits for ever.
func TestNewestOfOneValue(t *testing.T) {
	for by, want := range map[int64]string{
		1: "[map[0:r0:0 d[0]:0 d[1]:2 y:2] map[0:r0:2 d[0]:0 d[1]:2 y:2]] []",
		0: "[] [no way out]",
	} {
		r := explored(zeroAgain(by), Options{POR: por.DPOR, Promises: NoPromises})
		if got := fmt.Sprint(r.Outcomes, kinds(r)); got != want {
			t.Errorf("%s: %s, want %s", zeroAgain(by).Name, got, want)
		}
	}
}

// endsOrWaits: P0 goes on if it reads the x that was there at first, and waits for ever if it reads P1's (rule 7.9). P1
// has then something else to look at.
func endsOrWaits() *ir.Program {
	b := randprog.NewBuilder("ends-or-waits")
	x, z := b.Var(randprog.Var{Name: "x", Init: 1}), b.Atomic("z")
	p, q, r := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2))
	p.While(func() randprog.Val { return p.Bin(ir.Eq, peek(p, x), p.Int(0)) }, nil)
	q.Store(x, q.Int(0), rlx, dev)
	q.Observe(q.Load(z, rlx, dev))
	r.Store(z, r.Int(1), rlx, dev)
	return b.Program()
}

// Who waits on the newest message lets the others go on, even if an older one leads it to its end.
func TestWaitsOnNewest(t *testing.T) {
	for _, mode := range por.Modes() {
		if r := explored(endsOrWaits(), Options{POR: mode, Promises: NoPromises}); !r.Has(state.Deadlock) {
			t.Errorf("%s: %v, want a deadlock", mode, kinds(r))
		}
	}
}
