package code

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// Functions on parts of integers: products of vectors of four bytes, which may be packed into an integer, and bit fields.

// parts lowers them; it reports whether the function is one.
func (f *frame) parts(x *tree.BuiltinCall, args []value) (value, bool) {
	name := x.Fn.Name
	rest, adds := strings.CutPrefix(name, "dot_acc_sat")
	if !adds {
		rest, _ = strings.CutPrefix(name, "dot")
	}
	switch {
	case strings.HasPrefix(rest, "_4x8packed_"):
		signs := strings.TrimPrefix(rest, "_4x8packed_")
		a, b := byteType(signs[0]), byteType(signs[1])
		return value{f.accumulated(x, args, adds, f.products(scalar(x.Type()), a, b, f.unpacked(a, args[0]), f.unpacked(b, args[1])))}, true
	case adds || name == "dot":
		a, b := scalar(x.Args[0].Type()), scalar(x.Args[1].Type())
		return value{f.accumulated(x, args, adds, f.products(scalar(x.Type()), a, b, args[0], args[1]))}, true
	case strings.HasPrefix(name, "bitfield_"):
		return f.bitField(x, args), true
	}
	return nil, false
}

// byteType is the type of packed bytes, as the name of a function has it.
func byteType(sign byte) ir.Type {
	if sign == 's' {
		return ir.I8
	}
	return ir.U8
}

// unpacked returns the bytes of an integer, the lowest first.
func (f *frame) unpacked(t ir.Type, v value) (bytes value) {
	for i := range 4 {
		bytes = append(bytes, f.Conv(t, ir.U32, f.Bin(ir.Shr, ir.U32, v.one(), f.Constant(int64(8*i)))))
	}
	return bytes
}

// products multiplies lane by lane and adds; of vectors of bytes in 32 bits.
func (f *frame) products(to, t, u ir.Type, a, b value) int32 {
	sum := int32(0)
	for i := range a {
		p := f.Bin(ir.Mul, to, f.Conv(to, t, a[i]), f.Conv(to, u, b[i]))
		if i > 0 {
			p = f.Bin(ir.Add, to, sum, p)
		}
		sum = p
	}
	return sum
}

// accumulated adds the last argument, if the function does, and stays within the type.
func (f *frame) accumulated(x *tree.BuiltinCall, args []value, adds bool, sum int32) int32 {
	if !adds {
		return sum
	}
	lo, hi := extremes(scalar(x.Type()))
	sum = f.Bin(ir.Add, ir.I64, sum, args[2].one())
	return f.Bin(ir.Min, ir.I64, f.Bin(ir.Max, ir.I64, sum, f.Constant(lo)), f.Constant(hi))
}

// bitField lowers the insertion of some bits into each lane, and their extraction. The last arguments are the number of the
// lowest bit and how many there are; more than the lane has are undefined.
func (f *frame) bitField(x *tree.BuiltinCall, args []value) (out value) {
	t, to := scalar(x.Args[0].Type()), scalar(x.Type())
	u, w := unsigned(t.Bits()), f.Constant(int64(t.Bits()))
	low, count := args[len(args)-2].one(), args[len(args)-1].one()
	none := f.Bin(ir.Eq, ir.U32, count, f.Constant(0))
	unused := f.Bin(ir.And, ir.I64, f.Bin(ir.Sub, ir.I64, w, count), f.Constant(int64(t.Bits()-1)))
	for i, a := range args[0] {
		a = f.Conv(u, t, a)
		if x.Fn.Name == "bitfield_insert" {
			mask := f.Bin(ir.Shl, u, f.Bin(ir.Shr, u, f.Constant(ir.Wrap(u, -1)), unused), low)
			bits := f.Bin(ir.And, u, f.Bin(ir.Shl, u, f.Conv(u, t, args[1][i]), low), mask)
			r := f.Bin(ir.Or, u, f.Bin(ir.AndNot, u, a, mask), bits)
			out = append(out, f.Conv(to, u, f.choose(none, a, r)))
			continue
		}
		above := f.Bin(ir.And, ir.I64, f.Bin(ir.Sub, ir.I64, unused, low), f.Constant(int64(t.Bits()-1)))
		r := f.Bin(ir.Shr, to, f.Conv(to, u, f.Bin(ir.Shl, u, a, above)), unused)
		out = append(out, f.choose(none, f.Constant(0), r))
	}
	return out
}
