package state

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Bounds of a Peek, in registers and instructions.
const (
	MaxPeek    = 32
	farGlimpse = 32
)

// Peek finds where unit u goes, and with which registers, if its next operation,
// a load or a compare-exchange that fails, reads a value. The result is false if
// more comes of it, or it is far.
func (m *Machine) Peek(s *State, u memmodel.Unit, value int64, regs *[MaxPeek]int64) (pc int32, ok bool) {
	unit := &s.Cast.Units[u]
	f := m.Program.Funcs[unit.Func]
	own := regs[:copy(regs[:], s.reg(u))]
	pc = s.pc[u]
	switch in := &f.Code[pc]; in.Op {
	case ir.OpLoad:
		set(own, in.Dst, value)
	case ir.OpCmpXchg:
		set(own, in.Dst2, value)
		set(own, in.Dst, 0)
	default:
		return 0, false
	}
	pc++
	m.covered.note(s, unit.Func, pc)
	for range farGlimpse {
		in := &f.Code[pc]
		switch in.Op {
		case ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv, ir.OpJump, ir.OpBranch, ir.OpQuery, ir.OpRound:
		case ir.OpCheck, ir.OpAssert:
			if operand(f, own, in.A) == 0 {
				return 0, false
			}
		case ir.OpEnd:
			clear(own)
			return pc, true
		default:
			if !in.Op.Visible() {
				return 0, false
			}
			if !m.private(in, f, own) {
				for _, r := range m.Plans[unit.Func][pc].Dead {
					own[r] = 0
				}
				return pc, true
			}
			pc++
			m.covered.note(s, unit.Func, pc)
			continue
		}
		if pc, _ = m.local(s, u, f, in, pc, own); in.Op == ir.OpBranch {
			m.covered.note(s, unit.Func, pc)
		}
	}
	return 0, false
}
