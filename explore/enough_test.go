package explore

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// enoughDifference returns what it changes in a program that only those writes are promised that are enough. If it is not known of any that
// they are, some is false.
func enoughDifference(p *drawn) (difference string, some bool) {
	m := state.NewMachine(p.Program, p.spec)
	if where, matters := loadbuffering.Where(m); !matters || where.Enough == nil {
		return "", false
	}
	opt := Options{Spec: p.spec, POR: por.DPOR, MaxStates: 4000, Promises: manyPromises}
	enough := Run(context.Background(), p.Program, opt)
	opt.needless = true
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	opt.Progress = func(s Stats) {
		if s.Steps > 200_000 { // most end before
			stop()
		}
	}
	all := Run(ctx, p.Program, opt)
	switch none := len(all.Violations) == 0; {
	case none != (len(enough.Violations) == 0) && (all.Complete || !none) && (enough.Complete || none):
		return fmt.Sprintf("%d violations with all promises, %d with those that are enough", len(all.Violations), len(enough.Violations)), true
	case !none: // which one is found first depends on what is promised
		return "", true
	case !enough.Complete || !all.Complete:
		return "", false
	}
	return disagreement(all, enough), true
}

// enoughStyles are the styles in which some promises often are enough, for how many times as many programs as there are seeds.
var enoughStyles = map[randprog.Style]float64{randprog.LB: 3, randprog.Passed: 1, randprog.Help: 2, randprog.Unasked: 10}

// TestPromisesEnough tests that where it is enough to promise some writes, those of others are never missed.
func TestPromisesEnough(t *testing.T) {
	var all atomic.Int32
	eachStyle(t, append(chosen(), randprog.Values, randprog.Symmetric, randprog.Guarded, randprog.Carried, randprog.Passed, randprog.Unasked, randprog.Rising), func(t *testing.T, style randprog.Style) {
		some := seeds.Times(max(1, enoughStyles[style]))
		if style == randprog.Carried {
			some = seeds.Times(0.2) // whose search with all promises is long
		}
		told := noneDiffers(t, style, some, enoughDifference)
		if _, ok := enoughStyles[style]; ok {
			if all.Add(int32(told)); told < some.N()/200 {
				t.Errorf("some promises are enough in %d of %d programs only", told, some.N())
			}
		}
	}, func() {
		if all.Load() == 0 {
			t.Error("there is no program in which some promises are enough")
		}
	})
}

// ringOf has units around a ring read one cell and write the next one. Who is the first does what `first` says in place of writing, if that is not
// nil, with what it has read.
func ringOf(n int, first func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val)) *ir.Program {
	b := randprog.NewBuilder("ring")
	e := b.Atomic("e")
	var cells []*randprog.Var
	for i := range n {
		cells = append(cells, b.Atomic(string(rune('u'+i))))
	}
	for i := range n {
		t := b.Thread(memmodel.Place{Group: uint16(i)})
		r, to := t.Load(cells[i], rlx, dev), cells[(i+1)%n]
		if i == 0 && first != nil {
			first(t, to, e, r)
		} else {
			t.Store(to, t.Int(1), rlx, dev)
		}
	}
	return b.Program()
}

func swapTo1(t *randprog.Thread, v *randprog.Var, wants int64) {
	t.CAS(v, randprog.CmpXchg{Expected: t.Int(wants), Desired: t.Int(1), Order: rlx, FailOrder: rlx, Scope: dev})
}

// TestEnough tests which cells it is enough to promise writes of in rings of two, u and v: both are candidates if the first unit, who writes v,
// comes to that whatever it reads, and else it is u. Address 0 is of e, 1 of u, 2 of v. Then there is a third unit, who writes v and w, only v is a candidate, and addresses begin with u.
func TestEnough(t *testing.T) {
	const u, v = 1, 2
	for name, c := range map[string]struct {
		first func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val)
		want  int
	}{
		"a store": {nil, v}, // the other one has been left out first
		"a store behind one of another cell": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.Store(e, t.Int(1), rel, dev)
			t.Store(to, t.Int(1), rlx, dev)
		}, v},
		"a store of one value on either way": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.If(r, func() { t.Store(to, t.Int(1), rlx, dev) }, func() { t.Store(to, t.Int(1), rlx, dev) })
		}, v},
		"an addition": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.RMW(ir.Add, to, t.Int(1), rlx, dev)
		}, v},
		"two stores": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.Store(to, t.Int(1), rlx, dev)
			t.Store(to, t.Int(2), rlx, dev)
		}, v},
		"a store of what has been read": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.Store(to, r, rlx, dev)
		}, u},
		"a store on one way": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.If(r, func() { t.Store(to, t.Int(1), rlx, dev) }, nil)
		}, u},
		"an addition to what the unit has stored": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.Store(to, t.Int(1), rlx, dev)
			t.RMW(ir.Add, to, t.Int(1), rlx, dev)
		}, u},
		"a store that releases": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.Store(to, t.Int(1), rel, dev)
		}, u},
		"a store behind a load that acquires": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.Load(to, acq, dev)
			t.Store(to, t.Int(1), rlx, dev)
		}, u},
		"an exchange behind a look": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.If(t.Bin(ir.Eq, t.Load(to, rlx, dev), t.Int(0)), func() { swapTo1(t, to, 0) }, nil)
		}, v},
		"a store behind a loop": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.While(func() randprog.Val { return t.Choose(2) }, nil)
			t.Store(to, t.Int(1), rlx, dev)
		}, u},
	} {
		if got := enough(t, ringOf(2, c.first)); !slices.Equal(got, []int{c.want}) {
			t.Errorf("%s: enough are promises of %v, want %v", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		first func(t *randprog.Thread, v, w *randprog.Var)
		sure  bool
	}{
		"an exchange if it can succeed": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.If(t.Load(v, rlx, dev), nil, func() { swapTo1(t, v, 0) })
		}, true},
		"an addition if there is nothing": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.If(t.Load(v, rlx, dev), nil, func() { t.RMW(ir.Add, v, t.Int(1), rlx, dev) })
		}, true},
		"a store if there is nothing": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.If(t.Load(v, rlx, dev), nil, func() { t.Store(v, t.Int(1), rlx, dev) })
		}, true},
		"a store if there is something": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.If(t.Load(v, rlx, dev), func() { t.Store(v, t.Int(1), rlx, dev) }, nil)
		}, false},
		"a store of what has been found": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.If(t.Load(v, rlx, dev), func() { t.Store(v, t.Int(2), rlx, dev) }, nil)
		}, false},
		// What was there at first cannot be read any more.
		"a store if there is something else than the unit has stored": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.Store(v, t.Int(1), rlx, dev)
			t.If(t.Bin(ir.Eq, t.Load(v, rlx, dev), t.Int(1)), nil, func() { t.Store(v, t.Int(3), rlx, dev) })
		}, false},
		// It may have been taken back.
		"a store if there is nothing, and then nothing once more": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.If(t.Load(v, rlx, dev), nil, func() { t.Store(v, t.Int(1), rlx, dev); t.Store(v, t.Int(0), rlx, dev) })
		}, false},
		"an exchange of something else if there is nothing": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.If(t.Load(v, rlx, dev), nil, func() { swapTo1(t, v, 2) })
		}, true},
		"an exchange of nothing if there is something": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.If(t.Load(v, rlx, dev), func() { swapTo1(t, v, 0) }, nil)
		}, false},
		// Alone, the unit may have to give up, when it would find v free later.
		"an exchange that is tried again, or given up": {func(t *randprog.Thread, v, w *randprog.Var) {
			t.While(func() randprog.Val { return t.Load(v, rlx, dev) }, func() { t.ExitUnless(t.Load(w, rlx, dev)) })
			swapTo1(t, v, 0)
		}, false},
	} {
		b := randprog.NewBuilder("look")
		u, v, w := b.Atomic("u"), b.Atomic("v"), b.Atomic("w")
		p := b.Thread(memmodel.Place{})
		p.Load(u, rlx, dev)
		c.first(p, v, w)
		q := b.Thread(memmodel.Place{Group: 1})
		q.Store(u, q.Load(v, rlx, dev), rlx, dev)
		o := b.Thread(memmodel.Place{Group: 2})
		o.Store(v, o.Int(2), rlx, dev)
		o.Store(w, o.Int(1), rlx, dev)
		if got := enough(t, b.Program()); slices.Equal(got, []int{1}) != c.sure || len(got) > 1 {
			t.Errorf("%s: enough are promises of %v, want those of v: %v", name, got, c.sure)
		}
	}
}

// enough returns of which of the first three cells it is enough to promise writes.
func enough(t *testing.T, p *ir.Program) (cells []int) {
	where, matters := loadbuffering.Where(state.NewMachine(p, memmodel.Specs[0]))
	if !matters {
		t.Error("no promise matters")
	}
	for i := range 3 {
		if where.Enough.Holds(i) {
			cells = append(cells, i)
		}
	}
	return cells
}

// toTheFirst explores a program up to the first violation: with all of them, all writes are promised.
func toTheFirst(p *ir.Program, mode por.Mode) *Result {
	return Run(context.Background(), p, Options{POR: mode, MaxStates: 20_000, Promises: manyPromises})
}

// TestEnoughOfARing tests that the outcome in which each unit of a ring reads what another one writes later is found
// (no rule forbids it: all operations are relaxed, and none depends on another), though only one unit promises.
func TestEnoughOfARing(t *testing.T) {
	for n := 2; n <= 4; n++ {
		for _, mode := range por.Modes() {
			r := toTheFirst(ringOf(n, nil), mode)
			all := true
			for i := range n {
				all = all && occurs(r, string(rune('0'+i))+":r0=1")
			}
			whole := "0:r0=1 1:r0=1 2:r0=1 3:r0=1"[:7*n-1]
			if !r.Complete || !all || !occurs(r, whole) || len(r.Outcomes) != 1<<n {
				t.Errorf("%d units, reduction %s: %d outcomes, %v; %v", n, mode, len(r.Outcomes), occurs(r, whole), r.Incomplete)
			}
		}
	}
}

// TestEnoughBesideFailures tests that all that goes wrong is listed though a unit fails as soon as it has performed what it could have promised: P1 reads
// x = 1, which P0 stores early (load buffering), stores y = 1 and fails; P0 reads that and writes d, which P1 has written, and nothing orders the two. P1 fails without P0's
// coming to d, too.
func TestEnoughBesideFailures(t *testing.T) {
	b := randprog.NewBuilder("failing")
	x, y, d := b.Atomic("x"), b.Atomic("y"), b.Plain("d")
	p := b.Thread(memmodel.Place{})
	r := p.Load(y, rlx, dev)
	p.Store(x, p.Int(1), rlx, dev)
	p.If(r, func() { p.Write(d, p.Int(1)) }, nil)
	q := b.Thread(memmodel.Place{Group: 1})
	s := q.Load(x, rlx, dev)
	q.Write(d, q.Int(2))
	q.Store(y, s, rlx, dev)
	q.Assert(q.Bin(ir.Eq, s, q.Int(0)))
	program := b.Program()
	for _, mode := range por.Modes() {
		if r := explored(program, Options{POR: mode, All: true, Promises: manyPromises}); !r.Complete || !r.Has(state.DataRace) || !r.Has(state.AssertionFailed) {
			t.Errorf("reduction %s: %v, %v", mode, kinds(r), r.Incomplete)
		}
	}
}

// TestEnoughBehindBarriers tests that a write that comes once before and once behind a barrier is not taken for one that can be promised in any case: P1 reads
// v = 2, which P0 stores behind a barrier, and P0 has read u = 1 before that, which P1 stores early (load buffering: nothing orders its two operations).
// P0 cannot promise v = 2 (rule 11.4).
func TestEnoughBehindBarriers(t *testing.T) {
	b := randprog.NewBuilder("rounds")
	u, v := b.Atomic("u"), b.Atomic("v")
	p := b.Thread(memmodel.Place{})
	first, r := p.Reg(), p.Reg()
	p.Repeat(2, func(i randprog.Val) {
		p.LoadInto(r, p.Addr(u, 0), rlx, dev)
		p.If(i, nil, func() { p.Set(first, r) })
		p.Store(v, p.Bin(ir.Add, i, p.Int(1)), rlx, dev)
		p.Barrier("B", memmodel.GlobalFence, dev)
	})
	p.Observe(first)
	q := b.Thread(memmodel.Place{Group: 1})
	q.Load(v, rlx, dev)
	q.Store(u, q.Int(1), rlx, dev)
	for _, mode := range por.Modes() {
		if r := toTheFirst(b.Program(), mode); !r.Complete || !occurs(r, "0:r0=1 1:r0=2") {
			t.Errorf("reduction %s: P0 never reads what P1 stores, who reads what P0 stores later; %v", mode, r.Incomplete)
		}
	}
}

// TestEnoughOfAChain tests that a promise is made that another one has to follow: P0 exchanges what P1 stores, P2 reads that and hands it on, and both
// have read it before (load buffering: what they write does not depend on what they read). So P1's store must be there, early, though nobody reads it but P0's exchange.
func TestEnoughOfAChain(t *testing.T) {
	b := randprog.NewBuilder("chain")
	v, z := b.Atomic("v"), b.Atomic("z")
	p := b.Thread(memmodel.Place{})
	p.Load(z, rlx, dev)
	swap := randprog.CmpXchg{Expected: p.Int(1), Desired: p.Int(2), Order: rlx, FailOrder: rlx, Scope: dev}
	p.CASInto(p.Reg(), p.Reg(), v, swap)
	q := b.Thread(memmodel.Place{Group: 1})
	q.Load(z, rlx, dev)
	q.Store(v, q.Int(1), rlx, dev)
	o := b.Thread(memmodel.Place{Group: 2})
	o.Store(z, o.Load(v, rlx, dev), rlx, dev)
	for _, mode := range por.Modes() {
		if r := toTheFirst(b.Program(), mode); !r.Complete || !occurs(r, "0:r0=2 1:r0=2 2:r0=2") {
			t.Errorf("reduction %s: nobody reads early what has been exchanged; %v", mode, r.Incomplete)
		}
	}
}

// TestEnoughOfWhoChains tests that a cycle counts though one who passes on what is in it could promise that. P0 reads x and, behind a release fence, exchanges 0 for 1 in w; P1
// exchanges 1 for 2; P2 stores x unless it reads 1. P0 cannot promise its exchange, so P2 must promise its store (alone it reads 0), which P0 reads, P1 goes on,
// and P2 reads 2 (nothing orders what P2 does: rule 7.8).
func TestEnoughOfWhoChains(t *testing.T) {
	b := randprog.NewBuilder("relay")
	w, x, y := b.Atomic("w"), b.Atomic("x"), b.Atomic("y")
	swap := func(p *randprog.Thread, old int64) {
		p.CAS(w, randprog.CmpXchg{Expected: p.Int(old), Desired: p.Int(old + 1), Order: rlx, FailOrder: rlx, Scope: dev})
	}
	p := b.Thread(memmodel.Place{})
	p.Load(x, rlx, dev)
	p.Fence(memmodel.GlobalFence, rel, dev)
	swap(p, 0)
	q := b.Thread(memmodel.Place{Group: 1})
	q.Load(y, rlx, dev)
	swap(q, 1)
	o := b.Thread(memmodel.Place{Group: 2})
	o.If(o.Bin(ir.Ne, o.Load(w, rlx, dev), o.Int(1)), func() {
		o.Store(x, o.Int(1), rlx, dev)
		o.Store(y, o.Int(1), rlx, dev)
	}, nil)
	for _, mode := range por.Modes() {
		r := toTheFirst(b.Program(), mode)
		if !r.Complete || !slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool { return o["0:r0"] == 1 && o["2:r0"] == 2 }) {
			t.Errorf("reduction %s: P2's store is not read by P0, who begins what P2 reads; %v", mode, r.Incomplete)
		}
	}
}
