package state

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/zeebo/xxh3"
)

// Cast is the set of units of execution that exist at one time, with the
// locations that they share. It changes when kernels start and when their
// end has been waited for. Casts are immutable and shared between states.
type Cast struct {
	ID     uint64                   // a hash of key: the same in every run
	key    string                   // what tells the casts of a program apart
	Layout *memmodel.Layout         // of its memory
	Units  []Role                   // sorted by path; their places here are their numbers in a state
	Groups []Group                  // the work-groups and sub-groups of the kernels that run
	regs   int                      // registers of all units together
	cells  []cell                   // by location: which object's it is
	index  map[uint64]memmodel.Unit // units by ID
	// commands: units may make commands, or have.
	commands bool
	final    []uint64        // set of the locations whose last value the program asks for
	threads  []memmodel.Unit // the host threads
	// The commands that start host threads when their event is complete.
	callbacks []memmodel.Unit
	hosts     atomic.Pointer[passage] // to the cast of the host threads alone, once it is known
	// What units may still do, by unit and pc, as far as it has been asked for.
	futures [][]futures
	sym     *symmetry // nil: nothing may be exchanged
	mapping bool      // the host may have to map memory
	// Locations from hidden on, up to shared, are none of the program's.
	hidden, shared memmodel.Loc
	copies         [][]memmodel.Loc // see Machine
	// What is known of who accesses what in an odd way: by part, and by what Calm.Of is asked for.
	odd, calm sync.Map
}

// futures caches what a unit may do from a point on, by extent.
type futures [facts.NumExtents]atomic.Pointer[Ahead]

// Count returns how many units there are, to count through their numbers.
func (c *Cast) Count() memmodel.Unit { return memmodel.Unit(len(c.Units)) }

// Role describes a unit of execution: a host thread, a work-item, or a command, which
// executes nothing but carries what has happened before it from unit to unit.
type Role struct {
	Name  string         // as reports call it
	ID    uint64         // the same in every cast and every run; no other unit has it
	Func  int            // index into Program.Funcs; -1 for a command
	Place memmodel.Place // where it is in the hierarchy of execution
	Item  ir.Item        // its place in the index space, as the work-item functions give it
	Group int            // index into Cast.Groups, -1 outside kernels
	Sub   int            // index into Cast.Groups of the sub-group
	regs  int            // offset of its registers
	// path leads to the unit from the thread that the program starts with: a
	// command by its number among those of its parent, a work-item by its place
	// in the index space. Units are sorted by it, so that a cast does not depend
	// on the order in which they were created.
	path    string
	serves  uint64        // ID of the command whose function it executes, if that is no kernel
	status  maybe         // of a command whose status may be asked for: the location that holds it
	cmd     *Command      // of a command, and of what serves one
	command memmodel.Unit // of a work-item: index of its command, or -1
	// Copy is the number of an asynchronous copy among those of its work-group,
	// from 1, and 0 of other units.
	Copy int
	// Where each access of its code may go, and what it may write, by pc; nil if that is not known.
	spans, written []ir.Span
}

// maybe is a location that need not be there. Its zero value is none, and not the
// first: whoever wants the location has to ask whether there is one.
type maybe memmodel.Loc

func some(x memmodel.Loc) maybe { return maybe(1 + x) }

func (o maybe) get() (x memmodel.Loc, ok bool) { return memmodel.Loc(o - 1), o != 0 }

// The steps of a path. What a unit enqueues and what it consists of come right
// after it.
const (
	stepThread byte = iota
	stepItem
	stepCommand
	stepHelper
	stepCopy
)

// extend returns the path of number n of a unit's commands or work-items.
func extend(path string, step byte, n int) string {
	return path + string([]byte{step, byte(n >> 8), byte(n)})
}

// identify returns the ID of the unit at a path: positive as an int64, for it
// is also the value of the handle of an event.
func identify(path string) uint64 { return max(1, xxh3.HashString(path)>>1) }

// Group is a work-group or sub-group: those who meet at its barriers.
type Group struct {
	Units  []memmodel.Unit // its members, as they are in the cast
	copies []memmodel.Unit // what makes asynchronous copies for it: in use, or to be used again
	base   memmodel.Loc    // first location of its group segment
}

// cell says which object a location belongs to, for names.
type cell struct {
	fn    int   // owner of the group segment, -1 for the shared one, or statusCell
	group int   // work-group; of a statusCell: unit
	addr  int32 // in the segment
}

// statusCell marks a cell that holds the status of a command.
const statusCell = -2

// acts returns where what a unit may do is done: of a kernel that is yet to start
// on its device, though the command is one of the host.
func (u *Role) acts() memmodel.Place {
	p := u.Place
	if u.cmd.pending() && u.cmd.Kind == KernelCommand {
		p.Host = false
	}
	return p
}

// newCast interns the cast with these units. Groups and registers are derived
// from the units' places.
// newCast returns the cast of units. A hasty one is given up, and nil, when the machine is halted.
func (m *Machine) newCast(units []Role, hasty bool) *Cast {
	slices.SortFunc(units, func(a, b Role) int { return strings.Compare(a.path, b.path) })
	key := castKey(units)
	id := xxh3.Hash(key)
	c := m.cast(id)
	if c == nil {
		if c = m.buildCast(id, units, hasty); c == nil {
			return nil
		}
		c.key = string(key)
		m.mu.Lock()
		if old := m.casts[id]; old != nil {
			c = old
		}
		m.casts[id] = c
		m.mu.Unlock()
	}
	if c.key != string(key) { // states name their casts: better no verdict than a wrong one
		panic("state: two casts have the same ID")
	}
	return c
}

// cast returns an interned cast, or nil.
func (m *Machine) cast(id uint64) *Cast {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.casts[id]
}

// castKey returns what tells casts of one program apart. The numbers of
// kernel-instances depend on the order in which a machine met them; paths do not.
func castKey(units []Role) []byte {
	var b []byte
	for i := range units {
		u := &units[i]
		b = append(append(b, u.path...), 0xff)
		for _, v := range [...]int64{int64(u.Func), int64(u.Place.Device), int64(u.Place.Group), int64(u.Place.Sub), u.Item.GlobalID[0], u.Item.GlobalID[1], u.Item.GlobalID[2]} {
			b = binary.AppendVarint(b, v)
		}
		for _, v := range [...][3]int64{u.Item.GlobalSize, u.Item.LocalSize, u.Item.GlobalOffset} {
			b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, v[0]), v[1]), v[2])
		}
		b = u.cmd.hash(b)
		b = append(b, u.Name...)
	}
	return b
}

func (m *Machine) buildCast(id uint64, units []Role, hasty bool) *Cast {
	if hasty && m.Halted() { // it takes as much memory as there are cells
		return nil
	}
	m.noteLegacy(units)
	c := &Cast{ID: id, Units: units, index: make(map[uint64]memmodel.Unit, len(units)), commands: m.Enqueues, mapping: m.Maps, copies: m.Copies, hidden: m.Turns, shared: memmodel.Loc(len(m.Shared))}
	b := casting{Cast: c, m: m, locs: slices.Clone(m.Shared), groups: map[memmodel.Place]int{}, subs: map[memmodel.Place]int{}}
	b.addShared()
	b.addUnits()
	for i := range memmodel.Unit(len(units)) {
		b.seatInSubGroup(i)
	}
	b.addStatuses()
	c.final = make([]uint64, (len(b.locs)+63)/64)
	for _, f := range m.Program.Final {
		c.final[f.Addr>>6] |= 1 << (f.Addr & 63)
	}
	m.footprints(c)
	if !m.users(c, b.locs, hasty) {
		return nil
	}
	places := make([]memmodel.Place, len(units))
	for i := range units {
		places[i] = units[i].acts()
		if x, ok := units[i].status.get(); ok { // everybody may ask for it
			b.locs[x].Storers, b.locs[x].Peekers, b.locs[x].Users = nil, nil, nil
		}
	}
	for i := range memmodel.Unit(len(units)) {
		switch u := &units[i]; {
		case u.thread():
			c.threads = append(c.threads, i)
		case u.cmd != nil && u.cmd.Kind == CallbackCommand:
			c.callbacks = append(c.callbacks, i)
		}
	}
	c.Layout = memmodel.NewLayout(m.Spec, m.Traits, places, b.locs)
	c.sym = m.symmetry(c)
	return c
}

// casting is a cast that is being built, and its locations and groups so far.
type casting struct {
	*Cast
	m            *Machine               // whose program it is
	locs         []memmodel.Location    // of the layout to be
	groups, subs map[memmodel.Place]int // a work-group, and a sub-group, by what its units have in common
}

// addShared adds the cells of the locations that do not depend on the units.
func (b *casting) addShared() {
	for a := range b.m.Shared {
		at := int32(a)
		if k := a - len(b.m.Rules); k >= 0 && k < len(b.m.Origin) {
			at = b.m.Origin[k]
		}
		b.cells = append(b.cells, cell{fn: -1, group: -1, addr: at})
	}
}

// addUnits gives each unit its registers, its command and its work-group.
func (b *casting) addUnits() {
	byKernel := map[uint32]memmodel.Unit{}
	for i := range b.Count() {
		u := &b.Units[i]
		if _, taken := b.index[u.ID]; taken {
			panic("state: two units have the same ID")
		}
		b.index[u.ID] = i
		if u.cmd != nil && u.cmd.Kind == KernelCommand {
			byKernel[u.Place.Kernel] = i
		}
	}
	for i := range b.Count() {
		u := &b.Units[i]
		u.Group, u.Sub, u.command, u.status = -1, -1, -1, 0
		u.regs = b.regs
		if u.Func >= 0 {
			b.regs += b.m.Program.Funcs[u.Func].Regs
		}
		if at, ok := b.index[u.serves]; ok && u.serves != 0 {
			u.command = at
		}
		if u.Place.Host {
			continue
		}
		if at, ok := byKernel[u.Place.Kernel]; ok {
			u.command = at
		}
		b.seat(i)
	}
}

// seat puts unit i into its work-group, whose local memory comes with its first
// unit.
func (b *casting) seat(i memmodel.Unit) {
	u := &b.Units[i]
	var isNew bool
	if u.Group, isNew = b.number(b.groups, memmodel.Place{Device: u.Place.Device, Kernel: u.Place.Kernel, Group: u.Place.Group}); isNew {
		b.Groups = append(b.Groups, Group{base: memmodel.Loc(len(b.locs))})
		for a, l := range b.m.Group[u.Func] {
			b.locs = append(b.locs, l)
			b.cells = append(b.cells, cell{fn: u.Func, group: u.Group, addr: int32(a)})
		}
	}
	g := &b.Groups[u.Group]
	if u.Copy > 0 {
		g.copies = append(g.copies, i)
	} else {
		g.Units = append(g.Units, i)
	}
}

// seatInSubGroup puts unit i into its sub-group, if it has one.
func (b *casting) seatInSubGroup(i memmodel.Unit) {
	u := &b.Units[i]
	if u.Group < 0 || u.Copy > 0 {
		return
	}
	var isNew bool
	if u.Sub, isNew = b.number(b.subs, memmodel.Place{Device: u.Place.Device, Kernel: u.Place.Kernel, Group: u.Place.Group, Sub: u.Place.Sub}); isNew {
		b.Groups = append(b.Groups, Group{base: -1})
	}
	b.Groups[u.Sub].Units = append(b.Groups[u.Sub].Units, i)
}

// addStatuses adds the hidden locations of the commands' statuses.
func (b *casting) addStatuses() {
	for i := range b.Units {
		if u := &b.Units[i]; u.cmd != nil && (b.m.Polls && u.cmd.Kind <= UserEvent || b.m.Maps && u.cmd.Kind == NativeCommand) {
			u.status = some(memmodel.Loc(len(b.locs)))
			b.locs = append(b.locs, statusLoc(u.cmd))
			b.cells = append(b.cells, cell{fn: statusCell, group: i})
		}
	}
}

// number returns the number of the group at a place, which is the next one if nobody has been seated there.
func (b *casting) number(groups map[memmodel.Place]int, at memmodel.Place) (n int, isNew bool) {
	n, known := groups[at]
	if !known {
		n = len(b.Groups)
		groups[at] = n
	}
	return n, !known
}

// users notes who may do what to each atomic location.
func (m *Machine) users(c *Cast, locs []memmodel.Location, hasty bool) bool {
	var atomics []int
	for x := range locs {
		if locs[x].Atomic {
			atomics = append(atomics, x)
			locs[x].Storers = make([]uint64, (len(c.Units)+63)/64)
			locs[x].Peekers = make([]uint64, (len(c.Units)+63)/64)
			locs[x].Users = make([]uint64, (len(c.Units)+63)/64)
			locs[x].Uniform = x >= len(m.Rules) || !m.Rules[x].Freed // which counts as a plain write
		}
	}
	meanwhile := m.meanwhile(c)
	for i := range c.Units {
		if hasty && m.Halted() {
			return false
		}
		u := &c.Units[i]
		points := 1
		if u.Func >= 0 {
			points = len(m.Program.Funcs[u.Func].Code)
		}
		if i > 0 && u.sameAccesses(&c.Units[i-1]) {
			c.futures = append(c.futures, c.futures[i-1])
			for _, x := range atomics {
				useAlike(&locs[x], i-1, i)
			}
			continue
		}
		c.futures = append(c.futures, make([]futures, points))
		switch {
		case u.thread():
			m.usedBy(c, u, locs, i, meanwhile)
			m.usedByChildren(c, u.Func, locs, i)
		case u.Func >= 0:
			m.usedBy(c, u, locs, i, nil)
			m.usedByChildren(c, u.Func, locs, i)
		case u.cmd.pending():
			m.usedBy(c, &Role{Func: u.cmd.Func, Group: -1, Place: u.Place}, locs, i, nil)
			m.usedByChildren(c, u.cmd.Func, locs, i)
		case u.cmd.Kind == originCommand:
			m.usedByChildren(c, u.cmd.Func, locs, i)
		}
	}
	return true
}

// sameAccesses reports whether unit u may access by each instruction of its code what unit t may, because of
// neither more is known than what it is in: of a thousand work-items without atomics that is found once.
func (u *Role) sameAccesses(t *Role) bool {
	return u.Func >= 0 && u.Func == t.Func && u.spans == nil && t.spans == nil && u.Group == t.Group && u.Place.Device == t.Place.Device
}

// usedBy notes what the code of unit u, or part of it, does to atomic locations, as done by unit i.
func (m *Machine) usedBy(c *Cast, u *Role, locs []memmodel.Location, i int, part facts.Set) {
	f := m.Program.Funcs[u.Func]
	for pc := range f.Code {
		in := &f.Code[pc]
		if !in.Op.Access() && in.Op != ir.OpMapCell || part != nil && !part.Has(pc) {
			continue
		}
		m.eachLocation(c, u, pc, func(x memmodel.Loc) {
			if locs[x].Atomic {
				use(&locs[x], in, i)
				c.usual(&locs[x], in, memmodel.Unit(i))
			}
		})
	}
}

// usedByChildren notes what the kernels that a function may enqueue do to
// atomic locations. Their units do not exist yet: where these may not share
// a scope with all others, nothing can be said about races.
func (m *Machine) usedByChildren(c *Cast, fn int, locs []memmodel.Location, i int) {
	host := m.OnHost[fn] && m.Concurrent
	if !m.Children[fn].Any && !host {
		return // what it starts comes after all that is there now
	}
	for _, g := range m.Children[fn].Funcs {
		u := &Role{Func: g, Group: -1, Place: c.Units[i].Place}
		m.usedBy(c, u, locs, i, nil)
		for device := range c.copies { // the host may choose
			if host {
				m.usedBy(c, &Role{Func: g, Group: -1, Place: memmodel.Place{Device: uint16(device)}}, locs, i, nil)
			}
		}
		f := m.Program.Funcs[g]
		for pc := range f.Code {
			in := &f.Code[pc]
			if !in.Op.Access() || in.Scope >= memmodel.ScopeDevice && !host {
				continue
			}
			m.eachLocation(c, u, pc, func(x memmodel.Loc) {
				if in.Scope < memmodel.ScopeAllSVMDevices || !locs[x].Kind.SVMAtomics() {
					locs[x].Uniform = false
				}
			})
		}
	}
}

// maxFootprint bounds the work of finding out where the units of a cast may go,
// in instructions times registers.
const maxFootprint = 1 << 23

// footprints finds where the accesses of new units of c may go, if some are
// atomic, so that it matters.
func (m *Machine) footprints(c *Cast) {
	work := 0
	for i := range c.Units {
		u := &c.Units[i]
		if u.Func < 0 || u.spans != nil || !m.Atomic[u.Func] {
			continue
		}
		f := m.Program.Funcs[u.Func]
		if work += len(f.Code) * f.Regs; work > maxFootprint {
			return
		}
		u.spans, u.written = f.Footprint(m.parameters(c, u), func(q ir.Query, dim int64) int64 { return u.Item.Answer(q, dim) })
	}
}

// Spans returns, by instruction, where the accesses of the unit may go; nil if that is not known.
func (u *Role) Spans() []ir.Span { return u.spans }

// parameters returns what is known of a work-item's parameters: those that are
// constants where its command is enqueued. A cast does not tell other values
// apart, nor does it know them when the command has started.
func (m *Machine) parameters(c *Cast, u *Role) []ir.Span {
	params := make([]ir.Span, m.Program.Funcs[u.Func].Params)
	for i := range params {
		params[i] = ir.Anything
	}
	if u.command < 0 {
		return params
	}
	cmd := c.Units[u.command].cmd
	by, ok := c.index[cmd.Parent]
	if !ok {
		return params
	}
	f := m.Program.Funcs[c.Units[by].Func]
	in := &f.Code[cmd.PC]
	for i, a := range in.Args[max(0, len(in.Args)-len(params)):] {
		if a < 0 {
			params[i] = ir.Only(f.Consts[^a])
		}
	}
	return params
}

// use notes that unit u may access an atomic location by an instruction.
func use(l *memmodel.Location, in *ir.Instr, u int) {
	word, bit := u>>6, uint64(1)<<(u&63)
	used := false
	for _, w := range l.Users {
		used = used || w != 0
	}
	l.Uniform = l.Uniform && in.Order != memmodel.NonAtomic && (!used || l.Scope == in.Scope)
	l.Scope = in.Scope
	l.Users[word] |= bit
	switch in.Op {
	case ir.OpStore, ir.OpMapCell: // which may store what it has seen
		l.Storers[word] |= bit
	case ir.OpLoad, ir.OpCmpXchg:
		l.Peekers[word] |= bit
	case ir.OpRMW: // which reads the newest
	default:
		l.Storers[word] |= bit
		l.Peekers[word] |= bit
	}
}

// usual takes an access of unit u for what is usual at a location, if it is atomic and nothing more usual is known: an access of a
// device, or of a wider scope.
func (c *Cast) usual(l *memmodel.Location, in *ir.Instr, u memmodel.Unit) {
	was := &l.Usual
	known, host, of := was.Scope > memmodel.ScopeWorkItem, c.Units[u].acts().Host, c.Units[was.Unit].acts().Host
	if in.Order != memmodel.NonAtomic && (!known || of && !host || of == host && in.Scope > was.Scope) {
		was.Scope, was.Unit = in.Scope, u
	}
}

// useAlike notes that unit u may do to an atomic location what unit t may.
func useAlike(l *memmodel.Location, t, u int) {
	for _, set := range [...][]uint64{l.Users, l.Storers, l.Peekers} {
		set[u>>6] |= set[t>>6] >> (t & 63) & 1 << (u & 63)
	}
}

// eachLocation calls f with every location that unit u's access at pc may touch.
func (m *Machine) eachLocation(c *Cast, u *Role, pc int, f func(x memmodel.Loc)) {
	span := ir.Anything
	if u.spans != nil {
		span = u.spans[pc]
	}
	objects, at, constant := m.Points[u.Func].Address(&m.Program.Funcs[u.Func].Code[pc])
	if constant {
		if x := c.resolve(u, at); x >= 0 && span.Has(at) {
			f(x)
		}
		return
	}
	for i := range m.Program.Objects {
		o := &m.Program.Objects[i]
		if !objects.Has(i) || o.Func >= 0 && (o.Func != u.Func || u.Group < 0) {
			continue
		}
		base, seg := int(o.Base), ir.SegShared
		if o.Func >= 0 {
			base, seg = base+int(c.Groups[u.Group].base), ir.SegGroup
		}
		first := seg | int64(o.Base)
		last := first + int64(o.Layout.Cells()) - 1
		for at := max(first, span.Lo); at <= min(last, span.Hi); at++ {
			if span.Has(at) {
				f(c.onDevice(u.Place.Device, base+int(at-first)))
			}
		}
	}
}

// onDevice returns the location of a cell of the shared segment on a device:
// each has its own program-scope variables (rule 1.5).
func (c *Cast) onDevice(device uint16, at int) memmodel.Loc {
	if int(device) < len(c.copies) && at < len(c.copies[device]) {
		return c.copies[device][at]
	}
	return memmodel.Loc(at)
}

// resolve returns the location that a pointer of unit u names, or -1. Its region is
// that of the access (rule 1.3); local and global memory have no location in common (rule 1.1).
func (c *Cast) resolve(u *Role, ptr int64) memmodel.Loc {
	at := int(ptr &^ ir.SegMask)
	switch ptr & ir.SegMask {
	case ir.SegShared:
		if at < len(c.cells) && c.cells[at].fn == -1 {
			return c.onDevice(u.Place.Device, at)
		}
	case ir.SegGroup:
		if u.Group < 0 {
			return -1
		}
		x := int(c.Groups[u.Group].base) + at
		if x < len(c.cells) && c.cells[x].fn >= 0 && c.cells[x].group == u.Group {
			return memmodel.Loc(x)
		}
	}
	return -1
}

// Wanted reports whether the program asks for the last value of location x.
func (c *Cast) Wanted(x memmodel.Loc) bool { return c.final[x>>6]&(1<<(x&63)) != 0 }

// Hidden reports whether location x is none of the program's: a queue, what is
// mapped of an object, or the status of a command.
func (c *Cast) Hidden(x memmodel.Loc) bool {
	return c.cells[x].fn == statusCell || x >= c.hidden && x < c.shared
}

// OneCommand reports whether two units are work-items of one command, or of none.
func (c *Cast) OneCommand(t, u memmodel.Unit) bool { return c.Units[t].command == c.Units[u].command }

// LocName names a location as the program would, and the work-group that owns
// it, if it is a per-group local variable (else -1).
func (c *Cast) LocName(p *ir.Program, x memmodel.Loc) (name string, group int) {
	cl := c.cells[x]
	return p.CellName(cl.fn, cl.addr), cl.group
}
