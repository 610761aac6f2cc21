package explore

import (
	"slices"
	"testing"

	"github.com/clmc/clmc/explore/internal/axiom"
	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
)

// Without visited states, the reduced search completes as many executions as
// there are consistent execution graphs, counted by the axioms: none twice,
// none missed. Which command maps or frees memory first is no part of a graph. Where commands
// start and end beside several host threads, units are numbered anew, nobody sleeps any
// more, and now and then an execution is completed twice.
func TestExecutionsAreCountedOnce(t *testing.T) {
	compared := 0
	counted := slices.DeleteFunc(chosen(), func(s randprog.Style) bool { return s == randprog.Maps || s == randprog.Frees })
	for _, style := range counted {
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			spec := memmodel.Specs[seed%len(memmodel.Specs)]
			want, err := axiom.Run(p, spec, axiom.Options{})
			if err != nil || want.Undefined() {
				continue
			}
			r := explored(p, Options{Spec: spec, POR: por.DPOR, NoCache: true, Promises: NoPromises})
			if !r.Complete {
				continue
			}
			compared++
			if r.Stats.Ends < want.Executions || r.Stats.Ends > want.Executions && style != randprog.Threads && style != randprog.Calls {
				t.Errorf("%s, spec %s: %d executions completed, want %d\n%s", p.Name, spec.Name, r.Stats.Ends, want.Executions, randprog.Format(p))
			}
		}
	}
	if compared*4 < len(counted)*seeds.N() {
		t.Errorf("only %d programs compared", compared)
	}
}
