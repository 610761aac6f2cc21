package por

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Storing reports whether unit u's next operation is a store.
func (r *Reducer) Storing(s *state.State, u memmodel.Unit) bool {
	m := r.Machine
	return m.Program.Funcs[s.Cast.Units[u].Func].Code[s.PC(u)].Op == ir.OpStore
}

// Message returns the number, as memmodel.Memory.Label gives them, of the
// message that unit u's next operation reads with that outcome, or -1.
func (r *Reducer) Message(s *state.State, u memmodel.Unit, c state.Choice) int {
	m := r.Machine
	x := m.Reading(s, u)
	if x < 0 || memmodel.Msg(c.Back) >= s.Mem.Readable(u, x) || r.Storing(s, u) {
		return -1
	}
	return s.Mem.MessageIndex(x, memmodel.Msg(c.Back))
}

// Moves appends all that unit u may do next: the outcomes of its next operation
// and the promises that it may make before.
func Moves(m *state.Machine, s *state.State, u memmodel.Unit, out []state.Choice) []state.Choice {
	return m.Promises().Offers(s, u, -1, m.Choices(s, u, out))
}
