package lower

import "github.com/clmc/clmc/state/ir"

// maxInitSteps bounds the evaluation of initialisers.
const maxInitSteps = 1 << 20

// Evaluate executes a function here and now, and returns what it leaves in the shared
// segment: the cells that it writes, by address. All others are 0. It fails, with the
// position of the instruction, on what only running programs can do, on what is a
// violation, and on what takes too long.
func (f *Func) Evaluate() (memory map[int64]int64, failed int32, ok bool) {
	e := &evaluation{Func: f, regs: make([]int64, len(f.names)), memory: map[int64]int64{}}
	b := f.entry
	for steps := 0; b != nil; {
		for i := range b.ins {
			if steps++; steps > maxInitSteps || !e.step(&b.ins[i]) {
				return e.memory, b.ins[i].Pos, false
			}
		}
		if steps++; steps > maxInitSteps {
			return e.memory, b.pos, false
		}
		b = e.next(b)
	}
	return e.memory, 0, true
}

// evaluation is the state of the initialisers' execution.
type evaluation struct {
	*Func
	regs   []int64
	memory map[int64]int64
}

func (e *evaluation) get(o int32) int64 {
	if o < 0 {
		return e.consts[^o]
	}
	return e.regs[o]
}

func (e *evaluation) next(b *Block) *Block {
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
		e.regs[in.Dst], ok = e.read(e.get(in.A))
	case ir.OpStore:
		ok = e.write(e.get(in.A), e.get(in.B))
	default:
		return false
	}
	return ok
}

// pinned returns the register at a private address, or -1.
func (e *evaluation) pinned(addr int64) int {
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

func (e *evaluation) read(addr int64) (int64, bool) {
	if r := e.pinned(addr); r >= 0 {
		return e.regs[r], true
	}
	return e.memory[addr], addr&ir.SegMask == ir.SegShared
}

func (e *evaluation) write(addr, v int64) bool {
	if r := e.pinned(addr); r >= 0 {
		e.regs[r] = v
		return true
	}
	e.memory[addr] = v
	return addr&ir.SegMask == ir.SegShared
}
