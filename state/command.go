package state

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// maxCommands bounds the commands that one unit of execution enqueues.
const maxCommands = 1 << 12

// CommandKind says what a command does.
type CommandKind uint8

// The kinds of command. The last two are no commands but serve one: they hold
// what has happened before a moment of its execution.
const (
	KernelCommand CommandKind = iota // runs a kernel
	MarkerCommand                    // does nothing but wait
	UserEvent                        // is complete when a unit says so
	originCommand                    // the start of a kernel-instance that may enqueue
	groupCommand                     // the ends of the work-items of one of its work-groups
)

// Command is what is fixed of a command from its enqueue on. How far it has
// come is its unit's status: Pending until it starts, Running until it is
// complete, then Ended. If it has failed, State.code says how.
type Command struct {
	Kind   CommandKind
	Func   int     // of a kernel: index into Program.Funcs
	Args   []int64 // of a kernel: its index space as ten values, then its arguments
	Parent uint64  // ID of the unit that enqueued it
	PC     int     // of the enqueue in that unit's code
	Queue  int64
	Flags  int64 // of a device-side enqueue: ir.NoWait, ir.WaitKernel, ir.WaitWorkGroup
	// Late: it starts when the kernel-instance of its parent has ended, though
	// the flags do not ask for that (rule 12.13).
	Late bool
	// Events and After hold the IDs of the commands that must be complete before
	// it starts: its wait list, and those that its queue lets it follow.
	Events, After []uint64

	started bool // what only mattered until then is gone
	// past holds the commands that were complete when it started. It is kept
	// only where queues can be full.
	past []uint64
}

// pending reports whether the command is a kernel that has yet to start.
func (c *Command) pending() bool { return c.Kind == KernelCommand && !c.started }

// enqueued reports whether the command stands in a queue.
func (c *Command) enqueued() bool { return c != nil && c.Kind <= MarkerCommand }

// hash appends what tells commands apart.
func (c *Command) hash(b []byte) []byte {
	if c == nil {
		return append(b, 0)
	}
	b = append(b, 1, byte(c.Kind), truth(c.started), truth(c.Late), byte(c.Flags))
	b = binary.AppendVarint(binary.AppendVarint(b, int64(c.Func)), c.Queue)
	b = binary.AppendUvarint(b, uint64(c.PC))
	b = binary.BigEndian.AppendUint64(b, c.Parent)
	for _, list := range [...][]uint64{c.Events, c.After, c.past} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, id := range list {
			b = binary.BigEndian.AppendUint64(b, id)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(c.Args)))
	for _, v := range c.Args {
		b = binary.AppendVarint(b, v)
	}
	return b
}

func truth(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// submit creates a command of unit u, which is not complete before those that
// it names are. The new command has seen what these have done, and nothing
// else yet. Units may change places in the cast.
func (m *Machine) submit(s *State, u int, cmd Command) (command uint64) {
	by := &s.Cast.Units[u]
	path := extend(by.path, stepCommand, int(s.made[u]))
	cmd.Parent, cmd.PC = by.ID, int(s.pc[u])
	unit := Unit{
		Name: fmt.Sprintf("command %d", s.made[u]), ID: identify(path), path: path, Func: -1, cmd: &cmd,
		Place: memmodel.Place{Host: true, Device: by.Place.Device},
	}
	if cmd.Kind == KernelCommand {
		unit.Place.Kernel = m.kernelNumber(path)
	}
	if !by.Place.Host {
		unit.Name = by.Name + " " + unit.Name
		if unit.Place.Family = by.Place.Family; unit.Place.Family == 0 {
			unit.Place.Family = by.Place.Kernel
		}
	}
	s.made[u]++
	m.recast(s, append(slices.Clone(s.Cast.Units), unit))
	c := s.Cast.index[unit.ID]
	s.status[c] = Pending
	for _, list := range [...][]uint64{cmd.Events, cmd.After} {
		for _, id := range list {
			if p, ok := s.Cast.index[id]; ok && s.status[p] == Ended {
				s.Mem.Follow(c, p)
			}
		}
	}
	return unit.ID
}

// kernelNumber returns the number of the kernel-instance that the command at a
// path runs.
func (m *Machine) kernelNumber(path string) uint16 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.kernels[path]
	if !ok {
		n = m.firstKernel + uint16(len(m.kernels))
		m.kernels[path] = n
	}
	return n
}

// enqueue performs clEnqueueNDRangeKernel on the host's in-order queue: what
// the host has done so far happens before the kernel (rule 12.1).
func (m *Machine) enqueue(s *State, u int, f *ir.Func, in *ir.Instr) {
	args := s.arguments(u, f, in)
	r := rangeOf(args)
	if !r.valid() || s.made[u] == maxCommands {
		s.stuck(u, InvalidArgument)
		return
	}
	host := s.Cast.Units[u].ID
	c := m.submit(s, u, Command{Func: int(in.Target), Args: args, After: s.queued(u)})
	u = s.Cast.index[host]
	s.Mem.Follow(s.Cast.index[c], u)
	s.pc[u]++
	m.run(s, u)
	s.due = true
}

// queued returns the ID of the last command of unit u, which the next one
// of its in-order queue must follow (rule 12.5), if there is any.
func (s *State) queued(u int) (last []uint64) {
	for c := range s.Cast.Units {
		if s.Cast.enqueued(c, u) {
			last = []uint64{s.Cast.Units[c].ID}
		}
	}
	return last
}

// advance lets go on what waits for what has happened, until nothing is left
// that does not take a step of its own: commands start, complete and let
// their hosts return from clFinish. A start writes and reads nothing, so none
// need wait for the steps of others.
func (m *Machine) advance(s *State) {
	for s.due {
		s.due = false
		for u := range s.Cast.Units {
			if m.proceed(s, u) {
				s.due = true
				break // the cast may be another
			}
		}
	}
}

// proceed reports whether unit u, if it is a command or waits for commands,
// could go on.
func (m *Machine) proceed(s *State, u int) bool {
	switch s.status[u] {
	case Pending:
		if s.mayStart(u) {
			m.start(s, u)
			return true
		}
	case Running:
		if s.over(u) {
			m.close(s, u)
			return true
		}
	case Finishing:
		if s.finished(u) {
			m.resume(s, u)
			return true
		}
	}
	return false
}

// mayStart reports whether all that command c waits for has happened.
func (s *State) mayStart(c int) bool {
	cmd := s.Cast.Units[c].cmd
	return s.complete(cmd.Events) && s.complete(cmd.After) && s.released(cmd)
}

// complete reports whether all commands of a list are. Those that are not in
// the cast any more have been for long.
func (s *State) complete(commands []uint64) bool {
	for _, id := range commands {
		if c, ok := s.Cast.index[id]; ok && s.status[c] != Ended {
			return false
		}
	}
	return true
}

// over reports whether the running command c has nothing left to wait for: its
// work-items have ended, and the commands that they enqueued have completed
// (rule 12.15).
func (s *State) over(c int) bool {
	for u := range s.Cast.Units {
		if s.status[u] != Ended && (s.Cast.Units[u].command == c || s.Cast.descends(u, c)) {
			return false
		}
	}
	return s.Cast.Units[c].cmd.Kind != UserEvent
}

// ended reports whether all work-items of command c have ended.
func (s *State) ended(c int) bool {
	for u := range s.Cast.Units {
		if s.status[u] != Ended && s.Cast.Units[u].command == c {
			return false
		}
	}
	return true
}

// start starts command c, or lets it fail if one of the events that it waited
// for has.
func (m *Machine) start(s *State, c int) {
	switch {
	case len(s.failures(c)) > 0:
		m.close(s, c)
	case s.Cast.Units[c].cmd.Kind == KernelCommand:
		m.launch(s, c)
	default:
		m.complete(s, c, 0)
	}
}

// failures returns the statuses that command c must choose one of as its own,
// if it fails: before it has started those of the events that it waited for,
// later those of the commands that its work-items enqueued (rule 12.16).
func (s *State) failures(c int) (codes []int32) {
	cmd := s.Cast.Units[c].cmd
	for d := range s.Cast.Units {
		if s.code[d] >= 0 {
			continue
		}
		if cmd.started && s.Cast.descends(d, c) || !cmd.started && slices.Contains(cmd.Events, s.Cast.Units[d].ID) {
			codes = append(codes, s.code[d])
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// close completes command c, with one of its failures if there are any. Which
// is a choice, and a step of the command.
func (m *Machine) close(s *State, c int) {
	switch codes := s.failures(c); len(codes) {
	case 0:
		m.complete(s, c, 0)
	case 1:
		m.complete(s, c, codes[0])
	default:
		s.status[c] = Ready
		s.Mem.Unpark(c)
	}
}

// launch creates the work-items of command c (rule 12.9) and lets them run to
// their first visible operation.
func (m *Machine) launch(s *State, c int) {
	m.follow(s, c)
	command := s.Cast.Units[c]
	cmd := command.cmd
	units := slices.Clone(s.Cast.Units)
	units[c].cmd = &Command{Kind: cmd.Kind, Func: cmd.Func, Parent: cmd.Parent, PC: cmd.PC, Queue: cmd.Queue, started: true}
	if m.bounded {
		units[c].cmd.past = s.before(c)
	}
	items := m.items(&command)
	helpers := m.helpers(&command, items)
	m.recast(s, append(append(units, items...), helpers...))
	c = s.Cast.index[command.ID]
	s.status[c] = Running
	s.Mem.Park(c)
	for i := range helpers {
		s.attend(s.Cast.index[helpers[i].ID], c)
	}
	f := m.Program.Funcs[cmd.Func]
	for i := range items {
		u := s.Cast.index[items[i].ID]
		copy(s.reg(u)[f.Private:f.Private+f.Params], cmd.Args[10:])
		s.Mem.Follow(u, c)
	}
	for i := range items {
		m.run(s, s.Cast.index[items[i].ID])
	}
}

// complete sets the status of command c, 0 for CL_COMPLETE. What waits for
// that has then seen all that the command and those that its work-items
// enqueued have done (rules 12.2, 12.3, 12.5).
func (m *Machine) complete(s *State, c int, code int32) {
	s.status[c], s.code[c], s.due = Ended, code, true
	s.Mem.Park(c)
	for d := range s.Cast.Units {
		if s.Cast.descends(d, c) {
			s.Mem.Follow(c, d)
			s.Mem.End(d)
		}
	}
	id, cmd := s.Cast.Units[c].ID, s.Cast.Units[c].cmd
	if by, ok := s.Cast.parent(c); ok && code < 0 && s.Cast.Units[by].Place.Host {
		s.fail(by, cmd.PC, FailedCommand)
	}
	if cmd.Kind == KernelCommand {
		s.abandon(c)
	}
	for w := range s.Cast.Units {
		if s.status[w] != Pending {
			continue
		}
		if waits := s.Cast.Units[w].cmd; slices.Contains(waits.Events, id) || slices.Contains(waits.After, id) {
			s.Mem.Follow(w, c)
		}
	}
	m.handOver(s, c)
}

// finish performs clFinish: unit u waits for all commands that it has enqueued.
func (m *Machine) finish(s *State, u int) {
	s.status[u] = Finishing
	s.Mem.Park(u)
	s.due = true
}

// finished reports whether all commands of unit u have completed.
func (s *State) finished(u int) bool {
	for c := range s.Cast.Units {
		if s.Cast.enqueued(c, u) && s.status[c] != Ended {
			return false
		}
	}
	return true
}

// enqueued reports whether unit c is a command that unit u has enqueued.
func (c *Cast) enqueued(command, u int) bool {
	cmd := c.Units[command].cmd
	return cmd.enqueued() && cmd.Parent == c.Units[u].ID
}

// parent returns the unit that has enqueued command c.
func (c *Cast) parent(command int) (by int, ok bool) {
	cmd := c.Units[command].cmd
	if cmd == nil {
		return 0, false
	}
	by, ok = c.index[cmd.Parent]
	return by, ok
}

// resume lets unit u return from clFinish (rule 12.8).
func (m *Machine) resume(s *State, u int) {
	for c := range s.Cast.Units {
		if s.Cast.enqueued(c, u) {
			s.Mem.Follow(u, c)
			s.Mem.End(c)
		}
	}
	s.Mem.Unpark(u)
	s.status[u] = Ready
	s.pc[u]++
	id := s.Cast.Units[u].ID
	if s.Mem.Quiet() && !s.Mem.Open() && s.Violation.Kind == NoViolation {
		m.dismiss(s)
	}
	m.run(s, s.Cast.index[id])
}

// dismiss removes the units that have ended, if nobody but the host is left,
// which knows all that was done. One of several host threads need not.
func (m *Machine) dismiss(s *State) {
	if m.concurrent {
		return
	}
	left := 0
	for u := range s.Cast.Units {
		if s.Cast.Units[u].hosted() {
			left++
		} else if s.status[u] != Ended {
			return
		}
	}
	if left == len(s.Cast.Units) {
		return
	}
	c := s.Cast.hosts.Load()
	if c == nil {
		var units []Unit
		for u := range s.Cast.Units {
			if q := &s.Cast.Units[u]; q.hosted() {
				units = append(units, *q)
			}
		}
		c = m.newCast(units)
		s.Cast.hosts.Store(c)
	}
	m.move(s, c)
}

// hosted reports whether the unit is a host thread.
func (u *Unit) hosted() bool { return u.Func >= 0 && u.Place.Host }

// recast moves s to the cast with these units. Those that are new have done
// and seen nothing yet.
func (m *Machine) recast(s *State, units []Unit) { m.move(s, m.newCast(units)) }

// removal is space that a move between casts needs.
type removal struct {
	was      State
	to, locs []int // as memmodel.Memory.Relayout takes them
}

var removals = sync.Pool{New: func() any { return &removal{} }}

func (m *Machine) move(s *State, c *Cast) {
	r := removals.Get().(*removal)
	defer removals.Put(r)
	old := s.Cast
	r.to, r.locs = r.to[:0], r.locs[:0]
	for u := range old.Units {
		at, ok := c.index[old.Units[u].ID]
		if !ok {
			at = -1
		}
		r.to = append(r.to, at)
	}
	for x, cl := range c.cells {
		if cl.fn >= 0 {
			x = old.locationOf(c, cl)
		}
		r.locs = append(r.locs, x)
	}
	s.Mem.Relayout(c.Layout, r.to, r.locs)
	was, mem := &r.was, s.Mem
	*was, *s = *s, *was
	s.Mem, was.Mem = mem, memmodel.Memory{}
	s.reset(c)
	s.obs = append(s.obs, was.obs...)
	s.reached, s.Violation, s.due = was.reached, was.Violation.moved(r.to, r.locs), was.due
	for u, t := range r.to {
		if t < 0 {
			continue
		}
		s.status[t], s.pc[t], s.made[t], s.code[t], s.refs[t] = was.status[u], was.pc[u], was.made[u], was.code[u], was.refs[u]
		copy(s.reg(t), was.regs[old.Units[u].regs:])
	}
}

// moved returns the violation in terms of a cast in which unit u is unit
// units[u] and location x was location locs[x].
func (v Violation) moved(units, locs []int) Violation {
	if v.Kind == NoViolation {
		return v
	}
	v.Unit, v.Waiting, v.Missing = units[v.Unit], units[v.Waiting], units[v.Missing]
	v.Fault.Unit, v.Fault.Other = units[v.Fault.Unit], units[v.Fault.Other]
	if v.Fault.Kind != memmodel.NoFault {
		v.Fault.Loc = slices.Index(locs, v.Fault.Loc)
	}
	return v
}

// locationOf returns the location in c that is cell cl of cast d, or -1.
func (c *Cast) locationOf(d *Cast, cl cell) int {
	first := &d.Units[d.Groups[cl.group].Units[0]]
	u, ok := c.index[first.ID]
	if !ok {
		return -1
	}
	return c.Groups[c.Units[u].Group].base + int(cl.addr)
}
