package explore

import (
	"flag"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/seedset"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

var (
	seeds  = seedset.Flags(6)
	styles = flag.String("styles", "", "comma-separated styles of random programs; empty: all")
)

// chosen returns the styles of random programs that the flag asks for.
func chosen() []randprog.Style {
	if *styles == "" {
		return randprog.Styles()
	}
	var list []randprog.Style
	for s := range strings.SplitSeq(*styles, ",") {
		if s := randprog.Style(s); s != randprog.Symmetric && s != randprog.Crowds { // too many executions for package axiom
			list = append(list, s)
		}
	}
	return list
}

// difference compares the machine with the axioms on one program and returns
// a description of what differs, or "".
func difference(p *ir.Program, spec memmodel.Spec, mode por.Mode) string {
	d, _ := compared(as(p, spec), mode)
	return d
}

// compared does the same, and tells what could be compared.
func compared(d *drawn, mode por.Mode) (difference string, what comparison) {
	want, err := d.axioms(axiom.Options{MaxCandidates: d.most})
	if err != nil {
		return "", nothing
	}
	got := d.search(Options{POR: mode, MaxStates: 300_000, Promises: NoPromises}).Result
	if !got.Complete {
		return "", nothing
	}
	if d := misjudgement(want, got, mode); d != "" || len(got.Violations) > 0 {
		return d, verdicts
	}
	return otherOutcomes(want, got), outcomes
}

// comparison is what of a program and its axioms could be compared.
type comparison int

const (
	nothing  comparison = iota // one of the two was too much
	verdicts                   // something goes wrong
	outcomes
)

// misjudgement returns what the search says of a program's executions that the axioms do
// not, or the other way round, but for outcomes.
func misjudgement(want *axiom.Result, got *Result, mode por.Mode) string {
	race := got.Has(state.DataRace) || got.Has(state.UninitialisedRead)
	mapping := got.Has(state.MappingViolation) || got.Has(state.FreedMemory)
	divergence, unfenced := got.Has(state.BarrierDivergence), got.Has(state.UnfencedImage)
	switch {
	case failed(got) && !want.Failed:
		return "failed check that only executions with a race have"
	case want.Race || want.Uninit:
		// Where a barrier diverges as well, either may be met first. What comes
		// after a missing fence is not looked at.
		if !race && !unfenced && !mapping && !(divergence && mode != por.None) {
			return "missed race"
		}
		return ""
	case race:
		return "false race"
	case mapping != want.Mapping:
		return "mapping"
	case mapping:
		return ""
	case want.Unfenced:
		if !unfenced && !(divergence && mode != por.None) {
			return "missed image fence"
		}
		return ""
	case unfenced:
		return "false image fence"
	case failed(got) != want.Failed:
		return "failed check"
	case want.Failed:
		return ""
	case divergence != want.Divergence:
		return "divergence"
	case got.Has(state.AssertionFailed) && !want.Failed:
		return "false assertion"
	case want.Failed && len(got.Violations) == 0:
		return "missed failure"
	case got.Has(state.AssertionFailed):
		return ""
	case divergence:
		return ""
	case got.Has(state.Deadlock) != want.Deadlock:
		return "deadlock"
	case got.Has(state.FailedCommand) != want.Abnormal:
		return "abnormal termination"
	case want.Deadlock || want.Abnormal:
		return ""
	}
	return ""
}

// otherOutcomes returns an outcome that only one of the two has.
func otherOutcomes(want *axiom.Result, got *Result) string {
	seen := map[string]bool{}
	for _, o := range got.Outcomes {
		k := OutcomeKey(o)
		seen[k] = true
		if !want.Outcomes[k] {
			return "forbidden outcome " + k
		}
	}
	for k := range want.Outcomes {
		if !seen[k] {
			return "missing outcome " + k
		}
	}
	return ""
}

// failed reports whether some check is said to fail.
func failed(r *Result) bool {
	return r.Has(state.AssertionFailed) || r.Has(state.DivisionByZero)
}

// TestOracle compares the machine with the axioms on random programs.
func TestOracle(t *testing.T) {
	var all [outcomes + 1]atomic.Int32
	// Histograms race or are too large for the axioms; TestPromisesReduced and TestPromisesEverywhere compare them with no reduction.
	list := slices.DeleteFunc(chosen(), func(s randprog.Style) bool { return s == randprog.Histogram })
	eachStyle(t, list, func(t *testing.T, style randprog.Style) {
		var n [outcomes + 1]int
		for seed := range seeds.All() {
			p := draw(style, seed)
			for _, mode := range por.Modes() {
				d, what := compared(p, mode)
				n[what]++
				all[what].Add(1)
				if d != "" {
					small := shrunk(p.Program, func(q *ir.Program) bool { return difference(q, p.spec, mode) != "" })
					t.Errorf("seed %d, spec %s, reduction %s: %s\n%s\nshrunk: %s", seed, p.spec.Name, mode, d, randprog.Format(small), difference(small, p.spec, mode))
					return
				}
			}
		}
		t.Logf("%d searches compared by what goes wrong, %d by outcomes, %d were too much", n[verdicts], n[outcomes], n[nothing])
		if searches := seeds.N() * len(por.Modes()); n[nothing] > searches/2 || n[outcomes] < searches/20 {
			t.Errorf("of %d searches, too few were compared", searches)
		}
	}, func() {
		if searches := len(list) * seeds.N() * len(por.Modes()); *styles != "" { // of which each has been asked for itself
		} else if int(all[nothing].Load()) > searches/4 || int(all[outcomes].Load()) < searches/5 || all[outcomes].Load() == 0 {
			t.Errorf("of %d searches, too few were compared", searches)
		}
	})
}
