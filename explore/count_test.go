package explore

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/por"
)

// Without visited states, the reduced search completes as many executions as
// there are consistent execution graphs, counted by the axioms: none twice,
// none missed. Which command maps or frees memory first is no part of a graph. Where commands
// start and end beside several host threads, units are numbered anew, nobody sleeps any
// more, and now and then an execution is completed twice.
func TestExecutionsAreCountedOnce(t *testing.T) {
	var compared atomic.Int32
	counted := slices.DeleteFunc(chosen(), func(s randprog.Style) bool { return s == randprog.Maps || s == randprog.Frees })
	eachStyle(t, counted, func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := draw(style, seed)
			want, err := p.axioms(axiom.Options{MaxCandidates: p.most})
			if err != nil && !tooMany(style) {
				want, err = p.axioms(axiom.Options{})
			}
			if err != nil || want.Undefined() {
				continue
			}
			r := p.search(Options{POR: por.DPOR, NoCache: true, MaxStates: 20_000, Promises: NoPromises})
			if !r.Complete {
				continue
			}
			compared.Add(1)
			if r.Stats.Ends < want.Executions || r.Stats.Ends > want.Executions && style != randprog.Threads && style != randprog.Calls {
				t.Errorf("%s, spec %s: %d executions completed, want %d\n%s", p.Name, p.spec.Name, r.Stats.Ends, want.Executions, randprog.Format(p.Program))
			}
		}
	}, func() {
		least := len(counted) * seeds.N() / 4
		if *styles != "" { // of a style that is asked for by itself most programs may be undefined
			least /= 4
		}
		if n := int(compared.Load()); n < least || n == 0 && len(counted) > 0 {
			t.Errorf("only %d programs compared", n)
		}
	})
}
