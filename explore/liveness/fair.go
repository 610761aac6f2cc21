package liveness

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// memoryFair reports whether an execution that repeats a loop for ever keeps memory fairness (rule 7.9): no message that stays for ever has
// infinitely many steps that read something older of its location, or write it. The loop begins at a state in canonical form and leads back to it.
//
// The graph tells of a location only whether its newest message is another one after a step. This follows each message: those that are there when the
// loop begins are labelled, and where they are when it ends says, as the next round does the same with them, which of them stay for ever.
// docs/exploration/liveness.md, "Executions that go on for ever".
func memoryFair(m *state.Machine, begin *state.State, loop []Step) bool {
	r := &rounds{m: m, begin: begin, loop: loop, casts: true}
	r.canon.First = true
	old := map[memmodel.Loc]bool{}
	if !r.perform(-1, func(s *state.State, st Step) {
		r.casts = r.casts && s.Cast == begin.Cast
		if x := behind(m, s, st); x >= 0 {
			old[x] = true
		}
	}) {
		return false
	}
	for x := range old {
		if !r.casts || !r.fairAt(x) {
			return false
		}
	}
	return true
}

// rounds performs a loop again and again.
type rounds struct {
	m     *state.Machine
	begin *state.State
	loop  []Step
	casts bool // the cast is always that of the beginning
	canon memmodel.Canon
	s     state.State // where the last round has led to
}

// perform performs the loop once, with the messages of a location, if that is not negative, labelled by their place. It calls visit before each step.
func (r *rounds) perform(x memmodel.Loc, visit func(s *state.State, st Step)) bool {
	r.s.CopyFrom(r.begin)
	if x >= 0 && !r.s.Mem.MarkPlaces(x) {
		return false
	}
	for _, st := range r.loop {
		visit(&r.s, st)
		if r.m.Try(&r.s, st.Unit, st.Choice); r.s.Abandoned {
			return false
		}
		r.m.Normalise(&r.canon, &r.s)
	}
	return true
}

// fairAt reports whether no step of the loop reads, or writes, behind a message of location x that stays for ever.
func (r *rounds) fairAt(x memmodel.Loc) bool {
	if !r.perform(x, func(*state.State, Step) {}) {
		return false
	}
	n := r.s.Mem.Messages(x)
	stays := map[int8]bool{} // by label: those that are in their place again stay there
	for i := range n {
		if r.s.Mem.Name(x, n-1-i) == int8(i) {
			stays[int8(i)] = true
		}
	}
	fair := true
	return r.perform(x, func(s *state.State, st Step) {
		if behind(r.m, s, st) != x {
			return
		}
		for back := range int(st.Choice.Back) {
			fair = fair && !stays[s.Mem.Name(x, back)]
		}
	}) && fair
}

// behind returns the location of which a step reads, or writes, behind the newest message, or -1.
func behind(m *state.Machine, s *state.State, st Step) memmodel.Loc {
	if s.Cast.Units[st.Unit].Func < 0 || st.Choice.Promise > 1 || st.Choice.Back == 0 {
		return -1
	}
	op := m.Operation(s, st.Unit)
	if !op.Instr.Op.Access() || op.Instr.Order == memmodel.NonAtomic {
		return -1
	}
	if x := m.Target(s, st.Unit, st.Choice); x >= 0 {
		return x
	}
	return m.Reading(s, st.Unit)
}
