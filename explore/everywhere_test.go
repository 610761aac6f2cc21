package explore

import (
	"fmt"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// everywhereStyles are the styles in which promises matter, for how many times as many programs as there are seeds.
var everywhereStyles = map[randprog.Style]float64{randprog.LB: 2, randprog.Overtaken: 10, randprog.Unasked: 2}

// What is found where promises are made only of writes on cycles, and while somebody can still answer, is what is found where all writes
// are promised, whether cycles are looked for by the code alone or thread by thread.
func TestPromisesEverywhere(t *testing.T) {
	more := []randprog.Style{randprog.Values, randprog.Unasked}
	if *styles != "" {
		more = nil
	}
	eachStyle(t, append(chosen(), more...), func(t *testing.T, style randprog.Style) {
		some := seeds.Times(max(1, everywhereStyles[style]))
		told := noneDiffers(t, style, some, missedCycle)
		if _, ok := everywhereStyles[style]; ok && told < max(1, some.N()/10) {
			t.Errorf("promises matter in %d of %d programs only", told, some.N())
		}
	}, nil)
}

// missedCycle returns what is missed of a program if writes are promised only on cycles. It reports whether some are and the program is
// small enough.
func missedCycle(p *drawn) (difference string, told bool) {
	opt := Options{POR: por.DPOR, MaxStates: 2000, Promises: manyPromises, everywhere: true}
	all := p.search(opt)
	if opt.everywhere = false; !all.Complete {
		return "", false
	}
	for _, opt.needless = range []bool{true, false} {
		cycles := p.search(opt)
		if !cycles.Complete {
			return "", false
		}
		if d := disagreement(cycles.Result, all.Result); d != "" {
			return fmt.Sprintf("by the code alone: %v: %s", opt.needless, d), true
		}
		for _, v := range cycles.Violations {
			if v.Kind != state.Unreachable && !repeated(p.Program, p.spec, &v) {
				return fmt.Sprintf("by the code alone: %v: %v cannot be repeated", opt.needless, v.Kind), true
			}
		}
		told = cycles.LoadBuffering
	}
	return "", told
}
