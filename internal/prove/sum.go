package prove

import (
	"slices"
)

// Sums, in normal form: each summand once, with its factor.

// lin is a sum under construction.
type lin struct {
	k    uint64
	args []*term
	coef []uint64
}

func (l *lin) add(t *term, c uint64) {
	switch t.op {
	case opConst:
		l.k += t.k * c
	case opLin:
		l.k += t.k * c
		for i, a := range t.args {
			l.one(a, t.coef[i]*c)
		}
	default:
		l.one(t, c)
	}
}

func (l *lin) one(t *term, c uint64) {
	i, found := slices.BinarySearchFunc(l.args, t, func(a, b *term) int { return a.id - b.id })
	if found {
		l.coef[i] += c
		return
	}
	l.args, l.coef = slices.Insert(l.args, i, t), slices.Insert(l.coef, i, c)
}

func (x *terms) lin(w int, l *lin) *term {
	m := mask(w)
	var args []*term
	var coef []uint64
	for i, c := range l.coef {
		if c &= m; c != 0 {
			args, coef = append(args, l.args[i]), append(coef, c)
		}
	}
	switch {
	case args == nil:
		return x.num(w, l.k)
	case len(args) == 1 && coef[0] == 1 && l.k&m == 0:
		return args[0]
	}
	return x.mk(term{op: opLin, w: w, k: l.k & m, args: args, coef: coef})
}

func (x *terms) add(a, b *term) *term {
	var l lin
	l.add(a, 1)
	l.add(b, 1)
	return x.lin(a.w, &l)
}

func (x *terms) sub(a, b *term) *term {
	var l lin
	l.add(a, 1)
	l.add(b, ^uint64(0))
	return x.lin(a.w, &l)
}

func (x *terms) scaled(a *term, c uint64) *term {
	var l lin
	l.add(a, c)
	return x.lin(a.w, &l)
}

// maxSpread bounds the summands over which a product is spread.
const maxSpread = 4

func (x *terms) mul(a, b *term) *term {
	switch {
	case b.isConst():
		return x.scaled(a, b.k)
	case a.isConst():
		return x.scaled(b, a.k)
	case a.op == opLin && len(a.args) <= maxSpread:
		return x.spread(a, b)
	case b.op == opLin && len(b.args) <= maxSpread:
		return x.spread(b, a)
	case a.id > b.id:
		a, b = b, a
	}
	return x.mk(term{op: opMul, w: a.w, args: []*term{a, b}})
}

func (x *terms) spread(sum, by *term) *term {
	var l lin
	l.add(by, sum.k)
	for i, a := range sum.args {
		l.add(x.mul(a, by), sum.coef[i])
	}
	return x.lin(sum.w, &l)
}
