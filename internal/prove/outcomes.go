package prove

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"

	"github.com/clmc/clmc/state/ir"
)

// Classes returns values of a type, one for each way in which all outcomes together can be: whatever x is, everything is as with
// one of these. It returns nothing if there are more ways than most, or if that is not known within two seconds
// (docs/exploration/late.md, "Classes of values").
func Classes(t ir.Type, list []ir.Outcome, most int) []int64 {
	return classes(t, list, most, classTime)
}

// classTime bounds the time for classes.
const classTime = 2 * time.Second

func classes(t ir.Type, list []ir.Outcome, most int, limit time.Duration) (values []int64) {
	deadline := time.Now().Add(limit)
	seen := map[string]bool{}
	var vectors [][]int64
	add := func(x int64) bool {
		v := make([]int64, len(list))
		for i := range list {
			v[i] = list[i].Eval(x)
		}
		key := fmt.Sprint(v)
		if seen[key] {
			return false
		}
		seen[key] = true
		values, vectors = append(values, x), append(vectors, v)
		return true
	}
	for _, x := range guesses(t, list) {
		if add(x); len(values) > most {
			return nil
		}
	}
	c := newClassifier(t, list)
	for {
		if c.g == nil || len(values) > most {
			break
		}
		for _, v := range vectors {
			c.exclude(v)
		}
		vectors = vectors[:0]
		switch c.g.Try(max(time.Until(deadline), time.Millisecond)) {
		case 1:
			if !add(c.x()) { // the circuit and the evaluation disagree
				return nil
			}
			continue
		case 0:
			return nil
		}
		slices.Sort(values)
		return values
	}
	return nil
}

// guesses are values that are likely to make a difference, those first that are nice to read.
func guesses(t ir.Type, list []ir.Outcome) (all []int64) {
	for x := range int64(9) {
		all = append(all, x)
	}
	all = append(all, -1)
	for i := range list {
		each := func(k int64) { all = append(all, k, k-1, k+1) }
		list[i].Of.Numbers(each)
		for _, g := range list[i].Given {
			g.Numbers(each)
		}
	}
	if t.Float() {
		for i := range all[:9] {
			all[i] = t.FromNumber(float64(i))
		}
		all[9] = t.FromNumber(-1)
		return all
	}
	for i := range all {
		all[i] = ir.Wrap(t, all[i])
	}
	return all
}

// classifier is a circuit of what outcomes are, whatever x is.
type classifier struct {
	*blaster
	t     ir.Type
	in    []z.Lit // the bits of x, 64 as a register holds them
	out   [][]z.Lit
	g     *gini.Gini
	exprs map[string][]z.Lit
}

func newClassifier(t ir.Type, list []ir.Outcome) *classifier {
	c := &classifier{blaster: newBlaster(false), t: t, exprs: map[string][]z.Lit{}}
	c.in = c.extended(c.any(t.Bits()), t)
	c.exprs[ir.Unknown().Key()] = c.in
	for i := range list {
		v := c.expr(list[i].Of)
		if list[i].Truth {
			v = []z.Lit{c.some(v)}
		}
		for _, g := range list[i].Given {
			v = c.masked(v, c.some(c.expr(g)))
		}
		c.out = append(c.out, v)
	}
	if c.c.Len() > maxGates {
		return c
	}
	c.g = gini.New()
	var roots []z.Lit
	for _, v := range c.out {
		roots = append(roots, v...)
	}
	roots = append(append(roots, c.in...), c.side...)
	c.c.ToCnfFrom(c.g, slices.DeleteFunc(slices.Clone(roots), func(l z.Lit) bool { return l == c.c.T || l == c.c.F })...)
	for _, l := range c.side {
		c.clause(l)
	}
	return c
}

// clause adds that one of some literals holds.
func (c *classifier) clause(list ...z.Lit) {
	for _, l := range list {
		if l == c.c.T {
			return
		}
	}
	for _, l := range list {
		if l != c.c.F {
			c.g.Add(l)
		}
	}
	c.g.Add(z.LitNull)
}

// exclude adds that the outcomes are not all as a vector has them.
func (c *classifier) exclude(v []int64) {
	var differs []z.Lit
	for i, bits := range c.out {
		for j, l := range bits {
			if v[i]>>j&1 == 1 {
				l = l.Not()
			}
			differs = append(differs, l)
		}
	}
	c.clause(differs...)
}

// x is the value of the unknown in the solver's model.
func (c *classifier) x() (v int64) {
	for i, l := range c.in[:c.t.Bits()] {
		if l == c.c.T || l != c.c.F && l.Var() <= c.g.MaxVar() && c.g.Value(l) {
			v |= 1 << i
		}
	}
	return ir.Wrap(c.t, v)
}

// extended returns the 64 bits of a register that holds a value of a type.
func (c *classifier) extended(v []z.Lit, t ir.Type) []z.Lit {
	fill := c.c.F
	if t.Signed() {
		fill = v[len(v)-1]
	}
	v = slices.Clone(v)
	for len(v) < 64 {
		v = append(v, fill)
	}
	return v
}

func (c *classifier) some(v []z.Lit) z.Lit {
	r := c.c.F
	for _, l := range v {
		r = c.c.Or(r, l)
	}
	return r
}

func (c *classifier) masked(v []z.Lit, by z.Lit) []z.Lit {
	r := make([]z.Lit, len(v))
	for i := range v {
		r[i] = c.c.And(v[i], by)
	}
	return r
}

// expr returns the 64 bits of an expression.
func (c *classifier) expr(e *ir.Expr) []z.Lit {
	if v, ok := c.exprs[e.Key()]; ok {
		return v
	}
	var v []z.Lit
	if _, a, _, k := e.Is(); a == nil {
		v = c.number(64, uint64(k))
	} else {
		v = c.operation(e)
	}
	c.exprs[e.Key()] = v
	return v
}

func (c *classifier) operation(e *ir.Expr) []z.Lit {
	in, left, right, _ := e.Is()
	t, w := in.Type, in.Type.Bits()
	a := c.expr(left)
	low := func(v []z.Lit) []z.Lit { return v[:w] }
	truth := func(l z.Lit) []z.Lit { return c.extended([]z.Lit{l}, ir.Bool) }
	switch in.Op {
	case ir.OpConv:
		return c.extended(low(a), t)
	case ir.OpUn:
		switch in.Alu {
		case ir.Not:
			return truth(c.some(a).Not())
		case ir.Neg:
			return c.extended(c.sum(inverted(low(a)), c.number(w, 0), c.c.T), t)
		}
		return c.extended(inverted(low(a)), t)
	}
	b := c.expr(right)
	if t.Float() {
		return truth(c.comparedFloats(in.Alu, t, low(a), low(b)))
	}
	switch in.Alu {
	case ir.Eq:
		return truth(c.same(a, b))
	case ir.Ne:
		return truth(c.same(a, b).Not())
	case ir.Lt:
		return truth(c.before(t, a, b))
	case ir.Gt:
		return truth(c.before(t, b, a))
	case ir.Le:
		return truth(c.before(t, b, a).Not())
	case ir.Ge:
		return truth(c.before(t, a, b).Not())
	case ir.Min:
		return c.choice(c.before(t, a, b), a, b)
	case ir.Max:
		return c.choice(c.before(t, a, b), b, a)
	}
	return c.extended(c.computed(e, low(a), low(b), a), t)
}

// computed returns the low bits of what an operation computes of low bits, and, of a shift to the right, of all of a.
func (c *classifier) computed(e *ir.Expr, a, b, whole []z.Lit) []z.Lit {
	in, left, right, _ := e.Is()
	t, w := in.Type, in.Type.Bits()
	number := func(e *ir.Expr) (uint64, bool) {
		_, a, _, k := e.Is()
		return uint64(k), a == nil && !e.Bare()
	}
	bitwise := func(f func(x, y z.Lit) z.Lit) []z.Lit {
		r := make([]z.Lit, w)
		for i := range r {
			r[i] = f(a[i], b[i])
		}
		return r
	}
	switch in.Alu {
	case ir.Add:
		return c.sum(a, b, c.c.F)
	case ir.Sub:
		return c.sum(a, inverted(b), c.c.T)
	case ir.And:
		return bitwise(c.c.And)
	case ir.Or:
		return bitwise(func(x, y z.Lit) z.Lit { return c.c.Or(x, y) })
	case ir.Xor:
		return bitwise(c.c.Xor)
	case ir.AndNot:
		return bitwise(func(x, y z.Lit) z.Lit { return c.c.And(x, y.Not()) })
	case ir.Mul:
		if k, ok := number(left); ok {
			return c.times(b, k)
		}
		k, _ := number(right)
		return c.times(a, k)
	case ir.Shl:
		k, _ := number(right)
		return c.shifted(a, c.number(64, k), true, c.c.F)
	case ir.Shr:
		fill := c.c.F
		if t.Signed() {
			fill = whole[63]
		}
		k, _ := number(right)
		return c.shifted(whole, c.number(64, k), false, fill)[:w]
	}
	return c.byNumber(e, a)
}

// comparedFloats compares numbers by their IEEE 754 bits: what is no number is neither less nor equal, and both zeros are equal.
func (c *classifier) comparedFloats(op ir.Alu, t ir.Type, a, b []z.Lit) z.Lit {
	w := len(a)
	mantissa := map[ir.Type]int{ir.F16: 10, ir.F32: 23, ir.F64: 52}[t]
	none := c.c.F
	for _, v := range [][]z.Lit{a, b} {
		large := c.c.T
		for _, l := range v[mantissa : w-1] {
			large = c.c.And(large, l)
		}
		none = c.c.Or(none, c.c.And(large, c.some(v[:mantissa])))
	}
	zeros := c.c.And(c.some(a[:w-1]).Not(), c.some(b[:w-1]).Not())
	less := func(x, y []z.Lit) z.Lit {
		sx, sy, mx, my := x[w-1], y[w-1], x[:w-1], y[:w-1]
		same := c.c.Choice(sx, c.less(my, mx), c.less(mx, my))
		either := c.c.Choice(c.c.Xor(sx, sy), sx, same)
		return c.c.And(c.c.And(either, zeros.Not()), none.Not())
	}
	equal := c.c.And(c.c.Or(c.same(a, b), zeros), none.Not())
	switch op {
	case ir.Eq:
		return equal
	case ir.Ne:
		return equal.Not()
	case ir.Lt:
		return less(a, b)
	case ir.Gt:
		return less(b, a)
	case ir.Le:
		return c.c.Or(less(a, b), equal)
	}
	return c.c.Or(less(b, a), equal)
}

// before is a < b.
func (c *classifier) before(t ir.Type, a, b []z.Lit) z.Lit {
	if t.Signed() {
		a, b = slices.Clone(a), slices.Clone(b)
		a[63], b[63] = a[63].Not(), b[63].Not()
	}
	return c.less(a, b)
}

// byNumber divides by a number that is not 0: what is divided is made of the quotient and a remainder that is less than the divisor, and
// both take their signs as C99 6.5.5 says.
func (c *classifier) byNumber(e *ir.Expr, a []z.Lit) []z.Lit {
	in, _, right, _ := e.Is()
	_, _, _, k := right.Is()
	t, w, negative := in.Type, len(a), c.c.F
	by := uint64(k)
	if t.Signed() {
		negative = a[w-1]
		if k < 0 {
			by = -by
		}
	}
	minus := func(v []z.Lit) []z.Lit { return c.sum(inverted(v), c.number(w, 0), c.c.T) }
	a = c.choice(negative, minus(a), a)
	wide := func(v []z.Lit) []z.Lit { return append(slices.Clone(v), c.number(w, 0)...) }
	q, rem := c.any(w), c.any(w)
	back := c.sum(c.times(wide(q), by), wide(rem), c.c.F)
	c.side = append(c.side, c.same(back, wide(a)), c.less(wide(rem), c.number(2*w, by)))
	if in.Alu == ir.Rem {
		return c.choice(negative, minus(rem), rem)
	}
	if t.Signed() && k < 0 {
		negative = negative.Not()
	}
	return c.choice(negative, minus(q), q)
}
