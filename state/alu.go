package state

import (
	"math"

	"github.com/clmc/clmc/state/ir"
)

// wrap reduces a value to type t, as Go and OpenCL C do.
func wrap(t ir.Type, v int64) int64 {
	switch t {
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

// Binary computes a op b in type t. Division by zero gives zero; programs
// check for it first.
func Binary(op ir.Alu, t ir.Type, a, b int64) int64 {
	if t == ir.F32 || t == ir.F64 {
		return binaryFloat(op, t, a, b)
	}
	switch op {
	case ir.Add:
		return wrap(t, a+b)
	case ir.Sub:
		return wrap(t, a-b)
	case ir.Mul:
		return wrap(t, a*b)
	case ir.And:
		return a & b
	case ir.Or:
		return a | b
	case ir.Xor:
		return a ^ b
	case ir.AndNot:
		return a &^ b
	case ir.Shl:
		return wrap(t, shl(a, b))
	case ir.Eq:
		return truth(a == b)
	case ir.Ne:
		return truth(a != b)
	case ir.Xchg:
		return b
	}
	if t == ir.U64 || t == ir.Ptr {
		return binaryUnsigned(op, uint64(a), uint64(b))
	}
	switch op {
	case ir.Div:
		if b == 0 {
			return 0
		}
		return wrap(t, a/b)
	case ir.Rem:
		if b == 0 {
			return 0
		}
		return wrap(t, a%b)
	case ir.Shr:
		return wrap(t, a>>min(uint64(b), 63))
	case ir.Lt:
		return truth(a < b)
	case ir.Le:
		return truth(a <= b)
	case ir.Gt:
		return truth(a > b)
	case ir.Ge:
		return truth(a >= b)
	case ir.Min:
		return min(a, b)
	case ir.Max:
		return max(a, b)
	}
	return 0
}

func shl(a, b int64) int64 {
	if uint64(b) > 63 {
		return 0
	}
	return a << uint64(b)
}

func binaryUnsigned(op ir.Alu, a, b uint64) int64 {
	switch op {
	case ir.Div:
		if b == 0 {
			return 0
		}
		return int64(a / b)
	case ir.Rem:
		if b == 0 {
			return 0
		}
		return int64(a % b)
	case ir.Shr:
		if b > 63 {
			return 0
		}
		return int64(a >> b)
	case ir.Lt:
		return truth(a < b)
	case ir.Le:
		return truth(a <= b)
	case ir.Gt:
		return truth(a > b)
	case ir.Ge:
		return truth(a >= b)
	case ir.Min:
		return int64(min(a, b))
	case ir.Max:
		return int64(max(a, b))
	}
	return 0
}

func float(t ir.Type, bits int64) float64 {
	if t == ir.F32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(uint64(bits))
}

func floatBits(t ir.Type, v float64) int64 {
	if t == ir.F32 {
		return int64(math.Float32bits(float32(v)))
	}
	return int64(math.Float64bits(v))
}

func binaryFloat(op ir.Alu, t ir.Type, x, y int64) int64 {
	a, b := float(t, x), float(t, y)
	switch op {
	case ir.Add:
		return floatBits(t, a+b)
	case ir.Sub:
		return floatBits(t, a-b)
	case ir.Mul:
		return floatBits(t, a*b)
	case ir.Div:
		return floatBits(t, a/b)
	case ir.Eq:
		return truth(a == b)
	case ir.Ne:
		return truth(a != b)
	case ir.Lt:
		return truth(a < b)
	case ir.Le:
		return truth(a <= b)
	case ir.Gt:
		return truth(a > b)
	case ir.Ge:
		return truth(a >= b)
	case ir.Min:
		return floatBits(t, min(a, b))
	case ir.Max:
		return floatBits(t, max(a, b))
	case ir.Xchg:
		return y
	}
	return 0
}

// Unary computes op a in type t.
func Unary(op ir.Alu, t ir.Type, a int64) int64 {
	switch op {
	case ir.Neg:
		if t == ir.F32 || t == ir.F64 {
			return floatBits(t, -float(t, a))
		}
		return wrap(t, -a)
	case ir.Not:
		return truth(a == 0)
	case ir.Compl:
		return wrap(t, ^a)
	}
	return a
}

// Convert converts a from type `from` to type `to`.
func Convert(to, from ir.Type, a int64) int64 {
	fromFloat, toFloat := from == ir.F32 || from == ir.F64, to == ir.F32 || to == ir.F64
	switch {
	case fromFloat && toFloat:
		return floatBits(to, float(from, a))
	case fromFloat && to == ir.U64:
		return int64(uint64(float(from, a)))
	case fromFloat:
		return wrap(to, int64(float(from, a)))
	case toFloat && from == ir.U64:
		return floatBits(to, float64(uint64(a)))
	case toFloat:
		return floatBits(to, float64(a))
	}
	return wrap(to, a)
}
