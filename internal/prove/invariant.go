package prove

import "slices"

// What holds at the head of each round of registers that have no closed form is guessed from what a round does to them, and used only if it holds before
// the first round, and in each round that follows one in which it did (docs/exploration/proofs.md, "What holds in every round").

// The most registers, guesses for each, values that a round may give one, and questions for a loop.
const (
	maxUnknown = 6
	maxGuesses = 24
	maxLeaves  = 8
	maxAsked   = 64
	// maxUndecided bounds the questions about guesses that the solver does not decide: nothing is guessed after that.
	maxUndecided = 3
	narrowBits   = 32 // of numbers that are known to be so small
)

// invariants returns what is found to hold at the head of a typical round, of its number and of what the registers hold there
// (docs/exploration/proofs.md, "What holds in every round").
func (m *machine) invariants(l *loop, in *way, forms []*form, r *round) *term {
	if m.quiet > 0 || m.rough > 0 || r.back == nil || m.undecided >= maxUndecided {
		return m.yes
	}
	var all []*term
	unknown := 0
	for i, f := range forms {
		if f.how != opSym || !m.f.LiveAt(m.g.blocks[l.header].from, f.reg) {
			continue
		}
		if unknown++; unknown > maxUnknown {
			break
		}
		g := &guesser{m: m, r: r, f: f, now: r.values[i], then: r.back.regs[f.reg]}
		bounded := g.steps()
		n := len(g.list)
		if g.limits(); !bounded && len(g.list) == n {
			continue // a sum, perhaps: nothing is known that it should keep to
		}
		g.others(forms[:i], r.values)
		all = append(all, g.list[:min(len(g.list), maxGuesses)]...)
	}
	return m.inductive(in, forms, r, all)
}

// inductive keeps of guesses those that hold before the first round, and behind each round at whose head all of them hold
// (docs/exploration/proofs.md, "What holds in every round").
func (m *machine) inductive(in *way, forms []*form, r *round, list []*term) *term {
	left := maxAsked
	slow := m.solver
	defer func() { m.solver = slow }()
	m.solver = m.quick
	ask := func(ts ...*term) bool {
		if left--; left < 0 || m.undecided >= maxUndecided {
			return false
		}
		a := m.ask(ts...)
		if a == unknown {
			m.undecided++
		}
		return a == impossible
	}
	first, next := m.moment(forms, r, m.num(64, 0), in.regs), m.moment(forms, r, m.add(r.k, m.num(64, 1)), r.back.regs)
	list = slices.DeleteFunc(list, func(c *term) bool {
		before := first(c)
		return before != m.yes && !ask(in.pc, m.not(before))
	})
	for dropped := true; dropped; {
		known := m.and(r.back.pc, m.and(list...))
		if ask(known, m.not(next(m.and(list...)))) {
			break
		}
		dropped = false
		list = slices.DeleteFunc(list, func(c *term) bool {
			gone := !ask(known, m.not(next(c)))
			dropped = dropped || gone
			return gone
		})
	}
	return m.and(list...)
}

// narrowed gives registers that are known to be small in every round, and not negative, fewer bits, and returns whether there are any
// (docs/exploration/proofs.md, "What holds in every round").
func (m *machine) narrowed(in *way, forms []*form, r *round, holds *term) (found bool) {
	for i, f := range forms {
		small := m.less(false, r.values[i], m.num(64, 1<<narrowBits))
		if f.how == opSym && f.w > narrowBits && slices.Contains(m.symbolsOf(holds), symbol(r.values[i])) && m.ask(in.pc, holds, m.not(small)) == impossible {
			f.w, f.sign, found = narrowBits, false, true
		}
	}
	return found
}

// moment returns what makes of a term of a typical round one of the round of another number, at whose head the registers hold something else.
func (m *machine) moment(forms []*form, r *round, k *term, regs []*term) func(*term) *term {
	at := map[*term]*term{r.k.args[0]: m.trunc(k, countBits)}
	for i, f := range forms {
		if s, ok := head(r.values[i]); ok && f.how == opSym {
			at[s] = m.ext(regs[f.reg], s.w, false)
		}
	}
	memo := map[*term]*term{}
	return func(t *term) *term {
		return m.rebuild(t, memo, func(s *term) *term {
			if v := at[s]; v != nil {
				return v
			}
			return s
		})
	}
}

// held lists by register what is held at the head of a typical round.
func (m *machine) held(forms []*form, r *round) []*term {
	regs := make([]*term, m.f.Regs)
	for i, f := range forms {
		regs[f.reg] = r.values[i]
	}
	return regs
}

// head is the symbol of what a register holds.
func head(v *term) (*term, bool) {
	if v.op == opZext || v.op == opSext {
		v = v.args[0]
	}
	return v, v.op == opSym
}

// guesser guesses what holds of one register at the head of each round.
type guesser struct {
	m         *machine
	r         *round
	f         *form
	now, then *term // what it holds at the head, and at the end
	list      []*term
	up, down  []uint64 // by how much it may grow in a round, with a sign
}

func (g *guesser) guess(c *term) {
	if c != g.m.yes && c != g.m.no && !slices.Contains(g.list, c) {
		g.list = append(g.list, c)
	}
}

func (g *guesser) atMost(a, b *term) { g.guess(g.m.not(g.m.less(true, b, a))) }

// steps guesses that the register has grown by no more than so much in each round, nor by less, and by multiples of something. It reports whether
// each change has a bound.
func (g *guesser) steps() (bounded bool) {
	m := g.m
	g.up, g.down = []uint64{0}, []uint64{0}
	common := uint64(0)
	bounded = true
	for _, v := range m.leaves(g.then) {
		if !slices.Contains(m.symbolsOf(v), symbol(g.now)) {
			g.sloped(m.sub(v, g.f.v0))
			continue
		}
		d := m.sub(m.ext(v, g.f.w, false), m.ext(g.now, g.f.w, false))
		if d.isConst() {
			d = m.num(64, uint64(signed(d.k, d.w)))
			common |= d.k
			g.sloped(d)
		} else if most := m.upper(d); most < 1<<countBits {
			g.up = append(g.up, most)
		} else {
			bounded = false
		}
	}
	for _, s := range g.up {
		g.atMost(g.now, m.add(g.f.v0, m.scaled(g.r.k, s)))
	}
	for _, s := range g.down {
		g.atMost(m.add(g.f.v0, m.scaled(g.r.k, s)), g.now)
	}
	if z := zeros(m.num(64, common)); common != 0 && z > 0 {
		g.guess(m.eq(m.trunc(g.now, z), m.trunc(g.f.v0, z)))
	}
	return bounded
}

func symbol(v *term) *term {
	s, _ := head(v)
	return s
}

// sloped notes a difference that may be made in a round, or since the first.
func (g *guesser) sloped(d *term) {
	by := d.k
	if d.op == opLin {
		for i, a := range d.args {
			if a == g.r.k {
				by = d.coef[i]
			}
		}
	}
	if d.op != opConst && d.op != opLin || magnitude(by) >= 1<<countBits {
		return
	}
	if int64(by) > 0 {
		g.up = append(g.up, by)
	} else {
		g.down = append(g.down, by)
	}
}

// leaves lists the values that a term may have by the choices that it begins with.
func (m *machine) leaves(t *term) []*term {
	list := []*term{t}
	for i := 0; i < len(list) && len(list) <= maxLeaves; {
		a, b, ok := m.parted(list[i])
		if !ok {
			i++
			continue
		}
		list[i] = a
		list = append(list, b)
	}
	return list
}

// parted takes a term apart by the first choice in it.
func (m *machine) parted(t *term) (a, b *term, ok bool) {
	switch t.op {
	case opIte:
		return t.args[1], t.args[2], true
	case opZext, opSext, opLin:
		for i, arg := range t.args {
			if x, y, found := m.parted(arg); found {
				args := slices.Clone(t.args)
				args[i] = x
				a = m.again(t, args)
				args = slices.Clone(args)
				args[i] = y
				return a, m.again(t, args), true
			}
		}
	}
	return nil, nil, false
}

// limits guesses that the register stays below or above what it is compared with.
func (g *guesser) limits() {
	m := g.m
	s := symbol(g.now)
	eachOf([]*term{g.r.back.pc, g.then}, func(t *term) {
		if t.op != opEq && t.op != opUlt && t.op != opSlt || t.args[0].w < 8 {
			return
		}
		for i, side := range t.args {
			a, b := m.ext(side, 64, t.op == opSlt || g.f.sign), m.ext(t.args[1-i], 64, t.op == opSlt || g.f.sign)
			d := m.sub(a, g.now)
			if slices.Contains(m.symbolsOf(d), s) || slices.Contains(m.symbolsOf(b), s) || !g.lasting(d) || !g.lasting(b) {
				continue
			}
			bound := m.sub(b, d)
			for _, by := range append([]uint64{1}, g.up...) {
				g.atMost(g.now, m.add(bound, m.num(64, by-1)))
				g.atMost(g.now, m.add(bound, m.num(64, by)))
			}
			for _, by := range append([]uint64{^uint64(0)}, g.down...) {
				g.atMost(m.add(bound, m.num(64, by+1)), g.now)
				g.atMost(m.add(bound, m.num(64, by)), g.now)
			}
		}
	})
}

// lasting reports whether a term has a meaning in every round.
func (g *guesser) lasting(t *term) bool {
	for _, s := range g.m.symbolsOf(t) {
		known := s == g.r.k.args[0] || slices.ContainsFunc(g.r.values, func(v *term) bool { return symbol(v) == s })
		if s.fresh && s.id >= g.r.mark && !known {
			return false
		}
	}
	return true
}

// others guesses that the register is not more or less than another one, or keeps its distance.
func (g *guesser) others(forms []*form, values []*term) {
	for i, f := range forms {
		if f.how == opSym {
			g.atMost(g.now, values[i])
			g.atMost(values[i], g.now)
			g.guess(g.m.eq(g.m.sub(g.now, values[i]), g.m.sub(g.f.v0, f.v0)))
		}
	}
}
