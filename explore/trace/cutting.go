package trace

import (
	"cmp"
	"fmt"

	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// An index that is out of range may be so because a value did not fit the type that it was computed in: it was cut to fewer bits,
// or went below 0 where there is no sign.

// cutting is where a value did not fit its type.
type cutting struct {
	pos     int32
	typ     ir.Type
	was     int64 // what it would be
	became  int64
	a, b    int64 // what the one was subtracted from, and the one, if it went below 0 in 64 bits
	beneath bool
}

// cuts says whether what an instruction is about to compute does not fit its type, or else comes of a value that did not.
func (q *privacy) cuts(in *ir.Instr, regs []int64) *cutting {
	a, b := operandOf(q.f, regs, in.A), int64(0)
	of := q.cutOf(in.A)
	if in.Op == ir.OpBin {
		b = operandOf(q.f, regs, in.B)
		of = cmp.Or(q.cutOf(in.B), of)
	}
	if in.Type.Float() || in.Type == ir.Ptr || in.Type == ir.Bool {
		return of
	}
	exact := a
	switch {
	case in.Op == ir.OpConv && !in.From.Float():
	case in.Op == ir.OpBin && in.Alu == ir.Add:
		exact = a + b
	case in.Op == ir.OpBin && in.Alu == ir.Sub:
		exact = a - b
	case in.Op == ir.OpBin && in.Alu == ir.Mul:
		exact = a * b
	default:
		return of
	}
	if became := ir.Wrap(in.Type, exact); became != exact {
		return &cutting{pos: in.Pos, typ: in.Type, was: exact, became: became}
	}
	if in.Op == ir.OpBin && in.Type == ir.U64 {
		switch {
		case in.Alu == ir.Sub && uint64(a) < uint64(b):
			return &cutting{pos: in.Pos, typ: in.Type, a: a, b: b, beneath: true}
		case in.Alu == ir.Add && b < 0 && uint64(a) < uint64(-b):
			return &cutting{pos: in.Pos, typ: in.Type, a: a, b: -b, beneath: true}
		}
	}
	return of
}

// cutOf returns what an operand comes of that did not fit its type, or nil.
func (q *privacy) cutOf(o int32) *cutting {
	if o < 0 {
		return nil
	}
	return q.made[o].cut
}

// overrun explains an index that is out of range, as far as is known where it comes from.
func (r *explainer) overrun() Reason {
	out := Reason{Kind: "range", Text: "Nothing keeps the index within what is there.",
		Repair: fmt.Sprintf("Make the access%s only where the index is in range, as in if (i < n), or allocate more.", inLine(r.t.At))}
	test := r.private[r.at.lane].tested(r.at.op.Instr)
	if test == nil || r.t.kind != state.IndexOutOfRange {
		return out
	}
	above := fmt.Sprintf("Make the access%s only where there is such an element, as in if (i > 0), or clamp the index.", inLine(r.t.At))
	if test.a < 0 {
		out.Text, out.Repair = "Nothing keeps the index from being below 0.", above
	}
	c := test.cut
	if c == nil {
		return out
	}
	at := inLine(place(r.p, c.pos))
	switch {
	case c.beneath:
		out.Text = fmt.Sprintf("The index comes of %d - %d%s, which wraps around: the type is unsigned, and has nothing below 0.", uint64(c.a), uint64(c.b), at)
	case c.was < 0 && !c.typ.Signed():
		out.Text = fmt.Sprintf("The index comes of %d%s, which wraps around to %d: the type (%d bits, unsigned) has nothing below 0.", c.was, at, c.became, c.typ.Bits())
		out.Repair = above
	default:
		sign := "unsigned"
		if c.typ.Signed() {
			sign = "signed"
		}
		out.Text = fmt.Sprintf("The index comes of %d%s, which does not fit the type that it is given there (%d bits, %s): it becomes %d.", c.was, at, c.typ.Bits(), sign, c.became)
		out.Repair = fmt.Sprintf("Give what is computed%s a wider type.", at)
	}
	return out
}
