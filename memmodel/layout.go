package memmodel

import "slices"

// Loc is a location by its number: an index into Layout.Locs. Where there may be none, none is -1.
type Loc int32

// Unit names a unit of execution by its index in the Layout. What describes one is a Place.
type Unit int

// Msg names a message of a location by its distance from the newest, which is 0: only old
// messages are ever dropped.
type Msg int

// Location describes one location of shared memory: a cell that is accessed as a
// whole.
type Location struct {
	Region Region // of memory: what fences name
	Kind   Kind   // how the host shares it, which decides the scopes that reach it
	// Atomic locations take atomic operations and keep a modification order.
	// The others are only ever accessed non-atomically, so that in a race-free
	// state their last value is all there is to know.
	Atomic bool
	// Init is the initial value; without Initialised, a read before any write
	// that happens before it is a violation (rule 1.4).
	Init        int64
	Initialised bool // Init is its value
	// Storers has the bit of each unit that may at some time store to the
	// location other than by a read-modify-write.
	Storers []uint64
	// Peekers has the bit of each unit that may at some time load the location
	// without writing it: by a load or a failing compare-exchange.
	Peekers []uint64
	// Uniform says that all accesses are atomic and of the scope Scope. Users
	// has the bit of each unit that may make one, now or, of a command, by its
	// work-items; nil means all.
	Uniform bool
	Scope   Scope    // of all accesses, if Uniform
	Users   []uint64 // who may make one
	// Usual is an access like most of them, to which an Odd one is compared: an atomic one of this scope, by that unit. Its zero value
	// stands for none: whatever is of no wider scope than a work-item's is odd.
	Usual struct {
		Scope Scope
		Unit  Unit
	}
}

// Traits says which mechanisms of the memory model a program can need, so that
// the others cost nothing. Each is found from the program's text and may err
// only towards true.
type Traits struct {
	SeqCst   bool // some operation is seq_cst
	SCFences bool // some fence is
	// Interleaved: all units see every atomic write at once. Set in place of SeqCst,
	// where that loses nothing.
	Interleaved bool
	// Gaps: some location has seq_cst loads, seq_cst writes and atomic writes that are
	// not seq_cst, so that rule 8.3 leaves a choice that a later write may decide.
	Gaps bool
	// MixedSC: the operations may violate the condition of Spec.SCConditional.
	MixedSC bool
	Fences  bool // some release or acquire fence, or barrier, may order atomics
	// Grains: something may order fine-grained memory and no coarse-grained:
	// device-side enqueue (rule 12.1), or atomics between devices or with the
	// host (rules 2.1, 2.2).
	Grains bool
	Local  bool // there is local memory
	// Promises: units may promise stores, because load buffering may matter
	// and is asked for.
	Promises bool
}

// The happens-before components. Global memory has two because device-side
// enqueue, and atomics between devices or with the host, order only
// fine-grained memory (rules 12.1, 12.21).
const (
	compLocal = iota
	compCoarse
	compFine
	compImage // only of programs with images
	numComps
)

type compSet uint8

const (
	localComps  compSet = 1 << compLocal
	globalComps compSet = 1<<compCoarse | 1<<compFine
	imageComps  compSet = 1 << compImage
	allComps            = localComps | globalComps // what atomic operations can order
)

// Layout is what does not change while a Memory exists: the units of
// execution, the locations, and where each finds its place in a view vector.
//
// A view vector has, for each happens-before component, one entry per atomic
// location of the component (1 + the index in modification order of the
// newest message known, 0 for none) and one per unit (its last event that
// happens before the vector's owner's next).
type Layout struct {
	Spec   Spec       // which reading of the text
	Traits Traits     // which mechanisms are needed
	Units  []Place    // where each unit of execution is
	Locs   []Location // the locations, by number

	group   []int32             // by unit: its work-group, by a number below groups; -1 if it has none that meets at barriers
	groups  int                 // how many there are
	atomics []Loc               // Locs index of each atomic location
	atom    []int32             // atomic index of each location, -1 for plain ones
	slot    []int32             // vector entry of each atomic location
	comp    []uint8             // component of each location
	calm    []bool              // whether no two accesses of the location can race
	rough   [numComps][]uint64  // by component: the locations that are not calm
	first   int                 // the components are first .. ncomps-1
	ncomps  int                 // one more than the last component
	images  bool                // there are images, and hence their component
	crowded bool                // there are so many units that most have seen what another one has
	clock   [numComps]int32     // vector entry of unit 0's clock, per component
	bound   [numComps + 1]int32 // vector entry that each component begins at
	width   int                 // of a vector, in entries
	nothing []uint32            // the vector of who has seen nothing
}

// crowd is how many units are so many that it pays to look for those who have seen the same, in an encoding.
const crowd = 32

// NewLayout derives the layout of a memory with these units and locations.
// Without traits.Grains coarse and fine-grained memory are not told apart.
func NewLayout(spec Spec, traits Traits, units []Place, locs []Location) *Layout {
	l := &Layout{Spec: spec, Traits: traits, Units: units, Locs: locs, ncomps: 2}
	if traits.Grains {
		l.ncomps = 3
	}
	if slices.ContainsFunc(locs, func(loc Location) bool { return loc.Region == Image }) {
		l.images, l.ncomps = true, numComps
	}
	if !traits.Local && !traits.SeqCst { // S must agree with its relation all the same (rule 8.2)
		l.first = compCoarse
	}
	l.seat()
	l.atom = make([]int32, len(locs))
	l.comp = make([]uint8, len(locs))
	for x, loc := range locs {
		l.atom[x] = -1
		if loc.Atomic {
			l.atom[x] = int32(len(l.atomics))
			l.atomics = append(l.atomics, Loc(x))
		}
		switch {
		case loc.Region == Local:
			l.comp[x] = compLocal
		case loc.Region == Image:
			l.comp[x] = compImage
		case traits.Grains && loc.Kind.Fine():
			l.comp[x] = compFine
		default:
			l.comp[x] = compCoarse
		}
	}
	for x := range l.locs() {
		l.calm = append(l.calm, l.raceFree(x))
	}
	for k := range l.rough {
		l.rough[k] = make([]uint64, wordsOf(len(locs)))
	}
	for x, calm := range l.calm {
		if !calm {
			l.rough[l.comp[x]][x>>6] |= 1 << (x & 63)
		}
	}
	l.place()
	return l
}

// fencers returns how many units of which fences count that come after accesses of images.
func (l *Layout) fencers() int {
	if l.images {
		return len(l.Units)
	}
	return 0
}

// Atom returns the number of location x among the atomic ones, or -1.
func (l *Layout) Atom(x Loc) int { return int(l.atom[x]) }

// locs returns how many locations there are, to count through their numbers.
func (l *Layout) locs() Loc { return Loc(len(l.Locs)) }

// units returns how many units there are, to count through their numbers.
func (l *Layout) units() Unit { return Unit(len(l.Units)) }

// place gives each location and unit its entry in a view vector.
func (l *Layout) place() {
	l.slot = make([]int32, len(l.atomics))
	at := int32(0)
	for c := l.first; c < l.ncomps; c++ {
		l.bound[c] = at
		for a, x := range l.atomics {
			if int(l.comp[x]) == c {
				l.slot[a] = at
				at++
			}
		}
		l.clock[c] = at
		if l.Traits.SeqCst || c == compImage || filled(l.rough[c]) {
			at += int32(len(l.Units))
		}
	}
	l.bound[l.ncomps] = at
	l.width = max(int(at), 1) // vectors are told apart by their places
	l.nothing = make([]uint32, l.width)
	l.crowded = len(l.Units) >= crowd
}

// clocks returns the part of a vector that has units' events in a component: none
// if nothing there can race, nor constrain seq_cst operations, since then nobody
// asks what happens before what.
func (l *Layout) clocks(v []uint32, comp int) []uint32 { return v[l.clock[comp]:l.bound[comp+1]] }

// Timed reports whether vectors have clocks at all.
func (l *Layout) Timed() bool { return int(l.bound[l.ncomps]) > len(l.atomics) }

// timed reports whether vectors have clocks in a component.
func (l *Layout) timed(comp int) bool { return l.clock[comp] < l.bound[comp+1] }

// know notes in a vector that it comes after event e of unit u in a component.
func (l *Layout) know(v []uint32, comp int, u Unit, e uint32) {
	if clocks := l.clocks(v, comp); len(clocks) > 0 {
		clocks[u] = e
	}
}

// Calm reports whether no two accesses of location x can race.
func (l *Layout) Calm(x Loc) bool { return l.calm[x] }

// raceFree reports whether the accesses of location x are all atomic and of
// inclusive scopes, so that they cannot race (rule 9.1).
func (l *Layout) raceFree(x Loc) bool {
	loc := &l.Locs[x]
	if !loc.Uniform {
		return false
	}
	first := Unit(-1)
	for u := range l.units() {
		if loc.Users != nil && loc.Users[u>>6]&(1<<(u&63)) == 0 {
			continue
		}
		if first < 0 {
			first = u
		} else if !l.inclusive(first, loc.Scope, u, loc.Scope, x) {
			return false // being within one instance of a scope is transitive
		}
	}
	return true
}

// Odd reports whether an access of location x by unit u may race with one that is not odd: unless it is atomic, of the usual
// scope, and that is an instance of it in which the others are. Two that are not odd cannot race (rule 9.1): being within one
// instance of a scope is transitive.
// docs/exploration/waiting.md, "What may race with a round".
func (l *Layout) Odd(u Unit, x Loc, na bool, s Scope) bool {
	loc := &l.Locs[x]
	return na || s <= ScopeSubGroup || s != loc.Usual.Scope || !l.inclusive(loc.Usual.Unit, s, u, s, x)
}

// inclusive reports whether an action of unit t with scope s and one of unit u
// with scope r have inclusive scopes (rules 3.4 to 3.7), both being on, or
// fences meeting through, location x.
func (l *Layout) inclusive(t Unit, s Scope, u Unit, r Scope, x Loc) bool {
	loc := &l.Locs[x]
	switch {
	case l.Spec.Kindless:
	case loc.Region == Local: // rule 3.4
		s, r = min(s, ScopeWorkGroup), min(r, ScopeWorkGroup)
	case loc.Kind == Buffer: // rule 2.4
		s, r = min(s, ScopeDevice), min(r, ScopeDevice)
	}
	if l.Spec.Inclusion == SameScope && s != r {
		return false
	}
	return l.within(t, u, min(s, r), loc)
}

// together reports whether whoever else takes what one of two releases publishes, through
// location x, takes what the other one does, and in the same components.
func (l *Layout) together(p, q key, x Loc) bool {
	t, u := Unit(p.unit), Unit(q.unit)
	if p.unit = q.unit; p != q {
		return false
	}
	for v := range l.units() {
		if v == t || v == u {
			continue
		}
		if l.between(t, v) != l.between(u, v) {
			return false
		}
		for r := ScopeSubGroup; r <= ScopeAllSVMDevices; r++ {
			if l.met(x, r) && l.inclusive(t, p.scope, v, r, x) != l.inclusive(u, p.scope, v, r, x) {
				return false
			}
		}
	}
	return true
}

// met reports whether an acquire that meets releases through location x may have
// scope r.
func (l *Layout) met(x Loc, r Scope) bool {
	return l.Traits.Fences || !l.Locs[x].Uniform || l.Locs[x].Scope == r
}

// within reports whether units t and u lie in one instance of scope s. With
// WiderScope a narrower instance that both share will do as well, which
// amounts to the same.
func (l *Layout) within(t, u Unit, s Scope, loc *Location) bool {
	if t == u {
		return true
	}
	a, b := &l.Units[t], &l.Units[u]
	if s == ScopeAllSVMDevices {
		if l.Spec.Kindless || loc == nil || loc.Kind.SVMAtomics() {
			return true
		}
		s = ScopeDevice // rule 2.4
	}
	switch s {
	case ScopeSubGroup:
		return a.SameGroup(*b) && a.Sub == b.Sub
	case ScopeWorkGroup:
		return a.SameGroup(*b)
	case ScopeDevice:
		if a.Host || !a.SameDevice(*b) {
			return a.Host && b.Host // the host's atomics work on all that it may touch
		}
		// Rules 2.9 and 3.5: on a cl_mem buffer only within one kernel-instance and its children.
		return loc == nil || loc.Kind != Buffer || l.Spec.Kindless || a.SameFamily(*b)
	}
	return false // work_item: rule 3.7
}

// between is the set of components in which atomics and fences of units t and u
// can order memory: between devices, or a device and the host, coarse-grained
// memory and buffers are ordered by commands only (rules 2.1, 2.2, 12.21).
func (l *Layout) between(t, u Unit) compSet {
	if !l.Traits.Grains || l.Units[t].SameDevice(l.Units[u]) {
		return allComps
	}
	return localComps | 1<<compFine
}

// regionComps is the set of components that order the memory of a region.
func regionComps(r Region) compSet {
	switch r {
	case Local:
		return localComps
	case Image:
		return imageComps
	}
	return globalComps
}

// seat numbers the work-groups.
func (l *Layout) seat() {
	l.group = make([]int32, len(l.Units))
	known := map[Place]int32{}
	for u, p := range l.Units {
		l.group[u] = -1
		if p.Host || p.Copies() {
			continue
		}
		of := Place{Device: p.Device, Kernel: p.Kernel, Group: p.Group}
		g, ok := known[of]
		if !ok {
			g = int32(len(known))
			known[of] = g
		}
		l.group[u] = g
	}
	l.groups = len(known)
}

// flagComps is the set of components that a fence (rule 4.4) or barrier (rule 11.3) with these flags orders.
func flagComps(f Flags) compSet {
	var c compSet
	if f&LocalFence != 0 {
		c |= localComps
	}
	if f&GlobalFence != 0 {
		c |= globalComps
	}
	if f&ImageFence != 0 {
		c |= imageComps
	}
	return c
}
