package state

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
	"github.com/zeebo/xxh3"
)

// symmetry is what may be exchanged in a cast: work-items, sub-groups and
// work-groups of one kernel-instance that run the same code, which asks for
// nothing that would tell them apart; commands with all that they consist of;
// and host threads.
type symmetry struct {
	orbits []orbit // what contains others comes after them
	// For signatures: see memmodel.Signatures. kinds has a word for each unit,
	// equal for those that can ever take each other's place.
	kinds       []uint64
	locs        []uint64 // by location: equal for those that can take each other's place
	home, place []int32  // of a location, whose group's it is, -1 for none; of a unit, which group it is in
	movable     []bool   // by unit
	alone       []int32  // by unit: the orbit in which it is exchanged by itself, or -1
	within      [][]seat // by unit: where it is exchanged with others
	units       []int32  // that may be exchanged
	groups      []int32  // that may, and one that may not
}

// orbit is a set of blocks of units that may be exchanged: unit i of the one
// for unit i of the other.
type orbit struct {
	blocks [][]int32        // the units of each
	groups [][]int32        // the work-groups that go with each: indexes into Cast.Groups
	locs   [][]memmodel.Loc // the locations of these
}

// usesSubGroups reports whether anything depends on which work-items share a sub-group.
func usesSubGroups(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op.Visible() && in.Scope == memmodel.ScopeSubGroup || in.Op.Meets() && in.SubGroup {
				return true
			}
		}
	}
	return false
}

// usesGroups reports whether anything depends on who shares a work-group, but for what work-items ask for.
func (m *Machine) usesGroups() bool {
	if m.DeviceQueue || len(m.Copies) > 0 {
		return true
	}
	for i := range m.Program.Objects {
		if m.Program.Objects[i].Region != memmodel.Global {
			return true
		}
	}
	for _, f := range m.Program.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			scoped := in.Op == ir.OpFence || in.Op.Access() && in.Order != memmodel.NonAtomic
			if in.Op.Meets() || scoped && in.Scope < memmodel.ScopeDevice {
				return true
			}
		}
	}
	return false
}

// symmetry finds what may be exchanged in a cast, nil if nothing.
// docs/exploration/symmetry.md, "What may be exchanged".
func (m *Machine) symmetry(c *Cast) *symmetry {
	b := symmetryBuilder{m: m, c: c, grouped: m.usesGroups(), subs: usesSubGroups(m.Program), classes: m.commandClasses(c), at: map[string]int{}}
	for u := range c.Count() {
		b.kinds = append(b.kinds, b.kind(u))
	}
	groups := make([]block, len(c.Groups))
	for g := range c.Groups {
		if c.Groups[g].base >= 0 {
			groups[g] = b.group(g)
		}
	}
	for u := range c.Count() {
		switch {
		case b.classes[u] != 0:
			b.command(u, groups)
		case c.Units[u].thread() && b.kinds[u] != "":
			b.add(levelCommand, b.kinds[u], block{units: []int32{int32(u)}, shape: b.kinds[u]})
		}
	}
	return b.finish()
}

type symmetryBuilder struct {
	m       *Machine       // whose program it is
	c       *Cast          // whose symmetry
	grouped bool           // who shares a work-group matters
	subs    bool           // sub-groups matter
	classes []int          // of symmetric commands, by unit: see commandClasses
	kinds   []string       // by unit; "" if it is not to be exchanged
	found   [4][]orbit     // by level
	at      map[string]int // of an orbit, among those of its level
}

// The levels of what may be exchanged.
const (
	levelItem = iota
	levelSub
	levelGroup
	levelCommand // and host threads
)

// kind returns what the code of a unit can know of it, "" if the unit stays
// where it is.
func (b *symmetryBuilder) kind(u memmodel.Unit) string {
	unit := &b.c.Units[u]
	if unit.Func < 0 {
		return ""
	}
	asked := b.m.Asks[unit.Func]
	if !asked.OK || unit.Place.Host && (asked.Observes || asked.Ordered) {
		return ""
	}
	k := []byte{1}
	instance := int(unit.command) // the numbers of instances differ from run to run, but for those that no command runs
	switch {
	case instance < 0:
		instance = -1 - int(unit.Place.Kernel)
	case b.classes[instance] != 0: // those of symmetric commands are symmetric
		instance = len(b.c.Units) + b.classes[instance]
	}
	for _, v := range [...]int{unit.Func, int(unit.Place.Device), instance} {
		k = binary.AppendVarint(k, int64(v))
	}
	k = asked.Answers(k, &unit.Item)
	if asked.Ordered {
		k = binary.AppendVarint(k, int64(slices.Index(b.c.Groups[unit.Group].Units, u)))
	}
	return string(k)
}

// block is a part of a work-group: its units in the order in which they
// correspond to those of its like.
type block struct {
	units  []int32 // the units that move together
	groups []int32 // that go with it
	shape  string  // equal for those that may be exchanged, "" for none
}

// group finds what may be exchanged in and with a work-group, and describes it.
func (b *symmetryBuilder) group(g int) block {
	units := b.c.Groups[g].Units
	bySub := map[int][]memmodel.Unit{}
	for _, u := range units {
		sub := 0
		if b.subs {
			sub = b.c.Units[u].Sub
		}
		bySub[sub] = append(bySub[sub], u)
	}
	var subs []block
	for _, u := range units {
		sub := 0
		if b.subs {
			sub = b.c.Units[u].Sub
		}
		if list := bySub[sub]; list[0] == u {
			subs = append(subs, b.sub(list, g, sub))
		}
	}
	slices.SortStableFunc(subs, func(p, q block) int { return cmp.Compare(p.shape, q.shape) })
	whole := block{shape: string(binary.AppendVarint([]byte{1}, int64(b.c.Units[units[0]].Func)))}
	for _, s := range subs {
		b.add(levelSub, string(binary.AppendVarint(nil, int64(g)))+s.shape, s)
		whole.units = append(whole.units, s.units...)
		whole.shape += string(binary.AppendVarint(nil, int64(len(s.shape)))) + s.shape
		if s.shape == "" {
			return block{}
		}
	}
	if b.grouped {
		whole.groups = []int32{int32(g)}
		b.add(levelGroup, string(binary.AppendVarint(nil, int64(b.c.Units[units[0]].command)))+whole.shape, whole)
	}
	return whole
}

// sub finds what may be exchanged in a sub-group, and describes it.
func (b *symmetryBuilder) sub(units []memmodel.Unit, g, sub int) block {
	units = slices.Clone(units)
	slices.SortStableFunc(units, func(t, u memmodel.Unit) int { return strings.Compare(b.kinds[t], b.kinds[u]) })
	var s block
	var shape []byte
	for _, u := range units {
		k := b.kinds[u]
		s.units = append(s.units, int32(u))
		shape = append(binary.AppendVarint(shape, int64(len(k))), k...)
		at := binary.AppendVarint(nil, int64(b.c.Units[u].Place.Kernel)) // symmetric commands have symmetric items
		if b.grouped {
			at = binary.AppendVarint(binary.AppendVarint(at, int64(g)), int64(sub))
		}
		b.add(levelItem, string(at)+k, block{units: []int32{int32(u)}, shape: k})
	}
	if b.kinds[units[0]] != "" {
		s.shape = string(shape)
	}
	return s
}

// add adds a block to the orbit of that key.
func (b *symmetryBuilder) add(level int, key string, blk block) {
	if blk.shape == "" {
		return
	}
	key = string(rune(level)) + key
	i, ok := b.at[key]
	if !ok {
		i = len(b.found[level])
		b.at[key] = i
		b.found[level] = append(b.found[level], orbit{})
	}
	k := &b.found[level][i]
	k.blocks, k.groups = append(k.blocks, blk.units), append(k.groups, blk.groups)
	var locs []memmodel.Loc
	for _, g := range blk.groups {
		from, to := b.c.segment(int(g))
		for x := from; x < to; x++ {
			locs = append(locs, x)
		}
	}
	k.locs = append(k.locs, locs)
}

// finish keeps the orbits in which there is something to exchange.
func (b *symmetryBuilder) finish() *symmetry {
	c := b.c
	y := &symmetry{kinds: make([]uint64, len(c.Units)), place: make([]int32, len(c.Units)), movable: make([]bool, len(c.Units))}
	for u := range c.Units {
		y.kinds[u], y.place[u] = memmodel.Mix(uint64(u), 1), -1
	}
	for x := range c.cells {
		y.locs, y.home = append(y.locs, memmodel.Mix(uint64(x), 2)), append(y.home, -1)
	}
	for level := range b.found {
		for i, k := range b.found[level] {
			if len(k.blocks) < 2 {
				continue
			}
			y.orbits = append(y.orbits, k)
			for _, blk := range k.blocks {
				for _, u := range blk {
					if !y.movable[u] {
						y.units = append(y.units, u)
					}
					y.kinds[u], y.movable[u] = xxh3.HashString(b.kinds[u]), true
				}
			}
			for _, g := range slices.Concat(k.groups...) {
				y.groups = append(y.groups, g)
				for _, u := range c.Groups[g].Units {
					y.place[u] = g
				}
				from, to := c.segment(int(g))
				for x := from; x < to; x++ {
					y.locs[x], y.home[x] = memmodel.Mix(uint64(x-from), uint64(3+i)+uint64(level-levelGroup)<<32), g
				}
			}
		}
	}
	if len(y.orbits) == 0 {
		return nil
	}
	y.alone, y.within = y.findAlone(len(c.Units)), y.findSeats(len(c.Units))
	for g := range c.Groups { // one that keeps the signature that all begin with
		if !slices.Contains(y.groups, int32(g)) {
			y.groups = append(y.groups, int32(g))
			break
		}
	}
	return y
}

// segment returns the locations that belong to a work-group: from, and up to to.
func (c *Cast) segment(g int) (from, to memmodel.Loc) {
	from = c.Groups[g].base
	for to = from; int(to) < len(c.cells) && c.cells[to].fn >= 0 && c.cells[to].group == g; to++ {
	}
	return from, to
}

// Symmetric reports whether units of the cast may be exchanged.
func (c *Cast) Symmetric() bool { return c.sym != nil }

// Movable reports whether unit u may be exchanged for another one.
func (c *Cast) Movable(u int) bool { return c.sym != nil && u < len(c.sym.movable) && c.sym.movable[u] }

// MovableLoc reports whether location x may be exchanged for another one.
func (c *Cast) MovableLoc(x memmodel.Loc) bool {
	return c.sym != nil && int(x) < len(c.sym.home) && c.sym.home[x] >= 0
}

// Carry makes of a renaming of the units of cast c, to IDs, the one that it amounts
// to for a cast d that has followed: units that are new keep their names.
func (c *Cast) Carry(d *Cast, names []uint64) []uint64 {
	to := make([]uint64, len(d.Units))
	for u := range d.Units {
		to[u] = d.Units[u].ID
		if was, ok := c.index[to[u]]; ok {
			to[u] = names[was]
		}
	}
	return to
}

// Find returns the unit of an ID, or -1.
func (c *Cast) Find(id uint64) memmodel.Unit {
	if u, ok := c.index[id]; ok {
		return u
	}
	return -1
}

// RenameLoc returns what location x is called when unit u is called names[u].
func (c *Cast) RenameLoc(x memmodel.Loc, names []uint64) memmodel.Loc {
	cl := c.cells[x]
	if cl.fn < 0 {
		return x
	}
	u := c.index[names[c.Groups[cl.group].Units[0]]]
	return c.Groups[c.Units[u].Group].base + memmodel.Loc(cl.addr)
}

// Sorter gives interchangeable units new names, so that states that differ in
// nothing else become equal: those whose states are equal so far as can be
// told without names stay in order, the others are sorted. It holds scratch
// space only; one serves one goroutine.
type Sorter struct {
	// Units and Locs tell what the last Sort did: unit u of the state was unit
	// Units[u] before, location x was Locs[x]. They are valid if it renamed.
	Units []int32
	Locs  []memmodel.Loc // see Units
	went  bool           // locations have been renamed since Locs said that none was

	to     memmodel.Renaming   // what each unit and location becomes
	locs   []memmodel.Loc      // space for its locations
	sig    memmodel.Signatures // what tells the units apart without their names
	left   []int32             // by unit: how far it has to go; see sign
	table  []uint64            // scratch space: signatures, by themselves,
	sorted []uint64            // those of an orbit's blocks,
	order  []int32             // the blocks in order, and
	moved  []int32             // the units that they have been, in that order,
	gone   []memmodel.Loc      // and their locations
	status []Status            // of the state before it is renamed, as are
	pc     []int32             // these,
	refs   []uint8             // these and
	regs   []int64             // those

	image     State         // a state under other names, and
	text      []byte        // its text
	unit      memmodel.Unit // the one that Look was asked for:
	named     []uint64      // units that its state names,
	compared  bool          // it has been compared with all that it may be exchanged with by itself:
	symmetric []int32       // those that it can be exchanged with, and
	others    []int32       // those of which that must be seen
	pairs     [][2]int32    // see Exchange
}

// Sort renames the interchangeable units of s, which must be canonical and
// stays so. It reports whether any was renamed.
// docs/exploration/symmetry.md, "Why that is enough".
func (o *Sorter) Sort(m *Machine, c *memmodel.Canon, s *State) bool {
	y := s.Cast.sym
	if y == nil {
		return false
	}
	o.sign(y, s)
	o.identity(s)
	moved := false
	for i := range y.orbits {
		moved = o.sortOrbit(&y.orbits[i], s.Cast) || moved
	}
	if !moved {
		return false
	}
	o.invert()
	s.rename(o)
	m.lookAhead(c, s)
	c.Rename(&s.Mem, &o.to)
	return true
}

func (o *Sorter) identity(s *State) {
	o.Units = o.Units[:0]
	for u := range s.Cast.Units {
		o.Units = append(o.Units, int32(u))
	}
	if n := len(s.Cast.cells); o.went || len(o.Locs) != n {
		o.Locs, o.went = o.Locs[:0], false
		for x := range n {
			o.Locs = append(o.Locs, memmodel.Loc(x))
		}
	}
}

// invert makes `to` what Units and Locs come to.
func (o *Sorter) invert() {
	o.to.Units, o.to.Locs = inverse(o.to.Units, o.Units), nil
	if o.went {
		o.locs = inverse(o.locs, o.Locs)
		o.to.Locs = o.locs
	}
}

// inverse makes dst the inverse of a permutation.
func inverse[I ~int32](dst, p []I) []I {
	dst = append(dst[:0], p...)
	for i, v := range p {
		dst[v] = I(i)
	}
	return dst
}

// sign gives each unit and work-group a signature: what can be told of it
// without names, with repeated looks at how it stands to the others. Those who have
// come further in their code are to come first.
func (o *Sorter) sign(y *symmetry, s *State) {
	g := &o.sig
	g.Unit, g.Group, o.left = g.Unit[:0], g.Group[:0], o.left[:0]
	g.Loc, g.Home, g.Place = y.locs, y.home, y.place
	for u := range memmodel.Unit(len(s.status)) {
		h := memmodel.Mix(y.kinds[u], uint64(s.status[u])|uint64(s.refs[u])<<8)
		o.left = append(o.left, math.MaxInt32)
		if s.status[u] != Ended {
			o.left[u] = math.MaxInt32 - 1 - s.pc[u]
			h = memmodel.Mix(h, uint64(s.pc[u]))
			for _, r := range s.reg(u) {
				h = memmodel.Mix(h, uint64(r))
			}
		}
		g.Unit = append(g.Unit, h)
	}
	part := uint64(0)
	s.Violation.units(func(u *memmodel.Unit) {
		part++
		g.Unit[*u] += memmodel.Mix(uint64(s.Violation.Kind), part)
	})
	for range s.Cast.Groups {
		g.Group = append(g.Group, 0)
	}
	for n, was := o.different(y), 0; n != was; {
		g.Refine(&s.Mem)
		n, was = o.different(y), n
	}
}

// different returns how many different signatures there are of what may be
// exchanged. Nothing else is ever symmetric.
func (o *Sorter) different(y *symmetry) int {
	return o.distinct(o.sig.Unit, y.units) + o.distinct(o.sig.Group, y.groups)
}

// distinct returns how many different ones there are of some signatures.
func (o *Sorter) distinct(all []uint64, some []int32) (n int) {
	mask := 1<<bits.Len(uint(2*len(some))) - 1
	o.table = slices.Grow(o.table[:0], mask+1)[:mask+1]
	clear(o.table)
	for _, i := range some {
		sig := all[i] | 1 // which zero is not, and is lost on one in 2^63
		at := int(sig>>1) & mask
		for o.table[at] != 0 && o.table[at] != sig {
			at = (at + 1) & mask
		}
		if o.table[at] == 0 {
			o.table[at] = sig
			n++
		}
	}
	return n
}

// sortOrbit sorts the blocks of an orbit by the signatures of what is in them.
func (o *Sorter) sortOrbit(k *orbit, c *Cast) bool {
	o.sorted, o.order = o.sorted[:0], o.order[:0]
	for i, blk := range k.blocks {
		h := uint64(len(blk))
		for _, p := range blk {
			h = memmodel.Mix(h, o.sig.Unit[o.Units[p]])
		}
		for _, g := range k.groups[i] { // of which another one's units may have got here
			h = memmodel.Mix(h, o.sig.Group[c.Units[o.Units[c.Groups[g].Units[0]]].Group])
		}
		o.sorted, o.order = append(o.sorted, h), append(o.order, int32(i))
	}
	slices.SortStableFunc(o.order, func(i, j int32) int {
		return cmp.Or(o.compareLeft(k.blocks[i], k.blocks[j]), cmp.Compare(o.sorted[i], o.sorted[j]))
	})
	if slices.IsSorted(o.order) {
		return false
	}
	o.moved = shuffle(o.Units, k.blocks, o.order, o.moved)
	o.gone = shuffle(o.Locs, k.locs, o.order, o.gone)
	o.went = o.went || len(o.gone) > 0
	return true
}

// shuffle brings what stands in blocks of an array into the order of the blocks. It returns its
// scratch space.
func shuffle[T int32 | memmodel.Loc](all []T, blocks [][]T, order []int32, moved []T) []T {
	moved = moved[:0]
	for _, i := range order {
		for _, p := range blocks[i] {
			moved = append(moved, all[p])
		}
	}
	at := 0
	for _, blk := range blocks {
		for _, p := range blk {
			all[p] = moved[at]
			at++
		}
	}
	return moved
}

// compareLeft compares what the units of two blocks have left, one after the other.
func (o *Sorter) compareLeft(a, b []int32) int {
	for i, p := range a {
		if c := cmp.Compare(o.left[o.Units[p]], o.left[o.Units[b[i]]]); c != 0 {
			return c
		}
	}
	return 0
}

// rename gives the units of s, but for its memory, the names of o. What can be exchanged
// has enqueued nothing, and no command of it has failed.
func (s *State) rename(o *Sorter) {
	o.status, o.pc, o.regs = append(o.status[:0], s.status...), append(o.pc[:0], s.pc...), append(o.regs[:0], s.regs...)
	o.refs = append(o.refs[:0], s.refs...)
	s.alone, s.buffering = s.alone[:0], s.buffering[:0]
	for u := range s.Cast.Count() {
		was := o.Units[u]
		s.status[u], s.pc[u], s.refs[u] = o.status[was], o.pc[was], o.refs[was]
		copy(s.reg(u), o.regs[s.Cast.Units[was].regs:])
	}
	s.Violation.Rename(func(u memmodel.Unit) memmodel.Unit { return memmodel.Unit(o.to.Units[u]) }, o.to.Loc)
}
