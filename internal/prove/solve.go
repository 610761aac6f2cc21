package prove

import (
	"context"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"

	"github.com/clmc/clmc/internal/cputime"
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
	spent func() (time.Duration, bool)
}

// newSAT returns a solver that answers a query within a limit, of time that this process has of the processors.
func newSAT(limit time.Duration) *sat { return &sat{limit: limit, spent: cputime.Spent} }

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
		switch s.run(ctx, g) {
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

// run looks for an answer, 0 if there is none within the limit. What counts is the time that this process has had of the processors, so that a
// machine that does much else gives the same answers.
func (s *sat) run(ctx context.Context, g *gini.Gini) int {
	began := time.Now()
	from, known := s.spent()
	solving := g.GoSolve()
	for {
		found, done := solving.Test()
		if done {
			return found
		}
		took := time.Since(began)
		if took > s.limit && known {
			now, _ := s.spent()
			took = now - from
		}
		if took > s.limit || ctx.Err() != nil {
			return solving.Stop()
		}
		time.Sleep(min(max(time.Since(began)/16, shortest), longest))
	}
}

// shortest and longest are the pauses between two looks at a solver.
const (
	shortest = 20 * time.Microsecond
	longest  = 5 * time.Millisecond
)
