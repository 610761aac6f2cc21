package load

import (
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

func lowerChoose(c *call) value {
	n := c.operandOf(theNumber)
	if v, ok := c.Known(n); ok && v < 1 {
		c.fault(c.pos, "write a positive number", "cl.Choose(%d) has no values to choose from", v)
		return one(c.Constant(0))
	}
	if v, ok := c.Known(n); ok && v > ir.MaxChoices {
		c.fault(c.pos, "choose from fewer values: those that make a difference", "cl.Choose(%d) has too many values to choose from: at most %d are explored", v, ir.MaxChoices)
		return one(c.Constant(0))
	}
	c.Check(ir.CheckArgument, c.Bin(ir.Gt, ir.I64, n, c.Constant(0)), "the argument of Choose must be positive")
	c.Check(ir.CheckChoices, c.Bin(ir.Le, ir.I64, n, c.Constant(ir.MaxChoices)), "")
	r := c.NewReg("")
	c.Emit(ir.Instr{Op: ir.OpChoose, Dst: r, A: n})
	return one(r)
}

func lowerAssume(c *call) value {
	c.Emit(ir.Instr{Op: ir.OpAssume, A: c.operandOf(theOperand)})
	return value{}
}

func lowerAssert(c *call) value {
	in := ir.Instr{Op: ir.OpAssert, A: c.operandOf(theOperand), Str: c.text()}
	if b, ok := c.val[theOperand].(*ssa.BinOp); ok && aluOf[b.Op] >= ir.Eq && aluOf[b.Op] <= ir.Ge {
		x, y := c.value(b.X).regs, c.value(b.Y).regs
		if len(x) == 1 && len(y) == 1 && x[0] < 0 && y[0] < 0 {
			in.Alu, in.Type, in.B, in.C = aluOf[b.Op], c.scalar(b.X.Type()), x[0], y[0]
		}
	}
	c.Emit(in)
	return value{}
}

func lowerObserve(c *call) value {
	if s := c.arg[theText].str; s != nil && (*s == "" || strings.ContainsFunc(*s, separates)) {
		c.fault(c.pos, "write a name of letters and digits", "cl.Observe(%q): the name of an observation cannot contain spaces or any of = : # @", *s)
	}
	c.asks("what cl.Observe tells")
	c.Emit(ir.Instr{Op: ir.OpObserve, Type: c.scalar(c.val[theOperand].Type()), A: c.operandOf(theOperand), Str: c.text(), PerItem: c.unit.where == inKernel})
	return value{}
}

func lowerReachable(c *call) value {
	c.asks("whether cl.Reachable is reached")
	c.Emit(ir.Instr{Op: ir.OpReach, Str: c.text()})
	return value{}
}

// separates reports whether a character sets the names and values of an outcome apart.
func separates(c rune) bool {
	return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune("=:#@", c)
}
