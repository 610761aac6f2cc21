package explore

import (
	"context"
	"math"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// forgotten are programs that go wrong where what is over is forgotten although
// something still depends on it. The axioms say what is right.
func forgotten() []*ir.Program {
	return []*ir.Program{ownSequence(), ownRead(), continued(), continuedByFirst(), throughGroup(), emptyRelease(), sameValue(), unequalScopes()}
}

// ownSequence: P0's second store continues the release sequence that its first heads,
// so who reads it may read d (rule 5.4).
func ownSequence() *ir.Program {
	b := randprog.NewBuilder("own-sequence")
	d, x := b.Plain("d"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.Store(x, p.Int(1), rel, dev)
	p.Store(x, p.Int(2), rlx, dev)
	q := b.Thread(place(1))
	q.ExitUnless(q.Bin(ir.Eq, q.Load(x, acq, dev), q.Int(2)))
	q.Read(d)
	return b.Program()
}

// ownRead: who has read y = 1 may not read x = 0 any more (rules 6.1, 7.4), which the
// release says of x, and only of y goes without saying.
func ownRead() *ir.Program {
	b := randprog.NewBuilder("own-read")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(place(0))
	p.Store(x, p.Int(1), rlx, dev)
	p.Store(y, p.Int(1), rel, dev)
	q := b.Thread(place(1))
	q.Load(y, acq, dev)
	q.Load(x, rlx, dev)
	return b.Program()
}

// continued: of two releases that one read-modify-write chain carries, that of P1 alone
// goes on through P1's store of 9, so that P2's read of d races (rule 5.4).
func continued() *ir.Program {
	b := randprog.NewBuilder("continued")
	d, x := b.Plain("d"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.RMW(ir.Add, x, p.Int(1), rel, dev)
	q := b.Thread(place(1))
	q.RMW(ir.Add, x, q.Int(2), rel, dev)
	q.Store(x, q.Int(9), rlx, dev)
	r := b.Thread(place(2))
	r.ExitUnless(r.Bin(ir.Eq, r.RMW(ir.Add, x, r.Int(100), acq, dev), r.Int(9)))
	r.Read(d)
	return b.Program()
}

// continuedByFirst: P0 goes on with its release sequence behind P1's release, so who has read
// 9 has seen e = 1, but maybe not d = 1, though P1 has come to its end (rule 5.4).
func continuedByFirst() *ir.Program {
	b := randprog.NewBuilder("continued-by-first")
	d, e, x, z := b.Atomic("d"), b.Atomic("e"), b.Atomic("x"), b.Atomic("z")
	p := b.Thread(place(0))
	p.Store(e, p.Int(1), rlx, dev)
	p.RMW(ir.Or, x, p.Int(2), rel, dev)
	p.Store(x, p.Int(9), rlx, dev)
	q := b.Thread(place(1))
	q.Store(d, q.Int(1), rlx, dev)
	q.RMW(ir.Or, x, q.Int(1), rel, dev)
	q.Store(z, q.Int(1), rlx, dev)
	r := b.Thread(place(2))
	r.ExitUnless(r.Load(z, rlx, dev))
	r.ExitUnless(r.Bin(ir.Eq, r.Load(x, acq, dev), r.Int(9)))
	r.Load(d, rlx, dev)
	r.Load(e, rlx, dev)
	return b.Program()
}

// throughGroup: what P0 has done reaches P2 through P1, which is of P2's work-group,
// though the release that P2 reads has no scope in common with P0 (rules 3.5, 5.5).
func throughGroup() *ir.Program {
	b := randprog.NewBuilder("through-group")
	d, x, y := b.Plain("d"), b.Atomic("x"), b.Atomic("y")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.Store(x, p.Int(1), rel, dev)
	q := b.Thread(place(1))
	q.ExitUnless(q.Load(x, acq, dev))
	q.Store(y, q.Int(1), rel, memmodel.ScopeWorkGroup)
	r := b.Thread(place(1))
	r.ExitUnless(r.Load(y, acq, memmodel.ScopeWorkGroup))
	r.Read(d)
	return b.Program()
}

// emptyRelease: P0's read-modify-write changes nothing, but who has not read it has not
// acquired what it releases: P2 may have read P1's without it (rule 6.1).
func emptyRelease() *ir.Program {
	b := randprog.NewBuilder("empty-release")
	d, x := b.Plain("d"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.RMW(ir.Or, x, p.Int(0), rel, dev)
	q := b.Thread(place(1))
	q.RMW(ir.Add, x, q.Int(1), rlx, dev)
	r := b.Thread(place(2))
	r.ExitUnless(r.Load(x, acq, dev))
	r.Read(d)
	return b.Program()
}

// sameValue: between two plain stores of one value another may come: P3 may read 1, 2, 1.
func sameValue() *ir.Program {
	b := randprog.NewBuilder("same-value")
	x := b.Atomic("x")
	for i := range 2 {
		p := b.Thread(place(i))
		p.Store(x, p.Int(1), rlx, dev)
	}
	q := b.Thread(place(2))
	q.Load(x, rlx, dev)
	q.Store(x, q.Int(2), rlx, dev)
	r := b.Thread(place(3))
	for range 3 {
		r.Load(x, rlx, dev)
	}
	return b.Program()
}

// unequalScopes: P2 acquires what P1 publishes, but not what P0 does, whose fence has
// the scope of its work-group only (rule 6.4).
func unequalScopes() *ir.Program {
	b := randprog.NewBuilder("unequal-scopes")
	d, e, x := b.Plain("d"), b.Plain("e"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.Fence(memmodel.GlobalFence, rel, memmodel.ScopeWorkGroup)
	p.RMW(ir.Add, x, p.Int(5), rlx, dev)
	q := b.Thread(place(0))
	q.Write(e, q.Int(1))
	q.Fence(memmodel.GlobalFence, rel, dev)
	q.RMW(ir.And, x, q.Int(3), rlx, dev)
	r := b.Thread(place(1))
	r.ExitUnless(r.Bin(ir.Eq, r.RMW(ir.Add, x, r.Int(100), acq, dev), r.Int(1)))
	r.Read(d)
	r.Read(e)
	return b.Program()
}

// tried is a way to try to take a lock, which is free while it is 0.
type tried func(t *randprog.Thread, x *randprog.Var, ok randprog.Val)

func byCAS(t *randprog.Thread, x *randprog.Var, ok randprog.Val) {
	t.CASInto(ok, t.Reg(), x, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: acq, FailOrder: rlx, Scope: dev})
}

func byExchange(t *randprog.Thread, x *randprog.Var, ok randprog.Val) {
	t.RMWInto(ok, ir.Xchg, x, t.Int(1), acq, dev)
	t.Set(ok, t.Bin(ir.Eq, ok, t.Int(0)))
}

// whenFree exchanges when it has seen that the lock is free.
func whenFree(t *randprog.Thread, x *randprog.Var, ok randprog.Val) {
	t.LoadInto(ok, t.Addr(x, 0), rlx, dev)
	t.Set(ok, t.Bin(ir.Eq, ok, t.Int(0)))
	t.If(ok, func() { byExchange(t, x, ok) }, nil)
}

// heldLock returns n units that take a lock, add to a plain variable and let it go. Each adds
// another number, so that no symmetry exchanges them.
func heldLock(n int, try tried) *ir.Program {
	b := randprog.NewBuilder("lock")
	x, sum := b.Atomic("x"), b.Plain("sum")
	for i := range n {
		t := b.Code() // what it reads is no part of the outcome
		b.Run(t, place(i))
		ok := t.Reg()
		t.Set(ok, t.Int(0))
		t.While(func() randprog.Val { return t.Bin(ir.Eq, ok, t.Int(0)) }, func() { try(t, x, ok) })
		t.Write(sum, t.Bin(ir.Add, t.Read(sum), t.Int(1<<i)))
		t.Store(x, t.Int(0), rel, dev)
	}
	return b.Program()
}

// What is left of those who have held a lock is who they were, and which of them was the
// last: n 2^(n-1) states for n units, where their order would make it n!. Those who look before
// they exchange may be at the exchange several at a time: about ten times as many for one more.
func TestPastHoldersOfALock(t *testing.T) {
	for _, c := range []struct {
		name   string
		try    tried
		most   int
		states func(n int) int
	}{
		{"compare-exchange", byCAS, 8, func(n int) int { return 1 << n }},
		{"exchange", byExchange, 8, func(n int) int { return 1 << n }},
		{"load and exchange", whenFree, 4, func(n int) int { return int(math.Pow10(n - 1)) }},
	} {
		for n := 3; n <= c.most; n++ {
			r := Run(context.Background(), heldLock(n, c.try), Options{Promises: NoPromises, MaxStates: 100_000})
			if !r.Complete || len(r.Violations) > 0 {
				t.Fatalf("%s, %d units: %v, violations %v", c.name, n, r.Incomplete, r.Violations)
			}
			t.Logf("%s, %d units: %d states", c.name, n, r.Stats.States)
			if most := c.states(n); r.Stats.States > most {
				t.Errorf("%s, %d units: %d states, more than %d", c.name, n, r.Stats.States, most)
			}
		}
	}
}

// lastToAdd returns n units that write a number of their own, and of which the last to add to a
// counter reads what all have written.
func lastToAdd(n int) *ir.Program {
	b := randprog.NewBuilder("last")
	count := b.Atomic("count")
	var own []*randprog.Var
	for i := range n {
		own = append(own, b.Plain(string(rune('a'+i))))
	}
	for i := range n {
		t := b.Code()
		b.Run(t, place(i))
		t.Write(own[i], t.Int(int64(i)))
		t.ExitUnless(t.Bin(ir.Eq, t.RMW(ir.Add, count, t.Int(1), memmodel.AcqRel, dev), t.Int(int64(n-1))))
		for _, v := range own {
			t.Read(v)
		}
	}
	return b.Program()
}

// What is left of those who have added to a counter is who they were: 2^n states for n units,
// where it would be n! if it were kept who knew of whom.
func TestPastHoldersOfACounter(t *testing.T) {
	for n := 3; n <= 7; n++ {
		r := Run(context.Background(), lastToAdd(n), Options{Promises: NoPromises, MaxStates: 100_000})
		if !r.Complete || len(r.Violations) > 0 {
			t.Fatalf("%d units: %v, violations %v", n, r.Incomplete, r.Violations)
		}
		t.Logf("%d units: %d states", n, r.Stats.States)
		if r.Stats.States > 1<<n {
			t.Errorf("%d units: %d states, more than %d", n, r.Stats.States, 1<<n)
		}
	}
}

// storesOfKernels returns a unit of each of n kernels that stores 1 to x in some order of memory, and one that looks at x twice.
func storesOfKernels(n int, o memmodel.Order) *ir.Program {
	b := randprog.NewBuilder("stores")
	x := b.Atomic("x")
	for i := range n {
		t := b.Thread(memmodel.Place{Kernel: uint32(1 + i)})
		t.Store(x, t.Int(1), o, dev)
	}
	t := b.Thread(place(0))
	t.Load(x, acq, dev)
	t.Load(x, acq, dev)
	return b.Program()
}

// Who acquires a release of x has seen its message, and where the unit had seen nothing else nobody learns anything by it: there are as many states
// as if the stores were relaxed, whoever has stored first.
func TestPastHoldersOfNothing(t *testing.T) {
	for n := 2; n <= 4; n++ {
		relaxed, released := explored(storesOfKernels(n, rlx), Options{Promises: NoPromises}), explored(storesOfKernels(n, rel), Options{Promises: NoPromises})
		if !relaxed.Complete || !released.Complete || len(released.Outcomes) != 3 { // 0 and 0, 0 and 1, 1 and 1
			t.Errorf("%d stores: %v and %v, %d outcomes", n, relaxed.Incomplete, released.Incomplete, len(released.Outcomes))
		}
		if a, b := relaxed.Stats.States, released.Stats.States; a != b {
			t.Errorf("%d stores: %d states if they release, %d if not", n, b, a)
		}
	}
}

// firstToClaim returns n units that each try to claim x.
func firstToClaim(n int) *ir.Program {
	b := randprog.NewBuilder("claim")
	x := b.Atomic("x")
	for i := range n {
		t := b.Code()
		b.Run(t, place(i))
		t.CASInto(t.Reg(), t.Reg(), x, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(int64(i + 1)), Order: rlx, FailOrder: rlx, Scope: dev})
	}
	return b.Program()
}

// Of n units that try to claim something all but the first come too late, in whatever order: there
// is one state for each that may have claimed it, beside the first.
func TestLateClaims(t *testing.T) {
	const n = 16
	r := Run(context.Background(), firstToClaim(n), Options{})
	if !r.Complete || len(r.Outcomes) != n {
		t.Fatalf("%v, outcomes %v", r.Incomplete, r.Outcomes)
	}
	if r.Stats.States > n+1 {
		t.Errorf("%d states, more than %d", r.Stats.States, n+1)
	}
}

// addedTwice returns a unit that adds 1 to x twice, one that waits for that, and one that looks.
func addedTwice(name string, look func(t *randprog.Thread, x *randprog.Var)) *ir.Program {
	b := randprog.NewBuilder(name)
	x := b.Atomic("x")
	p := b.Code()
	b.Run(p, place(0))
	for range 2 {
		p.Blind(ir.Add, x, p.Int(1), rlx, dev)
	}
	q := b.Code()
	b.Run(q, place(1))
	until(q, x, q.Reg(), ir.Ne, 2, nil)
	look(b.Thread(place(2)), x)
	return b.Program()
}

// until waits while what it reads compares to k as op says.
func until(t *randprog.Thread, x *randprog.Var, r randprog.Val, op ir.Alu, k int64, body func()) {
	t.While(func() randprog.Val {
		t.LoadInto(r, t.Addr(x, 0), rlx, dev)
		return t.Bin(op, r, t.Int(k))
	}, body)
}

// A value on which one unit only waits for another one is there for others that look: by
// coherence, each may read 0, 1 and 2 in this order, or leave any of them out.
func TestOthersLookAtWhatIsAwaited(t *testing.T) {
	for _, c := range []certifiedCase{
		{addedTwice("a load", func(t *randprog.Thread, x *randprog.Var) { t.Load(x, rlx, dev) }), "2:r0=1", true},
		{addedTwice("a compare-exchange", func(t *randprog.Thread, x *randprog.Var) {
			old := t.Reg()
			t.CASInto(t.Reg(), old, x, randprog.CmpXchg{Expected: t.Int(7), Desired: t.Int(8), Order: rlx, FailOrder: rlx, Scope: dev})
			t.Observe(old)
		}), "2:r0=1", true},
		{addedTwice("a wait for less", func(t *randprog.Thread, x *randprog.Var) {
			r := t.Reg()
			until(t, x, r, ir.Eq, 0, nil)
			t.Observe(r)
		}), "2:r0=1", true},
		{addedTwice("a wait that remembers", func(t *randprog.Thread, x *randprog.Var) {
			r, last := t.Reg(), t.Reg()
			t.Set(last, t.Int(0))
			until(t, x, r, ir.Ne, 2, func() { t.Set(last, r) })
			t.Observe(last)
		}), "2:r0=1", true},
		{addedTwice("a wait that gives up", func(t *randprog.Thread, x *randprog.Var) {
			r, n := t.Reg(), t.Reg()
			t.Set(n, t.Int(0))
			t.While(func() randprog.Val {
				t.LoadInto(r, t.Addr(x, 0), rlx, dev)
				return t.Bin(ir.And, t.Bin(ir.Ne, r, t.Int(2)), t.Bin(ir.Lt, n, t.Int(1)))
			}, func() { t.Set(n, t.Bin(ir.Add, n, t.Int(1))) })
			t.Observe(r)
		}), "2:r0=1", true},
		{addedTwice("a wait that need not be", func(t *randprog.Thread, x *randprog.Var) {
			r, never := t.Reg(), t.Choose(2)
			t.While(func() randprog.Val {
				t.LoadInto(r, t.Addr(x, 0), rlx, dev)
				return t.Bin(ir.And, t.Bin(ir.Ne, r, t.Int(2)), t.Bin(ir.Eq, never, t.Int(0)))
			}, nil)
			t.Observe(r)
		}), "2:r0=1", true},
		{addedTwice("a wait that is left", func(t *randprog.Thread, x *randprog.Var) {
			r, never := t.Reg(), t.Choose(2)
			until(t, x, r, ir.Ne, 2, func() { t.BreakIf(never) })
			t.Observe(r)
		}), "2:r0=1", true},
		{addedTwice("a wait alone", func(t *randprog.Thread, x *randprog.Var) {
			r := t.Reg()
			until(t, x, r, ir.Ne, 2, nil)
			t.Observe(r)
		}), "2:r0=1", false},
	} {
		r := explored(c.program, Options{Promises: NoPromises})
		if !r.Complete || occurs(r, c.outcome) != c.occurs {
			t.Errorf("%s: %s is found: %v, want %v; %v", c.program.Name, c.outcome, !c.occurs, c.occurs, r.Incomplete)
		}
	}
}

// readersLock returns writers and readers of one lock, which take what they want of it, give it back if
// others have too much, and wait until there is enough: a writer wants all.
func readersLock(writers, readers int) *ir.Program {
	const all = 100
	b := randprog.NewBuilder("readers' lock")
	lock := b.Var(randprog.Var{Name: "lock", Init: all})
	d := b.Plain("d")
	code := func(want int64, poor func(t *randprog.Thread, v randprog.Val) randprog.Val, inside func(t *randprog.Thread)) *randprog.Thread {
		t := b.Code()
		had := t.Reg()
		take := func() { t.RMWInto(had, ir.Sub, lock, t.Int(want), memmodel.Acquire, dev) }
		take()
		t.While(func() randprog.Val { return poor(t, had) }, func() {
			t.Blind(ir.Add, lock, t.Int(want), rlx, dev)
			seen := t.Reg()
			t.While(func() randprog.Val {
				t.LoadInto(seen, t.Addr(lock, 0), rlx, dev)
				return poor(t, seen)
			}, nil)
			take()
		})
		inside(t)
		t.Blind(ir.Add, lock, t.Int(want), rel, dev)
		return t
	}
	w := code(all, func(t *randprog.Thread, v randprog.Val) randprog.Val { return t.Bin(ir.Ne, v, t.Int(all)) }, func(t *randprog.Thread) { t.Write(d, t.Int(1)) })
	r := code(1, func(t *randprog.Thread, v randprog.Val) randprog.Val { return t.Bin(ir.Le, v, t.Int(0)) }, func(t *randprog.Thread) { t.Glance(d, memmodel.NonAtomic, memmodel.ScopeWorkItem) })
	for i := range writers + readers {
		if i < writers {
			b.Run(w, place(i))
		} else {
			b.Run(r, place(i))
		}
	}
	return b.Program()
}

// Who waits for a lock of readers and writers only asks whether there is enough: what matters of the
// values that the lock has had is which of them were enough for whom. So one reader more makes
// about four times as many states, where the values themselves made it fifteen times as many.
func TestRetriesOfReaders(t *testing.T) {
	for n := 1; n <= 5; n++ {
		r := Run(context.Background(), readersLock(1, n), Options{Promises: NoPromises, MaxStates: 100_000})
		if !r.Complete || len(r.Violations) > 0 {
			t.Fatalf("%d readers: %v, violations %v", n, r.Incomplete, r.Violations)
		}
		t.Logf("%d readers: %d states", n, r.Stats.States)
		if most := 5 << (2 * n); r.Stats.States > most {
			t.Errorf("%d readers: %d states, more than %d", n, r.Stats.States, most)
		}
	}
}
