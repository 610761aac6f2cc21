package explore

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// roundAndRound is a model of work-items that are never where they were before, for long: each
// writes itself, one after the other, into as many cells as it says.
const roundAndRound = `package main

import "github.com/clmc/clmc/models/cl"

const slots, n = 64, 4

var table [slots]cl.AtomicInt

func kernel() {
	w := int32(1 + cl.GetGlobalID(0))
	for h := 7 * w % slots; ; h = (h + 1) % slots {
		expected := int32(0)
		cl.AtomicCompareExchangeStrongExplicit(&table[h], &expected, w, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, 1))
	cl.Finish()
}
`

func roundProgram(t *testing.T) *ir.Program {
	p, err := load.Source("round.go", []byte(roundAndRound), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a search says it holds is what there is, counted anew: frames on the path and spare ones,
// and the states that successors keep.
func TestHeld(t *testing.T) {
	t.Parallel()
	for _, opt := range []Options{{POR: por.DPOR}, {POR: por.Sleep, Mem: 1 << 22}, {POR: por.None}, {POR: por.DPOR, NoCache: true}, {POR: por.DPOR, All: true}} {
		for name, p := range map[string]*ir.Program{"round": roundProgram(t), "crowd": crowd(6)} {
			opt.MaxStates, opt.Promises, opt.pace = 3000, NoPromises, looking(usual().ring) // of what certifying remembers the machine has the count
			s := ready(context.Background(), p, opt)
			looked, longest := 0, 0
			s.opt.Progress = func(Stats) {
				looked++
				longest = max(longest, len(s.stack))
				if held := s.held(); held < s.frames {
					t.Fatalf("%s, %v: %d bytes with frames of %d", name, opt.POR, held, s.frames)
				}
				frames, states, bytes := 0, 0, 0
				for _, f := range slices.Concat(s.stack, s.spare) {
					frames += f.bytes()
					for i := range f.successors {
						if k := &f.successors[i]; k.st != nil {
							states++
							bytes += k.size(k.st)
						}
					}
				}
				if frames != s.frames || states != s.kept.states || bytes != s.kept.bytes || bytes > s.kept.peak {
					t.Fatalf("%s, %v: counted %d bytes of frames and %+v, there are %d bytes, and %d states of %d", name, opt.POR, s.frames, s.kept, frames, states, bytes)
				}
			}
			s.explore()
			s.close()
			if looked < 10 || longest < 5 {
				t.Errorf("%s, %v: looked %d times at paths of up to %d states", name, opt.POR, looked, longest)
			}
		}
	}
}

// A search ends at its bound on memory where its path takes that, and the visited states next to nothing.
func TestPathMeetsTheLimit(t *testing.T) {
	const mem = 4 << 20
	p := roundProgram(t)
	for _, opt := range []Options{{POR: por.DPOR}, {POR: por.Sleep}, {POR: por.None}, {POR: por.DPOR, Workers: 3}} {
		opt.Promises, opt.Mem = NoPromises, mem
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // where it fails
		r := Run(ctx, p, opt)
		cancel()
		if r.Verdict != Inconclusive || !slices.Equal(r.Incomplete, []string{"the memory limit of 4 MiB was met"}) || r.Stats.PeakBytes > mem/4 {
			t.Fatalf("%v, %d workers: %v, %q with %d bytes of states, %d of them", opt.POR, opt.Workers, r.Verdict, r.Incomplete, r.Stats.PeakBytes, r.Stats.States)
		}
	}
}

// TestHeldMutants breaks what counts the memory of a search, and sees tests fail.
func TestHeldMutants(t *testing.T) {
	mutant.Try(t, heldMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestHeld|TestPathMeetsTheLimit)$", ".")
	})
}

var heldMutants = mutant.List([][5]string{
	{"a frame counts when the path goes on", "explore/frame.go",
		"	p.weighTop() // which stays as it is until it is on top again\n", ""},
	{"a frame counts when the path leaves it", "explore/frame.go",
		"	p.weigh(f)\n	p.spare", "	p.spare"},
	{"a state counts until its kid forgets it", "explore/frame.go",
		"		p.kept.leave(k.size(k.st))\n", ""},
	{"the path counts against the limit", "explore/held.go",
		"s.visited.usage(held)", "s.visited.usage(0*held)"},
})
