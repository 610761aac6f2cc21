package state

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// concurrentEffects returns what the only host thread may execute as long as the cast lasts: from where it has enqueued its commands on,
// up to a clFinish, behind which the commands are no more. What it did before that happens before all that they do.
// The result is nil if nothing is known: if there are other threads or other queues, or work-items that no command has brought about.
// docs/exploration/waiting.md, "What may race with a round".
func (m *Machine) concurrentEffects(c *Cast) facts.Set {
	if m.Concurrent {
		return nil
	}
	host := memmodel.Unit(-1)
	for u := range c.Count() {
		switch unit := &c.Units[u]; {
		case unit.thread() && host < 0:
			host = u
		case unit.Func >= 0 && unit.command < 0:
			return nil
		}
	}
	var code facts.Set
	for u := range c.Count() {
		cmd := c.Units[u].cmd
		if by, ok := c.parent(u); !ok || by != host || !cmd.enqueued() {
			continue
		}
		f := m.Program.Funcs[c.Units[host].Func]
		if code == nil {
			code = make(facts.Set, (len(f.Code)+63)/64)
		}
		for pc, comes := range f.Flow().Reach(len(f.Code), cmd.PC, func(pc int) bool { return f.Code[pc].Op == ir.OpFinish }) {
			if comes {
				code.Add(pc)
			}
		}
	}
	return code
}

// odd reports whether an access of location x by unit u may race with one that is as usual there.
func (m *Machine) odd(c *Cast, u memmodel.Unit, in *ir.Instr, x memmodel.Loc) bool {
	return m.mayFree(x) || c.Layout.Odd(u, x, in.Order == memmodel.NonAtomic, in.Scope)
}

// mayFree reports whether the host may free location x, which counts as a plain write.
func (m *Machine) mayFree(x memmodel.Loc) bool { return int(x) < len(m.Rules) && m.Rules[x].Freed }

// oddOfKernel is odd for an access of a function that executes once unit u, or what it brings about, has started it. Where it
// will be executed is known of a command that stands in its queue; of what kernels enqueue it is known that they share all
// scopes from the device's on; else that all share the widest.
func (m *Machine) oddOfKernel(c *Cast, u memmodel.Unit, fn int, in *ir.Instr, x memmodel.Loc) bool {
	unit := &c.Units[u]
	switch {
	case m.odd(c, u, in, x):
		return true
	case in.Scope == memmodel.ScopeAllSVMDevices && c.Layout.Locs[x].Kind.SVMAtomics():
		return false
	case unit.cmd.pending() && unit.cmd.Func == fn:
		return false
	}
	return m.OnHost[fn] || unit.acts().Host && !unit.cmd.pending() || in.Scope < memmodel.ScopeDevice
}

// Calm says of accesses whether they can race.
type Calm struct{ m *Machine }

// Calm returns what is asked whether accesses can race.
func (m *Machine) Calm() Calm { return Calm{m} }

// Of reports whether nobody can race with the access of location x at pc of unit u's code, whenever that is made. It depends on nothing but the cast
// and where u is, so that no step of anybody else makes a difference to it: rounds of waiting are left out or not, whoever has come first.
// docs/exploration/waiting.md, "What may race with a round".
func (q Calm) Of(c *Cast, u memmodel.Unit, pc int, x memmodel.Loc) bool {
	m := q.m
	if c.Layout.Calm(x) {
		return true
	}
	key := calmAt{u, pc, x}
	if calm, known := c.calm.Load(key); known {
		return calm.(bool)
	}
	calm := c.Layout.Locs[x].Atomic && !m.odd(c, u, &m.Program.Funcs[c.Units[u].Func].Code[pc], x)
	for t := memmodel.Unit(0); t < c.Count() && calm; t++ {
		calm = !m.meanwhileOdd(c, t, u, pc).Holds(int(x))
	}
	c.calm.Store(key, calm)
	return calm
}

// calmAt is what Calm.Of is asked for.
type calmAt struct {
	unit memmodel.Unit // who makes the access,
	pc   int           // where in its code,
	loc  memmodel.Loc  // and of what
}

// Anywhere is Of for an access wherever it goes.
func (q Calm) Anywhere(c *Cast, u memmodel.Unit, pc int) bool {
	calm := true
	q.m.eachLocation(c, &c.Units[u], pc, func(x memmodel.Loc) { calm = calm && q.Of(c, u, pc, x) })
	return calm
}

// SoFar reports whether an access of location x by unit u of s, by an instruction, races with nothing that has been done.
func (q Calm) SoFar(s *State, u memmodel.Unit, in *ir.Instr, x memmodel.Loc) bool {
	return s.Mem.Calm(x) || !q.m.odd(s.Cast, u, in, x) && s.Mem.Undisputed(u, x)
}

// meanwhileOdd returns the locations that unit t may access in an odd way, by itself or by what it starts, once unit u has come to pc, and not
// behind what u does there. With device-side enqueue, what is enqueued later comes behind some memory only (rule 12.1).
func (m *Machine) meanwhileOdd(c *Cast, t, u memmodel.Unit, pc int) facts.Set {
	switch unit := &c.Units[t]; {
	case t == u: // the origin of its kernel-instance tells of what it may enqueue
		return nil
	case !m.Traits.Grains && m.inTurn(c, t, u):
		return nil
	case unit.thread():
		if from := m.enqueuedAt(c, t, u); from >= 0 {
			return m.oddFrom(c, part{unit: t, from: from, behind: true, finish: len(m.Program.HostQueues) == 0})
		}
	case unit.Func >= 0 && unit.Group >= 0 && unit.Group == c.Units[u].Group && unit.Func == c.Units[u].Func && unit.Copy == 0:
		if b := m.passed(c, u, pc); b >= 0 {
			return m.oddFrom(c, part{unit: t, from: b, behind: true})
		}
	}
	return m.oddFrom(c, part{unit: t})
}

// inTurn reports whether the commands of units t and u follow one the other.
func (m *Machine) inTurn(c *Cast, t, u memmodel.Unit) bool {
	a, b := c.top(t), c.top(u)
	return a >= 0 && b >= 0 && (c.waitsFor(a, b) || c.waitsFor(b, a))
}

// top returns the command of the host that has brought about unit u, or -1.
func (c *Cast) top(u memmodel.Unit) memmodel.Unit {
	at := c.Units[u].command
	if c.Units[u].cmd != nil {
		at = u
	}
	for at >= 0 && c.above(at) >= 0 {
		at = c.above(at)
	}
	if at >= 0 && !c.ofHost(at) {
		return -1
	}
	return at
}

// waitsFor reports whether command a waits, or has waited, until command b was complete.
func (c *Cast) waitsFor(a, b memmodel.Unit) bool {
	cmd := c.Units[a].cmd
	for _, list := range [...][]uint64{cmd.After, cmd.Events} {
		for _, id := range list {
			if p, ok := c.index[id]; ok && (p == b || c.waitsFor(p, b)) {
				return true
			}
		}
	}
	return false
}

// enqueuedAt returns where in its code host thread t has enqueued the command that has brought about unit u, or -1 if it has not: what it did before
// happens before all that the command does.
func (m *Machine) enqueuedAt(c *Cast, t, u memmodel.Unit) int {
	if top := c.top(u); top >= 0 && c.Units[top].cmd.enqueued() && c.Units[top].cmd.Parent == c.Units[t].ID {
		return c.Units[top].cmd.PC
	}
	return -1
}

// passed returns a barrier or collective of its work-group that unit u has passed if it is at pc, whatever way it has come, or -1. All others have
// come there, too, and with what they did before u has raced when it made its access, if it does.
func (m *Machine) passed(c *Cast, u memmodel.Unit, pc int) int {
	f := m.Program.Funcs[c.Units[u].Func]
	for b := range f.Code {
		if !facts.Near.Ends(&f.Code[b]) {
			continue
		}
		if doms := f.Flow().Dominators(0); b != pc && doms.Dominates(0, b) && doms.Dominates(b, pc) {
			return b
		}
	}
	return -1
}

// part is a part of what a unit may do.
type part struct {
	unit   memmodel.Unit // whose it is
	from   int           // it begins here in the code,
	behind bool          // or behind that instruction,
	finish bool          // and ends at clFinish
}

// oddFrom returns the locations that are accessed in an odd way in a part of what a unit may do.
func (m *Machine) oddFrom(c *Cast, p part) facts.Set {
	if odd, known := c.odd.Load(p); known {
		return odd.(facts.Set)
	}
	odd := make(facts.Set, (len(c.cells)+63)/64)
	unit := &c.Units[p.unit]
	switch {
	case unit.Func >= 0:
		m.oddInCode(c, p, odd)
	case unit.cmd.pending():
		m.oddInKernel(c, p.unit, unit.cmd.Func, odd)
		fallthrough
	case unit.cmd.Kind == originCommand:
		for _, fn := range m.Children[unit.cmd.Func].Funcs {
			m.oddInKernel(c, p.unit, fn, odd)
		}
	}
	c.odd.Store(p, odd)
	return odd
}

// oddInCode is oddFrom of a unit that executes code. What the only host thread enqueues in the only queue comes behind what is there.
func (m *Machine) oddInCode(c *Cast, p part, odd facts.Set) {
	unit := &c.Units[p.unit]
	f := m.Program.Funcs[unit.Func]
	ends := func(pc int) bool { return p.finish && f.Code[pc].Op == ir.OpFinish }
	comes := f.Flow().Reach(len(f.Code), p.from, ends)
	comes[p.from] = comes[p.from] || !p.behind
	for pc := range f.Code {
		in := &f.Code[pc]
		switch {
		case !comes[pc]:
		case in.Op.Starts() && (m.Concurrent || !unit.Place.Host):
			m.oddInKernel(c, p.unit, int(in.Target), odd)
			for _, fn := range m.Children[in.Target].Funcs {
				m.oddInKernel(c, p.unit, fn, odd)
			}
		case in.Op.Access(), in.Op == ir.OpMapCell:
			m.eachLocation(c, unit, pc, func(x memmodel.Loc) {
				if m.odd(c, p.unit, in, x) {
					odd.Add(int(x))
				}
			})
		}
	}
}

// oddInKernel is oddFrom of a function that executes once unit u, or what it brings about, has started it.
func (m *Machine) oddInKernel(c *Cast, u memmodel.Unit, fn int, odd facts.Set) {
	code := m.Program.Funcs[fn].Code
	for device := range max(len(c.copies), 1) {
		role := &Role{Func: fn, Group: -1, Place: memmodel.Place{Device: uint16(device)}}
		for pc := range code {
			if in := &code[pc]; in.Op.Access() || in.Op == ir.OpMapCell {
				m.eachLocation(c, role, pc, func(x memmodel.Loc) {
					if m.oddOfKernel(c, u, fn, in, x) {
						odd.Add(int(x))
					}
				})
			}
		}
	}
}
