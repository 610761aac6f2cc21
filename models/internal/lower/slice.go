package lower

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// slice leaves out what nothing needs: such values are not computed, and memory holds zeros in their place. Accesses
// stay, since they may race, stray or read what was not written.
func (n *needing) slice() {
	for _, f := range n.funcs {
		for _, b := range f.blocks {
			for i := range b.ins {
				n.leaveOut(f, &b.ins[i])
			}
			dropNops(b)
		}
	}
	for i := range n.Objects {
		if o := &n.p.Objects[i]; n.Objects[i].how != what {
			o.Sliced = true
			clear(o.Init)
		}
	}
}

// leaveOut makes an instruction one without the values that nothing needs. A value of which only
// has to be known whether it was written becomes zero.
func (n *needing) leaveOut(f *needingFunc, in *ir.Instr) {
	zero := f.Constant(0)
	need := n.result(f, in).how
	switch in.Op {
	case ir.OpNop:
		n.untold(f, in)
	case ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv, ir.OpQuery, ir.OpChoose:
		switch {
		case need == nothing && in.Dst < 0: // a choice whose result nobody has
			*in = ir.Instr{Op: ir.OpNop, Pos: in.Pos}
		case need == nothing:
			f.lose(in)
		case need == whether && in.Op != ir.OpMove:
			*in = ir.Instr{Op: ir.OpMove, Dst: in.Dst, A: zero, Pos: in.Pos}
		}
	case ir.OpLoad:
		if need == nothing {
			in.Dst = -1
		}
	case ir.OpStore:
		if in.Order == memmodel.NonAtomic {
			in.B = n.blank(f, in.B, n.held(f, in.A).how)
		}
	case ir.OpCollective:
		if need == nothing {
			in.Dst, in.B = -1, zero
		}
	case ir.OpEnqueueNDRange, ir.OpEnqueueKernel:
		params := n.Params[in.Target]
		args := in.Args[len(in.Args)-len(params):]
		for i := range args {
			args[i] = n.blank(f, args[i], params[i].how)
		}
	}
}

// blank returns an operand as it is passed on to where so much of it is needed.
func (n *needing) blank(f *needingFunc, o int32, need howMuch) int32 {
	if need == nothing || need == whether && o < 0 && o != f.none {
		return f.Constant(0)
	}
	return o
}

// untold takes back what a note says of a register that does not hold the value.
func (n *needing) untold(f *needingFunc, in *ir.Instr) {
	if isNote(in) && in.A >= 0 && f.regs[in.A].how != what {
		in.A = unkept
	}
}
