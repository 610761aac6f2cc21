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

// TestRacesBehindEachPath lists what goes wrong where a check fails at once behind a barrier, on two paths that lead there. P0 fails whatever
// happens, and nothing that others do can come before that. If P2 reads 1 of x nobody writes y, nobody writes d, and there is no race behind the failure; if it reads 0 then
// P1 may read 1 of y, and writes d, which P0 has read: nothing orders the two (rule 9.1). Both are on the list: the failure comes about alone, too.
func TestRacesBehindEachPath(t *testing.T) {
	p, err := randprog.Parse(`name paths
object d global svm_coarse plain = 0
object x global svm_coarse atomic = 0
object y global svm_coarse atomic = 0
thread P0 device 0 kernel 0 group 0 sub 0
	barrier B local work_group
	r0 = load d
	assert r0
thread P1 device 0 kernel 0 group 0 sub 0
	barrier B local work_group
	r0 = load y relaxed device
	unless r0 goto L3
	store d 2
L3:
thread P2 device 0 kernel 0 group 0 sub 0
	r0 = load x relaxed device
	unless r0 goto L1
	goto L2
L1:
	store y 1 relaxed device
L2:
	barrier B local work_group
thread P3 device 0 kernel 0 group 1 sub 0
	store x 1 relaxed device
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range por.Modes() {
		r := Run(context.Background(), p, Options{Spec: memmodel.Specs[0], POR: mode, All: true, Promises: NoPromises})
		if !r.Has(state.AssertionFailed) || !r.Has(state.DataRace) {
			t.Errorf("--por %s lists %v", mode, r.Violations)
		}
	}
}
