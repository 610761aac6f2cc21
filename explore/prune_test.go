package explore

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// crowded is a model of 8 work-groups with 4 work-items each, all of which do something for
// a while; the first of the groups 2 and 6 race on d, behind a barrier of their groups.
const crowded = `package main

import "github.com/clmc/clmc/models/cl"

var d int32

var own [32]cl.AtomicInt

func main() {
	cl.EnqueueNDRangeKernel(func() {
		i := cl.GetGlobalID(0)
		for k := 0; k < 6; k++ {
			cl.AtomicFetchAddExplicit(&own[i], 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
		if i == 8 || i == 24 {
			d = int32(i)
		}
		for k := 0; k < 6; k++ {
			cl.AtomicFetchAddExplicit(&own[i], 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
	}, cl.NDRange1D(32, 4))
	cl.Finish()
}
`

// The race needs the two groups, each of which has to come to its barrier: 8 items times
// 6 additions and an arrival, the two writes, and the host's command. No breadth-first search comes
// so far; what is left out is seen by replaying the rest.
func TestSchedulesArePruned(t *testing.T) {
	p, err := load.Source("crowded.go", []byte(crowded), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{}, {POR: por.Sleep}, {Workers: 2}, {NoSymmetry: true}} {
		r := Run(context.Background(), p, opt)
		if len(r.Violations) != 1 || r.Violations[0].Kind != state.DataRace {
			t.Fatalf("%+v: %v", opt, r.Violations)
		}
		v := r.Violations[0]
		if want := 8*(6+1) + 2 + 1; len(v.Schedule) != want {
			t.Errorf("%+v: %d steps, not %d", opt, len(v.Schedule), want)
		}
		n := ended(p, v.Schedule)
		if n.Violation.Kind != state.DataRace {
			t.Errorf("%+v: replays to %v", opt, n.Violation.Kind)
		}
		if groups, units := takePart(tellingsOf(p, v.Schedule)); groups != 2 || units != 8+1 {
			t.Errorf("%+v: %d groups and %d units take part", opt, groups, units)
		}
	}
}

func ended(p *ir.Program, schedule []Move) *state.State {
	m := state.NewMachine(p, memmodel.Specs[0])
	s := m.Initial()
	for _, mv := range schedule {
		m.Do(s, mv.Unit, mv.Choice)
	}
	return s
}

func tellingsOf(p *ir.Program, schedule []Move) []absoluteMove {
	t := newConcretiser(state.NewMachine(p, memmodel.Specs[0]))
	t.concretise(schedule)
	return t.told
}

// Of random programs, that a plain breadth-first search over whole states gets through: no
// schedule of the like of a violation is shorter than the one that is reported; it replays to
// the same kind, place and variable; and so does it if the search for a shorter one may take
// no step, so that only pruning is left. Then no unit's last step can be left out.
func TestShortestSchedule(t *testing.T) {
	var compared, pruned atomic.Int32
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			s := blank(state.NewMachine(p, memmodel.Specs[0]))
			for _, v := range Run(context.Background(), p, Options{Promises: NoPromises}).Violations {
				if v.Kind == state.Deadlock || v.Kind == state.NoWayOut || v.Kind == state.Unreachable {
					continue
				}
				same(t, s, style, seed, &v)
				if best, ok := plainBreadth(s, &v); ok {
					compared.Add(1)
					if best < len(v.Schedule) {
						t.Errorf("%s %d: %s in %d steps, where %d are enough\n%s", style, seed, v.key(), len(v.Schedule), best, randprog.Format(p))
					}
				}
			}
			for _, v := range Run(context.Background(), p, Options{Promises: NoPromises, KeepSchedule: true}).Violations {
				w := newSearch(context.Background(), s.m.Facts, Options{Spec: memmodel.Specs[0]})
				was := v
				if w.prepare(); w.prune(&v) == nil {
					continue
				}
				pruned.Add(1)
				if same(t, s, style, seed, &v); len(v.Schedule) >= len(was.Schedule) || !s.like(&v, &was) {
					t.Errorf("%s %d: %s in %d steps becomes %s in %d", style, seed, was.key(), len(was.Schedule), v.key(), len(v.Schedule))
				}
				needed(t, s, style, seed, &v)
			}
		}
	}, func() {
		c, p := int(compared.Load()), int(pruned.Load())
		if t.Logf("%d schedules compared, %d pruned", c, p); c < seeds.N() || p < seeds.N() {
			t.Errorf("too few: %d compared, %d pruned", c, p)
		}
	})
}

// same checks that a schedule replays to what its violation says.
func same(t *testing.T, s *search, style randprog.Style, seed int, v *Violation) {
	t.Helper()
	n := ended(s.m.Program, v.Schedule)
	w := Violation{Violation: n.Violation}
	if w.Kind != v.Kind {
		t.Fatalf("%s %d: %v replays to %v", style, seed, v.Kind, w.Kind)
	}
	if s.describe(&w, n); w.key() != v.key() {
		t.Errorf("%s %d: %s replays to %s", style, seed, v.key(), w.key())
	}
}

// needed checks that the violation does not show if a unit's last step is left out.
func needed(t *testing.T, s *search, style randprog.Style, seed int, v *Violation) {
	t.Helper()
	told := tellingsOf(s.m.Program, v.Schedule)
	for id := range unitsOf(told) {
		last := 0
		for i := range told {
			if told[i].unit == id {
				last = i
			}
		}
		f := &performer{m: s.m, told: slices.Delete(slices.Clone(told), last, last+1), left: 1000, ends: func(n *state.State) bool {
			if n.Violation.Kind != v.Kind || n.Open() {
				return false
			}
			w := Violation{Violation: n.Violation}
			s.describe(&w, n)
			return s.like(&w, v)
		}}
		if f.perform(s.m.Initial()) {
			t.Errorf("%s %d: %s without step %d of %d\n%s", style, seed, v.key(), last+1, len(told), randprog.Format(s.m.Program))
		}
	}
}

// plainBreadth returns the length of the shortest schedule of the like of v that is shorter
// than its own, or that; not ok if there are too many states.
func plainBreadth(s *search, v *Violation) (best int, ok bool) {
	seen := map[string]bool{}
	layer := []*state.State{s.m.Initial()}
	for depth := 1; depth < len(v.Schedule); depth++ {
		var next []*state.State
		for _, at := range layer {
			for u := range at.Cast.Count() {
				for _, c := range s.m.Choices(at, u, nil) {
					n := &state.State{}
					n.CopyFrom(at)
					s.m.Do(n, u, c)
					w := Violation{Violation: n.Violation}
					switch text := string(n.Append(nil)); {
					case n.Abandoned:
					case w.Kind != state.NoViolation && !n.Open():
						if s.describe(&w, n); s.like(&w, v) {
							return depth, true
						}
					case !seen[text]:
						seen[text] = true
						next = append(next, n)
					}
				}
			}
			if len(seen) > 3000 {
				return 0, false
			}
		}
		layer = next
	}
	return len(v.Schedule), true
}
