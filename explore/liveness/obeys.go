package liveness

import (
	"errors"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// What is wrong with an execution that is said to go on for ever.
var (
	errNoReturn = errors.New("it does not come back to where the part begins that is repeated for ever")
	errForsaken = errors.New("the scheduler neglects for ever whom it must not neglect")
	errUnfair   = errors.New("something old is read for ever though a newer value stays (rule 7.9)")
	errOwing    = errors.New("a write that others have seen early never comes")
	errOpen     = errors.New("it rests on an assumption about release sequences that never comes true")
)

// Obeys returns nil if an execution that repeats a loop for ever, from a state in canonical form on, comes back to it, and keeps what
// schedulers and memory owe. The units that started have made steps before.
func Obeys(m *state.Machine, begin *state.State, loop []Step, started map[uint64]bool, l Levels) error {
	r := &rounds{m: m, begin: begin, loop: loop}
	r.canon.First = true
	casts := []*state.Cast{begin.Cast}
	open, owes := true, true
	var along []*profile
	x := newExpander(m, Options{})
	look := func(s *state.State) {
		p := x.profile(s, make([]uint64, words(s.Cast)))
		casts = append(casts, s.Cast)
		open = open && p.open
		some := false
		for _, w := range p.owing {
			some = some || w != 0
		}
		owes = owes && some
		along = append(along, &p)
	}
	walkers := map[uint64]bool{}
	if !r.perform(-1, func(s *state.State, st Step) {
		look(s)
		walkers[s.Cast.Units[st.Unit].ID] = true
	}) || string(r.s.Append(nil)) != string(begin.Append(nil)) {
		return errNoReturn
	}
	roles, number := unitsOf(casts)
	c := &conduct{steps: make([]bool, len(roles)), started: make([]bool, len(roles))}
	for i, role := range roles {
		c.steps[i], c.started[i] = walkers[role.ID], walkers[role.ID] || started[role.ID]
	}
	for _, p := range along {
		enabled := make([]bool, len(roles))
		for u := range p.cast.Count() {
			enabled[number[p.cast.Units[u].ID]] = has(p.enabled, u)
		}
		c.enabled = append(c.enabled, enabled)
	}
	switch {
	case owes:
		return errOwing
	case open:
		return errOpen
	case !c.ok(plant(roles, l)):
		return errForsaken
	case !memoryFair(m, begin, loop):
		return errUnfair
	}
	return nil
}

// Canonical brings a state into the canonical form in which loops are looked for.
func Canonical(m *state.Machine, s *state.State) *state.State {
	var canon memmodel.Canon
	canon.First = true
	out := &state.State{}
	out.CopyFrom(s)
	m.Normalise(&canon, out)
	return out
}

// Same returns the step of a unit from a state in canonical form that leads to another one, and false if there is none.
func Same(m *state.Machine, from, to *state.State, u memmodel.Unit, choices []state.Choice) (Step, bool) {
	want := string(to.Append(nil))
	for _, c := range choices {
		next := &state.State{}
		next.CopyFrom(from)
		if m.Try(next, u, c); next.Abandoned {
			continue
		}
		if string(Canonical(m, next).Append(nil)) == want {
			return Step{u, c}, true
		}
	}
	return Step{}, false
}
