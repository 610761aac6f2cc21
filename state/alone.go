package state

import (
	"math/bits"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/zeebo/xxh3"
)

// The certification search: the states that a unit reaches when it runs alone, and what is remembered of each. What a unit does from a
// node consists of what it does from the nodes behind, so no node is searched twice.
// docs/exploration/certifying.md, "Certifying".

// Bounds: on the states of a unit that runs alone, and on the writes that it may
// promise at one place.
const (
	maxAlone  = 1 << 12
	maxOffers = 1<<8 - 2 // which Choice.Promise can tell apart
)

// aloneSearch searches the states that a unit reaches when it runs alone.
type aloneSearch struct {
	q       *Certifier             // who asks, and remembers
	m       *Machine               // the machine that performs its steps
	unit    memmodel.Unit          // which one
	keeping bool                   // search only for a node without promises
	nodes   []node                 // reached so far, the start first
	find    map[xxh3.Uint128]int32 // the number of a node by its key
	edges   []edge                 // between the nodes; none with keeping
	todo    []workItem             // nodes from which to go on
	kept    int32                  // the node at which it owes nothing, or is known to fulfil its promises; or -1
	endless bool                   // there are more nodes than maxAlone
	layout  *memmodel.Layout       // of the state where it begins
	reg     []int64                // scratch: its registers before a step
	seen    []uint32               // scratch: what it has seen of the atomic locations
	offers  []offer                // the writes that nodes are about to perform
	locs    []memmodel.Loc         // the locations that nodes mention
}

// node is a state that the unit has reached alone.
type node struct {
	key          xxh3.Uint128 // its fingerprint, if keyed
	keyed        bool         // false if a single outcome led here
	from         int32        // the node from which it was first reached, or -1
	known        *common      // what follows, if that is remembered
	write        int32        // index into offers of the promisable write here, or -1
	reads        int32        // index into locs of the location read here, or -1
	valueMatters bool         // the value of that read matters
	takes        bool         // that read is a read-modify-write
	free         bool         // the unit owes no promise here
}

// edge is a step from one node to another.
type edge struct {
	from   int32  // the node at which it begins
	to     int32  // the node at which it ends
	wrote  int32  // index into locs of the atomic location written, or -1
	learnt uint64 // the atomic locations of which the unit has seen more by it, the last bit for all from the 63rd on
}

// workItem is a node from which the search has yet to go on, with its state.
type workItem struct {
	st *State // the state
	at int32  // the number of its node
}

// search returns a search that has not begun.
func (q *Certifier) search(u memmodel.Unit) *aloneSearch {
	return &aloneSearch{q: q, m: q.m, unit: u, find: map[xxh3.Uint128]int32{}, kept: -1}
}

// runFrom explores the states that the unit reaches alone from s, whose key is given. It goes no further behind an
// operation that no promise may pass, or at a node that is remembered. With keeping it ends once the unit is known
// to fulfil its promises. stop ends it early.
func (l *aloneSearch) runFrom(s *State, key xxh3.Uint128, stop func() bool) {
	l.layout = s.Cast.Layout
	start := l.state(s)
	start.solo = true
	l.arrive(start, edge{from: -1}, key, true)
	var choices []Choice
	for len(l.todo) > 0 && l.kept < 0 && !stop() {
		n := l.todo[len(l.todo)-1]
		l.todo = l.todo[:len(l.todo)-1]
		choices = choices[:0]
		if n.st.status[l.unit] == Ready && l.q.mayPass(n.st, l.unit) {
			choices = slices.DeleteFunc(l.q.choicesAlone(n.st, l.unit, choices), func(c Choice) bool {
				return c.Broken > 0 // nobody else is there to break the sequence
			})
		}
		l.goOn(n, choices)
		if len(l.find) > maxAlone {
			l.endless = true
			l.q.mu.Lock()
			l.q.endless = true
			l.q.mu.Unlock()
			break
		}
	}
	for _, n := range l.todo {
		l.q.pool.Put(n.st)
	}
}

// goOn performs the given outcomes of the unit's next operation at n. It consumes the state of n.
func (l *aloneSearch) goOn(n workItem, choices []Choice) {
	if len(choices) == 1 {
		l.step(n.st, n.at, choices[0], true)
		return
	}
	for _, c := range choices {
		l.step(l.state(n.st), n.at, c, false)
	}
	l.q.pool.Put(n.st)
}

// state returns a copy of a state.
func (l *aloneSearch) state(s *State) *State {
	n := l.q.pool.Get().(*State)
	n.CopyFrom(s)
	return n
}

// step performs one outcome of the unit's next operation in n, whose state it consumes. from is the node that it
// leads from. A single outcome (only) that advances the pc reaches a new node, so no lookup is needed.
func (l *aloneSearch) step(n *State, from int32, c Choice, only bool) {
	m, u := l.m, l.unit
	pc, back := n.pc[u], l.q.writesBack(n, u, c) || l.keeping && l.q.keepsInVain(n, u, c)
	if back {
		l.reg = append(l.reg[:0], n.reg(u)...)
	}
	x, messages := l.sampleRead(n, c)
	if m.Try(n, u, c); n.Abandoned || l.keepingOnly() && n.Mem.Missed(u) {
		l.q.pool.Put(n)
		return
	}
	k := edge{from: from, wrote: -1}
	if !l.keeping {
		l.recordEdge(&k, n, x, messages)
	}
	if only && n.pc[u] > pc {
		l.arrive(n, k, xxh3.Uint128{}, false)
		return
	}
	n.Mem.Thin() // a wait by seq_cst loads goes round
	if back && n.status[u] != Stuck && n.pc[u] == pc && slices.Equal(l.reg, n.reg(u)) {
		l.q.pool.Put(n)
		return
	}
	l.arrive(n, k, l.q.alone(n, u), true)
}

// keepingOnly reports whether states from which the unit cannot fulfil its promises are left out.
func (l *aloneSearch) keepingOnly() bool { return l.keeping && !l.q.where.Doubts }

// sampleRead records how much of each atomic location the unit has seen. It returns the atomic location that the
// step is about to write, or -1, and the number of messages there.
func (l *aloneSearch) sampleRead(n *State, c Choice) (x memmodel.Loc, messages int) {
	if l.keeping {
		return -1, 0
	}
	l.seen = n.Mem.AppendSeen(l.seen[:0], l.unit)
	if x = l.m.Target(n, l.unit, c); x < 0 || l.layout.Atom(x) < 0 {
		return -1, 0
	}
	return x, n.Mem.Messages(x)
}

// recordEdge records in k what the step that led to n has written and learnt.
func (l *aloneSearch) recordEdge(k *edge, n *State, x memmodel.Loc, messages int) {
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

// arrive adds the node of n, unless it is known by its key, and the edge that leads to it. It consumes n.
func (l *aloneSearch) arrive(n *State, k edge, key xxh3.Uint128, keyed bool) {
	at, been := int32(len(l.nodes)), false
	if keyed {
		if i, ok := l.find[key]; ok {
			at, been = i, true
		} else {
			l.find[key] = at
		}
	}
	if k.to = at; k.from >= 0 && !l.keeping {
		l.edges = append(l.edges, k)
	}
	if been {
		l.q.pool.Put(n)
		return
	}
	l.nodes = append(l.nodes, node{key: key, keyed: keyed, from: k.from, write: -1, reads: -1})
	if l.matchNode(n, at) {
		l.todo = append(l.todo, workItem{n, at})
	} else {
		l.q.pool.Put(n)
	}
}

// matchNode records what is at a new node, and reports whether the search goes on from it: it does not if what
// follows is remembered.
func (l *aloneSearch) matchNode(n *State, at int32) bool {
	p := &l.nodes[at]
	if l.keeping {
		if n.Mem.Promises(l.unit) == 0 {
			l.kept = at
			return false
		}
		if p.keyed && at > 0 {
			keeps, ok := recall(l.q, l.q.keeps, p.key)
			if ok && keeps {
				l.kept = at
			}
			return !ok
		}
		return true
	}
	l.observe(n, p)
	if p.keyed && at > 0 {
		if known, ok := recall(l.q, l.q.certifications, p.key); ok {
			p.known = known.common
			return false
		}
	}
	return true
}

// observe records what the unit is about to do at n.
func (l *aloneSearch) observe(n *State, p *node) {
	m, u := l.m, l.unit
	p.free = n.Mem.Promises(u) == 0
	if w, ok := l.q.promisable(n, u); ok {
		p.write = int32(index(&l.offers, w))
	}
	x := m.Reading(n, u)
	if x < 0 {
		return
	}
	fn, pc := n.Cast.Units[u].Func, n.pc[u]
	p.reads = l.number(x)
	p.valueMatters = n.status[u] == Ready && l.q.where.Readers[fn][pc] && l.q.where.ValueMatters[fn][pc]
	p.takes = m.Modifying(n, u)
}

// promisable returns the write that unit u is about to perform, if it is of
// the kinds that can be promised.
func (q *Certifier) promisable(s *State, u memmodel.Unit) (offer, bool) {
	unit := &s.Cast.Units[u]
	if s.status[u] != Ready || !q.where.Writes[unit.Func][s.pc[u]] {
		return offer{}, false
	}
	p, ok := q.m.intended(s, u)
	return p, ok && q.enough(p.loc)
}

// number returns the index of a location among those that nodes mention.
func (l *aloneSearch) number(x memmodel.Loc) int32 { return int32(index(&l.locs, x)) }

// index returns the position of v in a list, appending it if necessary.
func index[T comparable](list *[]T, v T) int {
	i := slices.Index(*list, v)
	if i < 0 {
		i = len(*list)
		*list = append(*list, v)
	}
	return i
}

// rememberKept stores the results of a search with keeping. Each node on the way to the one where the unit owes
// nothing can fulfil its promises. If there is no such node, none of the nodes can.
func (l *aloneSearch) rememberKept() {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	if l.kept < 0 {
		for i := range l.nodes {
			if p := &l.nodes[i]; p.keyed && (i == 0 || !l.endless) {
				l.q.makeRoom(mapEntry)
				l.q.keeps[p.key] = false
			}
		}
		return
	}
	for i := l.kept; i >= 0; i = l.nodes[i].from {
		if p := &l.nodes[i]; p.keyed {
			l.q.makeRoom(mapEntry)
			l.q.keeps[p.key] = true
		}
	}
}

// remember stores the certification of each node and returns that of the first.
func (l *aloneSearch) remember() *certification {
	l.joinKnown()
	found, bytes, cut := l.findings()
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	l.q.endless = l.q.endless || cut
	l.q.makeRoom(bytes)
	for i, f := range found {
		if f != nil {
			l.q.certifications[l.nodes[i].key] = f
		}
	}
	return found[0]
}

// findings returns the certification to store for each node, or nil, the number of bytes that they take, and
// whether a bound cut one of them.
func (l *aloneSearch) findings() (found []*certification, bytes int, cut bool) {
	r := l.reachableEffects()
	shared := map[string]*common{}
	found = make([]*certification, len(l.nodes))
	for i := range l.nodes {
		if p := &l.nodes[i]; p.known != nil || !p.keyed || i > 0 && l.endless {
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
		found[i] = &certification{common: all}
		bytes += certificationEntry
	}
	return found, bytes, cut
}

// joinKnown numbers the writes and locations of remembered certifications.
func (l *aloneSearch) joinKnown() {
	for i := range l.nodes {
		known := l.nodes[i].known
		if known == nil {
			continue
		}
		for _, w := range known.writes {
			index(&l.offers, w)
		}
		for _, list := range [...][]memmodel.Loc{known.ValueMatters, known.Takes, known.Again} {
			for _, x := range list {
				l.number(x)
			}
		}
	}
}

// reachableEffects summarises what a unit does from each node on: five sets a node, in one slice.
type reachableEffects struct {
	sets                []uint64 // of all nodes
	width, writes, locs int      // in words: of a node, of a set of writes, of a set of locations
}

// The sets of a node.
const (
	setWrites = iota // the writes that the unit may perform later
	setEasy          // of these, writes of which a promise needs no search
	setValueMatters
	setTakes
	setAgain
)

// set returns one of the sets of a node.
func (r *reachableEffects) set(node, which int) facts.Set {
	at := node * r.width
	switch which {
	case setWrites:
		return facts.Set(r.sets[at : at+r.writes])
	case setEasy:
		return facts.Set(r.sets[at+r.writes : at+2*r.writes])
	}
	at += 2*r.writes + (which-setValueMatters)*r.locs
	return facts.Set(r.sets[at : at+r.locs])
}

// text encodes the sets of a node, so that equal summaries share one record.
func (r *reachableEffects) text(node int) string {
	b := make([]byte, 0, 8*r.width)
	for _, w := range r.sets[node*r.width : (node+1)*r.width] {
		for range 8 {
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b)
}

// reachableEffects computes the summaries as a least fixed point over the edges.
func (l *aloneSearch) reachableEffects() *reachableEffects {
	r := &reachableEffects{writes: (len(l.offers) + 63) / 64, locs: (len(l.locs) + 63) / 64}
	r.width = 2*r.writes + 3*r.locs
	r.sets = make([]uint64, len(l.nodes)*r.width)
	for i := range l.nodes {
		l.begin(r, i)
	}
	for again := true; again; {
		again = false
		for i := len(l.edges) - 1; i >= 0; i-- {
			again = l.pass(r, &l.edges[i]) || again
		}
	}
	return r
}

// begin fills the sets of a node with what the unit does there and what is remembered of it.
func (l *aloneSearch) begin(r *reachableEffects, i int) {
	p := &l.nodes[i]
	if p.valueMatters {
		r.set(i, setValueMatters).Add(int(p.reads))
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
	for which, list := range [...][]memmodel.Loc{setValueMatters: p.known.ValueMatters, setTakes: p.known.Takes, setAgain: p.known.Again} {
		for _, x := range list {
			r.set(i, which).Add(int(l.number(x)))
		}
	}
}

// pass adds to the node at which an edge begins what is known of the one at which it ends. It reports whether that
// is new.
func (l *aloneSearch) pass(r *reachableEffects, k *edge) (news bool) {
	add := func(to facts.Set, i int, w uint64) {
		if w &^= to[i]; w != 0 {
			to[i] |= w
			news = true
		}
	}
	from, to, p := int(k.from), int(k.to), &l.nodes[k.to]
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

// leavesOpen reports whether a step on the way to a write keeps open all that a promise of the write keeps open,
// wherever the promise is placed. The unit must owe nothing, and the step neither writes the location nor learns
// of it.
// docs/exploration/certifying.md, "Certifying".
func (l *aloneSearch) leavesOpen(k *edge, write int) bool {
	p := &l.offers[write]
	return l.q.easy && l.nodes[k.from].free && !p.Order.Releases() && k.learnt&(1<<min(l.layout.Atom(p.loc), 63)) == 0
}

// gathered returns the summary of a node as it is stored.
func (l *aloneSearch) gathered(r *reachableEffects, i int) *common {
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
	for which, list := range [...]*[]memmodel.Loc{setValueMatters: &o.ValueMatters, setTakes: &o.Takes, setAgain: &o.Again} {
		if list != nil {
			for j := range r.set(i, which).All() {
				*list = append(*list, l.locs[j])
			}
			slices.Sort(*list)
		}
	}
	return o
}

// choicesAlone appends the outcomes of unit u's next operation that must be tried when it runs alone. A load whose
// value does not matter reads what the unit has seen last: that keeps it from nothing.
func (q *Certifier) choicesAlone(s *State, u memmodel.Unit, out []Choice) []Choice {
	fn, pc := s.Cast.Units[u].Func, s.pc[u]
	if q.m.Program.Funcs[fn].Code[pc].Op == ir.OpLoad && !q.where.ValueMatters[fn][pc] && !q.m.Traits.SeqCst {
		if x := q.m.Reading(s, u); x >= 0 && !s.Mem.Blank(u, x) {
			return append(out, Choice{Back: uint16(s.Mem.Readable(u, x) - 1)})
		}
	}
	return q.m.Choices(s, u, out)
}

// writesBack reports whether a step of unit u is a read-modify-write that writes what it reads. As a round of
// waiting it is in vain: others may read the earlier write instead.
func (q *Certifier) writesBack(before *State, u memmodel.Unit, c Choice) bool {
	if c.Promise > 0 || !q.m.Modifying(before, u) {
		return false
	}
	p, ok := q.m.intended(before, u)
	if !ok || before.Mem.Blank(u, p.loc) {
		return false
	}
	old := before.Mem.Value(p.loc, memmodel.Msg(c.Back))
	val, writes := p.Modified(old)
	return writes && val == old
}

// keepsInVain reports whether a step keeps a promise by a read-modify-write that writes what it reads, and of which a round of waiting keeps none.
// docs/exploration/certifying.md, "Rounds in vain".
func (q *Certifier) keepsInVain(before *State, u memmodel.Unit, c Choice) bool {
	fn := before.Cast.Units[u].Func
	if c.Promise != 1 || q.where.Vain == nil || !q.where.Vain[fn][before.pc[u]] || q.where.Doubts {
		return false
	}
	c.Promise = 0
	return q.writesBack(before, u, c)
}

// mayPass reports whether a promise may be made before unit u's next operation and fulfilled after it.
func (q *Certifier) mayPass(s *State, u memmodel.Unit) bool {
	in := &q.m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]]
	return facts.Passable(in, memmodel.Global) || facts.Passable(in, memmodel.Local)
}
