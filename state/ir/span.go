package ir

import (
	"math"
	"math/bits"
)

// Span is a set of values: Lo, Lo+Step, ..., Hi. A single value has Step 0; a
// span with Lo > Hi is empty.
type Span struct{ Lo, Hi, Step int64 }

// Has reports whether v is in the span.
func (s Span) Has(v int64) bool {
	return v >= s.Lo && v <= s.Hi && (s.Step == 0 || uint64(v-s.Lo)%uint64(s.Step) == 0)
}

// Anything is the span of all values.
var Anything = Span{math.MinInt64, math.MaxInt64, 1}

// Nothing is the empty span.
var Nothing = Span{1, 0, 0}

var truths = Span{0, 1, 1}

// Only returns the span of one value.
func Only(v int64) Span { return Span{v, v, 0} }

func (s Span) empty() bool  { return s.Lo > s.Hi }
func (s Span) single() bool { return s.Lo == s.Hi }

// spanOf returns lo, lo+step, ... up to hi at most.
func spanOf(lo, hi, step int64) Span {
	switch {
	case lo > hi:
		return Nothing
	case lo == hi || step == 0:
		return Only(lo)
	}
	hi = lo + int64((uint64(hi)-uint64(lo))/uint64(step)*uint64(step))
	if lo == hi {
		return Only(lo)
	}
	return Span{lo, hi, step}
}

func rangeOf(t Type) Span {
	switch {
	case t.Bits() == 64:
		return Anything
	case t.Signed():
		return Span{-1 << (t.Bits() - 1), 1<<(t.Bits()-1) - 1, 1}
	}
	return Span{0, 1<<t.Bits() - 1, 1}
}

// Join returns a span that holds both.
func (s Span) Join(o Span) Span {
	switch {
	case s == o || o.empty():
		return s
	case s.empty():
		return o
	}
	step := gcd(gcd(uint64(s.Step), uint64(o.Step)), distance(s.Lo, o.Lo))
	if step > math.MaxInt64 {
		step = 1
	}
	return spanOf(min(s.Lo, o.Lo), max(s.Hi, o.Hi), int64(step))
}

func distance(a, b int64) uint64 { return uint64(max(a, b)) - uint64(min(a, b)) }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// atLeast and atMost return what is left of a span beyond a bound.
func (s Span) atLeast(lo int64) Span {
	if lo <= s.Lo {
		return s
	}
	if lo > s.Hi {
		return Nothing
	}
	if s.Step > 1 {
		if off := distance(lo, s.Lo) % uint64(s.Step); off != 0 {
			up := lo + (s.Step - int64(off))
			if up < lo || up > s.Hi {
				return Nothing
			}
			lo = up
		}
	}
	return spanOf(lo, s.Hi, s.Step)
}

func (s Span) atMost(hi int64) Span {
	if hi >= s.Hi {
		return s
	}
	return spanOf(s.Lo, hi, s.Step)
}

// wrapped returns what a computation of type t makes of the span: as it is
// where nothing overflows.
func (s Span) wrapped(t Type) Span {
	r := rangeOf(t)
	if s.Lo >= r.Lo && s.Hi <= r.Hi {
		return s
	}
	return r
}

func plus(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func times(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, hi == 0 && lo <= math.MaxInt64 && a != math.MinInt64 && b != math.MinInt64
}

// evalSpan returns a span that holds a op b for all values of a and b.
func evalSpan(op Alu, t Type, a, b Span) Span {
	if a.single() && b.single() {
		if v, ok := Eval(op, t, a.Lo, b.Lo); ok {
			return Only(v)
		}
		return rangeOf(t)
	}
	if op >= Eq && op <= Ge {
		return compareSpans(op, t, a, b)
	}
	if t.Float() {
		return rangeOf(t)
	}
	return combine(op, t, a, b).wrapped(t)
}

func combine(op Alu, t Type, a, b Span) Span {
	natural := t.Signed() || a.Lo >= 0 && b.Lo >= 0 // signed arithmetic says what is computed
	switch {
	case op == Add:
		return addSpans(a, b)
	case op == Sub && b.Lo > math.MinInt64:
		return addSpans(a, Span{-b.Hi, -b.Lo, b.Step})
	case op == Mul && b.single():
		return scale(a, b.Lo)
	case op == Mul && a.single():
		return scale(b, a.Lo)
	case !natural:
	case op == Shl && b.single() && b.Lo >= 0 && b.Lo < 62:
		return scale(a, 1<<b.Lo)
	case op == Shr && b.single() && a.Lo >= 0 && b.Lo >= 0 && b.Lo < 63:
		return spanOf(a.Lo>>b.Lo, a.Hi>>b.Lo, 1)
	case op == Div && b.single() && b.Lo > 0 && a.Lo >= 0:
		return spanOf(a.Lo/b.Lo, a.Hi/b.Lo, 1)
	case op == Rem && b.single() && b.Lo > 0 && a.Lo >= 0:
		return remainder(a, b.Lo)
	case op == And && (a.Lo >= 0 || b.Lo >= 0):
		return masked(a, b)
	case (op == Or || op == Xor) && a.Lo >= 0 && b.Lo >= 0:
		if n := bits.Len64(uint64(a.Hi | b.Hi)); n < 63 {
			return Span{0, 1<<n - 1, 1}
		}
	case op == Min:
		return spanOf(min(a.Lo, b.Lo), min(a.Hi, b.Hi), 1)
	case op == Max:
		return spanOf(max(a.Lo, b.Lo), max(a.Hi, b.Hi), 1)
	}
	return Anything
}

func addSpans(a, b Span) Span {
	lo, ok1 := plus(a.Lo, b.Lo)
	hi, ok2 := plus(a.Hi, b.Hi)
	if !ok1 || !ok2 {
		return Anything
	}
	return spanOf(lo, hi, int64(gcd(uint64(a.Step), uint64(b.Step))))
}

func scale(a Span, by int64) Span {
	lo, ok1 := times(a.Lo, by)
	hi, ok2 := times(a.Hi, by)
	step, ok3 := times(a.Step, max(by, -by))
	if !ok1 || !ok2 || !ok3 {
		return Anything
	}
	return spanOf(min(lo, hi), max(lo, hi), step)
}

func remainder(a Span, m int64) Span {
	if a.Hi < m {
		return a
	}
	if a.Lo/m == a.Hi/m {
		return Span{a.Lo % m, a.Hi % m, a.Step}
	}
	step := int64(gcd(uint64(a.Step), uint64(m)))
	return spanOf(a.Lo%step, m-1, step)
}

func masked(a, b Span) Span {
	if b.Lo < 0 || a.single() && a.Lo >= 0 {
		a, b = b, a
	}
	if b.single() && a.Lo >= 0 && b.Lo&(b.Lo+1) == 0 { // a mask of low bits
		if b.Lo == math.MaxInt64 {
			return a
		}
		return remainder(a, b.Lo+1)
	}
	return Span{0, b.Hi, 1}
}

// compareSpans decides a comparison where all values agree.
func compareSpans(op Alu, t Type, a, b Span) Span {
	yes, no := refine(op, t, a, b), refine(negation[op-Eq], t, a, b)
	switch {
	case yes.empty():
		return Only(0)
	case no.empty():
		return Only(1)
	}
	return truths
}

var (
	negation = [...]Alu{Ne, Eq, Ge, Gt, Le, Lt} // of Eq, Ne, Lt, Le, Gt, Ge
	mirror   = [...]Alu{Eq, Ne, Gt, Ge, Lt, Le} // with operands exchanged
)

// refine returns the values of a for which a op b may hold.
func refine(op Alu, t Type, a, b Span) Span {
	switch {
	case t.Float() || a.empty() || b.empty():
		return a
	case op == Eq:
		return a.atLeast(b.Lo).atMost(b.Hi)
	case op == Ne:
		if b.single() && a.Lo == b.Lo {
			return a.without(true)
		}
		if b.single() && a.Hi == b.Lo {
			return a.without(false)
		}
		return a
	}
	if !t.Signed() && (a.Lo < 0 || b.Lo < 0) {
		// Unsigned, and one may be beyond what int64 holds: below a number that
		// is not, there are only such numbers.
		if b.Lo < 0 || op != Lt && op != Le {
			return a
		}
		a = a.atLeast(0)
	}
	switch op {
	case Lt:
		if b.Hi == math.MinInt64 {
			return Nothing
		}
		return a.atMost(b.Hi - 1)
	case Le:
		return a.atMost(b.Hi)
	case Gt:
		if b.Lo == math.MaxInt64 {
			return Nothing
		}
		return a.atLeast(b.Lo + 1)
	}
	return a.atLeast(b.Lo)
}

// without drops the first or the last value.
func (s Span) without(first bool) Span {
	switch {
	case s.single():
		return Nothing
	case first:
		return spanOf(s.Lo+s.Step, s.Hi, s.Step)
	}
	return spanOf(s.Lo, s.Hi-s.Step, s.Step)
}
