package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/clmc/clmc/explore/internal/fairoracle"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// reducedStyles are the random programs of which it is asked in several ways whether their executions end.
var reducedStyles = append([]randprog.Style{randprog.Schedules, randprog.Crowds, randprog.LB, randprog.Overtaken, randprog.Retrials}, liveStyles...)

// drawnQuestions are all questions about work-groups, the presets, and some about all levels.
func drawnQuestions(seed int) []liveness.Question {
	all := liveness.Table()
	for _, p := range liveness.Presets() {
		all = append(all, liveness.Question{Levels: p.Levels})
	}
	rng := rand.New(rand.NewPCG(uint64(seed), 48))
	model := func() liveness.Model { return liveness.Models()[rng.IntN(len(liveness.Models()))] }
	for i := range 4 {
		q := liveness.Question{Levels: liveness.Levels{Device: model(), Group: model(), Sub: liveness.Fair}, Fairness: liveness.Fairness(i / 3)}
		if q.SubGroups = i%2 == 0; q.SubGroups {
			q.Sub = model()
		}
		if !q.Vacuous() {
			all = append(all, q)
		}
	}
	return all
}

// reducedStates bounds the programs that are compared.
const reducedStates = 600

// reducedEffort bounds the work of the direct procedure: promises of programs whose values grow without a bound take long to certify.
const reducedEffort = 1 << 20

// oracleStates bounds what the oracle is asked about.
const oracleStates = 150

// misreduced compares the answers to questions: from the graph in which nothing is left out, from those that are asked instead, of all at once and
// of one alone, and from the oracle. It reports whether they are known, and whether some execution may run for ever.
func misreduced(p *ir.Program, promises, seed int) (wrong string, known, runs, judged bool) {
	asked := drawnQuestions(seed)
	decide := func(some []liveness.Question, opt liveness.Options) []liveness.Answer {
		opt.MaxStates = reducedStates
		m := liveMachine(p, promises, 0)
		if opt.Direct {
			m.Effort.Count(reducedEffort)
		}
		return liveness.Decide(context.Background(), m, some, opt).Answers
	}
	direct := decide(asked, liveness.Options{Direct: true})
	for _, a := range direct {
		if a.Verdict == liveness.Unknown {
			return "", false, false, false
		}
		runs = runs || a.Verdict == liveness.Runs
	}
	alone := seed % len(asked)
	for _, less := range [][]liveness.Answer{decide(asked, liveness.Options{Look: 1 + seed%2*31}), decide(asked[alone:alone+1], liveness.Options{Look: 1})} {
		for i, a := range less {
			want := direct[i]
			if len(less) == 1 {
				want = direct[alone]
			}
			if a.Verdict != want.Verdict {
				return fmt.Sprintf("%v (%v): %d where less is looked at, %d where nothing is left out (%d questions)", a.Levels, a.Fairness, a.Verdict, want.Verdict, len(less)), true, runs, false
			}
		}
	}
	o := fairoracle.New(liveMachine(p, promises, memmodel.KeepOrders), oracleStates)
	if !o.Whole {
		return "", true, runs, false
	}
	for _, a := range direct {
		if ever := a.Fairness == liveness.Weak && o.RunsForEver(a.Levels); a.Fairness == liveness.Weak && ever != (a.Verdict == liveness.Runs) {
			return fmt.Sprintf("%v: %d, but by the definitions some execution goes on for ever: %v", a.Levels, a.Verdict, ever), true, runs, true
		}
	}
	return "", true, runs, true
}

// TestReducedLiveness: what is left out of graphs makes no difference.
func TestReducedLiveness(t *testing.T) {
	all, known, running, judged := 0, 0, 0, 0
	for _, style := range reducedStyles {
		t.Run(string(style), func(t *testing.T) {
			set := seeds.Times(0.25)
			if style == randprog.Schedules {
				set = seeds
			}
			for seed := range set.All() {
				p := style.Program(uint64(seed))
				promises := 0
				if seed%3 == 0 {
					promises = 1
				}
				wrong, sure, runs, by := misreduced(p, promises, seed)
				if wrong != "" {
					t.Fatalf("seed %d: %s", seed, wrong)
				}
				for count, b := range map[*int]bool{&all: true, &known: sure, &running: runs, &judged: by} {
					if b {
						*count++
					}
				}
			}
		})
	}
	t.Logf("%d programs, %d known, %d may run for ever, %d judged by the definitions", all, known, running, judged)
	if running < all/5 || judged < all/8 {
		t.Errorf("of %d programs only %d may run for ever, and %d were judged by the definitions", all, running, judged)
	}
}
