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
	// promisable has the locations of which some unit may promise a write, once that has been asked.
	promisable atomic.Pointer[facts.Set]
	sym        *symmetry // nil: nothing may be exchanged
	mapping    bool      // the host may have to map memory
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

// maybe is an optional location. Its zero value is none, not location 0,
// so that no one can use a location that was never set.
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
