package explore

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/buffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// enoughDifference returns what it changes in a program that only those writes are promised that are enough. If it is not known of any that
// they are, some is false.
func enoughDifference(p *ir.Program, spec memmodel.Spec) (difference string, some bool) {
	m := state.NewMachine(p, spec)
	if where, matters := buffering.Where(m); !matters || where.Enough == nil {
		return "", false
	}
	opt := Options{Spec: spec, POR: por.DPOR, All: true, MaxStates: 4000, Promises: manyPromises}
	enough := Run(context.Background(), p, opt)
	opt.needless = true
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second) // in which most end
	defer stop()
	all := Run(ctx, p, opt)
	if !enough.Complete || !all.Complete {
		return "", false
	}
	return disagreement(all, enough), true
}

// enoughStyles are the styles in which some promises often are enough, for how many times as many programs as there are seeds.
var enoughStyles = map[randprog.Style]float64{randprog.LB: 3, randprog.Passed: 1, randprog.Help: 2, randprog.Unasked: 10}

// TestPromisesEnough tests that where it is enough to promise some writes, those of others are never missed.
func TestPromisesEnough(t *testing.T) {
	for _, style := range append(chosen(), randprog.Values, randprog.Alike, randprog.Guarded, randprog.Carried, randprog.Passed, randprog.Unasked) {
		t.Run(string(style), func(t *testing.T) {
			some := seeds.Times(max(1, enoughStyles[style]))
			if style == randprog.Carried {
				some = seeds.Times(0.2) // whose search with all promises is long
			}
			told := noneDiffers(t, style, some, enoughDifference)
			if _, ok := enoughStyles[style]; ok && told < some.N()/200 {
				t.Errorf("some promises are enough in %d of %d programs only", told, some.N())
			}
		})
	}
}

// ringOf has units around a ring read one cell and write the next one. Who is the first does what `first` says in place of writing, if that is not
// nil, with what it has read.
func ringOf(n int, first func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val)) *ir.Program {
	b := randprog.NewBuilder("ring")
	e := b.Var(randprog.Var{Name: "e", Uninit: true})
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

// TestEnough tests which cells it is enough to promise writes of in rings of two, u and v: both are candidates if the first unit, who writes v,
// comes to that whatever it reads, and else it is u. Address 0 is of e, 1 of u, 2 of v.
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
		"a store behind a load of what perhaps nobody has written": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.Load(e, rlx, dev)
			t.Store(to, t.Int(1), rlx, dev)
		}, u},
		"a store behind a loop": {func(t *randprog.Thread, to, e *randprog.Var, r randprog.Val) {
			t.While(func() randprog.Val { return t.Choose(2) }, nil)
			t.Store(to, t.Int(1), rlx, dev)
		}, u},
	} {
		where, matters := buffering.Where(state.NewMachine(ringOf(2, c.first), memmodel.Specs[0]))
		var got []int
		for i := range 3 {
			if where.Enough.Holds(i) {
				got = append(got, i)
			}
		}
		if !matters || !slices.Equal(got, []int{c.want}) {
			t.Errorf("%s: promises matter: %v, enough are those of %v, want %v", name, matters, got, c.want)
		}
	}
}

// TestEnoughOfARing tests that the outcome in which each unit of a ring reads what another one writes later is found
// (no rule forbids it: all operations are relaxed, and none depends on another), though only one unit promises.
func TestEnoughOfARing(t *testing.T) {
	for n := 2; n <= 4; n++ {
		for _, mode := range por.Modes() {
			r := explored(ringOf(n, nil), Options{POR: mode, All: true, Promises: manyPromises})
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
