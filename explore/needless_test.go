package explore

import (
	"context"
	"reflect"
	"testing"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/explore/internal/seedset"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/buffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// needlessDifference returns what promises change in a program in which they are
// found to make no difference, though the code alone does not tell. If the
// program is another one, told is false.
func needlessDifference(p *ir.Program, spec memmodel.Spec) (difference string, told bool) {
	m := state.NewMachine(p, spec)
	if !buffering.May(m) || buffering.Matters(m) {
		return "", false
	}
	opt := Options{Spec: spec, POR: por.DPOR, All: true, MaxStates: 1000, KeepSchedule: true, Promises: manyPromises, needless: true}
	with := Run(context.Background(), p, opt)
	opt.Promises = NoPromises
	without := Run(context.Background(), p, opt)
	if !with.Complete || !without.Complete {
		return "", false
	}
	return disagreement(without, with), true
}

// needlessStyles are the styles in which the analysis finds something, for how many times
// as many programs as there are seeds.
var needlessStyles = map[randprog.Style]float64{randprog.LB: 3, randprog.Values: 3, randprog.Alike: 1, randprog.Guarded: 1, randprog.Carried: 1, randprog.Passed: 2, randprog.Tallies: 2, randprog.Rising: 3}

// TestPromisesNeedless tests that where the thread-modular analysis finds that promises
// make no difference they make none.
func TestPromisesNeedless(t *testing.T) {
	all := 0
	for _, style := range append(chosen(), randprog.Loops, randprog.Cycles, randprog.Values, randprog.Alike, randprog.Guarded, randprog.Carried, randprog.Passed, randprog.Rising) {
		t.Run(string(style), func(t *testing.T) {
			some := seeds.Times(max(1, needlessStyles[style]))
			told := noneDiffers(t, style, some, needlessDifference)
			if _, ok := needlessStyles[style]; ok && told < some.N()/200 {
				t.Errorf("promises are found needless in %d of %d programs only", told, some.N())
			}
			all += told
		})
	}
	if *styles == "" && !testing.Short() && all < seeds.N()/6 {
		t.Errorf("promises are found needless in %d programs only", all)
	}
}

// noneDiffers sees that no program of a style has a difference, and returns how many were told of.
func noneDiffers(t *testing.T, style randprog.Style, some *seedset.Set, difference func(*ir.Program, memmodel.Spec) (difference string, told bool)) (told int) {
	for seed := range some.All() {
		p := style.Program(uint64(seed))
		spec := memmodel.Specs[seed%len(memmodel.Specs)]
		d, ok := difference(p, spec)
		if ok {
			told++
		}
		if d != "" {
			small := randprog.Shrink(p, func(q *ir.Program) bool { d, _ := difference(q, spec); return d != "" })
			d, _ = difference(small, spec)
			t.Fatalf("seed %d, spec %s: shrunk: %s\n%s", seed, spec.Name, d, randprog.Format(small))
		}
	}
	t.Logf("%d of %d programs", told, some.N())
	return told
}

// sparedDifference returns what it changes in a program that some writes, though the code alone does not tell, need not be promised.
// If there are none, spared is false.
func sparedDifference(p *ir.Program, spec memmodel.Spec) (difference string, spared bool) {
	m := state.NewMachine(p, spec)
	where, matters := buffering.Where(m)
	if anywhere, _ := buffering.Anywhere(m); !matters || reflect.DeepEqual(where.Writes, anywhere.Writes) {
		return "", false
	}
	opt := Options{Spec: spec, POR: por.DPOR, All: true, MaxStates: 4000, Promises: manyPromises}
	spare := Run(context.Background(), p, opt)
	opt.needless = true
	all := Run(context.Background(), p, opt)
	if !spare.Complete || !all.Complete {
		return "", false
	}
	return disagreement(all, spare), true
}

// TestPromisesSpared tests that additions that nobody needs to see early are never missed where other promises matter.
func TestPromisesSpared(t *testing.T) {
	some := seeds.Times(10)
	if spared := noneDiffers(t, randprog.Tallies, some, sparedDifference); spared < some.N()/100 {
		t.Errorf("there is something to spare in %d of %d programs only", spared, some.N())
	}
}
