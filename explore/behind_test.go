package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// TestFailuresBesideRaces asks for one violation of programs that check what
// they read. By the axioms, a check is what goes wrong only if it fails in some
// execution without a race: in the others it may be a consequence.
func TestFailuresBesideRaces(t *testing.T) {
	var clean, racy, both, told int
	for seed := range seeds.Times(5).All() {
		p := randprog.Checks.Program(uint64(seed))
		spec := memmodel.Specs[seed%len(memmodel.Specs)]
		want, err := axiom.Run(p, spec, axiom.Options{MaxCandidates: 100_000})
		if err != nil || want.Divergence || !want.Race && !want.Failed {
			continue
		}
		switch {
		case want.Race && want.Failed:
			both++
		case want.Race:
			racy++
		default:
			clean++
		}
		for _, opt := range []Options{{POR: por.None}, {POR: por.Sleep}, {POR: por.DPOR}, {POR: por.DPOR, NoSymmetry: true, KeepSchedule: true}, {Workers: 2}} {
			opt.Spec, opt.Promises = spec, NoPromises
			got := Run(context.Background(), p, opt)
			if len(got.Violations) != 1 {
				t.Fatalf("seed %d, spec %s, %+v: %d violations\n%s", seed, spec.Name, opt, len(got.Violations), randprog.Format(p))
			}
			v := &got.Violations[0]
			switch race := v.Kind == state.DataRace; {
			case race && !want.Race:
				t.Errorf("seed %d, spec %s, %+v: a race\n%s", seed, spec.Name, opt, randprog.Format(p))
			case !race && !want.Failed:
				t.Errorf("seed %d, spec %s, %+v: %v, and no race\n%s", seed, spec.Name, opt, v.Kind, randprog.Format(p))
			case race && v.Failed != state.NoViolation:
				told++
			}
			if v.Unsettled {
				t.Errorf("seed %d, spec %s, %+v: unsettled\n%s", seed, spec.Name, opt, randprog.Format(p))
			}
		}
	}
	t.Logf("%d programs fail without a race, %d with races only, %d with and without; %d races have a consequence", clean, racy, both, told)
	if least := seeds.N() / 10; clean < least || racy < least || both < least || told < least {
		t.Errorf("too few of some sort")
	}
}
