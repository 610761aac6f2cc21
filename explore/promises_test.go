package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/explore/internal/axiom"
	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// manyPromises is a bound that no random program meets.
const manyPromises = 8

// promised compares the machine with promises and the axioms: it has all
// executions in which only independent writes overtake reads, and none that
// the axioms forbid. It returns a description of what differs, or "", and
// whether promises made a difference.
func promised(p *ir.Program, spec memmodel.Spec, mode por.Mode) (difference string, mattered bool) {
	most, err := axiom.Run(p, spec, axiom.Options{LoadBuffering: true, MaxCandidates: 300_000})
	if err != nil {
		return "", false
	}
	least, err := axiom.Run(p, spec, axiom.Options{LoadBuffering: true, Independent: true})
	if err != nil {
		return "", false
	}
	plain, _ := axiom.Run(p, spec, axiom.Options{})
	got := Run(context.Background(), p, Options{Spec: spec, POR: mode, All: true, MaxStates: 300000, KeepSchedule: true, Promises: manyPromises})
	if !got.Complete {
		return "", false
	}
	race := got.Has(state.DataRace) || got.Has(state.UninitialisedRead)
	// What comes after a divergence or a missing fence is not looked at.
	divergence := got.Has(state.BarrierDivergence) || got.Has(state.UnfencedImage)
	mattered = len(least.Outcomes) != len(plain.Outcomes) || least.Race != plain.Race
	switch {
	case race && !most.Race && !most.Uninit:
		return "false race", mattered
	case !race && !divergence && (least.Race || least.Uninit):
		return "missed race", mattered
	case race || divergence || most.Race || most.Uninit:
		return "", mattered
	}
	seen := map[string]bool{}
	for _, o := range got.Outcomes {
		k := OutcomeKey(o)
		seen[k] = true
		if !most.Outcomes[k] {
			return "forbidden outcome " + k, mattered
		}
	}
	for k := range least.Outcomes {
		if !seen[k] {
			return "missing outcome " + k, mattered
		}
	}
	return "", mattered
}

func TestPromisesAgainstAxioms(t *testing.T) {
	for _, style := range chosen() {
		if testing.Short() && style != randprog.LB {
			continue // in others promises seldom matter
		}
		t.Run(string(style), func(t *testing.T) {
			mattered := 0
			for seed := range *seeds {
				p := style.Program(uint64(seed))
				spec := memmodel.Specs[seed%len(memmodel.Specs)]
				mode := []por.Mode{por.Sleep, por.None}[seed/len(memmodel.Specs)%2]
				d, m := promised(p, spec, mode)
				if m {
					mattered++
				}
				if d != "" {
					small := randprog.Shrink(p, func(q *ir.Program) bool { d, _ := promised(q, spec, mode); return d != "" })
					d, _ = promised(small, spec, mode)
					t.Fatalf("seed %d, spec %s, reduction %s: shrunk: %s\n%s", seed, spec.Name, mode, d, randprog.Format(small))
				}
			}
			t.Logf("promises made a difference to %d of %d programs", mattered, *seeds)
		})
	}
}
