package explore

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store/disk"
)

// bufferedRace is load buffering over x and y beside a race that needs none: both threads
// write d.
func bufferedRace() *ir.Program {
	b := randprog.NewBuilder("a race beside load buffering")
	x, y, d := b.Atomic("x"), b.Atomic("y"), b.Plain("d")
	for i, from := range []*randprog.Var{x, y} {
		t := b.Thread(memmodel.Place{})
		t.Load(from, rlx, dev)
		t.Store([]*randprog.Var{y, x}[i], t.Int(1), rlx, dev)
		t.Write(d, t.Int(1))
	}
	return b.Program()
}

// bufferedOnly has a race only where both threads have read the other's store.
func bufferedOnly() *ir.Program {
	b := randprog.NewBuilder("a race by load buffering alone")
	x, y, d := b.Atomic("x"), b.Atomic("y"), b.Plain("d")
	for i, from := range []*randprog.Var{x, y} {
		t := b.Thread(memmodel.Place{})
		r := t.Load(from, rlx, dev)
		t.Store([]*randprog.Var{y, x}[i], t.Int(1), rlx, dev)
		t.If(r, func() { t.Write(d, t.Int(1)) }, nil)
	}
	return b.Program()
}

// failsBeside is bufferedOnly with a third thread, whose assertion always fails.
func failsBeside() *ir.Program {
	b := randprog.NewBuilder("a failed check, and a race by load buffering alone")
	x, y, d := b.Atomic("x"), b.Atomic("y"), b.Plain("d")
	for i, from := range []*randprog.Var{x, y} {
		t := b.Thread(memmodel.Place{})
		r := t.Load(from, rlx, dev)
		t.Store([]*randprog.Var{y, x}[i], t.Int(1), rlx, dev)
		t.If(r, func() { t.Write(d, t.Int(1)) }, nil)
	}
	t := b.Thread(memmodel.Place{})
	t.Assert(t.Int(0))
	return b.Program()
}

// What the first search finds may fail in an execution that goes on to have a race, too, if both loads read 1, so that both threads write
// d. That needs promises, and whether a race lies behind a failure is asked without: the failure is reported.
func TestBehindMakesNoPromises(t *testing.T) {
	for _, mode := range por.Modes() {
		for _, workers := range []int{1, 2} {
			r := Run(context.Background(), failsBeside(), Options{POR: mode, Workers: workers})
			if len(r.Violations) != 1 || r.Violations[0].Kind != state.AssertionFailed || r.Violations[0].Unsettled || !r.Unpromised {
				t.Errorf("%v, %d workers: %v", mode, workers, kinds(r))
			}
			r = Run(context.Background(), failsBeside(), Options{POR: mode, Workers: workers, Promises: NoPromises})
			if len(r.Violations) != 1 || r.Violations[0].Kind != state.AssertionFailed {
				t.Errorf("%v, %d workers, no promises: %v", mode, workers, kinds(r))
			}
		}
	}
}

// A violation that needs no load buffering is found by the first search, one that
// needs it by the second, and only what is needed is done.
func TestFirst(t *testing.T) {
	for _, mode := range por.Modes() {
		for _, workers := range []int{1, 2} {
			opt := Options{POR: mode, Workers: workers}
			r := Run(context.Background(), bufferedRace(), opt)
			if !r.Unpromised || !r.Has(state.DataRace) || r.Promises != DefaultPromises || r.Stats.First == 0 {
				t.Errorf("%v, %d workers: %v, found first: %v, %d states first", mode, workers, kinds(r), r.Unpromised, r.Stats.First)
			}
			r = Run(context.Background(), bufferedOnly(), opt)
			if r.Unpromised || !r.Has(state.DataRace) || r.Stats.First == 0 {
				t.Errorf("%v, %d workers: by load buffering alone: %v, found first: %v, %d states first", mode, workers, kinds(r), r.Unpromised, r.Stats.First)
			}
			opt.All = true
			if r = Run(context.Background(), bufferedRace(), opt); r.Unpromised || r.Stats.First == 0 || !r.Has(state.DataRace) {
				t.Errorf("%v, %d workers: all are asked for, which the first search alone cannot tell", mode, workers)
			}
		}
	}
}

// A bound that the search with promises meets loses nothing that needs none, though all that goes wrong is asked for.
func TestFirstOfAll(t *testing.T) {
	b := randprog.NewBuilder("a ring of loads that may be buffered, and a race behind it")
	d := b.Plain("d")
	x, y := b.Atomic("x"), b.Atomic("y")
	for i, from := range []*randprog.Var{x, y} {
		u := b.Thread(memmodel.Place{})
		for range 3 {
			u.Load(from, rlx, dev)
			u.Store([]*randprog.Var{y, x}[i], u.Int(1), rlx, dev)
		}
		u.Write(d, u.Int(1))
	}
	for _, mode := range por.Modes() {
		r := Run(context.Background(), b.Program(), Options{POR: mode, All: true})
		if !r.Complete || !r.Has(state.DataRace) || r.Stats.First == 0 {
			t.Fatalf("%v: %v, complete: %v, %d states first", mode, kinds(r), r.Complete, r.Stats.First)
		}
		at := usual()
		at.look = 1
		ctx, cancel := context.WithCancel(context.Background())
		r = Run(ctx, b.Program(), Options{POR: mode, All: true, pace: &at, Progress: func(s Stats) {
			if s.First > 0 { // the first search is over
				cancel()
			}
		}})
		if r.Complete || !r.Has(state.DataRace) {
			t.Errorf("%v: %v, complete: %v", mode, kinds(r), r.Complete)
		}
	}
}

// Kinds of violation that depend on what executions there are cannot be found by a search
// that leaves some out. A new kind must be considered here.
func TestFirstKinds(t *testing.T) {
	byItself := []state.Kind{
		state.DataRace, state.UninitialisedRead, state.BarrierDivergence, state.AssertionFailed, state.IndexOutOfRange,
		state.NilDereference, state.DivisionByZero, state.InvalidArgument, state.InvalidAccess, state.NonTermination,
		state.Deadlock, state.InvalidEvent, state.FailedCommand, state.UnwaitedCopy, state.UnfencedImage, state.MappingViolation, state.FreedMemory,
	}
	for _, k := range state.Kinds() {
		if want := slices.Contains(byItself, k); k.OfOneExecution() != want {
			t.Errorf("%s %s: an execution shows it by itself: %v, want %v", k.ID(), k, k.OfOneExecution(), want)
		}
	}
}

// A point that is reached by load buffering alone is not called unreachable.
func TestFirstReach(t *testing.T) {
	p := bufferedReach()
	if r := Run(context.Background(), p, Options{}); r.Verdict != Verified {
		t.Errorf("%v %v", r.Verdict, kinds(r))
	}
	if r := Run(context.Background(), p, Options{Promises: NoPromises}); !r.Has(state.Unreachable) {
		t.Errorf("without promises it is reached: %v", r.Verdict)
	}
}

func bufferedReach() *ir.Program {
	b := randprog.NewBuilder("reached by load buffering")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	p, q := b.Thread(memmodel.Place{}), b.Thread(memmodel.Place{})
	p0 := p.Load(x, rlx, dev)
	p.Store(y, p.Int(1), rlx, dev)
	p.If(p0, func() { p.Store(z, p.Int(1), rel, dev) }, nil)
	q0 := q.Load(y, rlx, dev)
	q.Store(x, q.Int(1), rlx, dev)
	q.If(q0, func() { q.If(q.Load(z, acq, dev), func() { q.Reach("both") }, nil) }, nil)
	return b.Program()
}

// What the first search has seen of all executions without load buffering is said where the second one is cut short; not where that found something, nor where it left a point
// unreached or was cut short itself. Of bufferedReach no execution without load buffering comes to the point.
func TestFirstAll(t *testing.T) {
	ring := ringOf(3, nil) // all of which fits in so many steps
	for name, c := range map[string]struct {
		p    *ir.Program
		opt  Options
		want bool
	}{
		"cut short":        {ring, Options{MaxStates: 30}, true},
		"complete":         {ring, Options{}, true},
		"itself cut short": {ring, Options{MaxStates: 3}, false},
		"unreached":        {bufferedReach(), Options{}, false},
		"violated":         {bufferedRace(), Options{}, false},
		"left out":         {ring, Options{Promises: NoPromises}, false},
		"all asked for":    {ring, Options{All: true}, true},
	} {
		r := Run(context.Background(), c.p, c.opt)
		if r.Stats.FirstAll != c.want || c.opt.MaxStates > 0 && r.Verdict != Inconclusive {
			t.Errorf("%s: %v, all seen without load buffering: %v (%d states), and %d with", name, r.Verdict, r.Stats.FirstAll, r.Stats.First, r.Stats.States)
		}
	}
}

// With a store, what the first search has found is kept, and what it has not found does not
// disturb the search that is stored.
func TestFirstStored(t *testing.T) {
	for i, p := range []*ir.Program{bufferedRace(), bufferedOnly()} {
		dir := filepath.Join(t.TempDir(), "store")
		d, err := disk.Create(dir, disk.Options{Mem: 1 << 20}, nil, nil)
		for range 2 { // the second time it is only told
			if err != nil {
				t.Fatal(err)
			}
			r := Run(context.Background(), p, Options{Store: d, KeepSchedule: true})
			d.Close()
			if r.Err != nil || !r.Has(state.DataRace) || r.Unpromised != (i == 0) || r.Stats.First == 0 || r.Stats.States == 0 {
				t.Errorf("%s: %v %v, found first: %v, %+v", p.Name, r.Err, kinds(r), r.Unpromised, r.Stats)
			}
			d, err = disk.Open(dir, disk.Options{})
		}
		d.Close()
	}
}

// What the first search has done counts against the bounds of both.
func TestFirstBounds(t *testing.T) {
	p := twoHelpers(false)
	r := Run(context.Background(), p, Options{MaxStates: 200})
	if n := r.Stats.First + r.Stats.States; r.Verdict != Inconclusive || n > 201 {
		t.Errorf("%v after %d states", r.Verdict, n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	if r := Run(ctx, p, Options{}); r.Verdict != Inconclusive || r.Stats.First+r.Stats.States > usual().look {
		t.Errorf("%v after %d states", r.Verdict, r.Stats.First+r.Stats.States)
	}
}
