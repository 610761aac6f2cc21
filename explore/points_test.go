package explore

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Where an execution goes wrong it ends, and other units may have been about to reach a point: the first two units
// race before the others have done anything, and with failing the first one fails by itself. In other orders of
// the same steps the last unit reads what the third has written, which has nothing to do with that.
func TestPointBesideViolations(t *testing.T) {
	const source = `package main

import "github.com/clmc/clmc/models/cl"

const failing, never = false, false

var flag cl.AtomicInt

var x int32

func k() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.Assert(!failing, "it fails")
		x = 1
	case 1:
		if !failing {
			x = 2
		}
	case 2:
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	case 3:
		v := cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
		if !never && v == 1 || v == 2 {
			cl.Reachable("seen")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 1))
	cl.Finish()
}
`
	for _, c := range []struct {
		failing, never string
		beyond         bool
		unknown        bool // whether it is reached
	}{
		{"false", "false", true, false},
		{"false", "false", false, true}, // nothing was looked at behind the race
		{"true", "false", false, false}, // what the others do after the failure has been looked at
		{"false", "true", true, true},
		{"true", "true", true, true},
	} {
		p, err := load.Source("points.go", []byte(source), load.Options{Defines: map[string]string{"failing": c.failing, "never": c.never}})
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{}, {Workers: 2}, {POR: por.Sleep}} {
			opt.All, opt.Beyond = true, c.beyond
			r := Run(context.Background(), p, opt)
			if r.Has(state.Unreachable) || r.Verdict != Violated {
				t.Errorf("%+v: %v %v", c, r.Verdict, kinds(r))
			}
			if unknown := strings.Contains(fmt.Sprint(r.Incomplete), "seen"); unknown != c.unknown {
				t.Errorf("%+v: incomplete: %v", c, r.Incomplete)
			}
		}
	}
}

// Random programs with points behind their branches: a search that says of a point that no execution reaches it
// is right by the unreduced search, whatever else goes wrong.
func TestPointsOfRandomPrograms(t *testing.T) {
	var said, wrong atomic.Int32
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := pointed(style.Program(uint64(seed)))
			if p == nil {
				continue
			}
			whole := sync.OnceValue(func() *Result {
				return Run(context.Background(), p, Options{POR: por.None, Promises: NoPromises, All: true})
			})
			reached := func(label string) bool {
				return !strings.Contains(fmt.Sprint(whole().Incomplete), fmt.Sprintf("%q", label)) && !unreached(whole())[label]
			}
			for _, opt := range []Options{{}, {POR: por.Sleep}} {
				opt.Promises, opt.All = NoPromises, true
				r := Run(context.Background(), p, opt)
				if len(r.Violations) > len(unreached(r)) {
					wrong.Add(1)
				}
				for label := range unreached(r) {
					if said.Add(1); reached(label) {
						t.Errorf("%s %d: %v: %s is reached\n%s", style, seed, opt.POR, label, randprog.Format(p))
					}
				}
			}
		}
	}, func() {
		s, w := int(said.Load()), int(wrong.Load())
		t.Logf("%d points said to be unreachable, %d searches in which something goes wrong", s, w)
		if *styles == "" && (s < max(1, seeds.N()/2) || w < seeds.N()) {
			t.Errorf("too few: %d points, %d searches", s, w)
		}
	})
}

// pointed returns a program with a point behind each branch that is not taken; nil if it has no branches.
func pointed(p *ir.Program) *ir.Program {
	var text strings.Builder
	points := 0
	for line := range strings.Lines(randprog.Format(p)) {
		text.WriteString(line)
		if strings.Contains(line, "unless ") {
			points++
			fmt.Fprintf(&text, "\treach p%d\n", points)
		}
	}
	if points == 0 {
		return nil
	}
	q, err := randprog.Parse(text.String())
	if err != nil {
		panic(err)
	}
	return q
}

// unreached are the labels that a result says to be unreachable.
func unreached(r *Result) map[string]bool {
	out := map[string]bool{}
	for _, v := range r.Violations {
		if v.Kind == state.Unreachable {
			out[v.Line] = true
		}
	}
	return out
}
