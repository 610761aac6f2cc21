package prove

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// scope says for whom a term has one value.
type scope uint8

const (
	uniform scope = iota // all work-items
	group                // all work-items of a work-group, at one moment
	item                 // one work-item
)

// op is what a term is made of. All values are bit-vectors; truth values have one bit.
type op uint8

const (
	opConst op = iota
	opSym
	opLin // k + sum of coef[i]*args[i]
	opMul
	opDiv // unsigned; by zero, anything
	opRem
	opShl // shifts by the width or more give zero, and opSar the sign
	opShr
	opSar
	opAnd // of truth values: any number of them, in the order of their ids
	opOr
	opXor
	opNot // of a truth value
	opEq
	opUlt
	opSlt
	opIte
	opZext
	opSext
	opTrunc
	opFun  // an unknown function, which name says, of its arguments
	opRead // likewise: what memory holds; equal arguments give equal values
)

// term is a value as a function of symbols. Equal terms are one.
type term struct {
	op    op
	w     int    // bits
	k     uint64 // of opConst and opLin
	args  []*term
	coef  []uint64
	name  string
	scope scope // of all that it is made of
	fresh bool  // of opSym: made for one place, and not known by a name
	id    int
}

// terms makes terms and keeps them apart (docs/exploration.md, "Terms and forms").
type terms struct {
	pool    map[string]*term
	n       int
	made    int // fresh symbols
	key     []byte
	yes     *term
	no      *term
	uppers  map[*term]uint64
	partner map[*term]partner
}

func newTerms() *terms {
	x := &terms{pool: map[string]*term{}, uppers: map[*term]uint64{}, partner: map[*term]partner{}}
	x.no, x.yes = x.num(1, 0), x.num(1, 1)
	return x
}

func mask(w int) uint64 { return ^uint64(0) >> (64 - w) }

func signed(v uint64, w int) int64 { return int64(v<<(64-w)) >> (64 - w) }

func (t *term) isConst() bool { return t.op == opConst }

// is reports whether a term is a number.
func (t *term) is(v uint64) bool { return t.op == opConst && t.k == v&mask(t.w) }

func (x *terms) mk(t term) *term {
	b := append(x.key[:0], byte(t.op), byte(t.w), byte(t.scope), byte(len(t.args)), byte(len(t.args)>>8))
	b = binary.LittleEndian.AppendUint64(b, t.k)
	for _, a := range t.args {
		b = binary.LittleEndian.AppendUint32(b, uint32(a.id))
	}
	for _, c := range t.coef {
		b = binary.LittleEndian.AppendUint64(b, c)
	}
	b = append(b, t.name...)
	x.key = b
	if old := x.pool[string(b)]; old != nil {
		return old
	}
	made := t
	made.id = x.n
	x.n++
	for _, a := range t.args {
		made.scope = max(made.scope, a.scope)
	}
	x.pool[string(b)] = &made
	return &made
}

func (x *terms) num(w int, v uint64) *term { return x.mk(term{op: opConst, w: w, k: v & mask(w)}) }

func (x *terms) truth(b bool) *term {
	if b {
		return x.yes
	}
	return x.no
}

// sym is the symbol of a name.
func (x *terms) sym(name string, w int, s scope) *term {
	return x.mk(term{op: opSym, w: w, name: name, scope: s})
}

// unknown is a symbol of which nothing is known.
func (x *terms) unknown(name string, w int, s scope) *term {
	x.made++
	t := x.sym(fmt.Sprintf("%s'%d", name, x.made), w, s)
	t.fresh = true
	return t
}

func (x *terms) fun(name string, w int, args ...*term) *term {
	return x.mk(term{op: opFun, w: w, name: name, args: args})
}

// --- sums

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

// --- other operations

func (x *terms) bin(o op, a, b *term) *term {
	w := a.w
	if a.isConst() && b.isConst() {
		if v, ok := fold(o, w, a.k, b.k); ok {
			return x.num(w, v)
		}
	}
	zero := b.is(0)
	switch o {
	case opDiv, opRem:
		if b.isConst() && b.k != 0 && b.k&(b.k-1) == 0 {
			if o == opRem {
				return x.bin(opAnd, a, x.num(w, b.k-1))
			}
			return x.bin(opShr, a, x.num(w, uint64(bits.TrailingZeros64(b.k))))
		}
	case opShl:
		if b.isConst() {
			if b.k >= uint64(w) {
				return x.num(w, 0)
			}
			return x.scaled(a, 1<<b.k)
		}
		if a.is(0) {
			return a
		}
	case opShr, opSar:
		if zero || a.is(0) {
			return a
		}
		if b.isConst() && b.k >= uint64(w) && o == opShr {
			return x.num(w, 0)
		}
		if a.op == opZext && b.isConst() {
			n := a.args[0]
			return x.ext(x.bin(opShr, n, x.num(n.w, min(b.k, mask(n.w)))), w, false)
		}
	case opAnd, opOr, opXor:
		return x.bitwise(o, a, b)
	}
	return x.mk(term{op: o, w: w, args: []*term{a, b}})
}

func (x *terms) bitwise(o op, a, b *term) *term {
	w := a.w
	if w == 1 {
		switch o {
		case opAnd:
			return x.and(a, b)
		case opOr:
			return x.or(a, b)
		}
		return x.or(x.and(a, x.not(b)), x.and(x.not(a), b))
	}
	if a.isConst() || !b.isConst() && a.id > b.id {
		a, b = b, a
	}
	switch {
	case a == b && o == opXor:
		return x.num(w, 0)
	case a == b:
		return a
	case b.is(0) && o == opAnd, b.is(mask(w)) && o == opOr:
		return b
	case b.is(0), b.is(mask(w)) && o == opAnd:
		return a
	}
	return x.mk(term{op: o, w: w, args: []*term{a, b}})
}

func fold(o op, w int, a, b uint64) (uint64, bool) {
	switch o {
	case opDiv, opRem:
		if b == 0 {
			return 0, false
		}
		if o == opDiv {
			return a / b, true
		}
		return a % b, true
	case opShl:
		if b >= uint64(w) {
			return 0, true
		}
		return a << b, true
	case opShr:
		if b >= uint64(w) {
			return 0, true
		}
		return a >> b, true
	case opSar:
		return uint64(signed(a, w) >> min(b, uint64(w-1))), true
	case opAnd:
		return a & b, true
	case opOr:
		return a | b, true
	case opXor:
		return a ^ b, true
	}
	return 0, false
}

// --- truth values

func (x *terms) not(a *term) *term {
	switch {
	case a.isConst():
		return x.truth(a.k == 0)
	case a.op == opNot:
		return a.args[0]
	}
	return x.mk(term{op: opNot, w: 1, args: []*term{a}})
}

// conjuncts are what all must hold for a truth value to hold.
func conjuncts(a *term) []*term {
	if a.op == opAnd && a.w == 1 {
		return a.args
	}
	return []*term{a}
}

func (x *terms) and(list ...*term) *term {
	var all []*term
	for _, a := range list {
		for _, c := range conjuncts(a) {
			if c == x.no {
				return x.no
			}
			if c != x.yes {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b *term) int { return a.id - b.id })
	all = slices.Compact(all)
	for _, c := range all {
		if _, found := slices.BinarySearchFunc(all, x.not(c), func(a, b *term) int { return a.id - b.id }); found {
			return x.no
		}
	}
	switch len(all) {
	case 0:
		return x.yes
	case 1:
		return all[0]
	}
	return x.mk(term{op: opAnd, w: 1, args: all})
}

// or takes out what both sides have in common, so that a branch that is over leaves no trace.
func (x *terms) or(a, b *term) *term {
	if a == x.yes || b == x.yes {
		return x.yes
	}
	if a == x.no {
		return b
	}
	if b == x.no || a == b {
		return a
	}
	var common, as, bs []*term
	cb := conjuncts(b)
	for _, c := range conjuncts(a) {
		if slices.Contains(cb, c) {
			common = append(common, c)
		} else {
			as = append(as, c)
		}
	}
	for _, c := range cb {
		if !slices.Contains(common, c) {
			bs = append(bs, c)
		}
	}
	if len(as) == 0 || len(bs) == 0 {
		return x.and(common...)
	}
	ra, rb := x.and(as...), x.and(bs...)
	if ra == x.not(rb) {
		return x.and(common...)
	}
	return x.and(append(common, x.not(x.and(x.not(ra), x.not(rb))))...)
}

func (x *terms) implies(a, b *term) *term { return x.or(x.not(a), b) }

func (x *terms) ite(c, a, b *term) *term {
	switch {
	case c == x.yes || a == b:
		return a
	case c == x.no:
		return b
	case c.op == opNot:
		return x.ite(c.args[0], b, a)
	case a.w == 1:
		return x.or(x.and(c, a), x.and(x.not(c), b))
	case a.op == opIte && a.args[0] == c:
		return x.ite(c, a.args[1], b)
	case b.op == opIte && b.args[0] == c:
		return x.ite(c, a, b.args[2])
	case (a.op == opZext || a.op == opSext) && a.op == b.op && a.args[0].w == b.args[0].w:
		return x.ext(x.ite(c, a.args[0], b.args[0]), a.w, a.op == opSext)
	case (a.op == opZext || a.op == opSext) && b.isConst() && x.ext(x.num(a.args[0].w, b.k), a.w, a.op == opSext) == b:
		return x.ext(x.ite(c, a.args[0], x.num(a.args[0].w, b.k)), a.w, a.op == opSext)
	case (b.op == opZext || b.op == opSext) && a.isConst() && x.ext(x.num(b.args[0].w, a.k), b.w, b.op == opSext) == a:
		return x.ext(x.ite(c, x.num(b.args[0].w, a.k), b.args[0]), b.w, b.op == opSext)
	}
	return x.mk(term{op: opIte, w: a.w, args: []*term{c, a, b}})
}

// --- comparisons

func (x *terms) eq(a, b *term) *term {
	if a == b {
		return x.yes
	}
	if a.w == 1 {
		return x.not(x.bitwise(opXor, a, b))
	}
	d := x.sub(a, b)
	if d.isConst() {
		return x.truth(d.k == 0)
	}
	if d.op == opLin && !x.solvable(d) {
		return x.no
	}
	return x.balanced(d)
}

// solvable reports whether a sum can be zero, by the powers of two that its summands are multiples of.
func (x *terms) solvable(d *term) bool {
	low := d.w
	for i, c := range d.coef {
		low = min(low, bits.TrailingZeros64(c)+zeros(d.args[i]))
	}
	return d.k&mask(min(max(low, 1), 64)) == 0 || low == 0
}

// zeros is how many low bits of a term are certainly zero.
func zeros(t *term) int {
	switch t.op {
	case opConst:
		return min(bits.TrailingZeros64(t.k|1<<63), t.w)
	case opZext, opSext, opTrunc:
		return min(zeros(t.args[0]), t.w-1)
	case opLin:
		n := min(bits.TrailingZeros64(t.k|1<<63), t.w-1)
		for i, c := range t.coef {
			n = min(n, bits.TrailingZeros64(c)+zeros(t.args[i]))
		}
		return n
	case opMul:
		return min(zeros(t.args[0])+zeros(t.args[1]), t.w-1)
	}
	return 0
}

// balanced is d == 0 with what is negative in d on the other side.
func (x *terms) balanced(d *term) *term {
	if d.op != opLin {
		return x.equal(d, x.num(d.w, 0))
	}
	var l, r lin
	for i, c := range d.coef {
		if signed(c, d.w) < 0 {
			r.add(d.args[i], -c)
		} else {
			l.add(d.args[i], c)
		}
	}
	if signed(d.k, d.w) < 0 {
		r.k = -d.k
	} else {
		l.k = d.k
	}
	a, b := x.lin(d.w, &l), x.lin(d.w, &r)
	if a.id < b.id {
		a, b = b, a
	}
	return x.equal(a, b)
}

// equal is a == b after the first simplifications.
func (x *terms) equal(a, b *term) *term {
	if a.isConst() {
		a, b = b, a
	}
	isExt := func(t *term) bool { return t.op == opZext || t.op == opSext }
	switch {
	case isExt(a) && a.op == b.op && a.args[0].w == b.args[0].w:
		return x.eq(a.args[0], b.args[0])
	case isExt(a) && b.isConst():
		n := a.args[0].w
		low := x.num(n, b.k)
		if x.ext(low, a.w, a.op == opSext) != b {
			return x.no
		}
		return x.eq(a.args[0], low)
	case a.op == opIte && b.isConst() && (a.args[1].isConst() || a.args[2].isConst()):
		return x.ite(a.args[0], x.eq(a.args[1], b), x.eq(a.args[2], b))
	}
	return x.mk(term{op: opEq, w: 1, args: []*term{a, b}})
}

// less is a < b.
func (x *terms) less(isSigned bool, a, b *term) *term {
	if a == b {
		return x.no
	}
	if a.isConst() && b.isConst() {
		if isSigned {
			return x.truth(signed(a.k, a.w) < signed(b.k, b.w))
		}
		return x.truth(a.k < b.k)
	}
	if !isSigned && (b.is(0) || a.is(mask(a.w))) {
		return x.no
	}
	if !isSigned && a.is(0) {
		return x.not(x.eq(b, a))
	}
	if !isSigned && b.is(1) {
		return x.eq(a, x.num(a.w, 0))
	}
	if n := narrowed(a, b); n != 0 {
		na, ok1 := x.narrow(a, n)
		nb, ok2 := x.narrow(b, n)
		ext := a
		if a.isConst() {
			ext = b
		}
		if ok1 && ok2 && (ext.op == opZext || isSigned) {
			return x.less(ext.op == opSext, na, nb)
		}
	}
	o := opUlt
	if isSigned {
		o = opSlt
	}
	return x.mk(term{op: o, w: 1, args: []*term{a, b}})
}

// narrowed returns the width at which two terms can be compared that are extended alike, or 0.
func narrowed(a, b *term) int {
	isExt := func(t *term) bool { return t.op == opZext || t.op == opSext }
	switch {
	case isExt(a) && a.op == b.op && a.args[0].w == b.args[0].w, isExt(a) && b.isConst():
		return a.args[0].w
	case isExt(b) && a.isConst():
		return b.args[0].w
	}
	return 0
}

// narrow returns what a term or a number was extended from; not ok if the number does not fit either way.
func (x *terms) narrow(t *term, n int) (*term, bool) {
	if !t.isConst() {
		return t.args[0], true
	}
	// The number must be the same however it is extended, so that it does not matter how the other side is.
	return x.num(n, t.k), t.k <= mask(n)>>1
}

// --- widths

func (x *terms) ext(a *term, w int, isSigned bool) *term {
	switch {
	case a.w == w:
		return a
	case a.w > w:
		return x.trunc(a, w)
	case a.isConst() && isSigned:
		return x.num(w, uint64(signed(a.k, a.w)))
	case a.isConst():
		return x.num(w, a.k)
	case a.op == opTrunc && a.args[0].w == w && x.upper(a.args[0]) <= mask(a.w)>>1:
		return a.args[0]
	case a.op == opTrunc && a.args[0].w == w && !isSigned && x.upper(a.args[0]) <= mask(a.w):
		return a.args[0]
	case a.op == opZext: // whatever the sign is now, it is not set
		return x.mk(term{op: opZext, w: w, args: a.args})
	case a.op == opLin && x.fits(a, isSigned): // so do the summands
		l := lin{k: a.k}
		for i, t := range a.args {
			l.add(x.ext(t, w, false), a.coef[i])
		}
		return x.lin(w, &l)
	case a.op == opMul && x.fits(a, isSigned):
		return x.mul(x.ext(a.args[0], w, false), x.ext(a.args[1], w, false))
	case isSigned && x.upper(a) <= mask(a.w)>>1:
		return x.ext(a, w, false)
	case a.op == opSext && isSigned:
		return x.mk(term{op: opSext, w: w, args: a.args})
	case isSigned:
		return x.mk(term{op: opSext, w: w, args: []*term{a}})
	}
	return x.mk(term{op: opZext, w: w, args: []*term{a}})
}

// fits reports whether a sum or a product of what is not negative does not wrap around, nor, if it has a sign, set that.
func (x *terms) fits(a *term, isSigned bool) bool {
	if isSigned {
		return x.upper(a) <= mask(a.w)>>1
	}
	if a.op == opLin {
		_, ok := x.upperSum(a)
		return ok
	}
	hi, lo := bits.Mul64(x.upper(a.args[0]), x.upper(a.args[1]))
	return hi == 0 && lo <= mask(a.w)
}

func (x *terms) trunc(a *term, w int) *term {
	switch a.op {
	case opConst:
		return x.num(w, a.k)
	case opZext, opSext:
		return x.ext(a.args[0], w, a.op == opSext)
	case opTrunc:
		return x.trunc(a.args[0], w)
	case opLin: // the low bits of these come from low bits
		l := lin{k: a.k}
		for i, t := range a.args {
			l.add(x.trunc(t, w), a.coef[i])
		}
		return x.lin(w, &l)
	case opMul:
		return x.mul(x.trunc(a.args[0], w), x.trunc(a.args[1], w))
	case opAnd, opOr, opXor:
		return x.bin(a.op, x.trunc(a.args[0], w), x.trunc(a.args[1], w))
	case opIte:
		return x.ite(a.args[0], x.trunc(a.args[1], w), x.trunc(a.args[2], w))
	}
	return x.mk(term{op: opTrunc, w: w, args: []*term{a}})
}

// --- renaming

// rebuild makes a term of another one, with leaf instead of its symbols.
func (x *terms) rebuild(t *term, memo map[*term]*term, leaf func(*term) *term) *term {
	if r, ok := memo[t]; ok {
		return r
	}
	r := t
	switch t.op {
	case opConst:
	case opSym:
		r = leaf(t)
	default:
		args, same := make([]*term, len(t.args)), true
		for i, a := range t.args {
			args[i] = x.rebuild(a, memo, leaf)
			same = same && args[i] == a
		}
		if !same {
			r = x.again(t, args)
		}
	}
	memo[t] = r
	return r
}

// again makes a term as t is made, of other arguments.
func (x *terms) again(t *term, args []*term) *term {
	switch t.op {
	case opLin:
		l := lin{k: t.k}
		for i, a := range args {
			l.add(a, t.coef[i])
		}
		return x.lin(t.w, &l)
	case opMul:
		return x.mul(args[0], args[1])
	case opAnd:
		if t.w == 1 {
			return x.and(args...)
		}
	case opNot:
		return x.not(args[0])
	case opEq:
		return x.eq(args[0], args[1])
	case opUlt, opSlt:
		return x.less(t.op == opSlt, args[0], args[1])
	case opIte:
		return x.ite(args[0], args[1], args[2])
	case opZext, opSext:
		return x.ext(args[0], t.w, t.op == opSext)
	case opTrunc:
		return x.trunc(args[0], t.w)
	case opFun, opRead:
		return x.mk(term{op: t.op, w: t.w, name: t.name, args: args})
	}
	return x.bin(t.op, args[0], args[1])
}
