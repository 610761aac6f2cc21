package code

import (
	"slices"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// expr evaluates an expression.
func (f *frame) expr(x tree.Expr) value {
	if f.Full() {
		return f.zero(x.Type())
	}
	f.mark(x.Pos())
	switch x := x.(type) {
	case *tree.Const:
		return f.constant(x)
	case *tree.Load:
		return f.load(x)
	case *tree.Decay:
		return f.addressOf(x.X)
	case *tree.AddrOf:
		return f.addressOf(x.X)
	case *tree.Convert:
		return f.convert(x)
	case *tree.Splat:
		v := f.expr(x.X)
		return slices.Repeat(v, int(x.Type().Lanes()))
	case *tree.VectorLit:
		var v value
		for _, e := range x.Elems {
			v = append(v, f.expr(e)...)
		}
		return v
	case *tree.Swizzle:
		return f.swizzle(x)
	case *tree.Member:
		v := f.expr(x.X)
		return f.recast(v, x.X.Type(), f.member(x.X.Type(), x.Field), x.Type())
	case *tree.Lane:
		return f.laneOf(x)
	case *tree.Unary:
		return f.unary(x)
	case *tree.Binary:
		return f.binary(x)
	case *tree.PtrAdd:
		p := f.expr(x.X)
		i := f.expr(x.I)
		return f.along(x.X, p, f.move(p, i.one(), x.Type().Elem, x.Sub))
	case *tree.PtrDiff:
		return f.pointerDifference(x)
	case *tree.Logic:
		return f.logic(x)
	case *tree.Cond:
		return f.conditional(x)
	case *tree.Select:
		return f.selectLanes(x)
	case *tree.Comma:
		f.drop(x.X)
		f.expr(x.X)
		return f.expr(x.Y)
	case *tree.Assign:
		return f.assign(x)
	case *tree.AssignOp:
		return f.assignOp(x)
	case *tree.IncDec:
		return f.incDec(x)
	case *tree.Call:
		return f.call(x)
	case *tree.BuiltinCall:
		return f.builtin(x)
	case *tree.CallBlock:
		return f.callBlock(x)
	case *tree.StmtExpr:
		return f.stmtExpr(x)
	}
	f.unknown(x)
	return f.zero(x.Type())
}

// unknown reports an expression that is not lowered.
func (f *frame) unknown(x tree.Expr) {
	what := "this expression"
	if _, ok := x.(*tree.BlockLit); ok {
		what = "a block"
	}
	f.notYet(x.Pos(), what)
}

// zero returns a value of type t that is all zeros.
func (f *frame) zero(t *tree.Type) value {
	if f.tooLarge(t) {
		return nil
	}
	return slices.Repeat(value{f.Constant(0)}, len(f.leaves(t)))
}

func (f *frame) constant(x *tree.Const) value {
	t := x.Type()
	switch {
	case t.IsFloating():
		return value{f.Constant(scalar(t).FromNumber(x.F))}
	case t.Kind == tree.Pointer:
		return f.null()
	case t.IsInteger():
		return value{f.Constant(ir.Wrap(scalar(t), int64(x.Bits)))}
	}
	return value{f.Constant(int64(x.Bits))}
}

func (f *frame) load(x *tree.Load) value {
	p := f.place(x.X)
	f.mark(x.Pos())
	if x.X.Type().Kind == tree.Atomic {
		return f.atomicLoad(p)
	}
	return f.read(p)
}

// addressOf returns a pointer to a place.
func (f *frame) addressOf(x tree.Lvalue) value {
	p := f.place(x)
	f.mark(x.Pos())
	if p.regs != nil || p.chosen || len(p.ptr) != ptrParts || !f.contiguous(p) {
		f.notYet(x.Pos(), "the address of this place")
		return f.null()
	}
	to := f.after(p.ptr, p.start)
	if m, ok := x.(*tree.Member); ok && m.Type().Kind == tree.Array && !openEnded(m) {
		return value{to[ptrBase], to[ptrOff], f.endOf(to, 0, m)}
	}
	if p.ends {
		return value{to[ptrBase], to[ptrOff], p.end}
	}
	return to
}

func (f *frame) pick(v value, which []int) value {
	var out value
	for _, i := range which {
		if i < len(v) {
			out = append(out, v[i])
		} else {
			out = append(out, f.Constant(0)) // lane 3 of three
		}
	}
	return out
}

func (f *frame) swizzle(x *tree.Swizzle) value { return f.pick(f.expr(x.X), x.Lanes) }

// laneOf is a lane, chosen at run time, of a vector that is no lvalue.
func (f *frame) laneOf(x *tree.Lane) value {
	v := f.expr(x.X)
	i := f.expr(x.I).one()
	f.mark(x.Pos())
	f.CheckIndex(i, f.Constant(int64(len(v))))
	out := f.NewReg("")
	f.Move(out, f.Constant(0))
	var all []int64
	for k := range v {
		all = append(all, int64(k))
	}
	f.Cases(ir.I64, i, all, func(k int64) { f.Move(out, v[k]) }, nil)
	return value{out}
}

// pointerDifference is p - q, in elements.
func (f *frame) pointerDifference(x *tree.PtrDiff) value {
	p := f.expr(x.X)
	q := f.expr(x.Y)
	f.mark(x.Pos())
	n := f.size(x.X.Type().Elem)
	bytes := f.Bin(ir.Sub, ir.I64, f.full64(p), f.full64(q))
	if a, ok := f.Known(p[ptrBase]); ok {
		if b, ok := f.Known(q[ptrBase]); ok && a == b {
			bytes = f.Bin(ir.Sub, ir.I64, p[ptrOff], q[ptrOff])
		}
	}
	if n <= 1 {
		return value{bytes}
	}
	return value{f.Bin(ir.Div, ir.I64, bytes, f.Constant(int64(n)))}
}

// full64 returns the address that a pointer stands for. No cell but those of a pointer, of which three are one, has more
// than eight bytes, so that those of two objects differ.
func (f *frame) full64(p value) int32 {
	return f.Bin(ir.Add, ir.U64, f.Bin(ir.Mul, ir.U64, p[ptrBase], f.Constant(cellRoom)), p[ptrOff])
}

// cellRoom is how far apart the addresses of two cells are, in bytes.
const cellRoom = 16

func (f *frame) logic(x *tree.Logic) value {
	if x.Type().Kind == tree.Vector {
		a := f.expr(x.X)
		b := f.expr(x.Y)
		f.mark(x.Pos())
		var v value
		t := x.X.Type().Elem
		op := ir.And
		if x.Or {
			op = ir.Or
		}
		for i := range a {
			v = append(v, f.mask(f.Bin(op, ir.Bool, f.isTrue(a[i], t), f.isTrue(b[i], t)), scalar(x.Type())))
		}
		return v
	}
	out := f.NewReg("")
	yes, no, done := lower.NewBlock(), lower.NewBlock(), lower.NewBlock()
	f.branch(x, yes, no)
	f.Enter(yes)
	f.Move(out, f.Constant(1))
	f.Jump(done)
	f.Enter(no)
	f.Move(out, f.Constant(0))
	f.Jump(done)
	f.Enter(done)
	return value{out}
}

// isTrue returns 1 if a scalar is not zero, and 0 if it is.
func (f *frame) isTrue(a int32, t *tree.Type) int32 { return f.Bin(ir.Ne, scalar(t), a, f.Constant(0)) }

// mask turns 1 into all bits set.
func (f *frame) mask(a int32, t ir.Type) int32 { return f.Un(ir.Neg, t, a) }

func (f *frame) conditional(x *tree.Cond) value {
	yes, no, done := lower.NewBlock(), lower.NewBlock(), lower.NewBlock()
	f.branch(x.C, yes, no)
	out := make(value, len(f.leaves(x.Type())))
	for i := range out {
		out[i] = f.NewReg("")
	}
	for _, side := range []struct {
		at *lower.Block
		x  tree.Expr
	}{{yes, x.X}, {no, x.Y}} {
		f.Enter(side.at)
		if v := f.expr(side.x); len(v) == len(out) {
			f.Parallel(out, v)
		}
		f.Jump(done)
	}
	f.Enter(done)
	return out
}

// selectLanes is C ? X : Y with vectors.
func (f *frame) selectLanes(x *tree.Select) value {
	c := f.expr(x.C)
	a := f.expr(x.X)
	b := f.expr(x.Y)
	f.mark(x.Pos())
	t := scalar(x.C.Type())
	var v value
	for i := range c {
		top := f.Bin(ir.Shr, ir.U64, f.Conv(unsigned(t.Bits()), t, c[i]), f.Constant(int64(t.Bits()-1)))
		v = append(v, f.either(scalar(x.Type()), top, a[i], b[i]))
	}
	return v
}

// choose returns a if c is not zero, b otherwise.
func (f *frame) choose(c, a, b int32) int32 {
	if v, ok := f.Known(c); ok {
		if v != 0 {
			return a
		}
		return b
	}
	out := f.NewReg("")
	f.If(c, func() { f.Move(out, a) }, func() { f.Move(out, b) })
	return out
}

// either is choose without a branch for floating-point numbers, so that data which are only computed
// with decide none. Of integers, which may become indices, branches tell more about the result.
func (f *frame) either(t ir.Type, c, a, b int32) int32 {
	if _, known := f.Known(c); known || !t.Float() {
		return f.choose(c, a, b)
	}
	mask := f.Un(ir.Neg, ir.I64, f.Bin(ir.Ne, ir.I64, c, f.Constant(0)))
	return f.Bin(ir.Xor, ir.I64, b, f.Bin(ir.And, ir.I64, f.Bin(ir.Xor, ir.I64, a, b), mask))
}

func (f *frame) assign(x *tree.Assign) value {
	p := f.place(x.L)
	v := f.expr(x.R)
	f.mark(x.Pos())
	if x.L.Type().Kind == tree.Atomic {
		f.atomicStore(p, v.one())
		return v
	}
	f.write(p, v)
	return v
}

func (f *frame) assignOp(x *tree.AssignOp) value {
	p := f.place(x.L)
	r := f.expr(x.R)
	f.mark(x.Pos())
	t := x.L.Type()
	switch t.Kind {
	case tree.Atomic:
		return f.atomicOp(p, x, r.one())
	case tree.Pointer:
		v := f.move(f.read(p), r.one(), t.Elem, x.Op == tree.Sub)
		f.write(p, v)
		return v
	}
	old := f.convertTo(x.Compute, t, f.read(p))
	v := f.convertTo(t, x.Compute, f.operate(x.Op, x.Compute, old, r, x.R.Type()))
	f.write(p, v)
	return v
}

func (f *frame) incDec(x *tree.IncDec) value {
	p := f.place(x.L)
	f.mark(x.Pos())
	t := x.L.Type()
	op := ir.Add
	if x.Dec {
		op = ir.Sub
	}
	if t.Kind == tree.Atomic {
		old := f.rmw(p, op, f.Constant(1))
		if x.Post {
			return value{old}
		}
		return value{f.Bin(op, scalar(t), old, f.Constant(1))}
	}
	old := f.read(p)
	for i, r := range old {
		old[i] = f.Copy(r)
	}
	var v value
	if t.Kind == tree.Pointer {
		v = f.move(old, f.Constant(1), t.Elem, x.Dec)
	} else {
		one := f.Constant(1)
		if st := scalar(t); st.Float() {
			one = f.Constant(st.FromNumber(1))
		}
		for _, r := range old {
			v = append(v, f.Bin(op, scalar(t), r, one))
		}
	}
	f.write(p, v)
	if x.Post {
		return old
	}
	return v
}

func (f *frame) stmtExpr(x *tree.StmtExpr) value {
	f.block(x.Body)
	if x.X == nil {
		return nil
	}
	return f.expr(x.X)
}

// call inlines a function of the program.
func (f *frame) call(x *tree.Call) value {
	if x.Func.Body == nil {
		return f.undefined(x)
	}
	return f.inline(x.Func, x, x.Args, nil)
}

// undefined is the call of a function that has no definition: it returns 0 or 1, in all lanes, and does nothing.
func (f *frame) undefined(x *tree.Call) value {
	for _, a := range x.Args {
		f.expr(a)
	}
	f.mark(x.Pos())
	t := x.Func.Result
	if t.Kind == tree.Void || f.dropped[x] {
		return f.zero(t)
	}
	r := f.NewReg("")
	f.Emit(ir.Instr{Op: ir.OpChoose, Dst: r, A: f.Constant(2)})
	return slices.Repeat(value{f.Conv(scalar(t), ir.I32, r)}, len(f.leaves(t)))
}

// inline lowers the call of a function, or of a block with what it has captured.
func (f *frame) inline(fn *tree.Func, x tree.Expr, args []tree.Expr, b *blockValue) value {
	f.Spend(1)
	g := f.inner(fn, x)
	if g.depth > maxDepth {
		return f.zero(x.Type())
	}
	if b != nil {
		for i, c := range b.lit.Captures {
			g.bind(c.Inner, b.captures[i])
		}
	}
	f.mark(x.Pos())
	enter := f.calling(fn.Name)
	for i, a := range args {
		v := f.expr(a)
		back := enter()
		g.bind(fn.Params[i], v)
		g.given[fn.Params[i]] = f.isGiven(a)
		back()
	}
	defer enter()()
	g.used = !f.dropped[x]
	for range f.leaves(fn.Result) {
		r := f.NewReg("")
		f.Move(r, f.Constant(0))
		g.result = append(g.result, r)
	}
	g.body()
	return g.result
}

// binary operators, and what they share with compound assignments.

func (f *frame) unary(x *tree.Unary) value {
	a := f.expr(x.X)
	f.mark(x.Pos())
	from, t := x.X.Type(), scalar(x.Type())
	var v value
	switch x.Op {
	case tree.Not:
		if from.Kind != tree.Vector {
			if from.IsFloating() {
				return value{f.Bin(ir.Eq, scalar(from), a[0], f.Constant(0))}
			}
			return value{f.Un(ir.Not, ir.I32, f.truth(a, from))}
		}
		for _, r := range a {
			v = append(v, f.mask(f.Bin(ir.Eq, scalar(from), r, f.Constant(0)), t))
		}
	case tree.Neg:
		for _, r := range a {
			v = append(v, f.Un(ir.Neg, t, r))
		}
	case tree.Cpl:
		for _, r := range a {
			v = append(v, f.Un(ir.Compl, t, r))
		}
	}
	return v
}

func (f *frame) binary(x *tree.Binary) value {
	a := f.expr(x.X)
	b := f.expr(x.Y)
	f.mark(x.Pos())
	t := x.X.Type()
	if t.Kind == tree.Pointer {
		return value{f.comparePointers(x.Op, a, b)}
	}
	if x.Op < tree.Lt {
		return f.operate(x.Op, t, a, b, x.Y.Type())
	}
	var v value
	for i := range a {
		if i >= len(b) {
			break
		}
		c := f.Bin(aluOf[x.Op], scalar(t), a[i], b[i])
		if t.Kind == tree.Vector {
			c = f.mask(c, scalar(x.Type()))
		}
		v = append(v, c)
	}
	return v
}

var aluOf = [...]ir.Alu{tree.Add: ir.Add, tree.Sub: ir.Sub, tree.Mul: ir.Mul, tree.Div: ir.Div, tree.Rem: ir.Rem, tree.Shl: ir.Shl,
	tree.Shr: ir.Shr, tree.And: ir.And, tree.Or: ir.Or, tree.Xor: ir.Xor, tree.Lt: ir.Lt, tree.Gt: ir.Gt, tree.Le: ir.Le, tree.Ge: ir.Ge,
	tree.Eq: ir.Eq, tree.Ne: ir.Ne}

// comparePointers compares addresses; within one object, distances do.
func (f *frame) comparePointers(op tree.BinaryOp, a, b value) int32 {
	x, xok := f.Known(a[ptrBase])
	y, yok := f.Known(b[ptrBase])
	switch {
	case xok && yok && x == y:
		return f.Bin(aluOf[op], ir.I64, a[ptrOff], b[ptrOff])
	case yok && y == 0 || xok && x == 0: // with a null pointer
		return f.Bin(aluOf[op], ir.Ptr, a[ptrBase], b[ptrBase])
	}
	return f.Bin(aluOf[op], ir.U64, f.full64(a), f.full64(b))
}

// operate computes a op b, lane by lane, both of type t, but for the count of a shift.
func (f *frame) operate(op tree.BinaryOp, t *tree.Type, a, b value, bt *tree.Type) value {
	st := scalar(t)
	var v value
	for i := range a {
		if i >= len(b) {
			break
		}
		y := b[i]
		switch {
		case op == tree.Shl || op == tree.Shr: // C 6.5.7 as OpenCL C 6.3.j has it: the low bits count
			y = f.Bin(ir.And, ir.U64, y, f.Constant(int64(st.Bits()-1)))
		case (op == tree.Div || op == tree.Rem) && !st.Float():
			f.Check(ir.CheckDivisor, f.Bin(ir.Ne, st, y, f.Constant(0)), "")
			if k, ok := f.Known(y); ok && k == 0 {
				y = f.Constant(1) // the check fails at run time
			}
		}
		v = append(v, f.Bin(aluOf[op], st, a[i], y))
	}
	return v
}
