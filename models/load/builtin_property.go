package load

import (
	"fmt"

	"github.com/clmc/clmc/state/ir"
)

func lowerChoose(c *call) value {
	n := c.operandOf('n')
	if v, ok := c.known(n); ok && v < 1 {
		c.fault(c.pos, "write a positive number", "cl.Choose(%d) has no value to choose", v)
		return one(c.constant(0))
	}
	if v, ok := c.known(n); ok && v > ir.MaxChoices {
		c.fault(c.pos, "choose from fewer values, those at which something may change", "cl.Choose(%d) has too many values to choose from: at most %d are explored", v, ir.MaxChoices)
		return one(c.constant(0))
	}
	c.check(ir.CheckArgument, c.bin(ir.Gt, ir.I64, n, c.constant(0)), "the argument of Choose is positive")
	c.check(ir.CheckArgument, c.bin(ir.Le, ir.I64, n, c.constant(ir.MaxChoices)), fmt.Sprintf("the argument of Choose is at most %d", ir.MaxChoices))
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
