package load

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// lowerAsyncCopy lowers the start of an asynchronous copy. That the arguments
// are valid is checked here; that all work-items pass the same, by the machine.
func lowerAsyncCopy(c *call) value {
	dst, src := c.flat(c.arg['d'], c.pos), c.flat(c.arg['w'], c.pos)
	if len(dst) < 2 || len(src) < 2 {
		return c.zero(c.ins.Type())
	}
	n := c.operandOf('n')
	c.check(ir.CheckArgument, c.bin(ir.Eq, ir.I64, c.bin(ir.Mul, ir.I64, c.segment(dst[0]), c.segment(src[0])),
		c.constant(ir.SegShared>>ir.SegShift*(ir.SegGroup>>ir.SegShift))),
		"one side of "+c.name+" is in local memory and the other in global memory")
	c.check(ir.CheckArgument, c.bin(ir.Ge, ir.I64, n, c.constant(0)), "the number of elements of "+c.name+" is not negative")
	dstStep, srcStep := c.constant(1), c.constant(1)
	if _, ok := c.arg['t']; ok {
		stride := c.operandOf('t')
		c.check(ir.CheckArgument, c.bin(ir.Gt, ir.I64, stride, c.constant(0)), "the stride of "+c.name+" is positive")
		dstStep, srcStep = c.stepOf(dst[0], stride), c.stepOf(src[0], stride)
	}
	c.checkExtent(n, dstStep, dst[1])
	c.checkExtent(n, srcStep, src[1])
	r := c.newReg("")
	c.emit(ir.Instr{Op: ir.OpAsyncCopy, Type: c.scalar(c.typeArg()), Dst: r, Str: c.str(c.site(c.pos) + c.path), Rounds: c.rounds(),
		Args: []int32{dst[0], src[0], n, dstStep, srcStep, c.operandOf('e')}})
	return one(r)
}

// segment returns the number of the segment that an address lies in.
func (c *call) segment(addr int32) int32 {
	return c.bin(ir.Shr, ir.I64, addr, c.constant(ir.SegShift))
}

// stepOf returns the distance between elements of a side of a strided copy: the
// stride in global memory, else 1.
func (c *call) stepOf(addr, stride int32) int32 {
	global := c.bin(ir.Eq, ir.I64, c.segment(addr), c.constant(ir.SegShared>>ir.SegShift))
	return c.bin(ir.Add, ir.I64, c.constant(1), c.bin(ir.Mul, ir.I64, global, c.bin(ir.Sub, ir.I64, stride, c.constant(1))))
}

// checkExtent emits a test that n elements, so far apart, lie in an array.
func (c *call) checkExtent(n, step, length int32) {
	last := c.bin(ir.Mul, ir.I64, c.bin(ir.Sub, ir.I64, n, c.constant(1)), step)
	c.check(ir.CheckIndex, c.bin(ir.Lt, ir.I64, last, length), "")
}

func lowerWaitGroupEvents(c *call) value {
	in := ir.Instr{Op: ir.OpWaitCopies, Str: c.str(c.site(c.pos) + c.path), Rounds: c.rounds()}
	for _, v := range c.arg['l'].list {
		in.Args = append(in.Args, c.reg(v))
	}
	if len(in.Args) == 0 {
		c.fault(c.pos, "name the events, as in cl.WaitGroupEvents(e)", "cl.%s waits for nothing", c.name)
	}
	c.emit(in)
	return value{}
}

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
