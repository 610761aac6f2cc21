package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// Load buffering by hand: what docs/semantics.md, section 3, says may be promised, across
// what, and how it is certified, in small programs. An outcome that does not occur is one that
// the axioms forbid, that comes out of thin air, or that is left out as that section says.
const (
	both  = "0:r0=1 1:r0=1"
	three = "0:r0=1 1:r0=1 2:r0=1"
	early = "0:r0=2 0:r1=2 1:r0=2 2:r0=1" // of needs
)

func byHandBuffering() []certifiedCase {
	return []certifiedCase{
		{lb("acquire loads", ld(acq), st(rlx), ld(acq), st(rlx)), both, true},
		{lb("release stores", ld(rlx), st(rel), ld(rlx), st(rel)), both, false},
		{lb("one release store", ld(rlx), st(rel), ld(rlx), st(rlx)), both, true},
		{lb("an acquire load of a release store", ld(rlx), st(rel), ld(acq), st(rlx)), both, false},
		{lb("seq_cst loads", ld(memmodel.SeqCst), st(rlx), ld(memmodel.SeqCst), st(rlx)), both, true},
		{lb("seq_cst stores", ld(rlx), st(memmodel.SeqCst), ld(rlx), st(memmodel.SeqCst)), both, false},
		{lb("an addition as store", ld(rlx), add, ld(rlx), st(rlx)), both, true},
		{lb("additions as stores", ld(rlx), add, ld(rlx), add), both, true},
		{lb("a compare-exchange as store", ld(rlx), cas, ld(rlx), st(rlx)), both, true},
		{lb("exchanges as loads", xchg, st(rlx), xchg, st(rlx)), both, true},
		{lb("acquire fences", ld(rlx), after(memmodel.GlobalFence, acq), ld(rlx), after(memmodel.GlobalFence, acq)), both, true},
		{lb("a release fence", ld(rlx), after(memmodel.GlobalFence, rel), ld(rlx), st(rlx)), both, true},
		{lb("release fences", ld(rlx), after(memmodel.GlobalFence, rel), ld(rlx), after(memmodel.GlobalFence, rel)), both, false},
		{lb("seq_cst fences of other memory", ld(rlx), after(memmodel.LocalFence, memmodel.SeqCst), ld(rlx), after(memmodel.LocalFence, memmodel.SeqCst)), both, false},
		{lb("a seq_cst fence", ld(rlx), after(memmodel.GlobalFence, memmodel.SeqCst), ld(rlx), st(rlx)), both, true},
		{lb("a fake dependency", ld(rlx), fake, ld(rlx), guarded), both, true},
		{lb("another value in each branch, of which none is kept", ld(rlx), other, ld(rlx), copied), both, false},
		{lb("another value in each branch, against a constant", ld(rlx), other, ld(rlx), st(rlx)), "0:r0=1 1:r0=2", true},
		{releases(), "0:r0=1 1:r0=1", true},
		{regions(memmodel.GlobalFence), both, true},
		{regions(memmodel.GlobalFence | memmodel.LocalFence), both, false},
		{ring("a ring", st(rlx), st(rlx), st(rlx)), three, true},
		{ring("a ring with two dependencies", copied, guarded, st(rlx)), three, true},
		{ring("a ring of dependencies", copied, guarded, copied), three, false},
		{ring("a ring with a release store", st(rlx), st(rel), guarded), three, true},
		{ring("a ring of release stores", st(rel), st(rel), guarded), three, false},
		{needs("two stores", nil, st(rlx), st(rlx)), early, true},
		{needs("two additions", nil, add, add), early, true},
		{needs("an addition and a compare-exchange", nil, add, cas), early, true},
		{needs("a store and a release store", nil, st(rlx), st(rel)), early, false},
		{needs("two stores behind a release fence", func(t *randprog.Thread) { t.Fence(memmodel.GlobalFence, rel, dev) }, st(rlx), st(rlx)), early, false},
		{needs("two stores behind an acquire fence", func(t *randprog.Thread) { t.Fence(memmodel.GlobalFence, acq, dev) }, st(rlx), st(rlx)), early, true},
		{needs("two stores behind a release fence of other memory", func(t *randprog.Thread) { t.Fence(memmodel.LocalFence, rel, dev) }, st(rlx), st(rlx)), early, true},
		// 7 % 5 % 4 = 2 and 7 % 4 % 5 = 3, and no reduction knows this operation.
		{unordered("remainders, the second first", ir.Rem), "0:r0=1 x=3", true},
		{unordered("remainders, the first first", ir.Rem), "0:r0=1 x=2", true},
		{needs("two stores behind a barrier", func(t *randprog.Thread) { t.Barrier("B", 0, dev) }, st(rlx), st(rlx)), early, false},
	}
}

// unordered is a program of two modifications by one operation, of 7 by 5 and by 4, of which the first comes behind a load and the second
// before the store that it reads: if that is promised, the first can come before the second all the same.
func unordered(name string, op ir.Alu) *ir.Program {
	b := randprog.NewBuilder(name)
	x, y := b.Var(randprog.Var{Name: "x", Init: 7}), b.Atomic("y")
	p, q := b.Thread(memmodel.Place{}), b.Thread(memmodel.Place{})
	ld(rlx)(p, y)
	p.Blind(op, x, p.Int(5), rlx, dev)
	q.Blind(op, x, q.Int(4), rlx, dev)
	q.Store(y, q.Int(1), rlx, dev)
	return b.Program()
}

// reading loads a variable.
type reading func(t *randprog.Thread, v *randprog.Var) randprog.Val

func ld(o memmodel.Order) reading {
	return func(t *randprog.Thread, v *randprog.Var) randprog.Val { return t.Load(v, o, dev) }
}

func xchg(t *randprog.Thread, v *randprog.Var) randprog.Val {
	return t.RMW(ir.Xchg, v, t.Int(5), rlx, dev)
}

func st(o memmodel.Order) answer {
	return func(t *randprog.Thread, v *randprog.Var, _ randprog.Val) { t.Store(v, t.Int(1), o, dev) }
}

func add(t *randprog.Thread, v *randprog.Var, _ randprog.Val) {
	t.Blind(ir.Add, v, t.Int(1), rlx, dev)
}

func cas(t *randprog.Thread, v *randprog.Var, _ randprog.Val) {
	t.CASInto(t.Reg(), t.Reg(), v, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: rlx, FailOrder: rlx, Scope: dev})
}

// after puts a fence before the store.
func after(f memmodel.Flags, o memmodel.Order) answer {
	return func(t *randprog.Thread, v *randprog.Var, _ randprog.Val) {
		t.Fence(f, o, dev)
		t.Store(v, t.Int(1), rlx, dev)
	}
}

func fake(t *randprog.Thread, v *randprog.Var, r randprog.Val) {
	t.Store(v, t.Bin(ir.Add, t.Bin(ir.Mul, r, t.Int(0)), t.Int(1)), rlx, dev)
}

// other answers 2 if it has read something, and else 1.
func other(t *randprog.Thread, v *randprog.Var, r randprog.Val) {
	t.If(r, func() { t.Store(v, t.Int(2), rlx, dev) }, func() { t.Store(v, t.Int(1), rlx, dev) })
}

// lb has two threads each load one variable and then answer in the other.
func lb(name string, q0 reading, a0 answer, q1 reading, a1 answer) *ir.Program {
	b := randprog.NewBuilder(name)
	x, y := b.Atomic("x"), b.Atomic("y")
	p, q := b.Thread(memmodel.Place{}), b.Thread(memmodel.Place{})
	a0(p, y, q0(p, x))
	a1(q, x, q1(q, y))
	return b.Program()
}

// regions is load buffering over global and local memory, each thread with a fence between,
// of the memory that it loads or with both flags.
func regions(f memmodel.Flags) *ir.Program {
	b := randprog.NewBuilder("fences of what is loaded")
	x, y := b.Atomic("x"), b.LocalAtomic("y")
	p, q := b.Thread(memmodel.Place{}), b.Thread(memmodel.Place{})
	p.Load(x, rlx, memmodel.ScopeWorkGroup)
	p.Fence(f, ar, memmodel.ScopeWorkGroup)
	p.Store(y, p.Int(1), rlx, memmodel.ScopeWorkGroup)
	q.Load(y, rlx, memmodel.ScopeWorkGroup)
	if f == memmodel.GlobalFence {
		f = memmodel.LocalFence
	}
	q.Fence(f, ar, memmodel.ScopeWorkGroup)
	q.Store(x, q.Int(1), rlx, memmodel.ScopeWorkGroup)
	return b.Program()
}

// releases is load buffering over global and local memory, each thread with a release: that orders nothing of the memory that the thread
// loads, and the loads acquire nothing, so each may read what the other one stores (rules 6.1, 7.8).
func releases() *ir.Program {
	b := randprog.NewBuilder("releases of what is not loaded")
	x, y := b.Atomic("x"), b.LocalAtomic("y")
	p, q := b.Thread(memmodel.Place{}), b.Thread(memmodel.Place{})
	p.Load(x, rlx, memmodel.ScopeWorkGroup)
	p.Store(y, p.Int(1), rel, memmodel.ScopeWorkGroup)
	q.Load(y, rlx, memmodel.ScopeWorkGroup)
	q.Store(x, q.Int(1), rel, memmodel.ScopeWorkGroup)
	return b.Program()
}

// ring is lb with three threads.
func ring(name string, answers ...answer) *ir.Program {
	b := randprog.NewBuilder(name)
	vars := []*randprog.Var{b.Atomic("x"), b.Atomic("y"), b.Atomic("z")}
	for i, a := range answers {
		t := b.Thread(memmodel.Place{})
		a(t, vars[(i+1)%3], t.Load(vars[i], rlx, dev))
	}
	return b.Program()
}

// needs is twoHelpers with one helper, which does something first and then writes in these ways.
func needs(name string, first func(t *randprog.Thread), ax, az answer) *ir.Program {
	b := randprog.NewBuilder("help by " + name)
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	nested(b.Thread(place(1)), y, x, z)
	t := b.Thread(place(2))
	r := t.Load(y, rlx, dev)
	if first != nil {
		first(t)
	}
	ax(t, x, r)
	az(t, z, r)
	t = b.Thread(place(3))
	t.RMW(ir.Add, y, t.Int(1), rlx, dev)
	t.Store(x, t.Int(2), rel, dev)
	t.Store(z, t.Int(2), rel, dev)
	return b.Program()
}

func TestBufferingByHand(t *testing.T) {
	for _, c := range byHandBuffering() {
		full := Run(context.Background(), c.program, Options{POR: por.None, All: true, KeepSchedule: true, Promises: manyPromises})
		for _, mode := range por.Modes() {
			r := full
			if mode != por.None {
				r = Run(context.Background(), c.program, Options{POR: mode, All: true, KeepSchedule: true, Promises: manyPromises})
			}
			if found := occurs(r, c.outcome); !r.Complete || len(r.Violations) > 0 || found != c.occurs {
				t.Errorf("%s, reduction %s: %s is found: %v, want %v; %v %v", c.program.Name, mode, c.outcome, found, c.occurs, r.Incomplete, kinds(r))
			}
			if d := disagreement(r, full); d != "" {
				t.Errorf("%s, reduction %s: %s", c.program.Name, mode, d)
			}
		}
		if d, _ := promised(as(c.program, memmodel.Specs[0]), por.DPOR); d != "" {
			t.Errorf("%s: %s", c.program.Name, d)
		}
	}
}
