package axiom

import (
	"fmt"

	"github.com/clmc/clmc/state/ir"
)

// wrap reduces v to the range of an integer type.
func wrap(t ir.Type, v int64) int64 {
	switch t {
	case ir.Bool:
		return truth(v != 0)
	case ir.I8:
		return int64(int8(v))
	case ir.I16:
		return int64(int16(v))
	case ir.I32:
		return int64(int32(v))
	case ir.U8:
		return int64(uint8(v))
	case ir.U16:
		return int64(uint16(v))
	case ir.U32:
		return int64(uint32(v))
	}
	return v
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// width returns the width of an integer type.
func width(t ir.Type) int64 {
	switch t {
	case ir.I8, ir.U8:
		return 8
	case ir.I16, ir.U16:
		return 16
	case ir.I32, ir.U32:
		return 32
	}
	return 64
}

// less compares two values of a type; only 64-bit unsigned ones need care,
// since the narrower are kept in range.
func less(t ir.Type, x, y int64) bool {
	if t == ir.U64 || t == ir.Ptr {
		return uint64(x) < uint64(y)
	}
	return x < y
}

// binary computes x op y; it fails on a division by zero.
func binary(op ir.Alu, t ir.Type, x, y int64) (int64, error) {
	if t == ir.F32 || t == ir.F64 {
		return 0, fmt.Errorf("axiom: floating point is not covered")
	}
	switch op {
	case ir.Eq:
		return truth(x == y), nil
	case ir.Ne:
		return truth(x != y), nil
	case ir.Lt:
		return truth(less(t, x, y)), nil
	case ir.Le:
		return truth(!less(t, y, x)), nil
	case ir.Gt:
		return truth(less(t, y, x)), nil
	case ir.Ge:
		return truth(!less(t, x, y)), nil
	case ir.Div, ir.Rem:
		return divide(op, t, x, y)
	}
	v, err := combineValues(op, t, x, y)
	return wrap(t, v), err
}

func combineValues(op ir.Alu, t ir.Type, x, y int64) (int64, error) {
	switch op {
	case ir.Add:
		return x + y, nil
	case ir.Sub:
		return x - y, nil
	case ir.Mul:
		return x * y, nil
	case ir.And:
		return x & y, nil
	case ir.Or:
		return x | y, nil
	case ir.Xor:
		return x ^ y, nil
	case ir.AndNot:
		return x &^ y, nil
	case ir.Xchg:
		return y, nil
	case ir.Pipe:
		return pipe(x, y), nil
	case ir.Min:
		if less(t, y, x) {
			return y, nil
		}
		return x, nil
	case ir.Max:
		if less(t, x, y) {
			return y, nil
		}
		return x, nil
	case ir.Shl, ir.Shr:
		return shift(op, t, x, y), nil
	}
	return 0, fmt.Errorf("axiom: unknown operation %d", op)
}

func shift(op ir.Alu, t ir.Type, x, y int64) int64 {
	n := uint64(y)
	switch {
	case op == ir.Shl && n >= uint64(width(t)):
		return 0
	case op == ir.Shl:
		return x << n
	case t == ir.U64 && n >= 64:
		return 0
	case t == ir.U64:
		return int64(uint64(x) >> n)
	}
	return x >> min(n, 63)
}

func divide(op ir.Alu, t ir.Type, x, y int64) (int64, error) {
	switch {
	case y == 0:
		return 0, errFault
	case t == ir.U64 && op == ir.Div:
		return int64(uint64(x) / uint64(y)), nil
	case t == ir.U64:
		return int64(uint64(x) % uint64(y)), nil
	case op == ir.Div:
		return wrap(t, x/y), nil
	}
	return wrap(t, x%y), nil
}

func unary(op ir.Alu, t ir.Type, x int64) (int64, error) {
	switch op {
	case ir.Neg:
		return wrap(t, -x), nil
	case ir.Not:
		return truth(x == 0), nil
	case ir.Compl:
		return wrap(t, ^x), nil
	}
	return 0, fmt.Errorf("axiom: unknown operation %d", op)
}

// linear numbers a point of a box, dimension 0 fastest.
func linear(at, size [3]int64) int64 {
	return (at[2]*size[1]+at[1])*size[0] + at[0]
}

// query answers a work-item function.
func query(q ir.Query, item *ir.Item, d int64) int64 {
	in := func(v [3]int64, outside int64) int64 {
		if d < 0 || d >= int64(item.WorkDim) || d > 2 {
			return outside
		}
		return v[d]
	}
	switch q {
	case ir.QueryWorkDim:
		return int64(item.WorkDim)
	case ir.QueryGlobalID:
		return in(item.GlobalID, 0) + in(item.GlobalOffset, 0)
	case ir.QueryLocalID:
		return in(item.LocalID, 0)
	case ir.QueryGroupID:
		return in(item.GroupID, 0)
	case ir.QueryGlobalSize:
		return in(item.GlobalSize, 1)
	case ir.QueryLocalSize, ir.QueryEnqueuedLocalSize:
		return in(item.LocalSize, 1)
	case ir.QueryNumGroups:
		size := max(1, in(item.LocalSize, 1))
		return (in(item.GlobalSize, 1) + size - 1) / size
	case ir.QueryGlobalOffset:
		return in(item.GlobalOffset, 0)
	case ir.QueryGlobalLinearID:
		return linear(item.GlobalID, item.GlobalSize)
	case ir.QueryLocalLinearID:
		return linear(item.LocalID, item.LocalSize)
	case ir.QuerySubGroupSize:
		return item.SubGroupSize
	case ir.QueryMaxSubGroupSize:
		return item.MaxSubGroupSize
	case ir.QueryEnqueuedNumSubGroups:
		return item.EnqueuedNumSubGroups
	case ir.QueryNumSubGroups:
		return item.NumSubGroups
	case ir.QuerySubGroupID:
		return item.SubGroupID
	}
	return item.SubLocalID
}
