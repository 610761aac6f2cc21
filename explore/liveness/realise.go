package liveness

import (
	"context"
	"slices"

	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// realiser performs what a walk in a graph with rounds of waiting stands for. In that graph a unit that has gone round has seen no more than before, so that
// it can always read again what it has read; in the execution itself it may have to read something newer.
type realiser struct {
	g       *Graph
	ctx     context.Context
	x       *expander // of the graph
	s       *state.State
	started []uint64
	is      *expander // of the execution
	at      *state.State
	walkers map[uint64]bool // who has made steps in it
}

// maxTours bounds how often a loop is gone round until it comes back to where it begins.
const maxTours = 32

// realise returns an execution that goes as a stem and a loop say, and false if there is none or it does not keep what it must.
func (g *Graph) realise(ctx context.Context, stem, loop walk, l Levels) (*Lasso, bool) {
	f := &realiser{g: g, ctx: ctx, x: newExpander(g.m, g.opt), is: newExpander(g.m, Options{}), walkers: map[uint64]bool{}}
	init := g.m.Start(nil)
	f.x.canon.Normalise(g.m, init)
	f.s, f.at, f.started = init, copyOf(init), make([]uint64, words(init.Cast))
	out := &Lasso{}
	var ok bool
	if out.Stem, ok = f.walk(stem); !ok {
		return nil, false
	}
	var tours [][]Step
	var begins []*state.State
	for range maxTours {
		text := string(f.at.Append(nil))
		if i := slices.IndexFunc(begins, func(s *state.State) bool { return string(s.Append(nil)) == text }); i >= 0 {
			out.Stem, out.Loop = append(out.Stem, slices.Concat(tours[:i]...)...), slices.Concat(tours[i:]...)
			return out, Obeys(g.m, begins[i], out.Loop, f.walkers, l) == nil
		}
		begins = append(begins, f.at)
		tour, ok := f.walk(loop)
		if !ok {
			return nil, false
		}
		tours = append(tours, tour)
	}
	return nil, false
}

func copyOf(s *state.State) *state.State {
	n := &state.State{}
	n.CopyFrom(s)
	return n
}

// walk makes the steps of a walk.
func (f *realiser) walk(w walk) (all []Step, ok bool) {
	for i, e := range w.edges {
		if i%look == look-1 && f.ctx.Err() != nil {
			return nil, false
		}
		st, ok := f.g.find(f.x, f.s, f.started, e)
		if !ok {
			return nil, false
		}
		c, ok := f.same(&st)
		if !ok {
			return nil, false
		}
		f.walkers[f.s.Cast.Units[st.unit].ID] = true
		all = append(all, Step{st.unit, c})
		f.s, f.started = copyOf(st.next), slices.Clone(st.started)
	}
	return all, true
}

// same makes the step of the execution that a step of the graph stands for: that with the same outcome, if that is there, or else another one that has
// its unit go on as that does.
func (f *realiser) same(st *step) (state.Choice, bool) {
	all := por.Moves(f.g.m, f.at, st.unit, nil)
	slices.SortStableFunc(all, func(a, b state.Choice) int { return f.oddness(a, st.choice) - f.oddness(b, st.choice) })
	for _, c := range all {
		n := copyOf(f.at)
		g := step{unit: st.unit, choice: c, next: n}
		if f.g.m.Try(n, st.unit, c); n.Abandoned || n.MessageBoundHit != state.NoLimit {
			continue
		}
		if st.round && !f.is.isRound(f.at, n, &g) {
			continue
		}
		f.is.canon.Normalise(f.g.m, n)
		if st.round || sameUnits(n, st.next) {
			f.at = n
			return c, true
		}
	}
	return state.Choice{}, false
}

// oddness is how little an outcome is like the one that is wanted.
func (f *realiser) oddness(c, wanted state.Choice) int {
	switch {
	case c == wanted:
		return 0
	case c.Back == 0:
		return 1
	}
	return 2
}

// sameUnits reports whether the units of two states are where they are in the other one, and hold the same.
func sameUnits(s, o *state.State) bool {
	if s.Cast != o.Cast {
		return false
	}
	for u := range s.Cast.Count() {
		if s.Status(u) != o.Status(u) || s.Status(u) != state.Ended && (s.PC(u) != o.PC(u) || !slices.Equal(s.Registers(u), o.Registers(u))) {
			return false
		}
	}
	return true
}

// obeys reports whether an execution keeps what schedulers owe under other models, too.
func (l *Lasso) obeys(m *state.Machine, levels Levels) bool {
	if l == nil || len(l.Loop) == 0 {
		return false
	}
	var c canon
	c.First = true
	s := m.Start(nil)
	c.Normalise(m, s)
	walkers := map[uint64]bool{}
	for _, st := range l.Stem {
		walkers[s.Cast.Units[st.Unit].ID] = true
		if m.Try(s, st.Unit, st.Choice); s.Abandoned {
			return false
		}
		c.Normalise(m, s)
	}
	return Obeys(m, s, l.Loop, walkers, levels) == nil
}
