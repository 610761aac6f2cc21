package load

import (
	"go/token"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// maxCode bounds the instructions of one function after inlining.
const maxCode = 1 << 15

// unit is one function of the program under construction: the host thread or a
// kernel, with everything that it calls.
type unit struct {
	*lowering
	*code
	number int     // in Program.Funcs
	where  context // which built-ins it may call
	// spawned: a host thread that a go statement starts, perhaps several times.
	spawned   bool
	callback  bool // a callback, which may not wait
	cur       *block
	at        int32 // position of the instructions being emitted
	count     int   // instructions so far
	locals    map[token.Pos]int32
	group     int32 // cells of local memory so far
	loopCount int32 // loops of the functions called so far
}

func (l *lowering) newUnit(index int, where context) *unit {
	u := &unit{lowering: l, code: newCode(), number: index, where: where, locals: map[token.Pos]int32{}}
	u.cur = u.entry
	return u
}

// emit appends an instruction.
func (u *unit) emit(in ir.Instr) {
	u.count++
	if u.count > maxCode {
		return
	}
	in.Pos = u.at
	u.cur.ins = append(u.cur.ins, in)
}

// jump ends the current block.
func (u *unit) jump(to *block) {
	u.cur.op, u.cur.to[0], u.cur.pos = ir.OpJump, to, u.at
}

// branch ends the current block. A known condition makes it a jump.
func (u *unit) branch(cond int32, then, otherwise *block) {
	if v, ok := u.known(cond); ok {
		if v == 0 {
			then = otherwise
		}
		u.jump(then)
		return
	}
	u.cur.op, u.cur.cond, u.cur.pos = ir.OpBranch, cond, u.at
	u.cur.to = [2]*block{then, otherwise}
}

// end ends the current block and the unit of execution.
func (u *unit) end() { u.cur.op, u.cur.pos = ir.OpEnd, u.at }

// move emits dst = a.
func (u *unit) move(dst, a int32) {
	if dst != a {
		u.emit(ir.Instr{Op: ir.OpMove, Dst: dst, A: a})
	}
}

// copyOf returns a fresh register with the present value of a.
func (u *unit) copyOf(a int32) int32 {
	if a < 0 {
		return a
	}
	r := u.newReg("")
	u.move(r, a)
	return r
}

// bin emits a op b and returns the result.
func (u *unit) bin(op ir.Alu, t ir.Type, a, b int32) int32 {
	x, xok := u.known(a)
	y, yok := u.known(b)
	if xok && yok {
		if v, ok := ir.Eval(op, t, x, y); ok {
			return u.constant(v)
		}
	}
	if yok && y == 0 && (op == ir.Add || op == ir.Sub || op == ir.Or) && !t.Float() {
		return a
	}
	if yok && y == 1 && op == ir.Mul && !t.Float() {
		return a
	}
	r := u.newReg("")
	u.emit(ir.Instr{Op: ir.OpBin, Alu: op, Type: t, Dst: r, A: a, B: b})
	return r
}

// un emits op a and returns the result.
func (u *unit) un(op ir.Alu, t ir.Type, a int32) int32 {
	if x, ok := u.known(a); ok {
		if v, ok := ir.EvalUn(op, t, x); ok {
			return u.constant(v)
		}
	}
	r := u.newReg("")
	u.emit(ir.Instr{Op: ir.OpUn, Alu: op, Type: t, Dst: r, A: a})
	return r
}

// conv emits a conversion and returns the result. Conversions that keep the
// value cost nothing.
func (u *unit) conv(to, from ir.Type, a int32) int32 {
	if widens(to, from) {
		return a
	}
	if x, ok := u.known(a); ok {
		return u.constant(ir.Convert(to, from, x))
	}
	r := u.newReg("")
	u.emit(ir.Instr{Op: ir.OpConv, Type: to, From: from, Dst: r, A: a})
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

// check emits a test of what must hold at run time.
func (u *unit) check(kind ir.Check, cond int32, what string) {
	if v, ok := u.known(cond); ok && v != 0 {
		return
	}
	in := ir.Instr{Op: ir.OpCheck, Check: kind, A: cond}
	if kind == ir.CheckArgument {
		in.Str = u.str(what)
	}
	u.emit(in)
}

// checkIndex emits the test 0 <= i < n.
func (u *unit) checkIndex(i, n int32) {
	u.check(ir.CheckIndex, u.bin(ir.Lt, ir.U64, i, n), "")
}

// load emits an ordinary read.
func (u *unit) load(t ir.Type, addr int32) int32 {
	r := u.newReg("")
	u.emit(ir.Instr{Op: ir.OpLoad, Type: t, Order: memmodel.NonAtomic, Dst: r, A: addr})
	return r
}

// store emits an ordinary write.
func (u *unit) store(t ir.Type, addr, v int32) {
	u.emit(ir.Instr{Op: ir.OpStore, Type: t, Order: memmodel.NonAtomic, A: addr, B: v})
}

// offset returns the address n cells after addr.
func (u *unit) offset(addr int32, n int) int32 {
	return u.bin(ir.Add, ir.Ptr, addr, u.constant(int64(n)))
}

// element returns the address of element i of an array at addr.
func (u *unit) element(addr, i int32, cells int) int32 {
	return u.bin(ir.Add, ir.Ptr, addr, u.bin(ir.Mul, ir.I64, i, u.constant(int64(cells))))
}
