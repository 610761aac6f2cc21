package lower

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// addCopies appends the code of each asynchronous copy that a function starts: a
// loop over the elements.
func addCopies(f *ir.Func) {
	constant := func(v int64) int32 {
		f.Consts = append(f.Consts, v)
		return ^int32(len(f.Consts) - 1)
	}
	for pc := range len(f.Code) {
		in := &f.Code[pc]
		if in.Op != ir.OpAsyncCopy {
			continue
		}
		if f.Copies == 0 {
			f.Copies = f.Regs
			f.Regs += ir.CopyArgs + 1
			f.RegNames = append(f.RegNames, make([]string, f.Regs-len(f.RegNames))...)
		}
		at, t, pos := int32(len(f.Code)), in.Type, in.Pos
		in.Target = at
		dst := int32(f.Copies)
		src, n, dstStep, srcStep, event, x := dst+1, dst+2, dst+3, dst+4, dst+5, dst+6
		f.Code = append(f.Code,
			ir.Instr{Op: ir.OpBranch, A: n, Target: at + 1, Else: at + 7, Pos: pos},
			ir.Instr{Op: ir.OpLoad, Type: t, Order: memmodel.NonAtomic, Dst: x, A: src, Pos: pos},
			ir.Instr{Op: ir.OpStore, Type: t, Order: memmodel.NonAtomic, A: dst, B: x, Pos: pos},
			ir.Instr{Op: ir.OpBin, Alu: ir.Add, Type: ir.Ptr, Dst: dst, A: dst, B: dstStep, Pos: pos},
			ir.Instr{Op: ir.OpBin, Alu: ir.Add, Type: ir.Ptr, Dst: src, A: src, B: srcStep, Pos: pos},
			ir.Instr{Op: ir.OpBin, Alu: ir.Sub, Type: ir.I64, Dst: n, A: n, B: constant(1), Pos: pos},
			ir.Instr{Op: ir.OpJump, Target: at, Pos: pos},
			ir.Instr{Op: ir.OpCopied, A: event, Pos: pos})
	}
}
