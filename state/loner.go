package state

import (
	"math/bits"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/zeebo/xxh3"
)

// Running alone: where a unit comes, and what is remembered of each of these places. What it comes to from one place consists of
// what it comes to from those that its steps lead to, so that no place need be looked at twice.
// docs/exploration/certifying.md, "Certifying".

// loner runs a unit alone.
type loner struct {
	m       *Machine               // that runs it
	unit    memmodel.Unit          // which one
	keeping bool                   // only to keep its promises, without what it comes to
	spots   []spot                 // where it has come: first where it begins
	find    map[xxh3.Uint128]int32 // the number of a spot by its key
	links   []link                 // its steps from spot to spot; none with keeping
	todo    []stay                 // from where it has yet to go on
	kept    int32                  // the spot at which it owes nothing any more, or is known to keep what it owes; -1 if there is none
	endless bool                   // it has come to too many
	layout  *memmodel.Layout       // of the state where it begins
	reg     []int64                // scratch space: its registers before a step
	seen    []uint32               // and what it has seen of the atomic locations
	offers  []offer                // what it is about to write at some spot
	locs    []memmodel.Loc         // the locations that are noted of some spot
}

// spot is where a unit has come.
type spot struct {
	key   xxh3.Uint128 // by which it is remembered, if keyed
	keyed bool         // unless it is where one step alone has led
	from  int32        // the spot that it was first come to from, -1 of the first
	known *common      // what it comes to from there, if that is remembered
	write int32        // the number of what it is about to write and may promise, or -1
	reads int32        // the number of the location that it is about to read, or -1
	heeds bool         // and a promise there would make a difference
	takes bool         // and it would modify what it reads
	free  bool         // it owes nothing
}

// link is a step.
type link struct {
	from   int32  // the spot that it begins at
	to     int32  // and that it ends at
	wrote  int32  // the number of the location that the step has written, or -1
	learnt uint64 // the atomic locations of which the unit has seen more by it, the last bit for all from the 63rd on
}

// stay is a state in which the unit is at a spot.
type stay struct {
	st *State // the state
	at int32  // the spot's number
}

func (m *Machine) loner(u memmodel.Unit) *loner {
	return &loner{m: m, unit: u, find: map[xxh3.Uint128]int32{}, kept: -1}
}

// runFrom runs the unit from s, which has this key, to wherever it can come without an operation that no promise may pass, and
// nothing is remembered of; or, with keeping, until it is known to keep what it owes; or it must stop.
func (l *loner) runFrom(s *State, key xxh3.Uint128, stop func() bool) {
	m := l.m
	l.layout = s.Cast.Layout
	start := l.state(s)
	start.solo = true
	l.arrive(start, link{from: -1}, key, true)
	var choices []Choice
	for len(l.todo) > 0 && l.kept < 0 && !stop() {
		n := l.todo[len(l.todo)-1]
		l.todo = l.todo[:len(l.todo)-1]
		choices = choices[:0]
		if n.st.status[l.unit] == Ready && m.mayPass(n.st, l.unit) {
			choices = slices.DeleteFunc(m.choicesAlone(n.st, l.unit, choices), func(c Choice) bool {
				return c.Broken > 0 // nobody else is there to break the sequence
			})
		}
		l.goOn(n, choices)
		if len(l.find) > maxAlone {
			l.endless = true
			m.offers.mu.Lock()
			m.offers.endless = true
			m.offers.mu.Unlock()
			break
		}
	}
	for _, n := range l.todo {
		m.offers.pool.Put(n.st)
	}
}

// goOn takes the steps from n, which is the loner's, with these outcomes.
func (l *loner) goOn(n stay, choices []Choice) {
	if len(choices) == 1 {
		l.step(n.st, n.at, choices[0], true)
		return
	}
	for _, c := range choices {
		l.step(l.state(n.st), n.at, c, false)
	}
	l.m.offers.pool.Put(n.st)
}

// state returns a copy of a state.
func (l *loner) state(s *State) *State {
	n := l.m.offers.pool.Get().(*State)
	n.CopyFrom(s)
	return n
}

// step performs the unit's next operation in n, which is the loner's, from a spot. Who has had only that way to go, and has gone on
// in the code, is nowhere where it could have been before.
func (l *loner) step(n *State, from int32, c Choice, only bool) {
	m, u := l.m, l.unit
	pc, back := n.pc[u], m.writesBack(n, u, c)
	if back {
		l.reg = append(l.reg[:0], n.reg(u)...)
	}
	x, messages := l.look(n, c)
	if m.Try(n, u, c); n.Abandoned || l.keepingOnly() && n.Mem.Missed(u) {
		m.offers.pool.Put(n)
		return
	}
	k := link{from: from, wrote: -1}
	if !l.keeping {
		l.note(&k, n, x, messages)
	}
	if only && n.pc[u] > pc {
		l.arrive(n, k, xxh3.Uint128{}, false)
		return
	}
	n.Mem.Thin() // a wait by seq_cst loads goes round
	if back && n.status[u] != Stuck && n.pc[u] == pc && slices.Equal(l.reg, n.reg(u)) {
		m.offers.pool.Put(n)
		return
	}
	l.arrive(n, k, m.alone(n, u), true)
}

// keepingOnly reports whether what the unit cannot keep its promises from is left out.
func (l *loner) keepingOnly() bool { return l.keeping && !l.m.offers.Doubts }

// look notes what the unit has seen of the atomic locations, and returns which of them the step is about to write, or -1, and how
// many messages that has.
func (l *loner) look(n *State, c Choice) (x memmodel.Loc, messages int) {
	if l.keeping {
		return -1, 0
	}
	l.seen = n.Mem.AppendSeen(l.seen[:0], l.unit)
	if x = l.m.Target(n, l.unit, c); x < 0 || l.layout.Atom(x) < 0 {
		return -1, 0
	}
	return x, n.Mem.Messages(x)
}

// note notes with a link what the step has done that led to n.
func (l *loner) note(k *link, n *State, x memmodel.Loc, messages int) {
	if n.Cast.Layout != l.layout { // whose atomic locations have other numbers
		k.learnt = ^uint64(0)
		return
	}
	if x >= 0 && n.Mem.Messages(x) > messages {
		k.wrote = l.number(x)
	}
	was := len(l.seen)
	l.seen = n.Mem.AppendSeen(l.seen, l.unit)
	for a, v := range l.seen[was:] {
		if v != l.seen[a] {
			k.learnt |= 1 << min(a, 63)
		}
	}
}

// arrive has the unit come to n by a step, or begin there.
func (l *loner) arrive(n *State, k link, key xxh3.Uint128, keyed bool) {
	at, been := int32(len(l.spots)), false
	if keyed {
		if i, ok := l.find[key]; ok {
			at, been = i, true
		} else {
			l.find[key] = at
		}
	}
	if k.to = at; k.from >= 0 && !l.keeping {
		l.links = append(l.links, k)
	}
	if been {
		l.m.offers.pool.Put(n)
		return
	}
	l.spots = append(l.spots, spot{key: key, keyed: keyed, from: k.from, write: -1, reads: -1})
	if l.meet(n, at) {
		l.todo = append(l.todo, stay{n, at})
	} else {
		l.m.offers.pool.Put(n)
	}
}

// meet notes what is to be noted of a new spot, and reports whether to go on from there.
func (l *loner) meet(n *State, at int32) bool {
	p, o := &l.spots[at], &l.m.offers
	if l.keeping {
		if n.Mem.Promises(l.unit) == 0 {
			l.kept = at
			return false
		}
		if p.keyed && at > 0 {
			o.mu.Lock()
			keeps, ok := o.keeps[p.key]
			o.mu.Unlock()
			if ok && keeps {
				l.kept = at
			}
			return !ok
		}
		return true
	}
	l.observe(n, p)
	if p.keyed && at > 0 {
		o.mu.Lock()
		known := o.solos[p.key]
		o.mu.Unlock()
		if known != nil {
			p.known = known.common
			return false
		}
	}
	return true
}

// observe notes what the unit is about to do at n.
func (l *loner) observe(n *State, p *spot) {
	m, u := l.m, l.unit
	p.free = n.Mem.Promises(u) == 0
	if w, ok := m.promisable(n, u); ok {
		p.write = int32(index(&l.offers, w))
	}
	x := m.Reading(n, u)
	if x < 0 {
		return
	}
	fn, pc := n.Cast.Units[u].Func, n.pc[u]
	p.reads = l.number(x)
	p.heeds = n.status[u] == Ready && m.offers.Looks[fn][pc] && m.offers.Heeds[fn][pc]
	p.takes = m.Modifying(n, u)
}

// number returns the number of a location among those that are noted.
func (l *loner) number(x memmodel.Loc) int32 { return int32(index(&l.locs, x)) }

// index returns where v is in a list, to which it is added unless it is there.
func index[T comparable](list *[]T, v T) int {
	i := slices.Index(*list, v)
	if i < 0 {
		i = len(*list)
		*list = append(*list, v)
	}
	return i
}

// rememberKept remembers what has been found: whoever has come to where the unit keeps what it owes can keep it; if there is no
// such place, nobody can who has been met.
func (l *loner) rememberKept() {
	o := &l.m.offers
	o.mu.Lock()
	defer o.mu.Unlock()
	if l.kept < 0 {
		for i := range l.spots {
			if p := &l.spots[i]; p.keyed && (i == 0 || !l.endless) {
				o.makeRoom(mapEntry)
				o.keeps[p.key] = false
			}
		}
		return
	}
	for i := l.kept; i >= 0; i = l.spots[i].from {
		if p := &l.spots[i]; p.keyed {
			o.makeRoom(mapEntry)
			o.keeps[p.key] = true
		}
	}
}

// remember remembers what the unit comes to from each spot, and returns that of the first.
func (l *loner) remember() *solo {
	l.joinKnown()
	found, bytes, cut := l.findings()
	o := &l.m.offers
	o.mu.Lock()
	defer o.mu.Unlock()
	o.endless = o.endless || cut
	o.makeRoom(bytes)
	for i, f := range found {
		if f != nil {
			o.solos[l.spots[i].key] = f
		}
	}
	return found[0]
}

// findings returns what is to be remembered of the spots, nil where nothing is, how many bytes that takes, and whether anything had to be left out of it.
func (l *loner) findings() (found []*solo, bytes int, cut bool) {
	r := l.outlook()
	shared := map[string]*common{}
	found = make([]*solo, len(l.spots))
	for i := range l.spots {
		if p := &l.spots[i]; p.known != nil || !p.keyed || i > 0 && l.endless {
			continue
		}
		text := r.text(i)
		all := shared[text]
		if all == nil {
			if all = l.gathered(r, i); len(all.writes) > maxOffers {
				all.writes, all.easy, cut = all.writes[:maxOffers], all.easy[:maxOffers], true
			}
			shared[text] = all
			bytes += all.bytes()
		}
		found[i] = &solo{common: all}
		bytes += soloEntry
	}
	return found, bytes, cut
}

// joinKnown gives what is known of some spots its numbers.
func (l *loner) joinKnown() {
	for i := range l.spots {
		known := l.spots[i].known
		if known == nil {
			continue
		}
		for _, w := range known.writes {
			index(&l.offers, w)
		}
		for _, list := range [...][]memmodel.Loc{known.Heeds, known.Takes, known.Again} {
			for _, x := range list {
				l.number(x)
			}
		}
	}
}

// outlook is what a unit comes to from each spot: five sets, one behind the other.
type outlook struct {
	sets                []uint64 // of all spots
	width, writes, locs int      // words of a spot, of a set of writes and of one of locations
}

// The sets of a spot.
const (
	setWrites = iota // about to be written later
	setEasy          // and in a way that a promise of it leaves open, by who owes nothing
	setHeeds
	setTakes
	setAgain
)

// set returns one of the sets of a spot.
func (r *outlook) set(spot, which int) facts.Set {
	at := spot * r.width
	switch which {
	case setWrites:
		return facts.Set(r.sets[at : at+r.writes])
	case setEasy:
		return facts.Set(r.sets[at+r.writes : at+2*r.writes])
	}
	at += 2*r.writes + (which-setHeeds)*r.locs
	return facts.Set(r.sets[at : at+r.locs])
}

// text returns what tells apart spots from which a unit comes to different things.
func (r *outlook) text(spot int) string {
	b := make([]byte, 0, 8*r.width)
	for _, w := range r.sets[spot*r.width : (spot+1)*r.width] {
		for range 8 {
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b)
}

// outlook finds what the unit comes to from each spot: what it does there, and what it comes to from where it goes.
func (l *loner) outlook() *outlook {
	r := &outlook{writes: (len(l.offers) + 63) / 64, locs: (len(l.locs) + 63) / 64}
	r.width = 2*r.writes + 3*r.locs
	r.sets = make([]uint64, len(l.spots)*r.width)
	for i := range l.spots {
		l.begin(r, i)
	}
	for again := true; again; {
		again = false
		for i := len(l.links) - 1; i >= 0; i-- {
			again = l.pass(r, &l.links[i]) || again
		}
	}
	return r
}

// begin fills the sets of a spot with what is there, and known of it.
func (l *loner) begin(r *outlook, i int) {
	p := &l.spots[i]
	if p.heeds {
		r.set(i, setHeeds).Add(int(p.reads))
	}
	if p.takes {
		r.set(i, setTakes).Add(int(p.reads))
	}
	if p.known == nil {
		return
	}
	for j, w := range p.known.writes {
		k := index(&l.offers, w)
		r.set(i, setWrites).Add(k)
		if p.known.easy[j] {
			r.set(i, setEasy).Add(k)
		}
	}
	for which, list := range [...][]memmodel.Loc{setHeeds: p.known.Heeds, setTakes: p.known.Takes, setAgain: p.known.Again} {
		for _, x := range list {
			r.set(i, which).Add(int(l.number(x)))
		}
	}
}

// pass lets the spot from which a step leads come to what the one comes to that it leads to. It reports whether that is news.
func (l *loner) pass(r *outlook, k *link) (news bool) {
	add := func(to facts.Set, i int, w uint64) {
		if w &^= to[i]; w != 0 {
			to[i] |= w
			news = true
		}
	}
	from, to, p := int(k.from), int(k.to), &l.spots[k.to]
	for which := setWrites; which <= setAgain; which++ {
		if which == setEasy {
			continue
		}
		set := r.set(from, which)
		for i, w := range r.set(to, which) {
			add(set, i, w)
		}
	}
	if w := int(k.wrote); w >= 0 && r.set(to, setTakes).Has(w) {
		add(r.set(from, setAgain), w>>6, 1<<(w&63))
	}
	if w := int(p.write); w >= 0 {
		add(r.set(from, setWrites), w>>6, 1<<(w&63))
	}
	easy := r.set(from, setEasy)
	for i, w := range r.set(to, setEasy) {
		for w &^= easy[i]; w != 0; w &= w - 1 {
			if j := i<<6 + bits.TrailingZeros64(w); l.leavesOpen(k, j) {
				add(easy, i, 1<<(j&63))
			}
		}
	}
	if w := int(p.write); w >= 0 && l.leavesOpen(k, w) {
		add(easy, w>>6, 1<<(w&63))
	}
	return news
}

// leavesOpen reports whether a unit that owes nothing and takes a step on its way to a write leaves open with it what a promise of the
// write leaves open, wherever that is put: it neither writes the location nor learns of it.
// docs/exploration/certifying.md, "Certifying".
func (l *loner) leavesOpen(k *link, write int) bool {
	p := &l.offers[write]
	return l.m.offers.easy && l.spots[k.from].free && !p.Order.Releases() && k.learnt&(1<<min(l.layout.Atom(p.loc), 63)) == 0
}

// gathered returns what the unit comes to from a spot.
func (l *loner) gathered(r *outlook, i int) *common {
	o := &common{}
	type found struct {
		offer
		easy bool // comes to it so
	}
	var all []found
	easy := r.set(i, setEasy)
	for j := range r.set(i, setWrites).All() {
		all = append(all, found{l.offers[j], easy.Has(j)})
	}
	slices.SortFunc(all, func(a, b found) int { return slices.Compare(a.words(), b.words()) })
	for _, w := range all { // the same write at two places is one
		last := len(o.writes) - 1
		if last >= 0 {
			if same := o.writes[last]; same.at(w.pc) == w.offer {
				o.easy[last] = o.easy[last] || w.easy
				continue
			}
		}
		o.writes, o.easy = append(o.writes, w.offer), append(o.easy, w.easy)
	}
	for which, list := range [...]*[]memmodel.Loc{setHeeds: &o.Heeds, setTakes: &o.Takes, setAgain: &o.Again} {
		if list != nil {
			for j := range r.set(i, which).All() {
				*list = append(*list, l.locs[j])
			}
			slices.Sort(*list)
		}
	}
	return o
}

// at returns the same write at another place of the code.
func (p offer) at(pc int) offer {
	p.pc = pc
	return p
}

// choicesAlone appends the outcomes of unit u's next operation that need to be followed when it runs alone: a load that makes
// no difference might as well read what the unit has seen last, as that keeps it from nothing.
func (m *Machine) choicesAlone(s *State, u memmodel.Unit, out []Choice) []Choice {
	fn, pc := s.Cast.Units[u].Func, s.pc[u]
	if m.Program.Funcs[fn].Code[pc].Op == ir.OpLoad && !m.offers.Heeds[fn][pc] && !m.Traits.SeqCst {
		if x := m.Reading(s, u); x >= 0 && !s.Mem.Blank(u, x) {
			return append(out, Choice{Back: uint16(s.Mem.Readable(u, x) - 1)})
		}
	}
	return m.Choices(s, u, out)
}

// writesBack reports whether a step of unit u is a read-modify-write that writes what it reads: as a round of
// waiting it is in vain, since others may read the write before instead, and the unit can do without the round.
func (m *Machine) writesBack(before *State, u memmodel.Unit, c Choice) bool {
	if c.Promise > 0 || !m.Modifying(before, u) {
		return false
	}
	p, ok := m.intended(before, u)
	if !ok || before.Mem.Blank(u, p.loc) {
		return false
	}
	old := before.Mem.Value(p.loc, memmodel.Msg(c.Back))
	val, writes := p.Modified(old)
	return writes && val == old
}

// mayPass reports whether a promise may be made before unit u's next operation
// and kept after it.
func (m *Machine) mayPass(s *State, u memmodel.Unit) bool {
	in := &m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]]
	return facts.Passable(in, memmodel.Global) || facts.Passable(in, memmodel.Local)
}
