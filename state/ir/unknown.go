package ir

import "fmt"

// Expr is a value as a function of one unknown x.
type Expr struct {
	in   Instr  // how it is computed, but for the operands
	a, b *Expr  // its operands, b nil if there is one
	k    int64  // of a number
	key  string // equal for equal expressions
}

// theUnknown is the key of the unknown itself.
const theUnknown = "x"

// Unknown is x.
func Unknown() *Expr { return &Expr{key: theUnknown} }

// Number is a number.
func Number(k int64) *Expr { return &Expr{k: k, key: fmt.Sprint(k)} }

// Key is equal for equal expressions.
func (e *Expr) Key() string { return e.key }

// Bare reports whether e is x itself.
func (e *Expr) Bare() bool { return e.key == theUnknown }

// Is tells what e is: x itself if a is nil and it is no number, a number if a is nil, else what an operation computes of a and b.
func (e *Expr) Is() (in *Instr, a, b *Expr, k int64) { return &e.in, e.a, e.b, e.k }

func (e *Expr) number() bool { return e.a == nil && e.key != theUnknown }

// Apply is what an OpBin, OpUn or OpConv computes of expressions, b being nil where there is one operand. It is nil if that is not
// among the operations that circuits are made of: of floating-point numbers comparisons alone, and no division by what is not a number other than 0.
func Apply(in *Instr, a, b *Expr) *Expr {
	e := &Expr{in: Instr{Op: in.Op, Alu: in.Alu, Type: in.Type, From: in.From}, a: a, b: b}
	e.key = fmt.Sprintf("(%d %d %d %d %s", in.Op, in.Alu, in.Type, in.From, a.key)
	if b != nil {
		e.key += " " + b.key
	}
	e.key += ")"
	if len(e.key) > maxKey {
		return nil
	}
	if in.Type.Float() || in.Op == OpConv && in.From.Float() {
		if in.Op == OpBin && in.Alu >= Eq && in.Alu <= Ge {
			return e
		}
		return nil
	}
	switch in.Op {
	case OpConv:
		return e
	case OpUn:
		if in.Alu == Neg || in.Alu == Not || in.Alu == Compl {
			return e
		}
	case OpBin:
		switch in.Alu {
		case Add, Sub, And, Or, Xor, AndNot, Eq, Ne, Lt, Le, Gt, Ge, Min, Max:
			return e
		case Mul:
			if a.number() || b.number() {
				return e
			}
		case Shl, Shr:
			if b.number() {
				return e
			}
		case Div, Rem:
			if b.number() && b.k != 0 && in.Type.Bits() <= 32 {
				return e
			}
		}
	}
	return nil
}

// maxKey bounds the length of expressions.
const maxKey = 2000

// Eval is the value for an x.
func (e *Expr) Eval(x int64) int64 {
	switch {
	case e.key == theUnknown:
		return x
	case e.a == nil:
		return e.k
	}
	a := e.a.Eval(x)
	switch e.in.Op {
	case OpUn:
		v, _ := EvalUn(e.in.Alu, e.in.Type, a)
		return v
	case OpConv:
		return Convert(e.in.Type, e.in.From, a)
	}
	v, _ := Eval(e.in.Alu, e.in.Type, a, e.b.Eval(x))
	return v
}

// Numbers calls f with the numbers in e.
func (e *Expr) Numbers(f func(int64)) {
	if e.a == nil {
		if e.number() {
			f(e.k)
		}
		return
	}
	e.a.Numbers(f)
	if e.b != nil {
		e.b.Numbers(f)
	}
}

// Outcome is something that depends on the unknown: whether an expression is 0, or all of its value. Where one of the
// expressions Given is 0 nobody comes to it.
type Outcome struct {
	Of    *Expr   // what it depends on
	Truth bool    // only whether that is 0
	Given []*Expr // what must not be 0
}

// Eval is what it is for an x.
func (o *Outcome) Eval(x int64) int64 {
	for _, g := range o.Given {
		if g.Eval(x) == 0 {
			return 0
		}
	}
	v := o.Of.Eval(x)
	if o.Truth && v != 0 {
		return 1
	}
	return v
}
