package explore

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/clmc/clmc/explore/internal/axiom"
	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
)

// askFor asks the axioms for an outcome.
func askFor(o map[string]int64) axiom.Question {
	steps := 0
	q := axiom.Question{Stop: func() bool { steps++; return steps > 300 }, Values: slices.Collect(maps.Values(o))}
	q.Holds = func(value func(string) (int64, bool)) (holds, known bool) {
		holds = true
		for name, want := range o {
			v, ok := value(name)
			if ok && v != want {
				return false, true
			}
			holds = holds && ok
		}
		return holds, holds
	}
	return q
}

// TestWhyNot compares, on random programs and for outcomes that are listed and others made of their values, what the
// search says of an outcome with the account of all candidate executions: where there is none, the rules forbid
// every candidate; where there is one, they do not.
func TestWhyNot(t *testing.T) {
	possible, impossible, chains, air := 0, 0, 0, 0
	for _, style := range chosen() {
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			spec := memmodel.Specs[seed%len(memmodel.Specs)]
			r := Run(context.Background(), p, Options{Spec: spec, All: true, MaxStates: 3000, KeepSchedule: true})
			if !r.Complete || len(r.Outcomes) == 0 {
				continue
			}
			listed := map[string]bool{}
			for _, o := range r.Outcomes {
				listed[OutcomeKey(o)] = true
			}
			for i, o := range mixtures(r.Outcomes) {
				if i == 6 {
					break
				}
				a, err := axiom.WhyNot(p, spec, askFor(o))
				if err != nil {
					continue
				}
				is := listed[OutcomeKey(o)] || slices.ContainsFunc(r.Outcomes, func(all map[string]int64) bool { return includes(all, o) })
				switch {
				case is && a.Proved():
					t.Errorf("%s %d, spec %s: %s is possible, but all candidates are forbidden: %+v\n%s", style, seed, spec.Name, OutcomeKey(o), a, randprog.Format(p))
				case !is && a.Allowed:
					t.Errorf("%s %d, spec %s: %s is impossible, but a candidate is allowed: %+v\n%s", style, seed, spec.Name, OutcomeKey(o), a, randprog.Format(p))
				case is:
					possible++
				default:
					impossible++
					chains += count(len(a.Chain) > 0)
					air += a.ThinAir
				}
				circles(t, a)
			}
		}
	}
	t.Logf("%d possible outcomes, %d impossible ones, %d with a chain; %d candidates out of thin air", possible, impossible, chains, air)
	if *styles == "" && (possible < 20*seeds.N() || impossible < 10*seeds.N() || chains < 5*seeds.N()) {
		t.Error("too few were compared")
	}
}

// circles checks that a chain goes round in a circle, but for what rule 7.1 misses.
func circles(t *testing.T, a *axiom.Account) {
	for i := range a.Chain {
		if next := &a.Chain[(i+1)%len(a.Chain)]; a.Rule != "7.1" && a.Chain[i].To != next.From {
			t.Errorf("a chain that breaks off: %+v", a.Chain)
		}
	}
}

// includes reports whether an outcome has all values of another.
func includes(all, o map[string]int64) bool {
	for name, v := range o {
		if w, ok := all[name]; !ok || v != w {
			return false
		}
	}
	return true
}

// mixtures returns outcomes, and others made of one with a value of another.
func mixtures(outcomes []map[string]int64) (all []map[string]int64) {
	for i, o := range outcomes {
		all = append(all, o)
		for _, name := range slices.Sorted(maps.Keys(o)) {
			if v, ok := outcomes[(i+1)%len(outcomes)][name]; ok && v != o[name] {
				mixed := maps.Clone(o)
				mixed[name] = v
				all = append(all, mixed)
				break
			}
		}
	}
	return all
}
