package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// liveStyles are the random programs in which units may wait for ever.
var liveStyles = []randprog.Style{randprog.Waits, randprog.Cycles, randprog.Loops, randprog.Loiters, randprog.Again, randprog.Spins, randprog.SCLocks, randprog.Beside, randprog.Trials}

// liveStates bounds the programs that are looked at.
const liveStates = 3000

// liveGraph builds the graph of a program.
func liveGraph(p *ir.Program, promises int, keep memmodel.Keep) *liveness.Graph {
	return liveness.Build(context.Background(), liveMachine(p, promises, keep), liveness.Options{Starts: true, MaxStates: liveStates})
}

// liveTable answers the questions about all models of work-groups, and some about the levels below.
func liveTable(g *liveness.Graph) map[liveness.Question]liveness.Verdict {
	all := map[liveness.Question]liveness.Verdict{}
	for _, q := range liveQuestions() {
		all[q] = g.Check(context.Background(), q).Verdict
	}
	return all
}

// liveQuestions are those about all models of work-groups, and some about the levels below.
func liveQuestions() []liveness.Question {
	all := liveness.Table()
	for _, x := range []liveness.Model{liveness.Unfair, liveness.HSA, liveness.Fair} {
		all = append(all, liveness.Question{Levels: liveness.Levels{Device: liveness.Fair, Group: x, Sub: x, SubGroups: true}})
	}
	return all
}

// unlawful says which law some answers break: what ends under a model ends under a stronger one, and under strong fairness.
func unlawful(all map[liveness.Question]liveness.Verdict) string {
	for p, a := range all {
		for q, b := range all {
			weaker := p.Device.Weaker(q.Device) && p.Group.Weaker(q.Group) && p.Sub.Weaker(q.Sub) && p.SubGroups == q.SubGroups && p.Fairness <= q.Fairness
			if weaker && a == liveness.Ends && b == liveness.Runs {
				return fmt.Sprintf("every execution ends under %v (%v), and not under %v (%v)", p.Levels, p.Fairness, q.Levels, q.Fairness)
			}
		}
	}
	return ""
}

// misliving says how answers about a program break a law. It reports whether they are known, and how many are that it may run for ever.
func misliving(p *ir.Program, promises int) (wrong string, known bool, runs int) {
	g := liveGraph(p, promises, 0)
	if len(g.Incomplete) > 0 {
		return "", false, 0
	}
	all := liveTable(g)
	if wrong := unlawful(all); wrong != "" {
		return wrong, true, 0
	}
	for _, v := range all {
		if v == liveness.Runs {
			runs++
		}
	}
	r := soughtIn(p, Options{POR: por.DPOR, Promises: promises + promises - 1})
	hang, sure := r.Has(state.Deadlock) || r.Has(state.NoWayOut), r.Complete
	fair := all[liveness.Question{Levels: liveness.Whole(liveness.Fair), Fairness: liveness.Strong}]
	if sure && hang != (fair == liveness.Runs) {
		return fmt.Sprintf("the search finds that there is no way out: %v, but the answer under strong fairness is %d", hang, fair), true, runs
	}
	for q, v := range liveTable(liveGraph(p, promises, memmodel.KeepOrders)) {
		if v != all[q] && v != liveness.Unknown && all[q] != liveness.Unknown {
			return fmt.Sprintf("with each message kept the answer to %v (%v) is %d, not %d", q.Levels, q.Fairness, v, all[q]), true, runs
		}
	}
	return untrue(p, promises), true, runs
}

// liveMachine is the machine on whose states graphs are built.
func liveMachine(p *ir.Program, promises int, keep memmodel.Keep) *state.Machine {
	m := state.NewMachine(p, memmodel.Specs[0])
	m.Keep |= memmodel.KeepRounds | keep
	if promises > 0 {
		allow(m, promises)
	} else {
		por.Interleave(m)
	}
	return m
}

// untrue says what is wrong with the executions by which answers are shown.
func untrue(p *ir.Program, promises int) string {
	for _, x := range []liveness.Model{liveness.HSA, liveness.LOBE, liveness.Fair} {
		q := liveness.Question{Levels: liveness.Whole(x)}
		r := Run(context.Background(), p, Options{Promises: promises + promises - 1, MaxStates: liveStates, Liveness: &Liveness{Asked: []liveness.Question{q}, Required: []liveness.Question{q}}})
		for _, v := range r.Violations {
			if v.Kind != state.MayRun {
				continue
			}
			if v.Untold {
				return fmt.Sprintf("the execution that goes on for ever under %v is not told", x)
			}
			if err := VerifyLasso(p, r.Spec, v.Schedule, v.Lasso); err != nil {
				return fmt.Sprintf("the execution that goes on for ever under %v: %v", x, err)
			}
		}
	}
	return ""
}

// TestLiveLaws checks what must hold of the answers about any program.
func TestLiveLaws(t *testing.T) {
	for _, style := range liveStyles {
		t.Run(string(style), func(t *testing.T) {
			known, running := 0, 0
			for seed := range seeds.All() {
				p := style.Program(uint64(seed))
				wrong, sure, runs := misliving(p, 0)
				if wrong != "" {
					t.Fatalf("seed %d: %s\n%s", seed, wrong, randprog.Format(p))
				}
				if sure {
					known++
				}
				if runs > 0 {
					running++
				}
			}
			t.Logf("%d of %d programs known, %d may run for ever", known, seeds.N(), running)
			if known < seeds.N()/4 {
				t.Errorf("only %d of %d programs are known", known, seeds.N())
			}
		})
	}
}
