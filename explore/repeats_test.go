package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// trylock is a lock that is only tried: try takes it or not, free lets it go.
type trylock struct {
	name string
	try  func(t *randprog.Thread, x *randprog.Var) randprog.Val
}

// tryByCAS tries to take a lock by a compare-exchange.
func tryByCAS(fail memmodel.Order, weak bool) func(t *randprog.Thread, x *randprog.Var) randprog.Val {
	return func(t *randprog.Thread, x *randprog.Var) randprog.Val {
		ok := t.Reg()
		t.CASInto(ok, t.Reg(), x, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: acq, FailOrder: fail, Scope: dev, Weak: weak})
		return ok
	}
}

func tryByExchange(t *randprog.Thread, x *randprog.Var) randprog.Val {
	return t.Bin(ir.Eq, t.RMW(ir.Xchg, x, t.Int(1), acq, dev), t.Int(0))
}

// takers is a program of units that each take two of some locks, one after the other, in a circle: who does not get the second one lets the first one go, and begins anew.
func takers(l trylock, units int) *ir.Program {
	b := randprog.NewBuilder(l.name)
	var locks []*randprog.Var
	for i := range units {
		locks = append(locks, b.Var(randprog.Var{Name: string(rune('x' + i)), Hidden: true}))
	}
	for i := range units {
		t, first, second := b.Thread(place(i)), locks[i], locks[(i+1)%units]
		both := t.Reg()
		t.Set(both, t.Int(0))
		t.While(func() randprog.Val { return t.Bin(ir.Eq, both, t.Int(0)) }, func() {
			t.If(l.try(t, first), func() {
				t.If(l.try(t, second), func() { t.Set(both, t.Int(1)) }, func() { t.Store(first, t.Int(0), rel, dev) })
			}, nil)
		})
		t.Store(second, t.Int(0), rel, dev)
		t.Store(first, t.Int(0), rel, dev)
	}
	return b.Program()
}

// TestTriedLocks: who takes a lock and lets it go again, as another one is taken, leaves nothing that piles up: nobody goes wrong, and from each state all can get what they
// want.
func TestTriedLocks(t *testing.T) {
	for _, l := range []trylock{
		{"compare-exchange", tryByCAS(rlx, false)}, {"compare-exchange that acquires when it fails", tryByCAS(acq, false)}, {"weak compare-exchange", tryByCAS(rlx, true)}, {"exchange", tryByExchange},
	} {
		for units, most := range map[int]int{2: 20, 3: 60} {
			if r := explored(takers(l, units), Options{Promises: NoPromises}); r.Verdict != Verified || r.Stats.States > most {
				t.Errorf("%s, %d units: %v with %d states; %v", l.name, units, r.Verdict, r.Stats.States, r.Incomplete)
			}
		}
	}
}

// sequel has a unit store 1 to x twice, in a loop, another one do something when it may know of that, and a third one read x three times.
func sequel(name string, other func(t *randprog.Thread, x *randprog.Var)) *ir.Program {
	b := randprog.NewBuilder(name)
	x := b.Var(randprog.Var{Name: "x", Len: 2, Hidden: true})
	y := b.Var(randprog.Var{Name: "y", Hidden: true})
	p, o := b.Thread(place(0)), b.Thread(place(1))
	p.Repeat(2, func(i randprog.Val) {
		p.Store(x, p.Int(1), rlx, dev)
		p.Store(y, i, rlx, dev)
	})
	o.Load(y, rlx, dev)
	other(o, x)
	q := b.Thread(place(2))
	for range 3 {
		q.Load(x, rlx, dev)
	}
	return b.Program()
}

// TestRepeats has something come between two stores of one value, which are two then: somebody reads 1, what has come between, and 1,
// though who wrote that knew of both: relaxed stores may come before what their unit has heard of.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		name  string
		other func(t *randprog.Thread, x *randprog.Var)
	}{
		{"a store", func(t *randprog.Thread, x *randprog.Var) { t.Store(x, t.Int(2), rlx, dev) }},
		{"an addition", func(t *randprog.Thread, x *randprog.Var) { t.RMW(ir.Add, x, t.Int(1), rlx, dev) }},
		{"a compare-exchange that wants 1", func(t *randprog.Thread, x *randprog.Var) {
			t.CAS(x, randprog.CmpXchg{Expected: t.Int(1), Desired: t.Int(2), Order: rlx, FailOrder: rlx, Scope: dev})
		}},
		{"a store behind a compare-exchange that takes what was there first", func(t *randprog.Thread, x *randprog.Var) {
			ok, _ := t.CAS(x, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(3), Order: rlx, FailOrder: rlx, Scope: dev})
			t.If(ok, func() { t.Store(x, t.Int(2), rlx, dev) }, nil)
		}},
		{"a store behind a compare-exchange that may take something else", func(t *randprog.Thread, x *randprog.Var) {
			t.Load(x, rlx, dev) // 1, so that nothing is left that it might take of this one
			ok := t.Reg()
			t.CASAt(ok, t.Reg(), t.Elem(x, t.Choose(2)), randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(3), Order: rlx, FailOrder: rlx, Scope: dev})
			t.If(ok, func() { t.Store(x, t.Int(2), rlx, dev) }, nil)
		}},
		{"a store behind an exchange that finds 1", func(t *randprog.Thread, x *randprog.Var) {
			t.If(t.Bin(ir.Eq, t.RMW(ir.Xchg, x, t.Int(1), rlx, dev), t.Int(1)), func() { t.Store(x, t.Int(2), rlx, dev) }, nil)
		}},
	} {
		for _, mode := range []por.Mode{por.DPOR, por.Sleep, por.None} {
			r := explored(sequel(c.name, c.other), Options{Promises: NoPromises, POR: mode})
			if outcome := "1:r0=1 2:r0=1 2:r1=2 2:r2=1"; !r.Complete || !occurs(r, outcome) {
				t.Errorf("%s, %v: %s is not found; %v, %v", c.name, mode, outcome, r.Incomplete, r.Outcomes)
			}
		}
	}
}

// TestRepeatsTell: who knows of the second of two equal values may still read the first, and does not learn then what has been written between them.
func TestRepeatsTell(t *testing.T) {
	for _, mode := range []por.Mode{por.DPOR, por.Sleep, por.None} {
		b := randprog.NewBuilder("told by the second")
		x, d, y := b.Var(randprog.Var{Name: "x", Hidden: true}), b.Var(randprog.Var{Name: "d", Hidden: true}), b.Var(randprog.Var{Name: "y", Hidden: true})
		p, q := b.Thread(place(0)), b.Thread(place(1))
		p.Repeat(2, func(i randprog.Val) {
			p.Store(x, p.Int(1), rel, dev)
			p.Store(d, p.Int(1), rlx, dev)
			p.Store(y, i, rlx, dev)
		})
		q.Load(y, rlx, dev)
		q.Load(x, acq, dev)
		q.Load(d, rlx, dev)
		r := explored(b.Program(), Options{Promises: NoPromises, POR: mode})
		for _, outcome := range []string{"1:r0=1 1:r1=1 1:r2=0", "1:r0=1 1:r1=1 1:r2=1"} {
			if !r.Complete || !occurs(r, outcome) {
				t.Errorf("%v: %s is not found; %v, %v", mode, outcome, r.Incomplete, r.Outcomes)
			}
		}
	}
}
