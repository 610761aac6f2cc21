package explore

import (
	"context"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// drains: P0 looks at f until it finds 1 there, and empties a counter in each round: in the inner loop it is again and again where it was, and yet
// leaves that. P1 puts 1 into f, and then 0 again.
func drains() *ir.Program {
	b := randprog.NewBuilder("drains")
	f, c := b.Atomic("f"), b.Atomic("c")
	p := b.Thread(place(0))
	p.While(func() randprog.Val { return p.Bin(ir.Ne, p.Load(f, rlx, dev), p.Int(1)) }, func() {
		p.Store(c, p.Int(6), rlx, dev)
		p.While(func() randprog.Val { return p.Bin(ir.Gt, p.RMW(ir.Sub, c, p.Int(1), rlx, dev), p.Int(1)) }, func() {})
	})
	w := b.Thread(place(1))
	w.Store(f, w.Int(1), rlx, dev)
	w.Store(f, w.Int(0), rlx, dev)
	return b.Program()
}

// roundBySteps is goRound by its definition: soloSteps steps are made.
func roundBySteps(s *search, n *state.State, u memmodel.Unit) bool {
	next, old := &state.State{}, false
	next.CopyFrom(n)
	for range soloSteps {
		if next.Cast != n.Cast || next.Status(u) != state.Ready {
			return false
		}
		x := s.m.Reading(next, u)
		old = old || x >= 0 && next.Mem.Readable(u, x) > 1
		choices := s.m.Choices(next, u, nil)
		i := slices.IndexFunc(choices, newest)
		if i < 0 {
			return false
		}
		if s.m.Try(next, u, choices[i]); next.Abandoned || next.Violation.Kind != n.Violation.Kind {
			return false
		}
		if s.por.Spins(n, next, u) {
			return old
		}
	}
	return false
}

// TestCircles compares which units go round, told early, with all steps, in all states of random programs.
func TestCircles(t *testing.T) {
	rounds, circles := 0, 0
	compare := func(p *ir.Program) {
		opt := Options{Spec: memmodel.Specs[0], POR: por.DPOR, Promises: NoPromises}
		s := newSearch(context.Background(), facts.Of(p, opt.Spec), opt)
		defer s.close()
		s.prepare()
		g := &graph{m: s.m, number: map[string]int{}}
		todo := []*state.State{g.m.Initial()}
		g.add(todo[0])
		for at := 0; at < len(todo) && at < 300; at++ {
			n := todo[at]
			for u := range n.Cast.Count() {
				if !s.outdated(n, u) {
					continue
				}
				next := &state.State{}
				next.CopyFrom(n)
				s.moves = s.moves[:0]
				got, want := s.goRound(n, next, u), roundBySteps(s, n, u)
				if got != want {
					t.Fatalf("unit %d goes round: %v, want %v\n%s", u, got, want, p)
				}
				if got {
					rounds++
				} else if s.elsewhere.steps > firstMark && next.Cast == n.Cast && next.Repeats(&s.elsewhere.mark, u) {
					circles++
				}
			}
			todo = g.expand(at, n, todo)
			todo[at] = nil
		}
	}
	compare(drains())
	some := seeds.Times(2)
	for _, style := range wayOutStyles {
		for seed := range some.All() {
			compare(style.Program(uint64(seed)))
		}
	}
	if rounds < 3 || circles < 3 {
		t.Errorf("only %d rounds and %d circles were compared", rounds, circles)
	}
}
