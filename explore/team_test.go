package explore

import (
	"testing"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/explore/mutant"
	"github.com/clmc/clmc/por"
)

// Several workers find what one finds, with each reduction.
func TestWorkersAgree(t *testing.T) {
	programs := append(traps(), ignoring(), ignoringPair(), racingWait())
	for _, style := range append(chosen(), randprog.Loops, randprog.Cycles, randprog.Alike, randprog.SCLocks) {
		for seed := range seeds.All() {
			programs = append(programs, style.Program(uint64(seed)))
		}
	}
	compared := 0
	for i, p := range programs {
		mode := por.Modes()[i%len(por.Modes())]
		one := explored(p, Options{POR: mode})
		if !one.Complete {
			continue
		}
		compared++
		for _, n := range []int{2, 3} {
			if d := disagreement(explored(p, Options{POR: mode, Workers: n}), one); d != "" {
				t.Errorf("%s: %s, %d workers: %s\n%s", p.Name, mode, n, d, randprog.Format(p))
			}
		}
	}
	t.Logf("%d of %d programs compared", compared, len(programs))
	if compared*4 < 3*len(programs) {
		t.Errorf("only %d of %d programs compared", compared, len(programs))
	}
}

// A search of infinitely many states ends with several workers too.
func TestWorkersStormEnds(t *testing.T) {
	r := explored(storm(), Options{Workers: 4})
	if r.Verdict != Inconclusive {
		t.Errorf("verdict %v", r.Verdict)
	}
}

// TestWorkerMutants breaks what workers rely on and sees TestWorkersAgree fail.
func TestWorkerMutants(t *testing.T) {
	mutant.Try(t, workerMutants, func(t *testing.T, m mutant.Mutant) (string, bool) {
		return m.Survives(t, "-run", "^TestWorkersAgree$", "-seeds", "200", "-styles", m.Tell, ".")
	})
}

var workerMutants = mutant.List([][5]string{
	{"what only another worker explores is not known", "explore/team.go",
		"	if seen && s.foreign(e.Note) {\n", "	if false {\n", "glob"},
	{"the others' outcomes count", "explore/team.go",
		"		s.outcomes[key] = o\n", "		_, _ = key, o\n", "glob"},
	{"the others' violations count", "explore/team.go",
		"			s.report(&v)\n", "", "glob"},
})
