package load

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

// fieldAddr lowers &p.field.
func (f *frame) fieldAddr(v *ssa.FieldAddr) value {
	off := f.fieldOffset(deref(v.X.Type()).Underlying().(*types.Struct), v.Field)
	p := f.value(v.X)
	if p.at != nil {
		return value{at: &place{p.at.of, p.at.off + off}}
	}
	addr := f.operand(v.X)
	f.checkNil(v.X, addr)
	return one(f.Offset(addr, off))
}

// indexAddr lowers &p[i], where p is a slice or a pointer to an array.
func (f *frame) indexAddr(v *ssa.IndexAddr) value {
	i := f.operand(v.Index)
	switch t := v.X.Type().Underlying().(type) {
	case *types.Slice:
		s := f.regs(v.X)
		if len(s) < 3 {
			return f.zero(v.Type())
		}
		f.CheckIndexOf(f.operands[v.Pos()], i, s[1])
		return one(f.Element(s[0], i, f.size(t.Elem())))
	case *types.Pointer:
		return f.arrayElement(v, t.Elem().Underlying().(*types.Array), i)
	}
	return f.zero(v.Type())
}

func (f *frame) arrayElement(v *ssa.IndexAddr, t *types.Array, i int32) value {
	cells := f.size(t.Elem())
	p := f.value(v.X)
	f.CheckIndexOf(f.operands[v.Pos()], i, f.Constant(t.Len()))
	c, known := f.Known(i)
	if known && (c < 0 || c >= t.Len()) {
		i, c = f.Constant(0), 0 // the check fails at run time
		if t.Len() == 0 {
			return f.zero(v.Type())
		}
	}
	if p.at != nil && known {
		return value{at: &place{p.at.of, p.at.off + int(c)*cells}}
	}
	addr := f.flat(p, v.Pos())
	if len(addr) == 0 {
		return f.zero(v.Type())
	}
	f.checkNil(v.X, addr[0])
	return one(f.Element(addr[0], i, cells))
}

// slice lowers x[lo:hi:max].
func (f *frame) slice(v *ssa.Slice) value {
	if p := f.value(v.X); p.at != nil && p.at.of.items != nil {
		return value{list: inOrder(p.at.of.items)}
	}
	addr, length, limit, elem, ok := f.sliced(v)
	if !ok {
		return f.zero(v.Type())
	}
	lo, hi := f.Constant(0), length
	if v.Low != nil {
		lo = f.operand(v.Low)
	}
	if v.High != nil {
		hi = f.operand(v.High)
	}
	if v.Max != nil {
		m := f.operand(v.Max)
		f.CheckOf(f.operands[v.Pos()], ir.CheckIndex, f.Bin(ir.Le, ir.U64, m, limit))
		limit = m
	}
	f.CheckOf(f.operands[v.Pos()], ir.CheckIndex, f.Bin(ir.Le, ir.U64, hi, limit))
	f.CheckOf(f.operands[v.Pos()], ir.CheckIndex, f.Bin(ir.Le, ir.U64, lo, hi))
	return value{regs: []int32{f.Element(addr, lo, elem), f.Bin(ir.Sub, ir.I64, hi, lo), f.Bin(ir.Sub, ir.I64, limit, lo)}}
}

// sliced returns address, length, capacity and size of the elements of what a
// slice expression applies to.
func (f *frame) sliced(v *ssa.Slice) (addr, length, limit int32, elem int, ok bool) {
	switch t := v.X.Type().Underlying().(type) {
	case *types.Slice:
		s := f.regs(v.X)
		if len(s) == 3 {
			return s[0], s[1], s[2], f.size(t.Elem()), true
		}
	case *types.Pointer:
		arr, isArray := t.Elem().Underlying().(*types.Array)
		r := f.regs(v.X)
		if isArray && len(r) == 1 {
			f.checkNil(v.X, r[0])
			n := f.Constant(arr.Len())
			return r[0], n, n, f.size(arr.Elem()), true
		}
	default:
		f.fault(v.Pos(), noStrings.hint, "%s", noStrings.message)
	}
	return 0, 0, 0, 0, false
}

// inOrder returns the items by increasing cell.
func inOrder(items map[int]value) []value {
	var list []value
	for at, left := 0, len(items); left > 0; at++ {
		if v, ok := items[at]; ok {
			list = append(list, v)
			left--
		}
	}
	return list
}

// sliceToArray lowers (*[n]T)(s).
func (f *frame) sliceToArray(v *ssa.SliceToArrayPointer) value {
	s := f.regs(v.X)
	if len(s) < 3 {
		return f.zero(v.Type())
	}
	n := deref(v.Type()).Underlying().(*types.Array).Len()
	f.Check(ir.CheckIndex, f.Bin(ir.Ge, ir.I64, s[1], f.Constant(n)), "")
	return one(s[0])
}
