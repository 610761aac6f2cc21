package prove

import "github.com/clmc/clmc/state/ir"

// A division by what is not known is x = q*y + r with |r| < y, where r has the sign of x. Quotient and remainder are unknown numbers first, of which the bounds are
// known. Where these are not enough, r is x - q*y, so that sums come out: a row and a column of an index make the index again, and where two remainders are
// equal, their difference is a multiple of y.

// quotientName and remainderName are the names of the functions, of numbers with a sign. Of a division by what is not more than 0 they are 0 and x.
const (
	quotientName  = "quotient"
	remainderName = "remainder"
)

// wordMax is the largest number of 32 bits.
const wordMax = 1<<32 - 1

// quotient divides a number of 33 bits and a sign at most by one that is not a constant and more than 0 (docs/exploration/proofs.md, "Divisions").
func (m *machine) quotient(w *way, t ir.Type, x, y *term) (q, r *term, ok bool) {
	fits := func(v *term) bool { return m.upper(v) <= wordMax || t.Signed() && t.Bits() <= 32 }
	if y.isConst() || !fits(x) || !fits(y) || m.ask(w.pc, m.not(m.positive(y))) != impossible {
		return nil, nil, false
	}
	return m.fun(quotientName, 64, x, y), m.fun(remainderName, 64, x, y), true
}

// positive is that a number with a sign is more than 0.
func (x *terms) positive(t *term) *term { return x.less(true, x.num(t.w, 0), t) }

// isDivision reports whether a term is a quotient or a remainder.
func (t *term) isDivision() bool {
	return t.op == opFun && (t.name == quotientName || t.name == remainderName)
}

// foldDivision divides numbers.
func foldDivision(name string, args []*term) (v uint64, ok bool) {
	a, b := args[0], args[1]
	switch {
	case !a.isConst() || !b.isConst():
		return 0, false
	case int64(b.k) <= 0 && name == quotientName:
		return 0, true
	case int64(b.k) <= 0:
		return a.k, true
	case name == quotientName:
		return uint64(int64(a.k) / int64(b.k)), true
	}
	return uint64(int64(a.k) % int64(b.k)), true
}

// divisions lists the quotients and remainders that a term has.
func divisions(t *term) (list []*term) {
	eachOf([]*term{t}, func(t *term) {
		if t.isDivision() {
			list = append(list, t)
		}
	})
	return list
}

// within are the bounds of quotients and remainders (docs/exploration/proofs.md, "Divisions").
func (x *terms) within(list []*term) *term {
	known := x.yes
	for _, t := range list {
		a, b := t.args[0], t.args[1]
		bounds := x.between(t, a)
		if t.name == remainderName {
			bounds = x.and(bounds, x.below(a, t, b))
		}
		known = x.and(known, x.implies(x.positive(b), bounds))
	}
	return known
}

// between is that t is not more than a, and has its sign.
func (x *terms) between(t, a *term) *term {
	zero := x.num(64, 0)
	if x.upper(a) <= wordMax {
		return x.not(x.less(false, a, t))
	}
	return x.ite(x.less(true, a, zero), x.and(x.not(x.less(true, t, a)), x.not(x.positive(t))), x.and(x.not(x.less(true, t, zero)), x.not(x.less(true, a, t))))
}

// below is that a remainder of a is below b, and has its sign.
func (x *terms) below(a, r, b *term) *term {
	zero := x.num(64, 0)
	if x.upper(a) <= wordMax {
		return x.less(false, r, b)
	}
	negative := x.and(x.not(x.positive(r)), x.positive(x.add(r, b)))
	return x.ite(x.less(true, a, zero), negative, x.and(x.not(x.less(true, r, zero)), x.less(true, r, b)))
}

// dividing writes remainders as x - q*y in a term, and adds that they are below y, if nothing wraps around (docs/exploration/proofs.md, "Divisions").
func (x *terms) dividing(t *term) *term {
	known := x.yes
	memo := map[*term]*term{}
	var again func(t *term) *term
	again = func(t *term) *term {
		if len(t.args) == 0 {
			return t
		}
		if r, ok := memo[t]; ok {
			return r
		}
		args := make([]*term, len(t.args))
		for i, a := range t.args {
			args[i] = again(a)
		}
		r := x.again(t, args)
		if r.isDivision() {
			a, b := args[0], args[1]
			q := x.fun(quotientName, 64, a, b)
			known = x.and(known, x.remains(a, b, q))
			if t.name == remainderName {
				r = x.sub(a, x.mul(q, b))
			}
		}
		memo[t] = r
		return r
	}
	t = again(t)
	return x.and(t, known)
}

// remains is that a - q*b is a remainder, if b is more than 0 and nothing wraps around.
func (x *terms) remains(a, b, q *term) *term {
	most := x.num(64, wordMax)
	fit := x.and(x.positive(b), x.not(x.less(true, most, b)), x.not(x.less(true, most, a)), x.less(true, x.num(64, 0), x.add(a, most)))
	qb := x.mul(q, b)
	return x.implies(fit, x.and(x.between(q, a), x.between(qb, a), x.below(a, x.sub(a, qb), b)))
}
