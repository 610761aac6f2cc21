package state

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Operation is the visible operation that a unit is about to perform or waits
// at, with the values of its operands.
type Operation struct {
	Func    *ir.Func     // whose code
	PC      int          // where in it
	Instr   *ir.Instr    // the operation
	Loc     memmodel.Loc // of an access: its location, or -1 if the pointer is wild
	A, B, C int64        // the values of its operands
	Args    []int64      // of an enqueue or a go statement
	Rounds  []int64      // of what Meets: of the loops around it, outermost first, since the group has met there
}

// Operation returns what unit u, which is not a command, is about to do, for
// traces. The instruction of a unit that has ended is its OpEnd.
func (m *Machine) Operation(s *State, u memmodel.Unit) Operation {
	unit := &s.Cast.Units[u]
	f := m.Program.Funcs[unit.Func]
	o := Operation{Func: f, PC: int(s.pc[u]), Loc: -1}
	o.Instr = &f.Code[o.PC]
	regs := s.reg(u)
	switch o.Instr.Op {
	case ir.OpStore, ir.OpRMW:
		o.B = operand(f, regs, o.Instr.B)
	case ir.OpCmpXchg, ir.OpCollective:
		o.B, o.C = operand(f, regs, o.Instr.B), operand(f, regs, o.Instr.C)
	case ir.OpSetEvent:
		o.A, o.B = operand(f, regs, o.Instr.A), operand(f, regs, o.Instr.B)
	case ir.OpEnqueueNDRange, ir.OpGo, ir.OpEnqueueKernel, ir.OpEnqueueMarker, ir.OpAsyncCopy, ir.OpWaitCopies,
		ir.OpEnqueueNative, ir.OpMarker, ir.OpQueueBarrier, ir.OpCallback:
		for _, a := range o.Instr.Args {
			o.Args = append(o.Args, operand(f, regs, a))
		}
	}
	switch {
	case o.Instr.Op.Access(), o.Instr.Op == ir.OpMapCell:
		o.A = operand(f, regs, o.Instr.A)
		o.Loc = s.Cast.resolve(unit, o.A)
	case o.Instr.Op == ir.OpFree: // B: how many cells
		o.A = operand(f, regs, o.Instr.A)
		o.Loc = s.Cast.resolve(unit, o.A)
		o.B = int64(m.allocated(s, o.Loc))
	case o.Instr.Op.Maps():
		o.A, o.B = operand(f, regs, o.Instr.A), operand(f, regs, o.Instr.B)
		o.Loc = s.Cast.resolve(unit, o.A)
	case o.Instr.Op.Meets():
		for _, r := range o.Instr.Counts() {
			o.Rounds = append(o.Rounds, regs[r])
		}
	case o.Instr.Op == ir.OpChoose, o.Instr.Op == ir.OpFinish:
		o.A = operand(f, regs, o.Instr.A)
	}
	return o
}

// Blockage is why a command has not started.
type Blockage struct {
	Event  uint64 // the command whose event, in the wait list, is not complete
	Parent bool   // work-items of the parent have not ended, which its flags make it wait for
	Late   bool   // likewise, but the flags do not
}

// Blocked returns why command c, which is pending, has not started.
func (s *State) Blocked(c memmodel.Unit) (b Blockage) {
	cmd := s.Cast.Units[c].cmd
	for _, id := range cmd.Events {
		if !s.complete([]uint64{id}) {
			b.Event = id
		}
	}
	if !s.released(cmd) {
		b.Late, b.Parent = cmd.Late, !cmd.Late
	}
	return b
}

// Failure returns the execution status that command c, which is about to
// complete, gets by that choice.
func (s *State) Failure(c memmodel.Unit, choice Choice) int32 {
	return outcome(s.failures(c), int(choice.Back))
}

// Cell is a location's identity, the same in every cast: a cell of the shared
// segment (Func < 0), or of the local memory of the work-group that Owner
// belongs to.
type Cell struct {
	Func  int   // the function whose local memory it is of, or -1
	Addr  int32 // its address in its segment
	Owner Role  // a work-item of the group; its place says which
}

// Cell returns the identity of location x.
func (c *Cast) Cell(x memmodel.Loc) Cell {
	cl := c.cells[x]
	if cl.fn == statusCell {
		return Cell{Func: -1, Addr: -1, Owner: c.Units[cl.group]}
	}
	if cl.fn < 0 {
		return Cell{Func: -1, Addr: cl.addr}
	}
	return Cell{Func: cl.fn, Addr: cl.addr, Owner: c.Units[c.Groups[cl.group].Units[0]]}
}

// Command returns the command that unit u is a work-item of, or -1; and the
// unit that enqueued the command, if u is one, or -1.
func (c *Cast) Command(u memmodel.Unit) (command, by memmodel.Unit) {
	q := &c.Units[u]
	if q.cmd == nil || q.cmd.Kind > UserEvent {
		return q.command, -1
	}
	if by, ok := c.parent(u); ok {
		return -1, by
	}
	return -1, -1
}
