package explore

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Of random programs, every outcome that is listed has a witness, whichever names it is asked for by, and
// the schedule of that ends with such an outcome on a machine that keeps everything; an outcome that is not
// listed has none.
func TestWitnesses(t *testing.T) {
	var found atomic.Int32
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			opt := Options{All: true, MaxStates: 2000, Promises: NoPromises}
			r := Run(context.Background(), p, opt)
			if !r.Complete {
				continue
			}
			opt.Witnesses = 1
			for _, o := range r.Outcomes[:min(len(r.Outcomes), 3)] {
				for _, long := range []bool{false, true} {
					opt.Wanted = having(o, r.Names, long)
					moves := Run(context.Background(), p, opt).Witnesses
					if len(moves) != 1 {
						t.Fatalf("%s %d: %d witnesses of %s, by long names %t", style, seed, len(moves), OutcomeKey(o), long)
					}
					for _, moves := range moves {
						if got := ending(p, moves); got == nil || !opt.Wanted(func(name string) (int64, bool) { return r.Names.Value(got, name) }) {
							t.Errorf("%s %d: the witness of %s ends with %v", style, seed, OutcomeKey(o), got)
						}
					}
					found.Add(1)
				}
			}
			opt.Wanted = func(value func(string) (int64, bool)) bool {
				return !slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool { return having(o, r.Names, true)(value) })
			}
			if w := Run(context.Background(), p, opt); len(w.Witnesses) > 0 {
				t.Errorf("%s %d: a witness of an outcome that is not listed", style, seed)
			}
		}
	}, func() {
		n := int(found.Load())
		if t.Logf("%d witnesses", n); n == 0 || *styles == "" && n < 10*seeds.N() {
			t.Errorf("only %d", n)
		}
	})
}

// having asks for outcomes with the values of one, by the names under which they are listed or by the long ones.
func having(o map[string]int64, names *Names, long bool) func(func(string) (int64, bool)) bool {
	return func(value func(string) (int64, bool)) bool {
		for name, want := range o {
			if all := names.long[name]; long && len(all) == 1 && all[0] != "" {
				name = all[0]
			}
			if v, ok := value(name); !ok || v != want {
				return false
			}
		}
		return true
	}
}

// ending returns the outcome that a schedule comes to on a machine that keeps everything, nil if it does
// not come to an end.
func ending(p *ir.Program, moves []Move) []state.Value {
	for m := range Replayers(p, memmodel.Specs[0], nil) {
		s := m.Initial()
		for _, mv := range moves {
			m.Do(s, mv.Unit, mv.Choice)
		}
		if s.Done() && s.Violation.Kind == state.NoViolation && !s.Open() {
			return append(m.Notes().Outcome(s, nil), state.Value{})
		}
	}
	return nil
}

// What is found first need not be the shortest execution: of random programs with waits, one that is as asked
// for is found that is never longer, and sometimes shorter.
func TestShorterWitnesses(t *testing.T) {
	shorter := 0
	for _, style := range []randprog.Style{randprog.Loops, randprog.Cycles, randprog.Spins} {
		for seed := range uint64(60) {
			p := style.Program(seed)
			opt := Options{All: true, MaxStates: 500, Promises: NoPromises}
			r := Run(context.Background(), p, opt)
			for _, o := range r.Outcomes {
				var length [2]int
				for i := range length {
					opt.Witnesses, opt.Wanted, opt.KeepSchedule = 1, having(o, r.Names, true), i == 0
					for _, moves := range Run(context.Background(), p, opt).Witnesses {
						length[i] = len(moves)
					}
				}
				if length[1] > length[0] {
					t.Errorf("%s %d: %d steps, that were %d", style, seed, length[1], length[0])
				}
				shorter += count(length[1] < length[0])
			}
		}
	}
	if t.Logf("%d are shorter", shorter); shorter == 0 {
		t.Errorf("none is shorter")
	}
}

// Of two work-items that are alike, each may be the one that comes first (rule 7.7): whoever asks for the one gets
// it, and the other, whether or not states that differ in their names are one.
func TestWitnessOfEachOfItsLike(t *testing.T) {
	b := randprog.NewBuilder("alike")
	x := b.Atomic("x")
	k := b.Kernel("k")
	r := k.RMW(ir.Add, x, k.Int(1), memmodel.Relaxed, memmodel.ScopeDevice)
	k.ObserveAs("ticket", r)
	host := b.Thread(memmodel.Place{Host: true})
	host.Launch(b.Queue(0, false), k, 2, 1)
	prog := b.Program()
	for _, same := range []bool{false, true} {
		for _, name := range []string{"0:ticket", "1:ticket", "k(0)@1:ticket", "k(1)@1:ticket"} {
			for want := range int64(2) {
				r := Run(context.Background(), prog, Options{All: true, NoSymmetry: same, Witnesses: 1, Wanted: func(value func(string) (int64, bool)) bool {
					v, ok := value(name)
					return ok && v == want
				}})
				for _, moves := range r.Witnesses {
					if got, ok := r.Names.Value(ending(prog, moves), name); !ok || got != want {
						t.Errorf("%s is %d, want %d", name, got, want)
					}
				}
				if len(r.Witnesses) != 1 {
					t.Errorf("NoSymmetry %t: no witness of %s == %d", same, name, want)
				}
			}
		}
	}
}
