package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// everywhereStyles are the styles in which promises matter, for how many times as many programs as there are seeds.
var everywhereStyles = map[randprog.Style]float64{randprog.LB: 2, randprog.Overtaken: 10, randprog.Unasked: 2}

// What is found where promises are made only of writes on cycles, and while somebody can still answer, is what is found where all writes
// are promised.
func TestPromisesEverywhere(t *testing.T) {
	more := []randprog.Style{randprog.Values, randprog.Unasked}
	if *styles != "" {
		more = nil
	}
	for _, style := range append(chosen(), more...) {
		t.Run(string(style), func(t *testing.T) {
			some := seeds.Times(max(1, everywhereStyles[style]))
			told := noneDiffers(t, style, some, missedCycle)
			if _, ok := everywhereStyles[style]; ok && told < some.N()/10 {
				t.Errorf("promises matter in %d of %d programs only", told, some.N())
			}
		})
	}
}

// missedCycle returns what is missed of a program if writes are promised only on cycles. It reports whether some are and the program is
// small enough.
func missedCycle(p *ir.Program, spec memmodel.Spec) (difference string, told bool) {
	opt := Options{Spec: spec, POR: por.DPOR, All: true, MaxStates: 2000, KeepSchedule: true, Promises: manyPromises}
	cycles := Run(context.Background(), p, opt)
	opt.everywhere = true
	all := Run(context.Background(), p, opt)
	if !cycles.Complete || !all.Complete {
		return "", false
	}
	return disagreement(cycles, all), cycles.LoadBuffering
}
