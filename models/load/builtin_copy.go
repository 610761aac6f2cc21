package load

import "github.com/clmc/clmc/state/ir"

// lowerAsyncCopy lowers the start of an asynchronous copy. That the arguments
// are valid is checked here; that all work-items pass the same, by the machine.
func lowerAsyncCopy(c *call) value {
	dst, src := c.flat(c.arg[theTarget], c.pos), c.flat(c.arg[theSource], c.pos)
	if len(dst) < 2 || len(src) < 2 {
		return c.zero(c.ins.Type())
	}
	n := c.operandOf(theNumber)
	c.Check(ir.CheckArgument, c.Bin(ir.Eq, ir.I64, c.Bin(ir.Mul, ir.I64, c.segment(dst[0]), c.segment(src[0])),
		c.Constant(ir.SegShared>>ir.SegShift*(ir.SegGroup>>ir.SegShift))),
		"one side of "+c.name+" must be in local memory and the other in global memory")
	c.Check(ir.CheckArgument, c.Bin(ir.Ge, ir.I64, n, c.Constant(0)), "the number of elements of "+c.name+" must not be negative")
	dstStep, srcStep := c.Constant(1), c.Constant(1)
	if _, ok := c.arg[theStride]; ok {
		stride := c.operandOf(theStride)
		c.Check(ir.CheckArgument, c.Bin(ir.Gt, ir.I64, stride, c.Constant(0)), "the stride of "+c.name+" must be positive")
		dstStep, srcStep = c.stepOf(dst[0], stride), c.stepOf(src[0], stride)
	}
	c.checkExtent(n, dstStep, dst[1])
	c.checkExtent(n, srcStep, src[1])
	r := c.NewReg("")
	c.Emit(ir.Instr{Op: ir.OpAsyncCopy, Type: c.scalar(c.typeArg()), Dst: r, Str: c.p.Str(c.site(c.pos) + c.path), Rounds: c.rounds(),
		Args: []int32{dst[0], src[0], n, dstStep, srcStep, c.operandOf(theGroupEvent)}})
	return one(r)
}

// segment returns the number of the segment that an address lies in.
func (c *call) segment(addr int32) int32 {
	return c.Bin(ir.Shr, ir.I64, addr, c.Constant(ir.SegShift))
}

// stepOf returns the distance between elements of a side of a strided copy: the
// stride in global memory, else 1.
func (c *call) stepOf(addr, stride int32) int32 {
	global := c.Bin(ir.Eq, ir.I64, c.segment(addr), c.Constant(ir.SegShared>>ir.SegShift))
	return c.Bin(ir.Add, ir.I64, c.Constant(1), c.Bin(ir.Mul, ir.I64, global, c.Bin(ir.Sub, ir.I64, stride, c.Constant(1))))
}

// checkExtent emits a test that n elements, so far apart, lie in an array.
func (c *call) checkExtent(n, step, length int32) {
	last := c.Bin(ir.Mul, ir.I64, c.Bin(ir.Sub, ir.I64, n, c.Constant(1)), step)
	c.Check(ir.CheckIndex, c.Bin(ir.Lt, ir.I64, last, length), "")
}

func lowerWaitGroupEvents(c *call) value {
	in := ir.Instr{Op: ir.OpWaitCopies, Str: c.p.Str(c.site(c.pos) + c.path), Rounds: c.rounds()}
	for _, v := range c.arg[theCopies].list {
		in.Args = append(in.Args, c.reg(v))
	}
	if len(in.Args) == 0 {
		c.fault(c.pos, "name the events, as in cl.WaitGroupEvents(e)", "cl.%s names no event to wait for", c.name)
	}
	c.Emit(in)
	return value{}
}
