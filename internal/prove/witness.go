package prove

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// witness takes the sizes, ids, scalars and contents of a model.
func (q *asker) witness(values model, p *pair, t *term) *Witness {
	w := &Witness{Contents: map[int]map[uint64]int64{}}
	x, z := q.m.terms, q.m.sizes
	at := func(t *term) uint64 { return x.evaluate(t, values) }
	for d := range 3 {
		w.Local[d], w.Groups[d] = at(z.localSize(x, d)), at(z.groups(x, d))
		for i, is := range []func(*term) *term{p.one, p.two} {
			w.LocalID[i][d], w.GroupID[i][d] = at(is(z.lid(x, d))), at(is(z.groupID(x, d)))
		}
	}
	for i := range q.m.k.Scalars {
		w.Scalars = append(w.Scalars, int64(at(z.scalar(x, i))))
	}
	q.contents(w, append(slices.Clone(p.all), t), values)
	return w
}

// contents takes what is read of buffers.
func (q *asker) contents(w *Witness, all []*term, values model) {
	eachOf(all, func(t *term) {
		if t.op != opRead {
			return
		}
		for i := range q.m.k.Program.Objects {
			if o := &q.m.k.Program.Objects[i]; readName(o.Name, i) == t.name && o.Region == memmodel.Global {
				if w.Contents[i] == nil {
					w.Contents[i] = map[uint64]int64{}
				}
				at := q.m.evaluate(t.args[0], values)
				if _, known := w.Contents[i][at]; !known {
					w.Contents[i][at] = signed(values(t), t.w)
				}
			}
		}
	})
}

// eachOf calls do once for each term that some are made of, of each what it is made of first.
func eachOf(terms []*term, do func(*term)) {
	seen := map[*term]bool{}
	var visit func(t *term)
	visit = func(t *term) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, a := range t.args {
			visit(a)
		}
		do(t)
	}
	for _, t := range terms {
		visit(t)
	}
}

// evaluate computes the value of a term of which the model has the symbols.
func (x *terms) evaluate(t *term, values model) uint64 {
	memo := map[*term]*term{}
	r := x.rebuild(t, memo, func(s *term) *term { return x.num(s.w, values(s)) })
	if r.isConst() {
		return r.k
	}
	return values(t)
}
