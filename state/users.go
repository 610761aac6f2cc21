package state

// This file finds which units of a cast may access which locations, and how.

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

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
	meanwhile := m.concurrentEffects(c)
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
				copyUse(&locs[x], i-1, i)
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

// copyUse notes that unit u may do to an atomic location what unit t may.
func copyUse(l *memmodel.Location, t, u int) {
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
