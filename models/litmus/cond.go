package litmus

import (
	"cmp"
	"strconv"
	"strings"
)

// Quantifier says how many outcomes must satisfy a test's condition.
type Quantifier uint8

// The quantifiers of herd.
const (
	Exists    Quantifier = iota // some outcome
	NotExists                   // none
	Forall                      // all
)

// String returns the quantifier as tests spell it.
func (q Quantifier) String() string { return [...]string{"exists", "~exists", "forall"}[q] }

// Cond is a proposition over the variables of an outcome.
type Cond interface {
	// Eval decides the proposition in the outcome that lookup gives, where variables are
	// named as in the test, "x" or "1:r0". It is not known whether it holds if that depends on
	// variables that lookup does not know.
	Eval(lookup func(name string) (int64, bool)) (holds, known bool)
	// String returns the proposition in herd's syntax.
	String() string
}

type (
	truth  bool
	negate struct{ x Cond }
	// connect is the conjunction or disjunction of its parts.
	connect struct {
		and   bool
		parts []Cond
	}
	// compare relates a variable to a constant.
	compare struct {
		name  string
		op    string
		value int64
		// unsigned: variable and constant are unsigned integers with these 64 bits.
		unsigned bool
	}
)

// Typed returns a proposition in which those variables are unsigned integers of 64 bits of which that is said.
func Typed(c Cond, unsigned func(name string) bool) Cond {
	switch c := c.(type) {
	case negate:
		return negate{Typed(c.x, unsigned)}
	case connect:
		parts := make([]Cond, len(c.parts))
		for i, x := range c.parts {
			parts[i] = Typed(x, unsigned)
		}
		return connect{c.and, parts}
	case compare:
		c.unsigned = unsigned(c.name)
		return c
	}
	return c
}

// Eval implements Cond.
func (c truth) Eval(func(string) (int64, bool)) (holds, known bool) { return bool(c), true }

// Eval implements Cond.
func (c negate) Eval(lookup func(string) (int64, bool)) (holds, known bool) {
	holds, known = c.x.Eval(lookup)
	return !holds, known
}

// Eval implements Cond. One part may decide the whole, whatever the others are.
func (c connect) Eval(lookup func(string) (int64, bool)) (holds, known bool) {
	known = true
	for _, x := range c.parts {
		switch h, k := x.Eval(lookup); {
		case !k:
			known = false
		case h != c.and:
			return h, true
		}
	}
	return c.and, known
}

// Eval implements Cond.
func (c compare) Eval(lookup func(string) (int64, bool)) (holds, known bool) {
	v, known := lookup(c.name)
	order := cmp.Compare(v, c.value)
	if c.unsigned {
		order = cmp.Compare(uint64(v), uint64(c.value))
	}
	switch c.op {
	case "!=":
		return order != 0, known
	case "<":
		return order < 0, known
	case "<=":
		return order <= 0, known
	case ">":
		return order > 0, known
	case ">=":
		return order >= 0, known
	}
	return order == 0, known
}

// String implements Cond.
func (c truth) String() string { return strconv.FormatBool(bool(c)) }

// String implements Cond.
func (c negate) String() string { return "~" + "(" + c.x.String() + ")" }

// String implements Cond.
func (c connect) String() string {
	sep := ` \/ `
	if c.and {
		sep = ` /\ `
	}
	list := make([]string, len(c.parts))
	for i, x := range c.parts {
		list[i] = x.String()
		if _, ok := x.(connect); ok {
			list[i] = "(" + list[i] + ")"
		}
	}
	return strings.Join(list, sep)
}

// String implements Cond.
func (c compare) String() string {
	if c.unsigned {
		return c.name + c.op + strconv.FormatUint(uint64(c.value), 10)
	}
	return c.name + c.op + strconv.FormatInt(c.value, 10)
}

// Constants returns the values that a proposition compares variables to.
func Constants(c Cond) (values []int64) {
	switch c := c.(type) {
	case negate:
		return Constants(c.x)
	case connect:
		for _, x := range c.parts {
			values = append(values, Constants(x)...)
		}
	case compare:
		values = []int64{c.value}
	}
	return values
}

// String returns the variable's name in outcomes.
func (v variable) String() string {
	if v.thread < 0 {
		return v.name
	}
	return strconv.Itoa(v.thread) + ":" + v.name
}
