package por

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
)

// concurrentEffects returns what unit u may do while unit t stands still before its next operation, or nil for
// nothing.
func (r *Reducer) concurrentEffects(s *state.State, t, u memmodel.Unit) *state.Ahead {
	m := r.Machine
	if u == t || m.WaitsFor(s, u, t) {
		return nil
	}
	if group := s.Cast.Units[t].Group; group < 0 || s.Cast.Units[u].Group != group {
		return m.Ahead(s, u, facts.Ever)
	}
	if s.Status(u) == state.AtBarrier && !r.atSubGroupBarrier(s, u) {
		return nil // cannot pass without t
	}
	return m.Ahead(s, u, facts.Near)
}

// MayBeWritten reports whether a unit other than t may write location x while
// t stands still at its next operation; or read it, if that makes a difference to
// the reader.
func (r *Reducer) MayBeWritten(s *state.State, t memmodel.Unit, x memmodel.Loc) bool {
	m := r.Machine
	if s.Cast.Hidden(x) {
		return true
	}
	read := uint64(0)
	if m.Traits.Interleaved && m.Modifying(s, t) {
		read = ^read
	}
	writes := func(f *state.Ahead) bool {
		return f != nil && (f.Store[x>>6]|f.Modify[x>>6]|f.Access[x>>6]&read)&(1<<(x&63)) != 0
	}
	for u := range s.Cast.Count() {
		if u != t && writes(m.Ahead(s, u, facts.Ever)) && writes(r.concurrentEffects(s, t, u)) {
			return true
		}
	}
	return false
}

func (r *Reducer) atSubGroupBarrier(s *state.State, u memmodel.Unit) bool {
	m := r.Machine
	return m.Program.Funcs[s.Cast.Units[u].Func].Code[s.PC(u)].SubGroup
}
