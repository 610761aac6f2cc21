package lower

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Enter makes b, which must not have ended, the block that instructions are emitted into.
func (f *Func) Enter(b *Block) {
	if b.op != ir.OpNop {
		panic("lower: a block is entered that has ended")
	}
	f.cur = b
}

// Pass notes that what comes next has a line that control can come to, even if no code is made of it.
func (f *Func) Pass() {
	if f.cur.way == open {
		f.prog.passed[f.prog.line(f.At)] = true
	}
}

// line is that of a position.
func (p *Program) line(at int32) ir.Pos {
	return ir.Pos{File: p.Positions[at].File, Line: p.Positions[at].Line}
}

// Current returns the block that instructions are emitted into.
func (f *Func) Current() *Block { return f.cur }

// Emit appends an instruction, at the position At.
func (f *Func) Emit(in ir.Instr) {
	f.count++
	if f.Full() {
		return
	}
	in.Pos = f.At
	if f.cur.way == ruledOut && in.Op != ir.OpRound {
		f.ruledOut[f.At] = true
	}
	if b := f.cur; len(b.ins) == cap(b.ins) {
		b.ins = slices.Grow(b.ins, max(8, len(b.ins))) // twice as many: append would copy long blocks more often
	}
	f.cur.ins = append(f.cur.ins, in)
}

// Jump ends the current block. Until the next Enter, what is emitted is unreachable
// and goes nowhere, as statements behind a return or a goto do; so behind Branch and End.
func (f *Func) Jump(to *Block) { f.close(ir.OpJump, 0, to, nil) }

// Branch ends the current block. A known condition makes it a jump.
func (f *Func) Branch(cond int32, then, otherwise *Block) {
	if v, ok := f.Known(cond); ok {
		if v == 0 {
			then = otherwise
		}
		f.Jump(then)
		return
	}
	f.close(ir.OpBranch, cond, then, otherwise)
}

// BranchGiven is Branch on a condition that, where it is known, is so of a value that the launch gives: what that rules out is noted.
func (f *Func) BranchGiven(cond int32, then, otherwise *Block) {
	if v, ok := f.Known(cond); ok {
		never := otherwise
		if v == 0 {
			never = then
		}
		never.way = max(never.way, min(f.cur.way, ruledOut))
	}
	f.Branch(cond, then, otherwise)
}

// End ends the current block and the unit of execution.
func (f *Func) End() { f.close(ir.OpEnd, 0, nil, nil) }

func (f *Func) close(op ir.Op, cond int32, to, otherwise *Block) {
	b := f.cur
	b.op, b.cond, b.to, b.pos = op, cond, [2]*Block{to, otherwise}, f.At
	for _, next := range b.succ() {
		next.way = max(next.way, b.way)
	}
	f.cur = NewBlock()
}

// Move emits dst = a.
func (f *Func) Move(dst, a int32) {
	if dst != a {
		f.Emit(ir.Instr{Op: ir.OpMove, Dst: dst, A: a})
	}
}

// Copy returns a fresh register with the present value of a.
func (f *Func) Copy(a int32) int32 {
	if a < 0 {
		return a
	}
	r := f.NewReg("")
	f.Move(r, a)
	return r
}

// Bin emits a op b and returns the result. What is known is computed here, and x + 0 is
// x: the result may be the operand itself, so that a variable's register needs a Copy
// if it is assigned before the result is used.
func (f *Func) Bin(op ir.Alu, t ir.Type, a, b int32) int32 {
	x, xok := f.computable(a)
	y, yok := f.computable(b)
	if xok && yok {
		if v, ok := ir.Eval(op, t, x, y); ok {
			return f.Constant(v)
		}
	}
	if yok && y == 0 && (op == ir.Add || op == ir.Sub || op == ir.Or) && !t.Float() {
		return a
	}
	if yok && y == 1 && op == ir.Mul && !t.Float() {
		return a
	}
	r := f.NewReg("")
	f.Emit(ir.Instr{Op: ir.OpBin, Alu: op, Type: t, Dst: r, A: a, B: b})
	return r
}

// Un emits op a and returns the result.
func (f *Func) Un(op ir.Alu, t ir.Type, a int32) int32 {
	if x, ok := f.computable(a); ok {
		if v, ok := ir.EvalUn(op, t, x); ok {
			return f.Constant(v)
		}
	}
	r := f.NewReg("")
	f.Emit(ir.Instr{Op: ir.OpUn, Alu: op, Type: t, Dst: r, A: a})
	return r
}

// Conv emits a conversion and returns the result. Conversions that keep the
// value cost nothing: the result is the operand.
func (f *Func) Conv(to, from ir.Type, a int32) int32 {
	if widens(to, from) {
		return a
	}
	if x, ok := f.computable(a); ok {
		return f.Constant(ir.Convert(to, from, x))
	}
	r := f.NewReg("")
	f.Emit(ir.Instr{Op: ir.OpConv, Type: to, From: from, Dst: r, A: a})
	return r
}

// widens reports whether a value of type from, as registers hold it, is also
// the value converted to type to.
func widens(to, from ir.Type) bool {
	switch {
	case to == from:
		return true
	case to.Float() || from.Float():
		return false
	case to.Bits() == 64:
		return true // sign- or zero-extended already
	case from.Signed():
		return to.Signed() && to.Bits() >= from.Bits()
	}
	return to.Bits() > from.Bits()
}

// Check emits a test of what must hold at run time. The text says what that is, if it
// is ir.CheckArgument; other kinds speak for themselves.
func (f *Func) Check(kind ir.Check, cond int32, what string) {
	if v, ok := f.Known(cond); ok && v != 0 {
		return
	}
	in := ir.Instr{Op: ir.OpCheck, Check: kind, A: cond}
	if kind == ir.CheckArgument {
		in.Str = f.prog.Str(what)
	}
	f.Emit(in)
}

// CheckIndex emits the test 0 <= i < n.
func (f *Func) CheckIndex(i, n int32) {
	f.Check(ir.CheckIndex, f.Bin(ir.Lt, ir.U64, i, n), "")
}

// Query emits a work-item function about a dimension, for one that has any.
func (f *Func) Query(q ir.Query, dim int32) int32 {
	r := f.NewReg("")
	f.Emit(ir.Instr{Op: ir.OpQuery, Query: q, Dst: r, A: dim})
	return r
}

// Load emits an ordinary read.
func (f *Func) Load(t ir.Type, addr int32) int32 {
	r := f.NewReg("")
	f.Emit(ir.Instr{Op: ir.OpLoad, Type: t, Order: memmodel.NonAtomic, Dst: r, A: addr})
	return r
}

// Store emits an ordinary write.
func (f *Func) Store(t ir.Type, addr, v int32) {
	f.Emit(ir.Instr{Op: ir.OpStore, Type: t, Order: memmodel.NonAtomic, A: addr, B: v})
}

// LoadSome emits a read of some cell, which kind tells, of the object that has address addr: what Values is to know before a front end can
// tell which cell. It is not for programs that are executed.
func (f *Func) LoadSome(kind Held, addr int32) int32 {
	r := f.NewReg("")
	f.Emit(ir.Instr{Op: ir.OpLoad, Type: kind.Type, Dst: r, A: addr, Str: int32(kind.Part)})
	return r
}

// StoreSome emits a write, likewise.
func (f *Func) StoreSome(kind Held, addr, v int32) {
	f.Emit(ir.Instr{Op: ir.OpStore, Type: kind.Type, A: addr, B: v, Str: int32(kind.Part)})
}

// Offset returns the address n cells after addr.
func (f *Func) Offset(addr int32, n int) int32 {
	return f.Bin(ir.Add, ir.Ptr, addr, f.Constant(int64(n)))
}

// Element returns the address of element i of an array at addr.
func (f *Func) Element(addr, i int32, cells int) int32 {
	return f.Bin(ir.Add, ir.Ptr, addr, f.Bin(ir.Mul, ir.I64, i, f.Constant(int64(cells))))
}
