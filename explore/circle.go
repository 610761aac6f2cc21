package explore

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// circle tells that a unit that runs alone with the newest messages goes round for ever: it comes to registers and a point of its code
// at which it has been, and has only read since. Then it reads the same again. It is compared with where it was 2, 4, 8 and so on steps
// after its last write (Brent's algorithm).
// docs/exploration/violations.md, "States without a way out".
type circle struct {
	mark  state.State // where it was
	steps int         // since its last write
	next  int         // after how many of these the next mark is made
}

// begin is called before the first step.
func (c *circle) begin() { c.steps, c.next = 0, firstMark }

// firstMark is how many steps a unit takes before it is asked whether it goes round.
const firstMark = 2

// goes reports whether unit u goes round. It is called after each step, which has led to n, and with whether the unit has only read.
func (c *circle) goes(n *state.State, u memmodel.Unit, onlyRead bool) bool {
	if !onlyRead {
		c.begin()
		return false
	}
	if c.steps++; c.steps > firstMark && n.Repeats(&c.mark, u) {
		return true
	}
	if c.steps == c.next {
		c.mark.CopyFrom(n)
		c.next *= 2
	}
	return false
}

// onlyReads reports whether an outcome of the next operation of unit u changes no value.
func (s *wayOut) onlyReads(n *state.State, u memmodel.Unit, c state.Choice) bool {
	if n.Cast.Units[u].Func < 0 {
		return false
	}
	op := s.m.Operation(n, u).Instr.Op
	return op == ir.OpLoad || op == ir.OpFence || op == ir.OpJump || op == ir.OpCmpXchg && c.Fail
}
