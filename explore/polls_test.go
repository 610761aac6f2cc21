package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// poll is a lock that is taken again and again until all have been there.
type poll struct {
	name string
	take func(t *randprog.Thread, x *randprog.Var)
	free func(t *randprog.Thread, x *randprog.Var)
}

var polls = []poll{
	{"compare-exchange and exchange", takeByCAS(false), freeByExchange},
	{"compare-exchange and store", takeByCAS(false), freeByStore},
	{"weak compare-exchange and store", takeByCAS(true), freeByStore},
	{"compare-exchange and subtraction", takeByCAS(false), func(t *randprog.Thread, x *randprog.Var) { t.Blind(ir.Sub, x, t.Int(1), rel, dev) }},
	{"exchange and store", takeByExchange, freeByStore},
	{"exchange and exchange", takeByExchange, freeByExchange},
	{"bit", func(t *randprog.Thread, x *randprog.Var) {
		r := t.Reg()
		t.While(func() randprog.Val { t.RMWInto(r, ir.Or, x, t.Int(1), acq, dev); return r }, nil)
	}, func(t *randprog.Thread, x *randprog.Var) { t.Blind(ir.And, x, t.Int(0), rel, dev) }},
	{"look and compare-exchange, store", takeByLook, freeByStore},
	{"look and compare-exchange, exchange", takeByLook, freeByExchange},
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
	for _, p := range polls {
		for _, c := range []struct{ units, locks, most int }{{2, 1, 64}, {3, 1, 800}, {2, 2, 128}} {
			r := explored(polled(c.units, c.locks, p), Options{Promises: NoPromises})
			if !r.Complete || len(r.Violations) > 0 || len(r.Outcomes) != 1 || !occurs(r, "sum="+string(rune('0'+c.units))) {
				t.Errorf("%s, %d units, %d locks: %v, violations %v, outcomes %v", p.name, c.units, c.locks, r.Incomplete, r.Violations, r.Outcomes)
			}
			if t.Logf("%s, %d units, %d locks: %d states", p.name, c.units, c.locks, r.Stats.States); r.Stats.States > c.most {
				t.Errorf("%s, %d units, %d locks: %d states, more than %d", p.name, c.units, c.locks, r.Stats.States, c.most)
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

// addsTwo adds 1 to x addsTwo, and sets y.
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
