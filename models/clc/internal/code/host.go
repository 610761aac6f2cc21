package code

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// host is the host program.
type host struct{ *unit }

// run launches a kernel and waits for its end.
func (h *host) run(l *Launch) {
	at := l.Kernel.Pos
	h.mark(at)
	for i := range l.Args {
		if b := l.Args[i].Buffer; b != nil && b.made == nil {
			h.allocate(b, l.Kernel.Params[i])
		}
	}
	if h.failed() {
		return
	}
	fn, params := h.kernel(l)
	h.mark(at)
	zero := h.Constant(0)
	args := []int32{zero, h.Constant(int64(l.Dim))}
	for _, size := range [...][3]int64{l.Offset, l.Global, l.Local} {
		for d := range 3 {
			args = append(args, h.Constant(size[d]))
		}
	}
	for _, p := range params {
		args = append(args, h.anyOf(p))
	}
	h.Emit(ir.Instr{Op: ir.OpEnqueueNDRange, Target: int32(fn.Number()), Dst: h.NewReg(""), Args: args})
	h.Emit(ir.Instr{Op: ir.OpFinish, A: zero})
	for _, a := range l.Asserts {
		h.assert(a)
	}
}

// allocate makes a buffer, and fills it with what the host chooses.
func (h *host) allocate(b *Buffer, v *tree.Var) {
	b.made = h.globalObject(b.Name, v.Pos, b.Elem, b.Len, memmodel.Buffer)
	b.made.origin = b.Origin
	init := h.p.Objects[b.made.index].Init
	leaves, size := h.leaves(b.Elem), h.size(b.Elem)
	for i, c := range b.Cells {
		at := i/len(leaves)*size + leaves[i%len(leaves)].off
		t := leaves[i%len(leaves)].t
		switch {
		case at >= len(init):
		case len(c) == 1:
			init[at] = h.raw64(t, c[0])
		default:
			r := h.anyOf(c)
			if ct := h.cell(t); ct != t {
				r = h.Conv(ct, t, r)
			}
			h.Store(h.cell(t), h.Constant(b.made.addr+int64(at)), r)
		}
	}
}

// raw64 returns what a cell holds for a value of type t.
func (h *host) raw64(t ir.Type, v int64) int64 {
	if c := h.cell(t); c != t {
		return ir.Convert(c, t, v)
	}
	return v
}

// anyOf chooses one of some values.
func (h *host) anyOf(c Cell) int32 {
	if len(c) == 1 {
		return h.Constant(c[0])
	}
	n := h.NewReg("")
	h.Emit(ir.Instr{Op: ir.OpChoose, Dst: n, A: h.Constant(int64(len(c)))})
	apart := true
	for i, v := range c {
		apart = apart && v == c[0]+int64(i)
	}
	if apart {
		return h.Bin(ir.Add, ir.I64, n, h.Constant(c[0]))
	}
	out := h.NewReg("")
	h.Move(out, h.Constant(c[0]))
	var all []int64
	for i := range c {
		all = append(all, int64(i))
	}
	h.Cases(ir.I64, n, all, func(i int64) { h.Move(out, h.Constant(c[i])) }, nil)
	return out
}

// Assertion is what the host expects of what the kernels leave: the text, and how to compute it.
type Assertion struct {
	Text string
	Pos  tree.Pos
	Cond Term
}

// Term is an expression of the host: an operator with terms, a cell, or a number.
type Term struct {
	Op     ir.Alu // of X and Y, or of X
	X, Y   *Term
	Buffer *Buffer   // a scalar of an element
	Global *tree.Var // or of a program-scope variable
	Cell   int
	Type   ir.Type // of the operation, or of the value
	Value  int64
}

func (h *host) assert(a Assertion) {
	h.mark(a.Pos)
	cond := h.term(&a.Cond)
	h.Emit(ir.Instr{Op: ir.OpAssert, A: h.Bin(ir.Ne, ir.I64, cond, h.Constant(0)), Str: h.p.Str(a.Text)})
}

// term computes a term.
func (h *host) term(t *Term) int32 {
	o := h.globals[t.Global]
	if t.Buffer != nil {
		o = t.Buffer.made
	}
	switch {
	case o != nil:
		r := h.Load(h.cell(t.Type), h.Constant(o.addr+int64(t.Cell)))
		if c := h.cell(t.Type); c != t.Type {
			r = h.Conv(t.Type, c, r)
		}
		return r
	case t.X == nil:
		return h.Constant(t.Value)
	case t.Y == nil && t.Op == ir.Xchg: // a conversion
		return h.Conv(t.Type, t.X.result(), h.term(t.X))
	case t.Y == nil:
		return h.Un(t.Op, t.Type, h.term(t.X))
	}
	a := h.term(t.X)
	b := h.term(t.Y)
	if t.Op == ir.Div || t.Op == ir.Rem {
		h.Check(ir.CheckDivisor, h.Bin(ir.Ne, ir.I64, b, h.Constant(0)), "")
	}
	return h.Bin(t.Op, t.Type, a, b)
}

// result returns the type of what a term computes.
func (t *Term) result() ir.Type {
	if t.X != nil && t.Op >= ir.Eq && t.Op <= ir.Ge {
		return ir.Bool
	}
	return t.Type
}
