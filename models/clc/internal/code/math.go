package code

import (
	"math"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// lane is one lane of a call: its type, its operands, and how to compute with them.
type lane struct {
	*frame
	t    ir.Type // of the first argument
	to   ir.Type // of the result
	a    []int32 // its lane of each argument
	call *tree.BuiltinCall
}

func (l *lane) bin(op ir.Alu, a, b int32) int32 { return l.Bin(op, l.t, a, b) }
func (l *lane) un(op ir.Alu, a int32) int32     { return l.Un(op, l.t, a) }

// choose returns a if c is not zero, b otherwise.
func (l *lane) choose(c, a, b int32) int32 { return l.either(l.t, c, a, b) }

// num returns a constant of the lane's type.
func (l *lane) num(v float64) int32 {
	if l.t.Float() {
		return l.Constant(l.t.FromNumber(v))
	}
	return l.Constant(ir.Wrap(l.t, int64(v)))
}

// mathematics lowers a function that is computed lane by lane, or that combines lanes.
func (f *frame) mathematics(x *tree.BuiltinCall, args []value) value {
	if v, ok := f.across(x, args); ok {
		return v
	}
	name := strings.TrimPrefix(strings.TrimPrefix(x.Fn.Name, "native_"), "half_")
	fn := laneFuncs[name]
	if fn == nil {
		f.notYet(x.Pos(), x.Fn.Name)
		return f.zero(x.Type())
	}
	var out value
	for i := range x.Type().Lanes() {
		l := &lane{frame: f, t: scalar(x.Args[0].Type()), to: scalar(x.Type()), call: x}
		for _, a := range args {
			if len(a) == 0 {
				continue
			}
			l.a = append(l.a, a[min(int(i), len(a)-1)])
		}
		out = append(out, fn(l))
	}
	return out
}

// laneFuncs compute the functions whose lanes do not depend on each other.
var laneFuncs = map[string]func(*lane) int32{}

// unaryFuncs are those that one operation computes.
var unaryFuncs = map[string]ir.Alu{"sqrt": ir.Sqrt, "cbrt": ir.Cbrt, "exp": ir.Exp, "exp2": ir.Exp2, "exp10": ir.Exp10, "expm1": ir.Expm1,
	"log": ir.Log, "log2": ir.Log2, "log10": ir.Log10, "log1p": ir.Log1p, "logb": ir.Logb, "sin": ir.Sin, "cos": ir.Cos, "tan": ir.Tan,
	"asin": ir.Asin, "acos": ir.Acos, "atan": ir.Atan, "sinh": ir.Sinh, "cosh": ir.Cosh, "tanh": ir.Tanh, "asinh": ir.Asinh,
	"acosh": ir.Acosh, "atanh": ir.Atanh, "erf": ir.Erf, "erfc": ir.Erfc, "tgamma": ir.Tgamma, "lgamma": ir.Lgamma, "ceil": ir.Ceil,
	"floor": ir.Floor, "trunc": ir.Trunc, "rint": ir.Rint, "round": ir.Round, "clz": ir.Clz, "ctz": ir.Ctz, "popcount": ir.Popcount}

var binaryFuncs = map[string]ir.Alu{"fmod": ir.Fmod, "remainder": ir.IRemainder, "pow": ir.Pow, "powr": ir.Pow, "atan2": ir.Atan2,
	"copysign": ir.Copysign, "nextafter": ir.Nextafter, "hypot": ir.Hypot, "ldexp": ir.Ldexp, "rootn": ir.Rootn, "min": ir.Min, "max": ir.Max,
	"mul_hi": ir.MulHi, "divide": ir.Div}

// comparisons are the relational functions; those of NaNs are false, but for isnotequal and
// isunordered.
var comparisons = map[string]ir.Alu{"isequal": ir.Eq, "isnotequal": ir.Ne, "isgreater": ir.Gt, "isgreaterequal": ir.Ge, "isless": ir.Lt, "islessequal": ir.Le}

func init() {
	for name, op := range unaryFuncs {
		laneFuncs[name] = func(l *lane) int32 { return l.un(op, l.a[0]) }
	}
	for name, op := range binaryFuncs {
		laneFuncs[name] = func(l *lane) int32 { return l.bin(op, l.a[0], l.a[1]) }
	}
	for name, op := range comparisons {
		laneFuncs[name] = func(l *lane) int32 { return l.truth(l.bin(op, l.a[0], l.a[1])) }
	}
	for name, by := range map[string]float64{"degrees": 180 / math.Pi, "radians": math.Pi / 180} {
		laneFuncs[name] = func(l *lane) int32 { return l.bin(ir.Mul, l.a[0], l.num(by)) }
	}
	for name, op := range map[string]ir.Alu{"sinpi": ir.Sin, "cospi": ir.Cos, "tanpi": ir.Tan} {
		laneFuncs[name] = func(l *lane) int32 { return l.un(op, l.bin(ir.Mul, l.a[0], l.num(math.Pi))) }
	}
	for name, op := range map[string]ir.Alu{"asinpi": ir.Asin, "acospi": ir.Acos, "atanpi": ir.Atan} {
		laneFuncs[name] = func(l *lane) int32 { return l.bin(ir.Div, l.un(op, l.a[0]), l.num(math.Pi)) }
	}
	addFloats()
	addIntegers()
	addRelational()
}

// truth makes a result of 0 and 1 one of the call: vectors have all bits set.
func (l *lane) truth(r int32) int32 {
	if l.call.Type().Kind == tree.Vector {
		return l.mask(r, l.to)
	}
	return r
}

func addFloats() {
	one := func(l *lane) int32 { return l.num(1) }
	more := map[string]func(*lane) int32{
		"fabs":    func(l *lane) int32 { return l.magnitude(l.a[0]) },
		"rsqrt":   func(l *lane) int32 { return l.bin(ir.Div, one(l), l.un(ir.Sqrt, l.a[0])) },
		"recip":   func(l *lane) int32 { return l.bin(ir.Div, one(l), l.a[0]) },
		"atan2pi": func(l *lane) int32 { return l.bin(ir.Div, l.bin(ir.Atan2, l.a[0], l.a[1]), l.num(math.Pi)) },
		"fdim": func(l *lane) int32 {
			return l.choose(l.bin(ir.Gt, l.a[0], l.a[1]), l.bin(ir.Sub, l.a[0], l.a[1]), l.num(0))
		},
		"fmin":   func(l *lane) int32 { return l.ifNumber(l.bin(ir.Min, l.a[0], l.a[1])) },
		"fmax":   func(l *lane) int32 { return l.ifNumber(l.bin(ir.Max, l.a[0], l.a[1])) },
		"maxmag": func(l *lane) int32 { return l.byMagnitude(ir.Gt, "fmax") },
		"minmag": func(l *lane) int32 { return l.byMagnitude(ir.Lt, "fmin") },
		"fma":    func(l *lane) int32 { return l.fused() },
		"mad":    func(l *lane) int32 { return l.fused() },
		"pown": func(l *lane) int32 {
			return l.bin(ir.Pow, l.a[0], l.Conv(l.t, ir.I32, l.a[1]))
		},
		"ilogb": func(l *lane) int32 { return l.Conv(ir.I32, l.t, l.un(ir.Logb, l.a[0])) },
		"nan":   func(l *lane) int32 { return l.Constant(l.to.FromNumber(math.NaN())) },
		"mix": func(l *lane) int32 {
			return l.bin(ir.Add, l.a[0], l.bin(ir.Mul, l.bin(ir.Sub, l.a[1], l.a[0]), l.a[2]))
		},
		"step": func(l *lane) int32 { return l.choose(l.bin(ir.Lt, l.a[1], l.a[0]), l.num(0), one(l)) },
		"smoothstep": func(l *lane) int32 {
			x := l.bin(ir.Div, l.bin(ir.Sub, l.a[2], l.a[0]), l.bin(ir.Sub, l.a[1], l.a[0]))
			x = l.bin(ir.Min, l.bin(ir.Max, x, l.num(0)), one(l))
			return l.bin(ir.Mul, l.bin(ir.Mul, x, x), l.bin(ir.Sub, l.num(3), l.bin(ir.Mul, l.num(2), x)))
		},
		"sign": func(l *lane) int32 {
			return l.choose(l.bin(ir.Gt, l.a[0], l.num(0)), one(l),
				l.choose(l.bin(ir.Lt, l.a[0], l.num(0)), l.num(-1), l.choose(l.bin(ir.Eq, l.a[0], l.num(0)), l.a[0], l.num(0))))
		},
		"clamp": func(l *lane) int32 { return l.bin(ir.Min, l.bin(ir.Max, l.a[0], l.a[1]), l.a[2]) },
	}
	for name, fn := range more {
		laneFuncs[name] = fn
	}
}

// magnitude is a number without its sign.
func (l *lane) magnitude(a int32) int32 {
	return l.Bin(ir.And, unsigned(l.t.Bits()), a, l.Constant(ir.Wrap(unsigned(l.t.Bits()), int64(uint64(1)<<(l.t.Bits()-1)-1))))
}

// ifNumber is r, unless one of two operands is not a number: then it is the other one.
func (l *lane) ifNumber(r int32) int32 {
	r = l.choose(l.bin(ir.Ne, l.a[0], l.a[0]), l.a[1], r)
	return l.choose(l.bin(ir.Ne, l.a[1], l.a[1]), l.a[0], r)
}

func (l *lane) byMagnitude(op ir.Alu, same string) int32 {
	a, b := l.magnitude(l.a[0]), l.magnitude(l.a[1])
	return l.choose(l.bin(op, a, b), l.a[0], l.choose(l.bin(op, b, a), l.a[1], laneFuncs[same](l)))
}

// fused is a * b + c in double precision.
func (l *lane) fused() int32 {
	wide := func(r int32) int32 { return l.Conv(ir.F64, l.t, r) }
	product := l.Bin(ir.Mul, ir.F64, wide(l.a[0]), wide(l.a[1]))
	return l.Conv(l.t, ir.F64, l.Bin(ir.Add, ir.F64, product, wide(l.a[2])))
}

func addRelational() {
	more := map[string]func(*lane) int32{
		"islessgreater": func(l *lane) int32 {
			return l.truth(l.Bin(ir.Or, ir.Bool, l.bin(ir.Lt, l.a[0], l.a[1]), l.bin(ir.Gt, l.a[0], l.a[1])))
		},
		"isordered":   func(l *lane) int32 { return l.truth(l.ordered()) },
		"isunordered": func(l *lane) int32 { return l.truth(l.Un(ir.Not, ir.Bool, l.ordered())) },
		"isnan":       func(l *lane) int32 { return l.truth(l.bin(ir.Ne, l.a[0], l.a[0])) },
		"isinf": func(l *lane) int32 {
			return l.truth(l.bin(ir.Eq, l.magnitude(l.a[0]), l.num(math.Inf(1))))
		},
		"isfinite": func(l *lane) int32 { return l.truth(l.bin(ir.Lt, l.magnitude(l.a[0]), l.num(math.Inf(1)))) },
		"isnormal": func(l *lane) int32 {
			m := l.magnitude(l.a[0])
			return l.truth(l.Bin(ir.And, ir.Bool, l.bin(ir.Lt, m, l.num(math.Inf(1))), l.bin(ir.Ge, m, l.num(leastNormal(l.t)))))
		},
		"signbit": func(l *lane) int32 {
			u := unsigned(l.t.Bits())
			return l.truth(l.Bin(ir.Shr, u, l.a[0], l.Constant(int64(l.t.Bits()-1))))
		},
		"bitselect": func(l *lane) int32 {
			u := unsigned(cellBits(l.t))
			a, b, c := l.bits(l.t, l.a[0]), l.bits(l.t, l.a[1]), l.bits(l.t, l.a[2])
			return l.fromBits(l.t, l.Bin(ir.Or, u, l.Bin(ir.AndNot, u, a, c), l.Bin(ir.And, u, b, c)))
		},
		"select": func(l *lane) int32 {
			c := l.a[2]
			if l.call.Type().Kind == tree.Vector { // the highest bit decides
				t := scalar(l.call.Args[2].Type())
				c = l.Bin(ir.Shr, ir.U64, l.Conv(unsigned(t.Bits()), t, c), l.Constant(int64(t.Bits()-1)))
			}
			return l.choose(c, l.a[1], l.a[0])
		},
	}
	for name, fn := range more {
		laneFuncs[name] = fn
	}
}

func leastNormal(t ir.Type) float64 {
	switch t {
	case ir.F16:
		return math.Ldexp(1, -14)
	case ir.F32:
		return math.Ldexp(1, -126)
	}
	return math.Ldexp(1, -1022)
}

func (l *lane) ordered() int32 {
	return l.Bin(ir.And, ir.Bool, l.bin(ir.Eq, l.a[0], l.a[0]), l.bin(ir.Eq, l.a[1], l.a[1]))
}

// across lowers functions whose result depends on all lanes, or that have several.
func (f *frame) across(x *tree.BuiltinCall, args []value) (value, bool) {
	if v, ok := f.parts(x, args); ok {
		return v, true
	}
	t := scalar(x.Args[0].Type())
	switch name := strings.TrimPrefix(x.Fn.Name, "fast_"); name {
	case "length":
		return value{f.Un(ir.Sqrt, t, f.sum(t, ir.Mul, args[0], args[0]))}, true
	case "distance":
		d := f.lanes(ir.Sub, t, args[0], args[1])
		return value{f.Un(ir.Sqrt, t, f.sum(t, ir.Mul, d, d))}, true
	case "normalize":
		n := f.Un(ir.Sqrt, t, f.sum(t, ir.Mul, args[0], args[0]))
		n = f.choose(f.Bin(ir.Eq, t, n, f.Constant(0)), f.Constant(t.FromNumber(1)), n)
		var v value
		for _, a := range args[0] {
			v = append(v, f.Bin(ir.Div, t, a, n))
		}
		return v, true
	case "cross":
		a, b := args[0], args[1]
		var v value
		for i := range 3 {
			j, k := (i+1)%3, (i+2)%3
			v = append(v, f.Bin(ir.Sub, t, f.Bin(ir.Mul, t, a[j], b[k]), f.Bin(ir.Mul, t, a[k], b[j])))
		}
		if len(a) == 4 {
			v = append(v, f.Constant(0))
		}
		return v, true
	case "any", "all":
		return value{f.anyAll(name == "all", x.Args[0].Type(), args[0])}, true
	case "fract", "modf", "sincos", "frexp", "lgamma_r", "remquo":
		return f.twoResults(x, name, args), true
	}
	return nil, false
}

func (f *frame) lanes(op ir.Alu, t ir.Type, a, b value) (v value) {
	for i := range a {
		v = append(v, f.Bin(op, t, a[i], b[i]))
	}
	return v
}

func (f *frame) sum(t ir.Type, op ir.Alu, a, b value) int32 {
	v := f.lanes(op, t, a, b)
	s := v[0]
	for _, r := range v[1:] {
		s = f.Bin(ir.Add, t, s, r)
	}
	return s
}

// anyAll tests the highest bits of all lanes.
func (f *frame) anyAll(all bool, t *tree.Type, v value) int32 {
	op := ir.Or
	if all {
		op = ir.And
	}
	r := int32(0)
	for i, a := range v {
		top := f.Bin(ir.Lt, scalar(t), a, f.Constant(0))
		if i > 0 {
			top = f.Bin(op, ir.Bool, r, top)
		}
		r = top
	}
	return r
}

// twoResults lowers functions that store a second result through their last argument.
func (f *frame) twoResults(x *tree.BuiltinCall, name string, args []value) value {
	last := len(args) - 1
	t, second := scalar(x.Args[0].Type()), scalar(x.Args[last].Type().Elem)
	var out, more value
	for i, a := range args[0] {
		var r, m int32
		switch name {
		case "fract":
			m = f.Un(ir.Floor, t, a)
			r = f.Bin(ir.Min, t, f.Bin(ir.Sub, t, a, m), f.Constant(belowOne(t)))
		case "modf":
			m = f.Un(ir.Trunc, t, a)
			r = f.Bin(ir.Copysign, t, f.Bin(ir.Sub, t, a, m), a)
		case "sincos":
			r, m = f.Un(ir.Sin, t, a), f.Un(ir.Cos, t, a)
		case "frexp":
			r, m = f.Un(ir.Mantissa, t, a), f.Conv(second, t, f.Un(ir.Exponent, t, a))
		case "lgamma_r":
			sign := f.Bin(ir.Lt, t, f.Un(ir.Tgamma, t, a), f.Constant(0))
			r, m = f.Un(ir.Lgamma, t, a), f.choose(sign, f.Constant(-1), f.Constant(1))
		case "remquo":
			b := args[1][i]
			r = f.Bin(ir.IRemainder, t, a, b)
			quo := f.Un(ir.Rint, t, f.Bin(ir.Div, t, f.Bin(ir.Sub, t, a, r), b))
			n := f.Conv(ir.I64, t, quo)
			m = f.Conv(second, ir.I64, f.Bin(ir.Rem, ir.I64, n, f.Constant(128)))
		}
		out, more = append(out, r), append(more, m)
	}
	f.write(f.pointee(x, args[last], last), more)
	return out
}

// belowOne is the greatest number less than 1.
func belowOne(t ir.Type) int64 {
	one := t.FromNumber(1)
	return one - 1
}
