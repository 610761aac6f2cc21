package litmus

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// alus maps binary operators to instructions; && and || are branches.
var alus = map[string]ir.Alu{
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Rem, "&": ir.And, "|": ir.Or, "^": ir.Xor,
	"==": ir.Eq, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge,
}

// operand evaluates an expression and returns where its value is: in a
// constant, a named register or a new temporary.
func (f *function) operand(x expr) int32 {
	switch x := x.(type) {
	case *numberExpr:
		return f.constant(x.value)
	case *nameExpr:
		return f.read(x)
	}
	// The temporaries that x needs are free again once it is computed, so that
	// its value can take the place of the first.
	mark := f.temps
	dst := f.temp()
	f.temps = mark
	f.exprTo(dst, x)
	f.temps = mark + 1
	return dst
}

// read resolves the name of a register.
func (f *function) read(x *nameExpr) int32 {
	r, ok := f.regs[x.name]
	if ok {
		return r
	}
	if f.params[x.name] {
		f.hintf(x.pos, "write *"+x.name+" to load it", "%s is a location, not a register", x.name)
	}
	f.hintf(x.pos, nearest(x.name, keys(f.regs)), "P%d gives %s no value", f.thread.num, x.name)
	return 0
}

// exprTo evaluates an expression into a register. It writes the register
// only in the end, because the expression may read it.
func (f *function) exprTo(dst int32, x expr) {
	switch x := x.(type) {
	case *loadExpr:
		f.emit(x.pos, ir.Instr{Op: ir.OpLoad, Type: ir.I32, Order: memmodel.NonAtomic, Dst: dst, A: f.address(x.pos, x.loc)})
	case *unaryExpr:
		alu := map[string]ir.Alu{"-": ir.Neg, "!": ir.Not, "~": ir.Compl}[x.op]
		a := f.operand(x.x)
		f.emit(x.pos, ir.Instr{Op: ir.OpUn, Alu: alu, Type: ir.I32, Dst: dst, A: a})
	case *binaryExpr:
		if x.op == "&&" || x.op == "||" {
			f.shortCircuit(dst, x)
		} else {
			f.arithmetic(dst, x)
		}
	case *callExpr:
		f.value(dst, x)
	default:
		f.emit(x.position(), ir.Instr{Op: ir.OpMove, Dst: dst, A: f.operand(x)})
	}
}

func (f *function) arithmetic(dst int32, x *binaryExpr) {
	a := f.operand(x.x)
	b := f.operand(x.y)
	if n, ok := x.y.(*numberExpr); (x.op == "/" || x.op == "%") && !(ok && n.value != 0) {
		f.emit(x.pos, ir.Instr{Op: ir.OpCheck, Check: ir.CheckDivisor, A: b})
	}
	f.emit(x.pos, ir.Instr{Op: ir.OpBin, Alu: alus[x.op], Type: ir.I32, Dst: dst, A: a, B: b})
}

// shortCircuit evaluates the right side of && and || only if it matters.
func (f *function) shortCircuit(dst int32, x *binaryExpr) {
	short := int64(0) // the value when the left side decides
	if x.op == "||" {
		short = 1
	}
	mark := f.temps
	branch := f.emit(x.pos, ir.Instr{Op: ir.OpBranch, A: f.operand(x.x)})
	f.temps = mark
	right := f.here()
	f.emit(x.pos, ir.Instr{Op: ir.OpBin, Alu: ir.Ne, Type: ir.I32, Dst: dst, A: f.operand(x.y), B: f.constant(0)})
	jump := f.emit(x.pos, ir.Instr{Op: ir.OpJump})
	left := f.here()
	f.emit(x.pos, ir.Instr{Op: ir.OpMove, Dst: dst, A: f.constant(short)})
	f.out.Code[jump].Target = f.here()
	in := &f.out.Code[branch]
	in.Target, in.Else = right, left
	if x.op == "||" {
		in.Target, in.Else = left, right
	}
}

// value lowers a call inside an expression.
func (f *function) value(dst int32, c *callExpr) {
	o := f.operationNamed(c)
	if !o.isValue() {
		f.failf(c.pos, "%s has no value", c.name)
	}
	f.operation(dst, c, o)
}

// call lowers a call that is a statement; its value, if any, is dropped.
func (f *function) call(c *callExpr, s *exprStmt) {
	o := f.operationNamed(c)
	if o.op == ir.OpBarrier {
		in := ir.Instr{Op: o.op, SubGroup: o.sub}
		f.annotate(c, o, &in)
		f.barrier(c, s.label, in)
		return
	}
	if s.label != "" {
		f.failf(s.pos, "only a barrier can have a label")
	}
	f.operation(-1, c, o)
}

// operation lowers an atomic operation or fence.
func (f *function) operation(dst int32, c *callExpr, o operation) {
	in := ir.Instr{Op: o.op, Alu: o.alu, Weak: o.weak, Dst: dst, Dst2: -1}
	f.annotate(c, o, &in)
	if o.op != ir.OpFence {
		in.Type = ir.I32
		in.A = f.target(c, in.Order)
	}
	switch o.op {
	case ir.OpStore, ir.OpRMW:
		in.B = f.operand(c.args[1])
	case ir.OpCmpXchg:
		in.B = f.expected(c.args[1])
		in.C = f.operand(c.args[2])
	}
	f.emit(c.pos, in)
}

// target returns the address of the location that an operation acts on. The
// cell is made atomic even if no parameter says so, as in herd.
func (f *function) target(c *callExpr, order memmodel.Order) int32 {
	x := c.args[0]
	n, ok := x.(*nameExpr)
	if !ok {
		f.hintf(x.position(), "pass the location itself, as in "+c.name+"(x, ...)", "the first argument of %s must be a location", c.name)
	}
	loc := f.location(n.pos, n.name)
	if order != memmodel.NonAtomic {
		f.prog.Objects[loc.object].Layout.Atomic = true
	}
	return f.address(n.pos, n.name)
}

// expected evaluates the expected value of a compare_exchange: as in herd, a
// location stands for its value, which is read non-atomically beforehand.
func (f *function) expected(x expr) int32 {
	if n, ok := x.(*nameExpr); ok && f.params[n.name] {
		x = &loadExpr{n.pos, n.name}
	}
	return f.operand(x)
}
