package ir

import "math"

// Values are held in int64: signed integers sign-extended, unsigned ones
// zero-extended (uint64 by its bits), booleans as 0 or 1, floats by their IEEE
// bits, pointers as they are. Eval, EvalUn, Convert and Wrap define what the
// private operations compute.

// Bits returns the width of a scalar type.
func (t Type) Bits() int {
	switch t {
	case Bool:
		return 1
	case I8, U8:
		return 8
	case I16, U16, F16:
		return 16
	case I32, U32, F32:
		return 32
	}
	return 64
}

// Signed reports whether t is a signed integer type.
func (t Type) Signed() bool { return t >= I8 && t <= I64 }

// Float reports whether t is a floating-point type.
func (t Type) Float() bool { return t >= F16 && t <= F64 }

// Wrap reduces v to the range of t, as conversion between integers does.
func Wrap(t Type, v int64) int64 {
	free := 64 - t.Bits()
	if t.Signed() {
		return v << free >> free
	}
	return int64(uint64(v) << free >> free)
}

// Eval computes a op b, for OpBin and for the new value of OpRMW. It fails on
// a division by zero and on an operation that the type does not have. A shift
// count is taken as unsigned, and results wrap around (rule 10.1).
func Eval(op Alu, t Type, a, b int64) (int64, bool) {
	if op >= Eq && op <= Ge {
		return truth(compare(op, t, a, b)), true
	}
	switch {
	case op == Xchg:
		return b, true
	case op == Pipe:
		return pipe(a, b), t == U64
	case op == Min || op == Max:
		if compare(Lt, t, a, b) == (op == Min) {
			return a, true
		}
		return b, true
	case op >= Fmod && op <= Hypot:
		return t.math2(op, a, b)
	case t.Float():
		v, ok := arith(op, t.float(a), t.float(b))
		return t.bits(v), ok
	}
	v, ok := integer(op, t, a, b)
	return Wrap(t, v), ok
}

// Identity returns the value that op combines with any other to that other:
// what an exclusive scan gives the first work-item. It fails on operations that
// no collective function combines values by.
func Identity(op Alu, t Type) (int64, bool) {
	switch {
	case op == Add && t != Bool, (op == Or || op == Xor) && !t.Float() && t != Ptr:
		return 0, true
	case op == And && t == Bool:
		return 1, true
	case op == And && !t.Float() && t != Ptr:
		return Wrap(t, -1), true
	case op == Mul && t != Bool && t != Ptr:
		if t.Float() {
			return t.FromNumber(1), true
		}
		return 1, true
	case op == Min && t.Float():
		return t.bits(math.Inf(1)), true
	case op == Max && t.Float():
		return t.bits(math.Inf(-1)), true
	case op == Min && t.Signed():
		return math.MaxInt64 >> (64 - t.Bits()), true
	case op == Max && t.Signed():
		return math.MinInt64 >> (64 - t.Bits()), true
	case op == Min && t != Bool && t != Ptr:
		return Wrap(t, -1), true
	case op == Max && t != Bool && t != Ptr:
		return 0, true
	}
	return 0, false
}

// EvalUn computes op a, for OpUn.
func EvalUn(op Alu, t Type, a int64) (int64, bool) {
	switch op {
	case Neg:
		if t.Float() {
			return t.bits(-t.float(a)), true
		}
		return Wrap(t, -a), true
	case Not:
		return truth(a == 0), true
	case Compl:
		return Wrap(t, ^a), true
	}
	if t.Float() {
		return t.math1(op, a)
	}
	return countBits(op, t, a)
}

// Convert computes to(a), where a has type from, for OpConv. A float that does
// not fit an integer type saturates, and NaN becomes 0, as OpenCL C allows.
func Convert(to, from Type, a int64) int64 {
	switch {
	case to.Float() && from.Float():
		return to.bits(from.float(a))
	case to.Float() && from == U64:
		return to.bits(float64(uint64(a)))
	case to.Float():
		return to.bits(float64(a))
	case from.Float():
		return saturate(to, from.float(a))
	}
	return Wrap(to, a)
}

func integer(op Alu, t Type, a, b int64) (int64, bool) {
	switch op {
	case MulHi:
		return mulHi(t, a, b), true
	case Add:
		return a + b, true
	case Sub:
		return a - b, true
	case Mul:
		return a * b, true
	case Div, Rem:
		return divide(op, t, a, b)
	case And:
		return a & b, true
	case Or:
		return a | b, true
	case Xor:
		return a ^ b, true
	case AndNot:
		return a &^ b, true
	case Shl:
		return a << uint64(b), true
	case Shr:
		if t.Signed() {
			return a >> uint64(b), true
		}
		return int64(uint64(a) >> uint64(b)), true
	}
	return 0, false
}

func divide(op Alu, t Type, a, b int64) (int64, bool) {
	switch {
	case b == 0:
		return 0, false
	case t.Signed() && op == Div:
		return a / b, true
	case t.Signed():
		return a % b, true
	case op == Div:
		return int64(uint64(a) / uint64(b)), true
	}
	return int64(uint64(a) % uint64(b)), true
}

func arith(op Alu, a, b float64) (float64, bool) {
	switch op {
	case Add:
		return a + b, true
	case Sub:
		return a - b, true
	case Mul:
		return a * b, true
	case Div:
		return a / b, true
	}
	return 0, false
}

func compare(op Alu, t Type, a, b int64) bool {
	switch {
	case t.Float():
		return ordered(op, t.float(a), t.float(b))
	case t.Signed():
		return ordered(op, a, b)
	}
	return ordered(op, uint64(a), uint64(b))
}

func ordered[T int64 | uint64 | float64](op Alu, a, b T) bool {
	switch op {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Lt:
		return a < b
	case Le:
		return a <= b
	case Gt:
		return a > b
	}
	return a >= b
}

// float returns the number that v holds in float type t.
func (t Type) float(v int64) float64 {
	switch t {
	case F16:
		return halfToFloat(uint16(v))
	case F32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(uint64(v))
}

// Number returns the number that v, a value of a floating-point type, stands for.
func (t Type) Number(v int64) float64 { return t.float(v) }

// FromNumber returns the value of a floating-point type that is nearest to v.
func (t Type) FromNumber(v float64) int64 { return t.bits(v) }

// bits is the inverse of float; it rounds to t. Computing in double precision
// and rounding once is exact for single precision's +, -, * and /.
func (t Type) bits(v float64) int64 {
	switch t {
	case F16:
		return int64(floatToHalf(v))
	case F32:
		return int64(math.Float32bits(float32(v)))
	}
	return int64(math.Float64bits(v))
}

func saturate(to Type, v float64) int64 {
	free := 64 - to.Bits()
	switch {
	case v != v:
		return 0
	case to.Signed():
		hi := int64(math.MaxInt64) >> free
		switch {
		case v >= float64(hi):
			return hi
		case v <= float64(-hi-1):
			return -hi - 1
		}
		return int64(v)
	}
	hi := uint64(math.MaxUint64) >> free
	switch {
	case v >= float64(hi):
		return int64(hi)
	case v <= 0:
		return 0
	}
	return int64(uint64(v))
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
