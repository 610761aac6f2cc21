package explore

import (
	"context"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// poll is a lock that is taken again and again until all have been there.
type poll struct {
	name string
	take func(t *randprog.Thread, x *randprog.Var)
	free func(t *randprog.Thread, x *randprog.Var)
	most [3]int // how many states two units, three units, and two units with two locks may have
}

var polls = []poll{
	{"compare-exchange and exchange", takeByCAS(false), freeByExchange, [3]int{32, 160, 64}},
	{"compare-exchange and store", takeByCAS(false), freeByStore, [3]int{16, 64, 32}},
	{"weak compare-exchange and store", takeByCAS(true), freeByStore, [3]int{16, 64, 32}},
	{"compare-exchange and subtraction", takeByCAS(false), func(t *randprog.Thread, x *randprog.Var) { t.Blind(ir.Sub, x, t.Int(1), rel, dev) }, [3]int{32, 160, 64}},
	{"exchange and store", takeByExchange, freeByStore, [3]int{16, 64, 32}},
	{"exchange and exchange", takeByExchange, freeByExchange, [3]int{32, 160, 64}},
	{"bit", func(t *randprog.Thread, x *randprog.Var) {
		r := t.Reg()
		t.While(func() randprog.Val { t.RMWInto(r, ir.Or, x, t.Int(1), acq, dev); return r }, nil)
	}, func(t *randprog.Thread, x *randprog.Var) { t.Blind(ir.And, x, t.Int(0), rel, dev) }, [3]int{32, 160, 64}},
	{"look and compare-exchange, store", takeByLook, freeByStore, [3]int{40, 400, 88}},
	{"look and compare-exchange, exchange", takeByLook, freeByExchange, [3]int{64, 640, 128}},
}

func takeByCAS(weak bool) func(t *randprog.Thread, x *randprog.Var) {
	return func(t *randprog.Thread, x *randprog.Var) {
		ok, old, want := t.Reg(), t.Reg(), t.Reg()
		t.Set(want, t.Int(0))
		t.While(func() randprog.Val {
			t.CASInto(ok, old, x, randprog.CmpXchg{Expected: want, Desired: t.Int(1), Order: acq, FailOrder: rlx, Scope: dev, Weak: weak})
			return t.Bin(ir.Eq, ok, t.Int(0))
		}, func() { t.Set(want, old); t.Set(want, t.Int(0)) })
	}
}

func takeByExchange(t *randprog.Thread, x *randprog.Var) {
	r := t.Reg()
	t.While(func() randprog.Val { t.RMWInto(r, ir.Xchg, x, t.Int(1), acq, dev); return r }, nil)
}

func takeByLook(t *randprog.Thread, x *randprog.Var) {
	ok, r := t.Reg(), t.Reg()
	t.Set(ok, t.Int(0))
	t.While(func() randprog.Val { return t.Bin(ir.Eq, ok, t.Int(0)) }, func() {
		until(t, x, r, ir.Ne, 0, nil)
		t.CASInto(ok, t.Reg(), x, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: acq, FailOrder: rlx, Scope: dev})
	})
}

func freeByStore(t *randprog.Thread, x *randprog.Var)    { t.Store(x, t.Int(0), rel, dev) }
func freeByExchange(t *randprog.Thread, x *randprog.Var) { t.Blind(ir.Xchg, x, t.Int(0), rel, dev) }

// polled returns n units that count under locks, and then take these again and again until all have counted.
func polled(n, locks int, p poll) *ir.Program {
	b := randprog.NewBuilder(p.name)
	var x []*randprog.Var
	for i := range locks {
		x = append(x, b.Var(randprog.Var{Name: string(rune('x' + i)), Hidden: true}))
	}
	sum := b.Plain("sum")
	for i := range n {
		t := b.Code()
		b.Run(t, place(i))
		take := func() {
			for _, x := range x {
				p.take(t, x)
			}
		}
		free := func() {
			for i := range x {
				p.free(t, x[len(x)-1-i])
			}
		}
		waiting, seen := t.Reg(), t.Reg()
		take()
		t.Write(sum, t.Bin(ir.Add, t.Read(sum), t.Int(1)))
		free()
		t.Set(waiting, t.Int(1))
		t.While(func() randprog.Val { return waiting }, func() {
			take()
			t.LoadInto(seen, t.Addr(sum, 0), memmodel.NonAtomic, memmodel.ScopeWorkItem)
			t.Set(waiting, t.Bin(ir.Ne, seen, t.Int(int64(n))))
			t.Set(seen, t.Int(0))
			free()
		})
	}
	return b.Program()
}

// A unit that polls takes its lock any number of times while another one stands still. That one, when it comes to the lock, only waits
// at what is not the last of it. So there are few states, and each execution ends with the full sum: a lock excludes, and its holder knows what
// those before it have done.
func TestLocksThatPoll(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // what is not left out has no bound
	defer stop()
	for _, p := range polls {
		for i, c := range []struct{ units, locks int }{{2, 1}, {3, 1}, {2, 2}} {
			r := Run(ctx, polled(c.units, c.locks, p), Options{Promises: NoPromises})
			if !r.Complete || len(r.Violations) > 0 || len(r.Outcomes) != 1 || !occurs(r, "sum="+string(rune('0'+c.units))) {
				t.Errorf("%s, %d units, %d locks: %v, violations %v, outcomes %v", p.name, c.units, c.locks, r.Incomplete, r.Violations, r.Outcomes)
			}
			if t.Logf("%s, %d units, %d locks: %d states", p.name, c.units, c.locks, r.Stats.States); r.Stats.States > p.most[i] {
				t.Errorf("%s, %d units, %d locks: %d states, more than %d", p.name, c.units, c.locks, r.Stats.States, p.most[i])
			}
		}
	}
}

// attempted returns a unit that performs steps on x and then sets y, and one that makes attempts at x.
func attempted(name string, steps func(t *randprog.Thread, x, y *randprog.Var), attempt func(t *randprog.Thread, x, y *randprog.Var)) *ir.Program {
	b := randprog.NewBuilder(name)
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Code()
	b.Run(p, place(0))
	steps(p, x, y)
	attempt(b.Thread(place(1)), x, y)
	return b.Program()
}

// addsTwo adds 1 to x twice, and sets y.
func addsTwo(t *randprog.Thread, x, y *randprog.Var) {
	t.Blind(ir.Add, x, t.Int(1), rlx, dev)
	t.Blind(ir.Add, x, t.Int(1), rlx, dev)
	t.Store(y, t.Int(1), rlx, dev)
}

// stored stores 1 and 2 to x.
func stored(t *randprog.Thread, x, y *randprog.Var) {
	t.Store(x, t.Int(1), rlx, dev)
	t.Store(x, t.Int(2), rlx, dev)
}

// try is an attempt to put 9 in the place of a value.
func try(t *randprog.Thread, x *randprog.Var, want randprog.Val) (ok, old randprog.Val) {
	ok, old = t.Reg(), t.Reg()
	t.CASInto(ok, old, x, randprog.CmpXchg{Expected: want, Desired: t.Int(9), Order: rlx, FailOrder: rlx, Scope: dev})
	return ok, old
}

// What is relaxed may be read late: a unit that has seen y may read of x what was there before; and what it writes may come before what others
// have written, unless a read-modify-write has read that.
func TestAttempts(t *testing.T) {
	for _, c := range []certifiedCase{
		{attempted("fails with 1, and would take 2", addsTwo, func(t *randprog.Thread, x, y *randprog.Var) {
			t.Load(y, rlx, dev)
			ok, _ := try(t, x, t.Int(2))
			t.Observe(ok)
		}), "1:r0=1 1:r1=0", true},
		{attempted("fails with 0, as it wants what it does not know", func(t *randprog.Thread, x, y *randprog.Var) {
			t.Blind(ir.Add, x, t.Int(1), rlx, dev)
			t.Store(y, t.Int(1), rlx, dev)
		}, func(t *randprog.Thread, x, y *randprog.Var) {
			want := t.Choose(2)
			t.Load(y, rlx, dev)
			ok, _ := try(t, x, want)
			t.Observe(ok)
			t.Observe(want)
		}), "1:r0=1 1:r1=0 1:r2=1", true},
		{attempted("takes 0, where 1 and 2 are there", stored, func(t *randprog.Thread, x, y *randprog.Var) {
			ok, _ := try(t, x, t.Int(0))
			t.Observe(ok)
		}), "1:r0=1 x=2", true},
		{attempted("waits for 1, and takes it from under 2", stored, func(t *randprog.Thread, x, y *randprog.Var) {
			t.While(func() randprog.Val {
				ok, _ := try(t, x, t.Int(1))
				return t.Bin(ir.Eq, ok, t.Int(0))
			}, nil)
		}), "x=2", true},
		{attempted("exchanges until it finds 1, before 2", stored, func(t *randprog.Thread, x, y *randprog.Var) {
			r := t.Reg()
			t.While(func() randprog.Val { t.RMWInto(r, ir.Xchg, x, t.Int(2), rlx, dev); return t.Bin(ir.Ne, r, t.Int(1)) }, nil)
			t.Observe(r)
		}), "1:r0=1 x=2", true},
		{attempted("waits, or stores at once", stored, func(t *randprog.Thread, x, y *randprog.Var) {
			r, wait := t.Reg(), t.Choose(2)
			t.If(wait, func() { until(t, x, r, ir.Ne, 2, nil) }, nil)
			t.Store(x, t.Int(3), rlx, dev)
			t.Observe(wait)
		}), "1:r0=0 x=2", true},
		{attempted("waits, and stores then", stored, func(t *randprog.Thread, x, y *randprog.Var) {
			r := t.Reg()
			until(t, x, r, ir.Ne, 2, nil)
			t.Store(x, t.Int(3), rlx, dev)
		}), "x=2", false},
		{attempted("waits for 2 and remembers what else it was", addsTwo, func(t *randprog.Thread, x, y *randprog.Var) {
			last := t.Reg()
			t.Set(last, t.Int(0))
			t.Load(y, rlx, dev)
			t.While(func() randprog.Val {
				ok, old := try(t, x, t.Int(2))
				t.If(ok, nil, func() { t.Set(last, old) })
				return t.Bin(ir.Eq, ok, t.Int(0))
			}, nil)
			t.Observe(last)
		}), "1:r0=1 1:r1=1", true},
	} {
		for _, mode := range []por.Mode{por.DPOR, por.Sleep, por.None} {
			r := explored(c.program, Options{Promises: NoPromises, POR: mode})
			if !r.Complete || occurs(r, c.outcome) != c.occurs {
				t.Errorf("%s, %v: %s is found: %v, want %v; %v, %v", c.program.Name, mode, c.outcome, !c.occurs, c.occurs, r.Incomplete, r.Outcomes)
			}
		}
	}
}

// A compare-exchange that acquires when it fails learns something from a message that is published, and nothing from the one before: a unit that
// has seen f may fail with the 1 that nothing publishes, and read of d what was there before. It does not know f's value by synchronisation, since that is relaxed.
func TestFailedAttemptsLearn(t *testing.T) {
	for _, fails := range []struct {
		order memmodel.Order
		most  string // what the attempt fails with at most
	}{{rlx, "either"}, {acq, "the message before"}} {
		b := randprog.NewBuilder("fails with " + fails.most)
		x, d, f := b.Atomic("x"), b.Atomic("d"), b.Atomic("f")
		p := b.Code()
		b.Run(p, place(0))
		p.Blind(ir.Add, x, p.Int(1), rlx, dev)
		p.Store(d, p.Int(1), rlx, dev)
		p.Blind(ir.Add, x, p.Int(1), rel, dev)
		p.Store(f, p.Int(1), rlx, dev)
		c := b.Thread(place(1))
		c.Load(f, rlx, dev)
		c.CASInto(c.Reg(), c.Reg(), x, randprog.CmpXchg{Expected: c.Int(7), Desired: c.Int(9), Order: fails.order, FailOrder: fails.order, Scope: dev})
		c.Load(d, rlx, dev)
		for _, mode := range []por.Mode{por.DPOR, por.Sleep, por.None} {
			r := explored(b.Program(), Options{Promises: NoPromises, POR: mode})
			if !r.Complete || !occurs(r, "1:r0=1 1:r1=0") {
				t.Errorf("fails with order %v, %v: 1:r0=1 1:r1=0 is not found; %v, %v", fails.order, mode, r.Incomplete, r.Outcomes)
			}
		}
	}
}

// The first store releases to the device; before the second comes a release fence of narrower scope. The other work-group takes
// no release by that fence (rule 3.5), but that of the first store, whose release sequence the second one continues (rule 5.4): it has
// seen 2 before, and may write d as soon as it acquires.
func TestNearerReleaseOfAnotherScope(t *testing.T) {
	for _, c := range []struct {
		name  string
		first memmodel.Order
		races bool
	}{{"the first store releases", rel, false}, {"nothing releases to the device", rlx, true}} {
		b := randprog.NewBuilder(c.name)
		x, d := b.Atomic("x"), b.Plain("d")
		p := b.Code()
		b.Run(p, place(0))
		p.Write(d, p.Int(1))
		p.Store(x, p.Int(1), c.first, dev)
		p.Fence(memmodel.GlobalFence, rel, memmodel.ScopeWorkGroup)
		p.Store(x, p.Int(2), rlx, dev)
		q := b.Code()
		b.Run(q, place(1))
		until(q, x, q.Reg(), ir.Ne, 2, nil)
		q.Glance(x, acq, dev)
		q.Write(d, q.Int(2))
		for _, mode := range []por.Mode{por.DPOR, por.Sleep, por.None} {
			r := explored(b.Program(), Options{Promises: NoPromises, POR: mode})
			if !r.Complete || (len(r.Violations) > 0) != c.races {
				t.Errorf("%s, %v: violations %v, want some: %v; %v", c.name, mode, r.Violations, c.races, r.Incomplete)
			}
		}
	}
}

// An exchange that finds 0 writes 3 before the stores of 1 and 2, also where its unit knows that these have been made: a third unit that waits
// for something else than 0 reads 3, and 1 after it.
func TestExchangesBeforeStores(t *testing.T) {
	b := randprog.NewBuilder("exchanges until it finds 1")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Code()
	b.Run(p, place(0))
	stored(p, x, y)
	p.Store(y, p.Int(1), rlx, dev)
	q := b.Thread(place(1))
	q.Load(y, rlx, dev)
	found := q.Reg()
	q.While(func() randprog.Val {
		q.RMWInto(found, ir.Xchg, x, q.Int(3), rlx, dev)
		return q.Bin(ir.Ne, found, q.Int(1))
	}, nil)
	c := b.Thread(place(2))
	first := c.Reg()
	until(c, x, first, ir.Eq, 0, nil)
	c.Observe(first)
	c.Load(x, rlx, dev)
	program := b.Program()
	for _, mode := range []por.Mode{por.DPOR, por.Sleep, por.None} {
		r := explored(program, Options{Promises: NoPromises, POR: mode})
		if !r.Complete || !occurs(r, "1:r0=1 2:r0=3 2:r1=1") {
			t.Errorf("%v: 1:r0=1 2:r0=3 2:r1=1 is not found; %v, %v", mode, r.Incomplete, r.Outcomes)
		}
	}
}

// Who looks at a lock before it tries to take it may come first, though what it might look at then is not kept once it is taken (that would have it wait). So may
// who never comes to it where another one leaves it taken.
func TestLooksBeforeAttempts(t *testing.T) {
	take := func(t *randprog.Thread, l *randprog.Var) {
		r := t.Reg()
		t.While(func() randprog.Val {
			until(t, l, r, ir.Ne, 0, nil)
			ok, _ := t.CAS(l, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: memmodel.AcqRel, FailOrder: rlx, Scope: dev})
			return t.Bin(ir.Eq, ok, t.Int(0))
		}, nil)
	}
	for _, frees := range []bool{true, false} {
		b := randprog.NewBuilder("looks before it tries")
		l, d := b.Var(randprog.Var{Name: "l", Hidden: true}), b.Var(randprog.Var{Name: "d", Hidden: true, Plain: true})
		p, q := b.Code(), b.Code()
		b.Run(p, place(0))
		b.Run(q, place(1))
		take(p, l)
		p.Write(d, p.Int(1))
		if frees {
			p.Store(l, p.Int(0), rel, dev)
		}
		take(q, l)
		q.Observe(q.Read(d))
		q.Store(l, q.Int(0), rel, dev)
		for _, mode := range []por.Mode{por.DPOR, por.Sleep, por.None} {
			r := explored(b.Program(), Options{Promises: NoPromises, POR: mode})
			if !r.Complete || !occurs(r, "1:r0=0") || occurs(r, "1:r0=1") != frees || r.Has(state.Deadlock) == frees {
				t.Errorf("frees the lock: %v, %v: %v, %v, %v", frees, mode, r.Incomplete, r.Outcomes, r.Violations)
			}
		}
	}
}
