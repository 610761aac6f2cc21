package load

import (
	"go/token"

	"github.com/clmc/clmc/state/ir"
)

// maxInitSteps bounds the evaluation of initialisers.
const maxInitSteps = 1 << 20

// evaluate executes the initialisers of package-level variables and returns the
// contents of memory.
func (l *lowering) evaluate(u *unit) map[int64]int64 {
	e := &evaluation{unit: u, regs: make([]int64, len(u.names)), memory: map[int64]int64{}}
	b := u.entry
	for steps := 0; b != nil; {
		for i := range b.ins {
			if steps++; steps > maxInitSteps || !e.step(&b.ins[i]) {
				l.initFault(b.ins[i].Pos)
				return e.memory
			}
		}
		if steps++; steps > maxInitSteps {
			l.initFault(b.pos)
			return e.memory
		}
		b = e.next(b)
	}
	return e.memory
}

func (l *lowering) initFault(pos int32) {
	p := l.p.Positions[pos]
	l.report(token.Position{Filename: l.p.Sources[p.File].Name, Line: int(p.Line), Column: int(p.Col)},
		"assign the variable at the start of main", "the initial value cannot be computed at load time")
}

// evaluation is the state of the initialisers' execution.
type evaluation struct {
	*unit
	regs   []int64
	memory map[int64]int64
}

func (e *evaluation) get(o int32) int64 {
	if o < 0 {
		return e.consts[^o]
	}
	return e.regs[o]
}

func (e *evaluation) next(b *block) *block {
	switch {
	case b.op == ir.OpEnd || b.op == ir.OpNop:
		return nil
	case b.op == ir.OpBranch && e.get(b.cond) == 0:
		return b.to[1]
	}
	return b.to[0]
}

// step executes one instruction. It fails on violations and on operations that
// only running programs can do.
func (e *evaluation) step(in *ir.Instr) bool {
	ok := true
	switch in.Op {
	case ir.OpNop:
	case ir.OpMove:
		e.regs[in.Dst] = e.get(in.A)
	case ir.OpBin:
		e.regs[in.Dst], ok = ir.Eval(in.Alu, in.Type, e.get(in.A), e.get(in.B))
	case ir.OpUn:
		e.regs[in.Dst], ok = ir.EvalUn(in.Alu, in.Type, e.get(in.A))
	case ir.OpConv:
		e.regs[in.Dst] = ir.Convert(in.Type, in.From, e.get(in.A))
	case ir.OpCheck:
		return e.get(in.A) != 0
	case ir.OpLoad:
		e.regs[in.Dst], ok = e.load(e.get(in.A))
	case ir.OpStore:
		ok = e.store(e.get(in.A), e.get(in.B))
	default:
		return false
	}
	return ok
}

// private returns the register at a private address, or -1.
func (e *evaluation) private(addr int64) int {
	if addr&ir.SegMask != ir.SegPrivate {
		return -1
	}
	for r, s := range e.slot {
		if s >= 0 && int64(s) == addr&^ir.SegMask {
			return r
		}
	}
	return -1
}

func (e *evaluation) load(addr int64) (int64, bool) {
	if r := e.private(addr); r >= 0 {
		return e.regs[r], true
	}
	return e.memory[addr], addr&ir.SegMask == ir.SegShared
}

func (e *evaluation) store(addr, v int64) bool {
	if r := e.private(addr); r >= 0 {
		e.regs[r] = v
		return true
	}
	e.memory[addr] = v
	return addr&ir.SegMask == ir.SegShared
}
