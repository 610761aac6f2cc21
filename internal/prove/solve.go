package prove

import (
	"context"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// answer is what a solver says of a query.
type answer int8

const (
	unknown answer = iota // never taken for impossible
	possible
	impossible
)

// model is values for the terms of a query that is possible.
type model func(*term) uint64

// solver finds out whether a truth value can hold.
type solver interface {
	solve(ctx context.Context, t *term) (answer, model)
}

// sat is a solver by bits (docs/exploration/proofs.md, "Questions").
type sat struct {
	limit time.Duration // for one query
	size  int           // the largest circuit, in gates
}

// maxGates bounds the circuit of a query.
const maxGates = 2 << 20

func (s *sat) solve(ctx context.Context, t *term) (answer, model) {
	if multiplies(t, map[*term]bool{}) {
		if a, _ := s.try(ctx, t, true); a == impossible {
			return impossible, nil
		}
	}
	return s.try(ctx, t, false)
}

// multiplies reports whether a term has a product of unknowns.
func multiplies(t *term, seen map[*term]bool) bool {
	if done, ok := seen[t]; ok {
		return done
	}
	found := t.op == opMul
	for _, a := range t.args {
		found = found || multiplies(a, seen)
	}
	seen[t] = found
	return found
}

// try asks with exact products, or loose ones: what is impossible then is so in any case.
func (s *sat) try(ctx context.Context, t *term, loose bool) (answer, model) {
	b := newBlaster(loose)
	root := b.of(t)[0]
	for i := 0; i < len(b.side); i++ {
		root = b.c.And(root, b.side[i])
	}
	if s.size = max(s.size, b.c.Len()); b.c.Len() > maxGates || ctx.Err() != nil {
		return unknown, nil
	}
	if root == b.c.F {
		return impossible, nil
	}
	g := gini.New()
	if root != b.c.T {
		b.c.ToCnfFrom(g, root)
		g.Add(root)
		g.Add(z.LitNull)
		limit := s.limit
		if end, ok := ctx.Deadline(); ok {
			limit = min(limit, time.Until(end))
		}
		switch g.Try(max(limit, time.Millisecond)) {
		case -1:
			return impossible, nil
		case 0:
			return unknown, nil
		}
	}
	return possible, func(t *term) (v uint64) {
		for i, l := range b.bits[t] {
			if l == b.c.T || l != b.c.F && l.Var() <= g.MaxVar() && g.Value(l) {
				v |= 1 << i
			}
		}
		return v
	}
}
