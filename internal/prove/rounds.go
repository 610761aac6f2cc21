package prove

import "slices"

// rounds is a loop while all its rounds are followed (docs/exploration/proofs.md, "Terms and forms").
type rounds struct {
	m       *machine
	l       *loop
	in      *way
	forms   []*form
	typical *round // with a number that all of a group have in common
	meets   bool   // there may be a barrier in it that counts
	stops   bool   // or any meeting
	head    view
	holds   *term // what holds at the head of each round, said of the typical one
}

// execute notes what is accessed in round k, asks what meets whom, and returns the ways out.
func (x *rounds) execute(p *pass) []exit {
	m := x.m
	s := item // the number of a round is of a work-item, unless barriers count them
	if x.meets {
		s = m.now
	}
	before := m.now
	m.now = s
	mark := m.n
	k := m.counter("k", s)
	pc := m.and(x.in.pc, x.begins(k, s))
	w := x.in.clone()
	w.pc, w.tail, w.old, w.open = pc, nil, nil, true
	for _, f := range x.forms {
		w.regs[f.reg] = f.at(m, k, s)
	}
	m.fact(m.implies(pc, m.and(x.keep(k), m.moment(x.forms, x.typical, k, w.regs)(x.holds))))
	seen := m.mem.clone()
	m.look(x.head, s == group, x.stops)
	inner := m.execute(x.l, w)
	m.now = before
	r := &round{pass: inner, k: k, mark: mark}
	for _, e := range inner.exits {
		if (&rounds{m: m}).exitOf(x.typical, e) == nil {
			m.give(m.f.Code[m.g.blocks[x.l.header].from].Pos, "a loop that is left in more ways than one of its rounds is")
		}
	}
	last, uniform := x.last()
	ways := x.ways(last, uniform)
	if x.meets {
		x.intervals(r, last, ways)
	} else {
		x.together(r, ways)
	}
	if x.in.open {
		p.head = append(p.head, inner.head...)
	}
	p.meets, p.stops = p.meets || inner.meets, p.stops || inner.stops
	switch {
	case x.head == entered:
		m.mem = seen
	case x.head == groups && uniform:
		m.forget(m.now)
	default:
		m.forget(item)
	}
	if !x.stops {
		m.mem.interval = seen.interval
	}
	return ways
}

// keep is that no register wraps around until round k.
func (x *rounds) keep(k *term) *term {
	all := x.m.yes
	for _, f := range x.forms {
		all = x.m.and(all, f.keeps(x.m, k))
	}
	return all
}

// begins is that round k is come to from the one before, if it is not the first.
func (x *rounds) begins(k *term, s scope) *term {
	m := x.m
	before := m.sub(k, m.num(64, 1))
	c := m.beyond(x.typical.back.pc, x.in.pc)
	return m.or(m.eq(k, m.num(64, 0)), x.renamed(x.typical, before, s)(c))
}

// renamed returns what makes of terms of a round those of another one: its number, and new symbols for all others that were
// made for it, which are of the work-item alone if most is item.
func (x *rounds) renamed(r *round, k *term, most scope) func(*term) *term {
	m := x.m
	memo := map[*term]*term{r.k: k, r.k.args[0]: m.trunc(k, countBits)}
	var again func(t *term) *term
	again = func(t *term) *term {
		return m.rebuild(t, memo, func(s *term) *term {
			if !s.fresh || s.id < r.mark {
				return s
			}
			sc := s.scope
			if most == item {
				sc = item
			}
			n := m.unknown(s.name, s.w, sc)
			if q, ok := m.tickets[s]; ok {
				q.off, q.interval = again(q.off), again(q.interval)
				m.tickets[n] = q
			}
			return n
		})
	}
	return again
}

// last is the number of the round in which the loop is left, and whether that is the same for all of a group.
func (x *rounds) last() (k *term, uniform bool) {
	m := x.m
	uniform = x.in.pc.scope <= group && x.typical.back.pc.scope <= group
	for _, e := range x.typical.exits {
		uniform = uniform && e.way.pc.scope <= group
	}
	s := item
	if uniform {
		s = m.now
	}
	k = m.counter("last", s)
	return k, uniform
}

// ways are the ways out of the loop in its last round.
func (x *rounds) ways(last *term, uniform bool) (list []exit) {
	m := x.m
	most := item
	if uniform {
		most = m.now
	}
	rename := x.renamed(x.typical, last, most)
	reached := x.begins(last, most)
	some := m.no
	for _, e := range x.typical.exits {
		w := e.way.clone()
		for r := range w.regs {
			w.regs[r] = rename(w.regs[r])
		}
		c := m.and(reached, rename(m.beyond(e.way.pc, x.in.pc)))
		some = m.or(some, c)

		w.pc, w.tail, w.old, w.open = m.and(x.in.pc, c), x.in.tail, x.in.old, x.in.open
		list = append(list, exit{e.from, e.to, w})
	}
	if len(list) == 1 {
		list[0].way.pc = x.in.pc
	}
	// Every loop ends.
	m.fact(m.implies(x.in.pc, m.and(some, x.keep(last), rename(x.holds))))
	return list
}

// together adds what is accessed in any round of a loop without barriers to what was accessed before.
func (x *rounds) together(r *round, ways []exit) {
	tail := slices.Clone(x.in.tail)
	seen := map[*access]bool{}
	add := func(list []*access) {
		for _, a := range list {
			if !seen[a] {
				seen[a] = true
				tail = append(tail, a)
			}
		}
	}
	add(r.head)
	if r.back != nil {
		add(r.back.all())
	}
	for _, e := range r.exits {
		add(e.way.all())
	}
	for i := range ways {
		ways[i].way.tail = tail
	}
}

// intervals asks about what is accessed between two barriers of a loop, of which one may be in the round before. What the loop leaves behind has been
// asked about (docs/exploration/proofs.md, "Terms and forms").
func (x *rounds) intervals(r *round, last *term, ways []exit) {
	m := x.m
	one := m.num(64, 1)
	if m.quiet > 0 {
		for i := range ways {
			ways[i].way.tail, ways[i].way.old, ways[i].way.open = nil, nil, x.in.open
		}
		return
	}
	back := &way{}
	if r.back != nil {
		back = r.back
	}
	through := back.open // a round may pass without a barrier
	before, ends := x.in.all(), back.all()
	m.interval(x.in)
	m.interval(back)
	m.across(before, x.again(r, r.head, m.num(64, 0)))
	m.across(ends, x.again(r, r.head, m.add(r.k, one)))
	if through { // what is accessed at the end of a round meets the head of any other
		other := x.again(r, r.head, m.counter("k", m.now))
		m.across(before, other)
		m.across(ends, other)
	}
	// What was accessed before the last barrier of the loop has been asked about; what comes after is in the round before the last, or in the last one.
	// Where a round may pass without a barrier, it is in any round.
	end := m.sub(last, one)
	if through {
		end = m.counter("k", m.now)
	}
	old := x.again(r, ends, end)
	for _, a := range old {
		a.pc = m.and(a.pc, m.not(m.eq(last, m.num(64, 0))))
	}
	old = append(old, x.none(before, last, through)...)
	for i := range ways {
		w, own := ways[i].way, x.exitOf(r, ways[i])
		w.tail, w.old, w.open = nil, old, x.in.open
		switch {
		case own == nil: // it cannot be left here after all
			w.old = nil
			w.tail = slices.Concat(before, old)
		case own.open:
			m.interval(own)
			w.old = slices.Concat(old, x.again(r, own.all(), last))
		default:
			w.open, w.old = false, nil
			w.tail = x.again(r, own.all(), last)
		}
	}
}

// none are the accesses before a loop, for those who leave it in its first round.
func (x *rounds) none(tail []*access, last *term, through bool) (list []*access) {
	if through {
		return tail
	}
	m := x.m
	for _, a := range tail {
		n := *a
		if n.pc = m.and(a.pc, m.eq(last, m.num(64, 0))); n.pc != m.no {
			list = append(list, &n)
		}
	}
	return list
}

func (x *rounds) exitOf(r *round, e exit) *way {
	for _, o := range r.exits {
		if o.from == e.from && o.to == e.to {
			return o.way
		}
	}
	return nil
}

// again returns the accesses of another round, with what is known of its symbols.
func (x *rounds) again(r *round, list []*access, k *term) (out []*access) {
	m := x.m
	rename := x.renamed(r, k, group)
	for _, a := range list {
		n := *a
		known := m.yes
		for _, f := range m.about(r.mark, a.off, a.pc) {
			known = m.and(known, rename(f))
		}
		n.off, n.pc = rename(a.off), m.and(rename(a.pc), known)
		if a.copy != nil {
			n.copy = rename(a.copy)
		}
		if n.pc != m.no {
			out = append(out, &n)
		}
	}
	return out
}
