package prove

import (
	"encoding/binary"
	"fmt"
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

// terms makes terms and keeps them apart (docs/exploration/proofs.md, "Terms and forms").
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
		if t.isDivision() {
			if v, ok := foldDivision(t.name, args); ok {
				return x.num(64, v)
			}
		}
		return x.mk(term{op: t.op, w: t.w, name: t.name, args: args})
	}
	return x.bin(t.op, args[0], args[1])
}
