package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/buffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// needlessDifference returns what promises change in a program in which they are
// found to make no difference, though the code alone does not tell. If the
// program is another one, told is false.
func needlessDifference(p *ir.Program, spec memmodel.Spec) (difference string, told bool) {
	m := state.NewMachine(p, spec)
	if !buffering.May(m) || buffering.Matters(m) {
		return "", false
	}
	opt := Options{Spec: spec, POR: por.DPOR, All: true, MaxStates: 1000, KeepSchedule: true, Promises: manyPromises, needless: true}
	with := Run(context.Background(), p, opt)
	opt.Promises = NoPromises
	without := Run(context.Background(), p, opt)
	if !with.Complete || !without.Complete {
		return "", false
	}
	return disagreement(without, with), true
}

// TestPromisesNeedless tests that where the thread-modular analysis finds that promises
// make no difference they make none.
func TestPromisesNeedless(t *testing.T) {
	for _, style := range append(chosen(), randprog.Loops, randprog.Cycles, randprog.Values, randprog.Alike) {
		t.Run(string(style), func(t *testing.T) {
			told := 0
			for seed := range *seeds {
				p := style.Program(uint64(seed))
				spec := memmodel.Specs[seed%len(memmodel.Specs)]
				d, ok := needlessDifference(p, spec)
				if ok {
					told++
				}
				if d != "" {
					small := randprog.Shrink(p, func(q *ir.Program) bool { d, _ := needlessDifference(q, spec); return d != "" })
					d, _ = needlessDifference(small, spec)
					t.Fatalf("seed %d, spec %s: shrunk: %s\n%s", seed, spec.Name, d, randprog.Format(small))
				}
			}
			t.Logf("%d of %d programs", told, *seeds)
		})
	}
}
