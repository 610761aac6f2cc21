package prove

import (
	"context"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
)

// asker puts questions about two work-items to a solver, and keeps what is open (docs/exploration/proofs.md, "Proofs for all data and all sizes").
type asker struct {
	m         *machine
	ctx       context.Context
	solver    solver
	quick     solver // of guesses
	undecided int    // guesses that it has not decided
	queries   int
	answers   map[*term]answer
	symbols   map[*term][]*term
	done      map[[2]*access]bool
	found     map[string]bool
	open      []Open
	steps     int
	dry       bool    // no sizes are looked for
	assumed   []*term // what the user says of sizes and scalars
}

// fact notes what holds for every work-item.
func (q *asker) fact(t *term) {
	if q.m.quiet == 0 && t != q.m.yes {
		q.m.facts = append(q.m.facts, t)
	}
}

// symbolsOf lists the symbols of a term.
func (q *asker) symbolsOf(t *term) []*term {
	if list, ok := q.symbols[t]; ok {
		return list
	}
	var list []*term
	q.m.rebuild(t, map[*term]*term{}, func(s *term) *term {
		list = append(list, s)
		return s
	})
	q.symbols[t] = list
	return list
}

// related returns the facts that have to do with terms: that share a symbol with one that was made for some place, or with a fact that does.
func (q *asker) related(from int, ts ...*term) (list []*term) {
	have := map[*term]bool{}
	take := func(t *term) {
		for _, s := range q.symbolsOf(t) {
			if s.fresh && s.id >= from {
				have[s] = true
			}
		}
	}
	for _, t := range ts {
		take(t)
	}
	used := make([]bool, len(q.m.facts))
	for again := true; again; {
		again = false
		for i, f := range q.m.facts {
			if !used[i] && slices.ContainsFunc(q.symbolsOf(f), func(s *term) bool { return have[s] }) {
				used[i], again = true, true
				take(f)
				list = append(list, f)
			}
		}
	}
	return list
}

// about returns the facts about what terms have that was made since a mark.
func (q *asker) about(mark int, ts ...*term) []*term { return q.related(mark, ts...) }

// base is what is known of every work-item, whatever is asked.
func (q *asker) base() []*term { return append(q.m.sizes.domain(q.m.terms), q.assumed...) }

// ask asks whether some work-item can have all of these.
func (q *asker) ask(ts ...*term) answer {
	a, _ := q.solve(append(append(slices.Clone(ts), q.related(0, ts...)...), q.base()...)...)
	return a
}

// solve asks first without products of unknowns, of which little is known, and without what makes a quotient and a remainder of a number.
func (q *asker) solve(ts ...*term) (answer, model) {
	all := q.m.and(ts...)
	if list := divisions(all); len(list) > 0 {
		if all = q.m.and(all, q.m.within(list)); q.impossible(conjuncts(all), q.m.yes) {
			return impossible, nil
		}
		all = q.m.dividing(all)
	}
	if all == q.m.no {
		return impossible, nil
	}
	list := conjuncts(all)
	if multiplies(all, map[*term]bool{}) {
		if list = q.split(list); q.impossible(list, q.m.yes) {
			return impossible, nil
		}
	}
	return q.answered(list)
}

// answered asks the solver, unless it has answered.
func (q *asker) answered(list []*term) (answer, model) {
	all := q.m.and(list...)
	if all == q.m.no || q.answers[all] == impossible {
		return impossible, nil
	}
	q.queries++
	a, values := q.solver.solve(q.ctx, all)
	q.answers[all] = a
	return a, values
}

// renamed returns what makes of a term that of one of two work-items.
func (q *asker) renamed(suffix string, sameGroup bool) func(*term) *term {
	memo := map[*term]*term{}
	return func(t *term) *term {
		return q.m.rebuild(t, memo, func(s *term) *term {
			if s.scope == item || s.scope == group && !sameGroup {
				return q.m.sym(s.name+suffix, s.w, item)
			}
			return s
		})
	}
}

// pair is a question about two different work-items: of one group, or of two.
type pair struct {
	q         *asker
	sameGroup bool
	one, two  func(*term) *term
	all       []*term
}

// couple is a question about two work-items of a group that may be one (docs/exploration/proofs.md, "Copies").
func (q *asker) couple(a, b []*term) *pair {
	p := &pair{q: q, sameGroup: true, one: q.renamed("#1", true), two: q.renamed("#2", true)}
	p.side(p.one, a)
	p.side(p.two, b)
	return p
}

func (q *asker) pair(sameGroup bool, a, b []*term) *pair {
	p := &pair{q: q, sameGroup: sameGroup, one: q.renamed("#1", sameGroup), two: q.renamed("#2", sameGroup)}
	x, z := q.m.terms, q.m.sizes
	differ := x.no
	for d := range 3 {
		if sameGroup {
			differ = x.or(differ, x.not(x.eq(p.one(z.lid(x, d)), p.two(z.lid(x, d)))))
			continue
		}
		differ = x.or(differ, x.not(x.eq(p.one(z.groupID(x, d)), p.two(z.groupID(x, d)))))
		p.all = append(p.all, z.disjoint(x, d, p.one, p.two))
	}
	if sameGroup && slices.ContainsFunc(slices.Concat(a, b), q.placed) {
		p.all = append(p.all, z.otherPlace(x, p.one, p.two))
	}
	p.all = append(p.all, differ)
	p.side(p.one, a)
	p.side(p.two, b)
	for _, s := range q.ticketsIn(a) {
		for _, t := range q.ticketsIn(b) {
			p.distinct(s, t)
		}
	}
	return p
}

// placed reports whether a term has something of the work-item's place in its sub-group.
func (q *asker) placed(t *term) bool {
	return slices.ContainsFunc(q.symbolsOf(t), func(s *term) bool { return strings.HasPrefix(s.name, subGroupID) })
}

// side adds what is known of one of the two.
func (p *pair) side(is func(*term) *term, ts []*term) {
	for _, t := range append(append(slices.Clone(ts), p.q.related(0, ts...)...), p.q.base()...) {
		if t.w == 1 {
			p.all = append(p.all, is(t))
		}
	}
}

// ticketsIn lists the results of additions of one that terms have.
func (q *asker) ticketsIn(ts []*term) (list []*term) {
	for _, t := range ts {
		for _, s := range q.symbolsOf(t) {
			if _, ok := q.m.tickets[s]; ok && !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// distinct adds that two results of additions of one to the same counter differ, unless it wraps around (docs/exploration/proofs.md, "Counters").
func (p *pair) distinct(s, t *term) {
	m := p.q.m
	a, b := m.tickets[s], m.tickets[t]
	if a.obj != b.obj || s.w != t.w || m.k.Program.Objects[a.obj].Region == memmodel.Local && !p.sameGroup {
		return
	}
	if m.stored[a.obj] && p.one(a.interval) != p.two(b.interval) { // somebody may have set it back
		return
	}
	same := m.eq(p.one(a.off), p.two(b.off))
	p.all = append(p.all, m.implies(same, m.not(m.eq(p.one(s), p.two(t)))))
}

func (p *pair) solve(also *term) (answer, model) {
	return p.q.solve(append(p.all, also)...)
}

// diverge asks whether one work-item can come to a meeting to which another one of its group does not (docs/exploration/proofs.md, "Questions").
func (q *asker) diverge(pc *term, pos int32) {
	if pc.scope <= group {
		return
	}
	p := q.pair(true, []*term{pc}, nil)
	p.side(p.two, append([]*term{}, q.related(0, pc)...))
	q.conclude(p, q.m.not(p.two(pc)), Open{Kind: Divergence, Pos: [2]int32{pos, pos}, SameGroup: true})
}

// fails asks whether an assertion can fail.
func (q *asker) fails(c *term, pos int32) {
	if c == q.m.no {
		return
	}
	p := &pair{q: q, sameGroup: true, one: q.renamed("#1", true), two: q.renamed("#1", true)}
	p.side(p.one, []*term{c})
	q.conclude(p, q.m.yes, Open{Kind: Assertion, Pos: [2]int32{pos, pos}, SameGroup: true})
}

// interval asks about all pairs of accesses between the same barriers, of which those that are old have been asked about.
func (q *asker) interval(w *way) {
	if q.m.quiet > 0 {
		return
	}
	for i, a := range w.tail {
		for _, b := range w.tail[i:] {
			q.meet(a, b, true)
		}
	}
	q.across(w.tail, w.old)
}

// across asks about pairs of which each has one of either list.
func (q *asker) across(as, bs []*access) {
	for _, a := range as {
		for _, b := range bs {
			q.meet(a, b, true)
		}
	}
}

// conflict reports whether two accesses of the same memory are a race if nothing orders them (rules 9.1 and 9.2).
func (q *asker) conflict(a, b *access, sameGroup bool) bool {
	if a.obj != b.obj || sameGroup && a.copy != nil && a.copy == b.copy {
		return false
	}
	change := func(k kind) bool { return k == writes || k == atomicWrites }
	if !change(a.kind) && !change(b.kind) {
		return false
	}
	atomic := func(k kind) bool { return k == atomicReads || k == atomicWrites }
	if !atomic(a.kind) || !atomic(b.kind) {
		return true
	}
	return !q.inclusive(a, b, sameGroup)
}

// inclusive reports whether the scopes of two atomic operations include each other (rules 3.4 and 3.5).
func (q *asker) inclusive(a, b *access, sameGroup bool) bool {
	s, t := a.scope, b.scope
	switch o := &q.m.k.Program.Objects[a.obj]; {
	case o.Region == memmodel.Local:
		s, t = min(s, memmodel.ScopeWorkGroup), min(t, memmodel.ScopeWorkGroup)
	case o.Kind == memmodel.Buffer:
		s, t = min(s, memmodel.ScopeDevice), min(t, memmodel.ScopeDevice)
	}
	least := memmodel.ScopeDevice
	if sameGroup {
		least = memmodel.ScopeWorkGroup
	}
	return s == t && s >= least
}

// meet asks whether two work-items can have these accesses to one cell (docs/exploration/proofs.md, "Questions").
func (q *asker) meet(a, b *access, sameGroup bool) {
	if !q.conflict(a, b, sameGroup) {
		return
	}
	if sameGroup {
		if q.done[[2]*access{a, b}] {
			return
		}
		q.done[[2]*access{a, b}], q.done[[2]*access{b, a}] = true, true
	}
	o := Open{Kind: Race, Object: a.obj, Pos: [2]int32{min(a.pos, b.pos), max(a.pos, b.pos)}, SameGroup: sameGroup, Copy: a.copy != nil || b.copy != nil}
	if q.found[o.key()] {
		return
	}
	as, bs := []*term{a.pc, a.off}, []*term{b.pc, b.off}
	p := q.pair(sameGroup, as, bs)
	if sameGroup && (a.copy != nil || b.copy != nil) { // who makes a copy is no work-item
		p = q.couple(as, bs)
	}
	q.conclude(p, q.m.eq(p.one(a.off), p.two(b.off)), o)
}

// groupsMeet asks about all accesses of two groups.
func (q *asker) groupsMeet(list []*access) {
	for i, a := range list {
		for _, b := range list[i:] {
			q.meet(a, b, false)
		}
	}
}

// conclude keeps what is not impossible, with the smallest sizes for which it is possible.
func (q *asker) conclude(p *pair, t *term, o Open) {
	if q.found[o.key()] {
		return
	}
	a, values := p.solve(t)
	if a == impossible {
		return
	}
	q.found[o.key()] = true
	if o.Undecided = a == unknown; len(q.open) < maxWitnesses && !q.dry {
		o.Witness = q.smallest(p, t, values)
	}
	q.open = append(q.open, o)
}

// maxWitnesses bounds the findings for which sizes are looked for.
const maxWitnesses = 12

// smallest returns a witness with small sizes and scalars, or the one that is there.
func (q *asker) smallest(p *pair, t *term, values model) *Witness {
	tries := [][2]uint64{{2, 4}, {4, 8}, {4, 64}, {16, 256}, {4, 0}, {256, 0}}
	if values == nil { // it takes long to find out
		tries = tries[:2]
	}
	for _, n := range tries {
		if a, small := p.solve(q.m.and(t, q.m.sizes.atMost(q.m.terms, n[0], n[1]))); a == possible {
			return q.witness(small, p, t)
		}
	}
	if values == nil {
		return nil
	}
	return q.witness(values, p, t)
}

// maxSteps bounds the instructions that are followed.
const maxSteps = 1 << 21

// tick counts an instruction.
func (m *machine) tick() {
	if m.steps++; m.steps > maxSteps || m.steps&255 == 0 && m.ctx.Err() != nil || m.n > 1<<21 {
		m.give(0, "the time or memory that a proof may take")
	}
}
