package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// Of random programs, every outcome that is listed has a witness, whose schedule ends with that
// outcome on a machine that keeps everything; and an outcome that is not listed has none.
func TestWitnesses(t *testing.T) {
	found := 0
	for _, style := range chosen() {
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			opt := Options{All: true, MaxStates: 2000, Promises: NoPromises}
			r := Run(context.Background(), p, opt)
			if !r.Complete {
				continue
			}
			for _, o := range r.Outcomes[:min(len(r.Outcomes), 3)] {
				want := OutcomeKey(o)
				opt.Witness = func(got map[string]int64) bool { return OutcomeKey(got) == want }
				w := Run(context.Background(), p, opt).Witness
				if w == nil {
					t.Fatalf("%s %d: no witness of %s", style, seed, want)
				}
				m := state.NewMachine(p, memmodel.Specs[0])
				s := m.Initial()
				for _, mv := range w.Schedule {
					m.Do(s, mv.Unit, mv.Choice)
				}
				if got := OutcomeKey(named(m.Outcome(s, nil))); got != want || !s.Done() {
					t.Errorf("%s %d: the witness of %s ends with %s", style, seed, want, got)
				}
				found++
			}
			opt.Witness = func(got map[string]int64) bool {
				for _, o := range r.Outcomes {
					if OutcomeKey(o) == OutcomeKey(got) {
						return false
					}
				}
				return true
			}
			if w := Run(context.Background(), p, opt); w.Witness != nil {
				t.Errorf("%s %d: a witness of an outcome that is not listed", style, seed)
			}
		}
	}
	if t.Logf("%d witnesses", found); found < 10*seeds.N() {
		t.Errorf("only %d", found)
	}
}
