package code

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

func (f *frame) convert(x *tree.Convert) value {
	to, from := x.Type(), x.X.Type()
	v := f.expr(x.X)
	f.mark(x.Pos())
	switch {
	case to.Kind == tree.Void:
		return nil
	case to.Kind == tree.Pointer && from.Kind == tree.Pointer:
		return v
	case to.Kind == tree.Pointer:
		if k, ok := f.Known(v.one()); ok && k == 0 {
			return f.null()
		}
		f.fault(x.Pos(), "keep the pointer itself, or pass the buffer and an index into it", "a pointer is made from an integer: which object it points to cannot be told, for memory has no addresses that are numbers here")
		return f.null()
	case from.Kind == tree.Pointer && to.Kind == tree.Bool:
		return value{f.Bin(ir.Ne, ir.Ptr, v.one(), f.Constant(0))}
	case from.Kind == tree.Pointer:
		// Objects are as far apart as the machine has them, which is as good as any place that they could have.
		return value{f.Conv(scalar(to), ir.U64, f.full64(v))}
	}
	return f.convertTo(to, from, v)
}

// convertTo converts arithmetic values by C's rules, lane by lane.
func (f *frame) convertTo(to, from *tree.Type, v value) value {
	if to == from || !to.Lane().IsArithmetic() || !from.Lane().IsArithmetic() {
		return v
	}
	var out value
	for _, r := range v {
		out = append(out, f.convertScalar(to.Lane(), from.Lane(), r))
	}
	return out
}

func (f *frame) convertScalar(to, from *tree.Type, r int32) int32 {
	a, b := scalar(to), scalar(from)
	if a == ir.Bool && b != ir.Bool {
		return f.Bin(ir.Ne, b, r, f.Constant(0))
	}
	return f.Conv(a, b, r)
}

// bits returns the bits of a scalar as an unsigned number, and fromBits the scalar that has them.
func (f *frame) bits(t ir.Type, r int32) int32 {
	if t.Float() {
		return r
	}
	return f.Conv(unsigned(cellBits(t)), t, r)
}

func (f *frame) fromBits(t ir.Type, r int32) int32 {
	if t.Float() {
		return r
	}
	return f.Conv(t, unsigned(cellBits(t)), r)
}

// asType reinterprets the bits of a value.
func (f *frame) asType(to, from *tree.Type, v value) value {
	a, b := scalar(to), scalar(from)
	wa, wb := cellBits(a), cellBits(b)
	n := int(to.Lanes())
	var out value
	switch {
	case wa == wb:
		for i := range n {
			r := f.Constant(0) // the fourth lane of three
			if i < len(v) {
				r = v[i]
			}
			out = append(out, f.fromBits(a, f.bits(b, r)))
		}
	case wa < wb: // each lane makes several
		k := wb / wa
		for i := range n {
			r := f.bits(b, v[min(i/k, len(v)-1)])
			r = f.Bin(ir.Shr, ir.U64, r, f.Constant(int64(i%k*wa)))
			out = append(out, f.Conv(a, ir.U64, r))
			if a.Float() {
				out[i] = f.Bin(ir.And, ir.U64, r, f.Constant(1<<wa-1))
			}
		}
	default:
		k := wa / wb
		for i := range n {
			sum := f.Constant(0)
			for j := range k {
				if at := i*k + j; at < len(v) {
					part := f.Bin(ir.Shl, ir.U64, f.bits(b, v[at]), f.Constant(int64(j*wb)))
					sum = f.Bin(ir.Or, ir.U64, part, sum)
				}
			}
			out = append(out, f.fromBits(a, sum))
		}
	}
	return out
}

// recast returns the part of type part that starts at byte at of a value: a member. Of a union it may be made of several
// pieces.
func (f *frame) recast(v value, whole *tree.Type, at int, part *tree.Type) value {
	from := f.leaves(whole)
	if len(v) != len(from) {
		return f.zero(part)
	}
	var out value
	for _, l := range f.leaves(part) {
		sum, found := f.Constant(0), int32(0)
		exact := false
		for i, p := range from {
			d := p.off - at - l.off
			switch {
			case d == 0 && p.bytes() == l.bytes() && p.part == l.part:
				found, exact = f.fromCell(v[i], p.t, l.t), true
			case d >= 0 && d < l.bytes() && !p.ptr:
				piece := f.Bin(ir.Shl, ir.U64, f.bits(p.t, v[i]), f.Constant(int64(8*d)))
				sum = f.Bin(ir.Or, ir.U64, piece, sum)
			}
		}
		if !exact {
			found = f.fromBits(l.t, sum)
		}
		out = append(out, found)
	}
	return out
}
