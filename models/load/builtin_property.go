package load

import "github.com/clmc/clmc/state/ir"

func lowerChoose(c *call) value {
	n := c.operandOf('n')
	if v, ok := c.known(n); ok && v < 1 {
		c.fault(c.pos, "write a positive number", "cl.Choose(%d) has no value to choose", v)
		return one(c.constant(0))
	}
	c.check(ir.CheckArgument, c.bin(ir.Gt, ir.I64, n, c.constant(0)), "the argument of Choose is positive")
	r := c.newReg("")
	c.emit(ir.Instr{Op: ir.OpChoose, Dst: r, A: n})
	return one(r)
}

func lowerAssume(c *call) value {
	c.emit(ir.Instr{Op: ir.OpAssume, A: c.operandOf('v')})
	return value{}
}

func lowerAssert(c *call) value {
	c.emit(ir.Instr{Op: ir.OpAssert, A: c.operandOf('v'), Str: c.text()})
	return value{}
}

func lowerObserve(c *call) value {
	c.emit(ir.Instr{Op: ir.OpObserve, A: c.operandOf('v'), Str: c.text(), PerItem: c.unit.where == inKernel})
	return value{}
}

func lowerReachable(c *call) value {
	c.emit(ir.Instr{Op: ir.OpReach, Str: c.text()})
	return value{}
}
