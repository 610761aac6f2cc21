package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Load buffering between two units that hold locks, or nearly so: each reads what the other
// writes. In the sections of one lock the axioms forbid it, since the sections are in one order
// by happens-before. In each of the other programs some section is not held, or not ordered, and
// an execution with both exists: certified alone, since no write depends on what is read and
// whoever is alone gets what it takes.

// holders has two units take what take takes, read one variable, write the other and let go;
// then others.
func holders(name string, take, free [2]func(t *randprog.Thread, m, n *randprog.Var) randprog.Val, others ...func(t *randprog.Thread, m *randprog.Var)) *ir.Program {
	b := randprog.NewBuilder(name)
	m, n := b.Var(randprog.Var{Name: "m", Hidden: true}), b.Var(randprog.Var{Name: "n", Hidden: true})
	x, y := b.Atomic("x"), b.Atomic("y")
	for i := range 2 {
		t := b.Thread(place(i))
		r := t.Reg()
		t.Set(r, t.Int(0))
		t.If(take[i](t, m, n), func() {
			t.LoadInto(r, t.Addr([]*randprog.Var{x, y}[i], 0), rlx, dev)
			t.Store([]*randprog.Var{y, x}[i], t.Int(1), rlx, dev)
			free[i](t, m, n)
		}, nil)
		t.Observe(r)
	}
	for _, other := range others {
		other(b.Thread(place(2)), m)
	}
	return b.Program()
}

// hold is a way to take or leave a lock.
type hold = func(t *randprog.Thread, m, n *randprog.Var) randprog.Val

// taking takes m if it has one value, by another one.
func taking(from, to int64, o memmodel.Order, s memmodel.Scope) hold {
	return func(t *randprog.Thread, m, _ *randprog.Var) randprog.Val {
		ok := t.Reg()
		t.CASInto(ok, t.Reg(), m, randprog.CmpXchg{Expected: t.Int(from), Desired: t.Int(to), Order: o, FailOrder: rlx, Scope: s})
		return ok
	}
}

// freeing stores what m was first.
func freeing(o memmodel.Order, s memmodel.Scope) hold {
	return func(t *randprog.Thread, m, _ *randprog.Var) randprog.Val {
		t.Store(m, t.Int(0), o, s)
		return t.Int(1)
	}
}

// ofOther has a way work on the other lock.
func ofOther(h hold) hold {
	return func(t *randprog.Thread, m, n *randprog.Var) randprog.Val { return h(t, n, m) }
}

// then goes one way and, if that got it, another one.
func then(first, second hold) hold {
	return func(t *randprog.Thread, m, n *randprog.Var) randprog.Val {
		v := first(t, m, n)
		t.If(v, func() { second(t, m, n) }, nil)
		return v
	}
}

// anyhow goes one way, whether that got it or not.
func anyhow(first hold) hold {
	return func(t *randprog.Thread, m, n *randprog.Var) randprog.Val {
		first(t, m, n)
		return t.Int(1)
	}
}

// fencing puts a fence there.
func fencing(o memmodel.Order, s memmodel.Scope) hold {
	return func(t *randprog.Thread, _, _ *randprog.Var) randprog.Val {
		t.Fence(memmodel.GlobalFence, o, s)
		return t.Int(1)
	}
}

func unheld(t *randprog.Thread, _, _ *randprog.Var) randprog.Val { return t.Int(1) }

// drawing takes m if it is the first to add to it.
func drawing(t *randprog.Thread, m, _ *randprog.Var) randprog.Val {
	r := t.Reg()
	t.RMWInto(r, ir.Add, m, t.Int(1), acq, dev)
	return t.Bin(ir.Eq, r, t.Int(0))
}

func opener(t *randprog.Thread, m *randprog.Var) { t.Store(m, t.Int(0), rel, dev) }

func underLocks() []certifiedCase {
	take, free := taking(0, 1, acq, dev), freeing(rel, dev)
	same := func(h hold) [2]hold { return [2]hold{h, h} }
	return []certifiedCase{
		{holders("one lock", same(take), same(free)), both, false},
		{holders("one of two has no lock", [2]hold{take, unheld}, [2]hold{free, unheld}), both, true},
		{holders("two locks", [2]hold{take, ofOther(take)}, [2]hold{free, ofOther(free)}), both, true},
		{holders("released early", same(then(take, free)), same(unheld)), both, true},
		{holders("released early by one", [2]hold{then(take, free), take}, [2]hold{unheld, free}), both, true},
		{holders("opened by somebody else", same(take), same(free), opener), both, true},
		{holders("two values for two", [2]hold{take, taking(1, 2, acq, dev)}, same(free)), both, true},
		{holders("a counter that is reset", same(drawing), same(unheld), opener), both, true},
		{holders("left without releasing", same(take), [2]hold{freeing(rlx, dev), free}), both, true},
		{holders("one lock, with fences", same(then(taking(0, 1, rlx, dev), fencing(acq, dev))), same(then(fencing(rel, dev), freeing(rlx, dev)))), both, false},
		{holders("left with a fence, before what is done", [2]hold{then(take, fencing(rel, dev)), take}, [2]hold{freeing(rlx, dev), free}), both, true},
		{holders("whether it was got or not", same(anyhow(take)), same(free)), both, true},
	}
}

// TestPromisesUnderLocks tests that load buffering is found where locks do not forbid it, and that
// where one does no promise is made for it.
func TestPromisesUnderLocks(t *testing.T) {
	for _, c := range underLocks() {
		if matters(c.program) != c.occurs {
			t.Errorf("%s: promises are said to matter: %v, want %v", c.program.Name, !c.occurs, c.occurs)
		}
		for _, mode := range por.Modes() {
			r := explored(c.program, Options{POR: mode, All: true, Promises: manyPromises})
			if !r.Complete || occurs(r, c.outcome) != c.occurs {
				t.Errorf("%s, reduction %s: %s is found: %v, want %v; %v", c.program.Name, mode, c.outcome, !c.occurs, c.occurs, r.Incomplete)
			}
		}
	}
}

// TestLocksOrder tests that what does not order the sections is no lock: the axioms allow load
// buffering there, though it is not found. Who takes a lock cannot certify a promise while another
// one holds it, and accesses whose scopes do not meet race.
func TestLocksOrder(t *testing.T) {
	const svm, group = memmodel.ScopeAllSVMDevices, memmodel.ScopeWorkGroup
	take, free := taking(0, 1, acq, dev), freeing(rel, dev)
	for _, p := range []*ir.Program{
		holders("taken without acquiring", [2]hold{taking(0, 1, rlx, dev), take}, [2]hold{free, free}),
		holders("taken with a fence that releases", [2]hold{then(taking(0, 1, rlx, dev), fencing(rel, dev)), take}, [2]hold{free, free}),
		holders("taken with a fence of another scope", [2]hold{then(taking(0, 1, rlx, dev), fencing(acq, group)), take}, [2]hold{free, free}),
		holders("left with a fence of another scope", [2]hold{take, take}, [2]hold{then(fencing(rel, group), freeing(rlx, dev)), free}),
		holders("of several scopes", [2]hold{take, taking(0, 1, acq, svm)}, [2]hold{free, freeing(rel, svm)}),
		holders("left with another scope", [2]hold{take, take}, [2]hold{freeing(rel, svm), freeing(rel, svm)}),
		holders("of a scope that includes one of them", [2]hold{taking(0, 1, acq, group), taking(0, 1, acq, group)}, [2]hold{freeing(rel, group), freeing(rel, group)}),
	} {
		if !matters(p) {
			t.Errorf("%s: promises are said not to matter", p.Name)
		}
	}
}

func matters(p *ir.Program) bool {
	return loadbuffering.Matters(state.NewMachine(p, memmodel.Spec{}))
}
