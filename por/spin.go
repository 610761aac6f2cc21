package por

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Spins reports whether the step of unit u from before to after was a round of
// waiting: a read after which the unit is about to do the same
// once more and nothing else has changed but what it has seen. An execution
// without that round allows all that follows it, so it need not be explored. A
// race of the round with a write needs no round either: the unit still waits when
// the write has been performed, and may then read what it would have read.
// docs/exploration/waiting.md, "Waiting".
func (r *Reducer) Spins(before, after *state.State, u memmodel.Unit) bool {
	return after.Repeats(before, u) && r.leaves(before, after, u)
}

// Learns reports whether unit u, about to read message c.Back of location x, would come behind something by that, at once or by a
// fence to come, that it is to come behind although it may do without (memmodel.KeepSync).
// docs/exploration/races.md, "Races that are set aside".
func (r *Reducer) Learns(s *state.State, u memmodel.Unit, x memmodel.Loc, c state.Choice) bool {
	m := r.Machine
	if m.Keep&memmodel.KeepSync == 0 || x < 0 {
		return false
	}
	return (m.Operation(s, u).Instr.Order.Acquires() || m.Ahead(s, u, facts.Ever).Acquires) && s.Mem.WouldOrder(u, x, int(c.Back))
}

// Returns reports whether the step of unit u from before to after has ended a round of several reads:
// it is about to make the read that the round has begun with, and nothing has changed but
// what it has seen. Nobody may race with what it has read since; and if races are set aside it must not have learned anything by that
// but by its last step, for which see Learns.
// docs/exploration/waiting.md, "Waiting".
func (r *Reducer) Returns(before, after *state.State, u memmodel.Unit) bool {
	m := r.Machine
	fn := before.Cast.Units[u].Func
	if fn < 0 || len(m.Plans[fn][before.PC(u)].Returns) == 0 || m.Keep&memmodel.KeepRegisters != 0 || !after.Quiet(before, u) {
		return false
	}
	calm := func(pc int32) bool { return m.Calm().Anywhere(before.Cast, u, int(pc)) }
	for _, round := range m.Plans[fn][before.PC(u)].Returns {
		if int(round.To) == after.PC(u) {
			return calm(int32(before.PC(u))) && !slices.ContainsFunc(round.Between, func(pc int32) bool { return !calm(pc) }) && !r.learned(before, u, round)
		}
	}
	return false
}

// learned reports whether unit u may have come behind something by the loads of a round, which it is to come behind although it may do
// without.
func (r *Reducer) learned(s *state.State, u memmodel.Unit, round facts.Return) bool {
	m := r.Machine
	if m.Keep&memmodel.KeepSync == 0 || !s.Cast.Layout.Timed() {
		return false
	}
	code := m.Program.Funcs[s.Cast.Units[u].Func].Code
	return m.Ahead(s, u, facts.Ever).Acquires || code[round.To].Order.Acquires() ||
		slices.ContainsFunc(round.Between, func(pc int32) bool { return code[pc].Order.Acquires() })
}

// leaves reports whether the step of unit u from before to after has left the newest
// value of the location that it has read as it was: an exchange that changes it
// has others go on, and is no wait.
func (r *Reducer) leaves(before, after *state.State, u memmodel.Unit) bool {
	m := r.Machine
	x := m.Reading(before, u)
	return x < 0 || before.Mem.Value(x, 0) == after.Mem.Value(x, 0)
}

// Restores reports whether a read-modify-write of unit u, which has led from before to after, has
// written to location x what it read there: as long as nobody can race for x, who reads what it has
// written might as well read that.
func (r *Reducer) Restores(before, after *state.State, u memmodel.Unit, x memmodel.Loc, c state.Choice) bool {
	m := r.Machine
	if after.Cast != before.Cast {
		return false // it has ended its work-group, whose local memory is no more
	}
	if op := m.Operation(before, u).Instr.Op; op != ir.OpRMW && op != ir.OpCmpXchg || c.Promise != 0 || memmodel.Msg(c.Back) == before.Mem.Readable(u, x) {
		return false // what it has read is no message, or not there yet
	}
	return !m.Traits.SeqCst && m.Keep&memmodel.KeepOrders == 0 && m.Calm().Of(before.Cast, u, before.PC(u), x) && m.Promises().Over(before) &&
		before.Mem.Value(x, memmodel.Msg(c.Back)) == after.Mem.Value(x, memmodel.Msg(c.Back)) &&
		(m.Keep&memmodel.KeepSync == 0 || !after.Mem.Releases(x, memmodel.Msg(c.Back)))
}

// Idles reports whether an outcome of unit u's next operation, which reads location
// x, is a round of waiting: as Spins does, but without performing it, and only
// where that is plain to see.
// docs/exploration/waiting.md, "Waiting".
func (r *Reducer) Idles(s *state.State, u memmodel.Unit, x memmodel.Loc, c state.Choice) bool {
	m := r.Machine
	unit := &s.Cast.Units[u]
	if unit.Func < 0 || !m.Plans[unit.Func][s.PC(u)].Loops || m.Beyond || m.Maps || m.Traits.SeqCst ||
		m.Keep&memmodel.KeepRegisters != 0 || s.Mem.Promised() {
		return false
	}
	if r.Learns(s, u, x, c) {
		return false
	}
	in := &m.Program.Funcs[unit.Func].Code[s.PC(u)]
	if in.Op != ir.OpLoad && !c.Fail || c.Promise != 0 || memmodel.Msg(c.Back) == s.Mem.Readable(u, x) || !m.Calm().SoFar(s, u, in, x) {
		return false
	}
	regs := s.Registers(u)
	if len(regs) > state.MaxPeek {
		return false
	}
	var after [state.MaxPeek]int64
	pc, ok := m.Peek(s, u, s.Mem.Value(x, memmodel.Msg(c.Back)), &after)
	return ok && pc == int32(s.PC(u)) && slices.Equal(regs, after[:len(regs)])
}

// ComesBack reports whether unit u's code may come back to its next operation.
func (r *Reducer) ComesBack(s *state.State, u memmodel.Unit) bool {
	m := r.Machine
	fn, pc := s.Cast.Units[u].Func, s.PC(u)
	return fn >= 0 && (m.Plans[fn][pc].Loops || !m.Program.Funcs[fn].Code[pc].Op.Access())
}
