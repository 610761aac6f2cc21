package prove

import (
	"github.com/go-air/gini/logic"
	"github.com/go-air/gini/z"
)

// blaster turns terms into circuits, a literal for each bit.
type blaster struct {
	c     *logic.C
	bits  map[*term][]z.Lit
	side  []z.Lit            // what must hold besides
	reads map[string][]*term // of each name, so far
	// loose: products of unknowns are any number that is monotonous in each factor.
	loose bool
	muls  []*term
}

func newBlaster(loose bool) *blaster {
	return &blaster{c: logic.NewC(), bits: map[*term][]z.Lit{}, reads: map[string][]*term{}, loose: loose}
}

func (b *blaster) number(w int, v uint64) []z.Lit {
	r := make([]z.Lit, w)
	for i := range r {
		r[i] = b.c.F
		if v>>i&1 == 1 {
			r[i] = b.c.T
		}
	}
	return r
}

func (b *blaster) any(w int) []z.Lit {
	r := make([]z.Lit, w)
	for i := range r {
		r[i] = b.c.Lit()
	}
	return r
}

func (b *blaster) sum(x, y []z.Lit, carry z.Lit) []z.Lit {
	r := make([]z.Lit, len(x))
	for i := range x {
		p := b.c.Xor(x[i], y[i])
		r[i] = b.c.Xor(p, carry)
		carry = b.c.Or(b.c.And(x[i], y[i]), b.c.And(p, carry))
	}
	return r
}

func inverted(x []z.Lit) []z.Lit {
	r := make([]z.Lit, len(x))
	for i := range x {
		r[i] = x[i].Not()
	}
	return r
}

// less is x < y of unsigned numbers.
func (b *blaster) less(x, y []z.Lit) z.Lit {
	lt := b.c.F
	for i := range x {
		lt = b.c.Choice(b.c.Xor(x[i], y[i]), y[i], lt)
	}
	return lt
}

func (b *blaster) choice(c z.Lit, x, y []z.Lit) []z.Lit {
	r := make([]z.Lit, len(x))
	for i := range x {
		r[i] = b.c.Choice(c, x[i], y[i])
	}
	return r
}

func (b *blaster) same(x, y []z.Lit) z.Lit {
	r := b.c.T
	for i := range x {
		r = b.c.And(r, b.c.Xor(x[i], y[i]).Not())
	}
	return r
}

func (b *blaster) product(x, y []z.Lit) []z.Lit {
	w := len(x)
	r := b.number(w, 0)
	for i := range w {
		if y[i] == b.c.F {
			continue
		}
		row := b.number(w, 0)
		for j := 0; i+j < w; j++ {
			row[i+j] = b.c.And(x[j], y[i])
		}
		r = b.sum(r, row, b.c.F)
	}
	return r
}

// times is a product with a number: sums and differences of shifted ones, as few as its digits -1, 0 and 1 have others than 0.
func (b *blaster) times(x []z.Lit, c uint64) []z.Lit {
	w := len(x)
	shifted := func(by int) []z.Lit {
		r := b.number(w, 0)
		copy(r[by:], x)
		return r
	}
	r := b.number(w, 0)
	for i := 0; i < w && c != 0; i++ {
		if c&1 == 1 {
			if c&3 == 3 {
				r = b.sum(r, inverted(shifted(i)), b.c.T)
				c++
			} else {
				r = b.sum(r, shifted(i), b.c.F)
				c--
			}
		}
		c >>= 1
	}
	return r
}

func (b *blaster) shifted(x, by []z.Lit, left bool, fill z.Lit) []z.Lit {
	w := len(x)
	r, over := x, b.c.F
	for i := range by {
		if i > 6 || 1<<i >= w {
			over = b.c.Or(over, by[i])
			continue
		}
		next := make([]z.Lit, w)
		for j := range next {
			from := j + 1<<i
			if left {
				from = j - 1<<i
			}
			v := fill
			if from >= 0 && from < w {
				v = r[from]
			}
			next[j] = b.c.Choice(by[i], v, r[j])
		}
		r = next
	}
	all := make([]z.Lit, w)
	for i := range all {
		all[i] = fill
	}
	return b.choice(over, all, r)
}

// of returns the bits of a term.
func (b *blaster) of(t *term) []z.Lit {
	if r, ok := b.bits[t]; ok {
		return r
	}
	var r []z.Lit
	switch t.op {
	case opConst:
		r = b.number(t.w, t.k)
	case opSym, opFun:
		r = b.any(t.w)
	case opRead:
		r = b.read(t)
	case opLin:
		r = b.number(t.w, t.k)
		for i, a := range t.args {
			r = b.sum(r, b.times(b.of(a), t.coef[i]), b.c.F)
		}
	case opMul:
		r = b.multiplied(t)
	case opDiv, opRem:
		r = b.divided(t)
	case opAnd, opOr, opXor, opNot, opEq, opUlt, opSlt, opIte:
		r = b.logical(t)
	case opShl:
		r = b.shifted(b.of(t.args[0]), b.of(t.args[1]), true, b.c.F)
	case opShr:
		r = b.shifted(b.of(t.args[0]), b.of(t.args[1]), false, b.c.F)
	case opSar:
		x := b.of(t.args[0])
		r = b.shifted(x, b.of(t.args[1]), false, x[len(x)-1])
	case opZext:
		r = append(append(r, b.of(t.args[0])...), b.number(t.w-t.args[0].w, 0)...)
	case opSext:
		for r = append(r, b.of(t.args[0])...); len(r) < t.w; {
			r = append(r, r[t.args[0].w-1])
		}
	case opTrunc:
		r = b.of(t.args[0])[:t.w]
	}
	b.bits[t] = r
	return r
}

func (b *blaster) logical(t *term) []z.Lit {
	x := b.of(t.args[0])
	switch t.op {
	case opNot:
		return inverted(x)
	case opIte:
		return b.choice(x[0], b.of(t.args[1]), b.of(t.args[2]))
	case opAnd:
		if t.w == 1 {
			r := x[0]
			for _, a := range t.args[1:] {
				r = b.c.And(r, b.of(a)[0])
			}
			return []z.Lit{r}
		}
	}
	y := b.of(t.args[1])
	switch t.op {
	case opEq:
		return []z.Lit{b.same(x, y)}
	case opUlt:
		return []z.Lit{b.less(x, y)}
	case opSlt:
		n := len(x) - 1
		x, y = append([]z.Lit{}, x...), append([]z.Lit{}, y...)
		x[n], y[n] = x[n].Not(), y[n].Not()
		return []z.Lit{b.less(x, y)}
	}
	r := make([]z.Lit, len(x))
	for i := range r {
		switch t.op {
		case opAnd:
			r[i] = b.c.And(x[i], y[i])
		case opOr:
			r[i] = b.c.Or(x[i], y[i])
		default:
			r[i] = b.c.Xor(x[i], y[i])
		}
	}
	return r
}

// read makes reads of the same function equal where their arguments are.
func (b *blaster) read(t *term) []z.Lit {
	r := b.any(t.w)
	for _, o := range b.reads[t.name] {
		if o.w != t.w || len(o.args) != len(t.args) {
			continue
		}
		same := b.c.T
		for i := range t.args {
			same = b.c.And(same, b.same(b.of(t.args[i]), b.of(o.args[i])))
		}
		b.side = append(b.side, b.c.Or(same.Not(), b.same(r, b.bits[o])))
	}
	b.reads[t.name] = append(b.reads[t.name], t)
	return r
}

// divided makes both results of a division: q*y + rem == x without overflow, and rem < y.
func (b *blaster) divided(t *term) []z.Lit {
	x, y := b.of(t.args[0]), b.of(t.args[1])
	q, rem := b.any(t.w), b.any(t.w)
	zero := b.number(t.w, 0)
	wide := func(v []z.Lit) []z.Lit { return append(append([]z.Lit{}, v...), zero...) }
	back := b.sum(b.product(wide(q), wide(y)), wide(rem), b.c.F)
	b.side = append(b.side, b.c.Or(b.same(y, zero), b.c.And(b.same(back, wide(x)), b.less(rem, y))))
	if t.op == opDiv {
		return q
	}
	return rem
}

func (b *blaster) multiplied(t *term) []z.Lit {
	x, y := b.of(t.args[0]), b.of(t.args[1])
	if !b.loose {
		return b.product(x, y)
	}
	r := b.any(t.w)
	if t.w == 64 {
		for _, o := range b.muls {
			b.monotonous(t, r, o)
		}
		b.muls = append(b.muls, t)
	}
	return r
}

// monotonous says of products m*k1 and m*k2 of numbers below 2^31 that k1 < k2 makes m*k1 + m <= m*k2.
func (b *blaster) monotonous(t *term, r []z.Lit, o *term) {
	for i := range 2 {
		for j := range 2 {
			if t.args[i] != o.args[j] {
				continue
			}
			m, k1, k2, ro := b.of(t.args[i]), b.of(t.args[1-i]), b.of(o.args[1-j]), b.bits[o]
			large := b.c.F
			for _, v := range [][]z.Lit{m, k1, k2} {
				for _, l := range v[31:] {
					large = b.c.Or(large, l)
				}
			}
			next := func(small, great []z.Lit) z.Lit {
				fits := b.less(great, b.sum(small, m, b.c.F)).Not()
				return b.c.And(b.c.And(fits, great[63].Not()), small[63].Not())
			}
			b.side = append(b.side,
				b.c.Or(large, b.c.Or(b.less(k1, k2).Not(), next(r, ro))),
				b.c.Or(large, b.c.Or(b.less(k2, k1).Not(), next(ro, r))),
				b.c.Or(b.same(k1, k2).Not(), b.same(r, ro)))
			return
		}
	}
}
