package explore

import (
	"context"
	"reflect"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// TestSaved checks that the statistics count what each reduction leaves out,
// and nothing where there is none.
func TestSaved(t *testing.T) {
	// Two stores of different locations: whoever comes first, nobody can tell.
	b := randprog.NewBuilder("stores")
	for i, x := range []*randprog.Var{b.Atomic("x"), b.Atomic("y")} {
		u := b.Thread(place(i))
		u.Store(x, u.Int(1), memmodel.Relaxed, memmodel.ScopeDevice)
	}
	stores := b.Program()
	r := Run(context.Background(), stores, Options{})
	if s := r.Stats; s.Saved.Eager != 2 || s.Saved.Eager != s.Steps {
		t.Errorf("two stores: %d steps, saved %+v", s.Steps, s.Saved)
	}

	var most Saved
	programs := []*ir.Program{stores, ainc(3), takingTurns()}
	for _, name := range []string{"ttaslock", "dekker", "peterson"} {
		programs = append(programs, must(load.File("../models/bench/"+name, load.Options{})))
	}
	for _, p := range programs {
		for _, mode := range []por.Mode{por.None, por.Sleep, por.DPOR} {
			saved := Run(context.Background(), p, Options{POR: mode, All: true, MaxStates: 2000, KeepSchedule: true}).Stats.Saved
			if mode == por.None && saved != (Saved{}) {
				t.Errorf("%s without reduction: saved %+v", p.Name, saved)
			}
			most.add(&saved)
		}
	}
	for v, i := reflect.ValueOf(most), 0; i < v.NumField(); i++ {
		if v.Field(i).Int() == 0 {
			t.Errorf("nothing was counted as %s", v.Type().Field(i).Name)
		}
	}
}
