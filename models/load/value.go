package load

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// value is what lowering knows of an SSA value. Exactly one of its forms is
// set: most values are scalars in registers; the others exist at load time
// only and leave no trace in the code.
type value struct {
	regs []int32     // the cells of a scalar, slice, struct or array, as operands
	at   *place      // a pointer to private storage that is known at load time
	fn   *closure    // a function
	cl   *clc.Kernel // a kernel of a //cl:program, or a pointer to its field
	str  *string     // a constant string
	list []value     // several results, or variadic arguments of a built-in
}

// reg returns the operand of a value of one cell. Values that stem from an
// error already reported have none; 0 stands for them.
func (u *unit) reg(v value) int32 {
	if len(v.regs) == 0 {
		return u.Constant(0)
	}
	return v.regs[0]
}

// place is a pointer into private storage.
type place struct {
	of  *storage
	off int
}

// storage is a private variable that SSA keeps in memory: a struct or array,
// or a variable whose address is taken. Its cells are registers. They are given
// private addresses only if a pointer to it is used in a way that lowering
// cannot follow.
type storage struct {
	name  string
	size  int
	regs  []int32
	base  int64  // private address of the first cell, or -1
	decl  ir.Var // for reports
	inner bool   // declared in a loop, so that it stands for several variables

	// A fixed storage is assigned once, before all its uses: it is its value.
	fixed    bool
	captured bool // it is a kernel's copy of a host variable
	val      value
	typ      types.Type

	items map[int]value // variadic arguments of a built-in, by cell
}

// closure is a function value.
type closure struct {
	fn    *ssa.Function
	free  []value
	made  *ssa.MakeClosure // nil for a function without captured variables
	frame *frame           // where it was made
}

// byReference reports whether the free variables of the function are pointers
// to the captured variables, as in function literals; bound methods hold the
// receiver itself.
func (c *closure) byReference() bool { return c.fn.Syntax() != nil }

// zero returns the zero value of t, also for types outside the language.
func (u *unit) zero(t types.Type) value {
	var v value
	if u.size(t) <= maxByValue {
		for range u.leaves(t) {
			v.regs = append(v.regs, u.Constant(0))
		}
	}
	return v
}
