package prove

import (
	"slices"
)

// form is what a register holds at the head of round k of a loop, as far as it is known (docs/exploration/proofs.md, "Terms and forms").
type form struct {
	reg     int
	v0      *term
	w       int   // bits that it has; extended to 64 by its sign
	sign    bool  // of its type
	head    *term // the symbol that stood for it
	how     op    // opConst: always v0. opLin: v0 + k*by. opShl, opShr, opSar: v0 shifted k times by by. opIte: v0 and by in turn. opSym: not known
	by      *term
	exact   bool // it never wraps around
	uniform bool // not known, but the same for all of a group
}

// countBits is how many bits the number of a round has.
const countBits = 31

// counter is a symbol for the number of a round.
func (m *machine) counter(name string, s scope) *term {
	return wide(m.terms, m.unknown(name, countBits, s))
}

// loop follows all rounds of a loop, and returns the ways out of it. What a register holds in round k is found from what
// one round does to it: no invariant is asked for.
func (m *machine) loop(l *loop, in *way, p *pass) []exit {
	if len(in.copies) > 0 {
		m.give(m.f.Code[m.g.blocks[l.header].from].Pos, "an asynchronous copy that is under way in a loop")
	}
	regs := m.changed(l)
	if m.rough > 0 {
		return m.roughly(l, in, regs, p)
	}
	forms, p1 := m.forms(l, in, regs, m.n)
	typical := m.uniform(l, in, forms, p1)
	if typical.back == nil { // it is no loop after all: every round leaves it
		return m.once(l, in, p)
	}
	holds := m.invariants(l, in, forms, typical)
	if m.narrowed(in, forms, typical, holds) {
		said := typical
		typical = m.uniform(l, in, forms, p1)
		holds = m.moment(forms, said, typical.k, m.held(forms, typical))(holds)
	}
	x := &rounds{m: m, l: l, in: in, forms: forms, typical: typical, meets: p1.meets, stops: p1.stops, head: p1.head, holds: holds}
	return x.execute(p)
}

// first is what the first look at a loop finds.
type first struct {
	*pass
	head view
}

// view is what a work-item sees in memory at the head of a round.
type view uint8

const (
	its     view = iota // it has written, perhaps, or others have in between
	groups              // what all of its group see, but not in every round the same
	entered             // what it has seen before the loop: nobody writes in it, and there is no meeting in it
)

// look begins a round with what is seen at its head, by work-items that are in one round only if counted is set.
func (m *machine) look(v view, counted, stops bool) {
	switch {
	case v == entered:
	case v == groups && counted:
		m.lapse(group, stops)
	default:
		m.lapse(item, stops)
	}
}

// once follows what looks like a loop and is none.
func (m *machine) once(l *loop, in *way, p *pass) []exit {
	inner := m.execute(l, in)
	m.include(p, inner)
	return inner.exits
}

// include adds what an inner area notes to an outer one.
func (m *machine) include(p, inner *pass) {
	p.head = append(p.head, inner.head...)
	p.meets, p.stops = p.meets || inner.meets, p.stops || inner.stops
}

// roughly takes all that a loop changes for unknown.
func (m *machine) roughly(l *loop, in *way, regs []int, p *pass) []exit {
	w := in.clone()
	for _, r := range regs {
		w.regs[r] = m.unknown("loop", 64, item)
	}
	m.forget(item)
	inner := m.execute(l, w)
	m.include(p, inner)
	m.forget(item)
	exits := inner.exits
	for i := range exits {
		for _, r := range regs {
			exits[i].way.regs[r] = m.unknown("loop", 64, item)
		}
		exits[i].way.pc = m.and(in.pc, m.unknown("left", 1, item))
		if len(exits) == 1 {
			exits[i].way.pc = in.pc
		}
	}
	return exits
}

// trial follows a round without noting anything, from given values of the registers.
func (m *machine) trial(l *loop, in *way, regs []int, values []*term, head view, stops bool) (*pass, bool) {
	w := in.clone()
	w.tail, w.old, w.open = nil, nil, true
	for i, r := range regs {
		w.regs[r] = values[i]
	}
	m.quiet++
	old := m.mem
	m.mem = old.clone()
	m.look(head, true, stops)
	p := m.execute(l, w)
	clean := m.mem.clean()
	m.mem = old
	m.quiet--
	return p, clean
}

// forms finds out what a round does to each register.
func (m *machine) forms(l *loop, in *way, regs []int, mark int) ([]*form, *first) {
	m.rough++
	defer func() { m.rough-- }()
	var values []*term
	for range regs {
		values = append(values, m.unknown("head", 64, item))
	}
	p, _ := m.trial(l, in, regs, values, its, true)
	var forms []*form
	for i, r := range regs {
		f := &form{reg: r, v0: in.regs[r], w: 64, how: opSym, head: values[i]}
		if p.back != nil {
			f.width(m, in, p.back.regs[r])
		}
		forms = append(forms, f)
	}
	values = values[:0]
	for _, f := range forms {
		f.head = m.unknown("head", f.w, item)
		values = append(values, m.ext(f.head, 64, f.sign))
	}
	p, clean := m.trial(l, in, regs, values, groups, true)
	if p.back != nil {
		for _, f := range forms {
			f.find(m, p.back, in, mark)
		}
		m.turns(forms, p.back, mark)
	}
	head := its
	switch {
	case clean && !p.stops:
		head = entered
	case clean && m.mem.clean():
		head = groups
	}
	return forms, &first{p, head}
}

// width finds the type of a register from what is put into it.
func (f *form) width(m *machine, in *way, next *term) {
	n, sign := 64, false
	for _, v := range m.leaves(next) {
		switch isExt := v.op == opZext || v.op == opSext; {
		case v == f.head: // as it was
		case !isExt || n < 64 && (v.args[0].w != n || sign != (v.op == opSext)):
			return
		default:
			n, sign = v.args[0].w, v.op == opSext
		}
	}
	if n == 64 {
		return
	}
	if same := m.eq(m.ext(m.trunc(f.v0, n), 64, sign), f.v0); same == m.yes || m.ask(in.pc, m.not(same)) == impossible {
		f.w, f.sign = n, sign
	}
}

// variant reports whether a term has symbols that were made since a mark.
func (m *machine) variant(t *term, mark int) bool {
	found := false
	m.rebuild(t, map[*term]*term{}, func(s *term) *term {
		found = found || s.fresh && s.id >= mark
		return s
	})
	return found
}

// find compares what a register holds at the end of a round with what it held at the head.
func (f *form) find(m *machine, back, in *way, mark int) {
	n := m.ext(back.regs[f.reg], f.w, false)
	if m.ext(n, 64, f.sign) != back.regs[f.reg] {
		return
	}
	s := f.head
	d := m.sub(n, s)
	switch {
	case n == s:
		f.how, f.exact = opConst, true
	case !m.variant(d, mark):
		f.how, f.by = opLin, d
		f.exact = f.sign && f.w == 32 || f.never(m, back) // counters with a sign are taken not to wrap around
	case n.op == opLin && len(n.args) == 1 && n.args[0] == s && n.k == 0 && n.coef[0]&(n.coef[0]-1) == 0:
		f.how, f.by = opShl, m.num(f.w, log2(n.coef[0]))
		f.exact = f.sign && f.w == 32 || f.never(m, back) || f.stays(m, back, in)
	case (n.op == opShr || n.op == opSar) && n.args[0] == s && n.args[1].isConst():
		f.how, f.by, f.exact = n.op, n.args[1], true
	case f.sign && f.halves(m, n, in):
		f.exact = true
	}
}

// halves reports whether a signed number that is not negative is divided by a power of two.
func (f *form) halves(m *machine, n *term, in *way) bool {
	if n.op != opIte {
		return false
	}
	positive := m.not(m.less(true, f.head, m.num(f.w, 0)))
	for by := uint64(1); by < uint64(f.w)-1; by++ {
		if !shiftsBy(n, by) {
			continue
		}
		half := m.bin(opShr, f.head, m.num(f.w, by))
		if m.ask(positive, m.not(m.eq(n, half))) != impossible {
			return false
		}
		if m.ask(in.pc, m.less(true, m.ext(f.v0, f.w, false), m.num(f.w, 0))) != impossible {
			return false
		}
		f.how, f.by = opShr, m.num(f.w, by)
		return true
	}
	return false
}

// shiftsBy reports whether a term has a shift to the right by so many bits in it.
func shiftsBy(t *term, by uint64) bool {
	if t.op == opShr && t.args[1].is(by) {
		return true
	}
	return slices.ContainsFunc(t.args, func(a *term) bool { return shiftsBy(a, by) })
}

// never reports whether an unsigned register cannot wrap around, as its loop ends before.
func (f *form) never(m *machine, back *way) bool {
	if f.w > 32 || f.how == opShl && !f.by.isConst() {
		return false
	}
	wide := func(t *term) *term { return m.ext(t, 64, f.sign) }
	next, want := m.ext(back.regs[f.reg], f.w, false), m.add(wide(f.head), m.ext(f.by, 64, f.sign || f.by.isConst()))
	if f.how == opShl {
		want = m.bin(opShl, wide(f.head), m.ext(f.by, 64, false))
	}
	return m.ask(back.pc, m.not(m.eq(wide(next), want))) == impossible
}

// stays reports whether a number of 64 bits that is doubled is never negative nor too large for that, as its loop ends before.
func (f *form) stays(m *machine, back, in *way) bool {
	if f.w != 64 || !f.by.is(1) {
		return false
	}
	negative := func(t *term) *term { return m.less(true, t, m.num(64, 0)) }
	return m.ask(in.pc, negative(f.v0)) == impossible &&
		m.ask(back.pc, m.not(negative(f.head)), m.not(m.less(false, f.head, m.num(64, 1<<62)))) == impossible
}

// at is what a register holds at the head of round k. What is not known is a symbol of a scope.
func (f *form) at(m *machine, k *term, s scope) *term {
	if f.how == opSym {
		if !f.uniform {
			s = item
		}
		return m.ext(m.unknown("head", f.w, s), 64, f.sign)
	}
	v0, n := m.ext(f.v0, f.w, false), m.ext(k, f.w, false)
	switch f.how {
	case opConst:
		return f.v0
	case opIte:
		return m.ite(m.eq(m.trunc(k, 1), m.no), f.v0, f.by)
	case opLin:
		if f.exact {
			return m.add(f.v0, m.mul(m.ext(f.by, 64, f.sign || f.by.isConst()), m.ext(k, 64, false)))
		}
		return m.ext(m.add(v0, m.mul(f.by, n)), 64, f.sign)
	}
	return m.ext(f.shift(m, f.how, v0, k), 64, f.sign)
}

// shift is what is left of a number after k rounds that shift it.
func (f *form) shift(m *machine, how op, v *term, k *term) *term {
	count := m.scaled(k, f.by.k)
	over := m.not(m.less(false, count, m.num(64, uint64(f.w))))
	rest := m.num(f.w, 0)
	if how == opSar {
		rest = m.bin(opSar, v, m.num(f.w, uint64(f.w-1)))
	}
	return m.ite(over, rest, m.bin(how, v, m.trunc(count, f.w)))
}

// keeps is that no bit of a register has been shifted out until round k: so few rounds there are, unless it is 0.
func (f *form) keeps(m *machine, k *term) *term {
	if !f.exact || f.how != opShl || f.w < 8 {
		return m.yes
	}
	v0, x := m.ext(f.v0, f.w, false), m.ext(f.at(m, k, item), f.w, false)
	few := m.less(false, m.scaled(k, f.by.k), m.num(64, uint64(f.w)))
	back := opShr
	if f.sign {
		back = opSar
	}
	return m.or(m.eq(v0, m.num(f.w, 0)), m.and(few, m.eq(f.shift(m, back, x, k), v0)))
}

// uniform finds which registers without a form are the same for all work-items of a group in the same round, and returns a round
// as it is then.
func (m *machine) uniform(l *loop, in *way, forms []*form, p *first) *round {
	for _, f := range forms {
		f.uniform = f.how == opSym && f.v0.scope <= group
	}
	for {
		mark := m.n
		k := m.counter("k", group)
		old := m.now
		m.now = group
		values := valuesAt(m, forms, k, group)
		t, _ := m.trial(l, in, regsOf(forms), values, p.head, p.stops)
		m.now = old
		again := false
		for _, f := range forms {
			if f.uniform && t.back != nil && t.back.regs[f.reg].scope > group {
				f.uniform, again = false, true
			}
		}
		if !again {
			return &round{t, k, mark, values}
		}
	}
}

// round is a round of a loop, with the counter that stands for its number.
type round struct {
	*pass
	k      *term
	mark   int     // symbols since then are of this round
	values []*term // by form: what registers hold at its head
}

func regsOf(forms []*form) (list []int) {
	for _, f := range forms {
		list = append(list, f.reg)
	}
	return list
}

func valuesAt(m *machine, forms []*form, k *term, s scope) (list []*term) {
	for _, f := range forms {
		list = append(list, f.at(m, k, s))
	}
	return list
}
