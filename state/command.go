package state

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/clmc/clmc/memmodel"
)

// maxCommands bounds the commands that one unit of execution enqueues.
const maxCommands = 1 << 12

// CommandKind says what a command does.
type CommandKind uint8

// The kinds of command. Those from originCommand on are no commands but serve one, or a
// call: they hold what has happened before a moment of its execution.
const (
	KernelCommand   CommandKind = iota // runs a kernel
	NativeCommand                      // executes a function once
	MarkerCommand                      // does nothing but wait
	BarrierCommand                     // is one that what comes later in its queue waits for
	UserEvent                          // is complete when a unit says so
	CallbackCommand                    // starts a host thread when its event has come so far
	originCommand                      // the start of a kernel-instance that may enqueue
	groupCommand                       // the ends of the work-items of one of its work-groups
	finishCommand                      // what a call of clFinish waits for, if there are several host threads
)

// Command is what is fixed of a command from its enqueue on. How far it has
// come is its unit's status: Pending until it starts, Running until it is
// complete, then Ended. If it has failed, State.code says how.
type Command struct {
	Kind   CommandKind // what kind of command
	Func   int         // of a kernel: index into Program.Funcs
	Args   []int64     // of a kernel: its index space as ten values, then its arguments
	Parent uint64      // ID of the unit that enqueued it
	PC     int         // of the enqueue in that unit's code
	Queue  int64       // the handle of the queue that it stands in
	Flags  int64       // of a device-side enqueue: ir.NoWait, ir.WaitKernel, ir.WaitWorkGroup
	// Late: it starts when the kernel-instance of its parent has ended, though
	// the flags do not ask for that (rule 12.13).
	Late bool
	// Events and After hold the IDs of the commands that must be complete before
	// it starts: its wait list, and those that its queue lets it follow.
	Events, After []uint64
	// Begun is, of a callback that is not for completion, the command that must run, or be complete, before.
	Begun uint64

	started bool // what only mattered until then is gone
	// past holds the commands that were complete when it started. It is kept
	// only where queues can be full.
	past []uint64
}

// pending reports whether the command is to execute a function, and has yet to.
func (c *Command) pending() bool {
	return c != nil && (c.Kind <= NativeCommand || c.Kind == CallbackCommand) && !c.started
}

// enqueued reports whether the command stands in a queue.
func (c *Command) enqueued() bool { return c != nil && c.Kind <= BarrierCommand }

// running returns the command as it is once it has started.
func (c *Command) running() *Command {
	return &Command{Kind: c.Kind, Func: c.Func, Parent: c.Parent, PC: c.PC, Queue: c.Queue, After: c.After, started: true}
}

// hash appends what tells commands apart.
func (c *Command) hash(b []byte) []byte {
	if c == nil {
		return append(b, 0)
	}
	b = append(b, 1, byte(c.Kind), truth(c.started), truth(c.Late), byte(c.Flags))
	b = binary.AppendVarint(binary.AppendVarint(b, int64(c.Func)), c.Queue)
	b = binary.AppendUvarint(b, uint64(c.PC))
	b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, c.Parent), c.Begun)
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
func (m *Machine) submit(s *State, u memmodel.Unit, cmd Command) (command uint64) {
	by := &s.Cast.Units[u]
	path := extend(by.path, stepCommand, int(s.made[u]))
	cmd.Parent, cmd.PC = by.ID, int(s.pc[u])
	device := by.Place.Device
	if by.Place.Host && cmd.enqueued() {
		device, _ = m.queueOf(cmd.Queue)
	}
	unit := Role{
		Name: fmt.Sprintf("command %d", s.made[u]), ID: identify(path), path: path, Func: -1, cmd: &cmd,
		Place: memmodel.Place{Host: true, Device: device},
	}
	if cmd.Kind == NativeCommand {
		unit.Name = fmt.Sprintf("%s (command %d)", m.Program.Funcs[cmd.Func].Name, s.made[u])
	}
	if cmd.Kind == KernelCommand {
		unit.Place.Kernel = m.kernelNumber(path)
	}
	if u > 0 {
		unit.Name = by.Name + " " + unit.Name // another thread may have one of the same number
	}
	if !by.Place.Host {
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
				s.Mem.JoinView(c, p)
			}
		}
	}
	m.announce(s, c, submitted)
	return unit.ID
}

// kernelNumber returns the number of the kernel-instance that the command at a
// path runs.
func (m *Machine) kernelNumber(path string) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.kernels[path]
	if !ok {
		n = m.FirstKernel + uint32(len(m.kernels))
		m.kernels[path] = n
	}
	return n
}

// advance lets go on what waits for what has happened, until nothing is left
// that does not take a step of its own: commands start, complete and let
// their hosts return from clFinish. A start writes and reads nothing, so none
// need wait for the steps of others.
func (m *Machine) advance(s *State) {
	went := s.due
	for s.due {
		s.due = false
		for u := range s.Cast.Count() {
			if m.proceed(s, u) {
				s.due = true
				break // the cast may be another
			}
		}
	}
	if went && m.Concurrent {
		m.dismiss(s)
	}
}

// proceed reports whether unit u, if it is a command or waits for commands,
// could go on.
func (m *Machine) proceed(s *State, u memmodel.Unit) bool {
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
		if m.finished(s, u) {
			m.resume(s, u)
			return true
		}
	}
	return false
}

// mayStart reports whether all that command c waits for has happened.
func (s *State) mayStart(c memmodel.Unit) bool {
	cmd := s.Cast.Units[c].cmd
	return s.complete(cmd.Events) && s.complete(cmd.After) && s.released(cmd) && s.begun(cmd)
}

// begun reports whether the command that a callback is for has come so far. What executes nothing, as
// a user event or a command that is about to fail, never runs, and has ended then.
func (s *State) begun(callback *Command) bool {
	c, ok := s.Cast.index[callback.Begun]
	if !ok || callback.Args[0] == submitted {
		return true
	}
	return s.status[c] == Ended || s.Cast.Units[c].cmd.started
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
func (s *State) over(c memmodel.Unit) bool {
	for u := range s.Cast.Count() {
		if s.status[u] != Ended && (s.Cast.Units[u].command == c || s.Cast.descends(u, c)) {
			return false
		}
	}
	return s.Cast.Units[c].cmd.Kind != UserEvent
}

// ended reports whether all work-items of command c have ended.
func (s *State) ended(c memmodel.Unit) bool {
	for u := range s.Cast.Units {
		if s.status[u] != Ended && s.Cast.Units[u].command == c {
			return false
		}
	}
	return true
}

// start starts command c, or lets it fail if one of the events that it waited
// for has.
func (m *Machine) start(s *State, c memmodel.Unit) {
	switch kind := s.Cast.Units[c].cmd.Kind; {
	case kind == CallbackCommand:
		m.callBack(s, c)
	case len(s.failures(c)) > 0:
		m.close(s, c)
	case kind == KernelCommand:
		m.launch(s, c)
	case kind == NativeCommand:
		m.launchNative(s, c)
	default:
		m.close(s, c)
	}
}

// failures returns the statuses that command c must choose one of as its own,
// if it fails: before it has started those of the events that it waited for,
// later those of the commands that its work-items enqueued (rule 12.16).
func (s *State) failures(c memmodel.Unit) (codes []int32) {
	cmd := s.Cast.Units[c].cmd
	for d := range s.Cast.Count() {
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
// is a choice, and a step of the command; so is a completion that somebody may
// see by asking for the status.
func (m *Machine) close(s *State, c memmodel.Unit) {
	codes := s.failures(c)
	if len(codes) > 1 || m.Polls && s.Cast.Units[c].cmd.enqueued() {
		s.status[c] = Ready
		for d := range s.Cast.Count() { // it acts, and has seen what it has waited for
			if s.Cast.descends(d, c) {
				s.Mem.JoinView(c, d)
			}
		}
		s.Mem.Unpark(c)
		return
	}
	m.complete(s, c, outcome(codes, 0))
}

// outcome returns the status of a command with these failures.
func outcome(codes []int32, choice int) int32 {
	if len(codes) == 0 {
		return 0
	}
	return codes[choice]
}

// launch creates the work-items of command c (rule 12.9) and lets them run to
// their first visible operation.
func (m *Machine) launch(s *State, c memmodel.Unit) {
	m.startAfter(s, c)
	command := s.Cast.Units[c]
	cmd := command.cmd
	units := slices.Clone(s.Cast.Units)
	units[c].cmd = cmd.running()
	if m.Bounded {
		units[c].cmd.past = s.before(c)
	}
	items := m.items(&command)
	helpers := m.helpers(&command, items)
	cast := m.newCast(append(append(units, items...), helpers...), s.abortable)
	if cast == nil {
		s.Abandoned, s.status[c] = true, Stuck
		return
	}
	m.join(s, cast)
	c = s.Cast.index[command.ID]
	s.status[c] = Running
	m.announce(s, c, running)
	s.Mem.Park(c)
	for i := range helpers {
		s.attend(s.Cast.index[helpers[i].ID], c)
	}
	f := m.Program.Funcs[cmd.Func]
	begin := make([]memmodel.Unit, len(items))
	for i := range items {
		begin[i] = s.Cast.index[items[i].ID]
		copy(s.reg(begin[i])[f.Private:f.Private+f.Params], cmd.Args[10:])
	}
	s.Mem.JoinViews(begin, c)
	for i := range items {
		m.run(s, s.Cast.index[items[i].ID])
	}
}

// complete sets the status of command c, 0 for CL_COMPLETE. What waits for
// that has then seen all that the command and those that its work-items
// enqueued have done (rules 12.2, 12.3, 12.5).
func (m *Machine) complete(s *State, c memmodel.Unit, code int32) {
	s.status[c], s.code[c], s.due = Ended, code, true
	s.Mem.Park(c)
	for d := range s.Cast.Count() {
		if s.Cast.descends(d, c) {
			s.Mem.JoinView(c, d)
			s.Mem.End(d)
		}
	}
	id, cmd := s.Cast.Units[c].ID, s.Cast.Units[c].cmd
	if code < 0 && cmd.enqueued() {
		m.failed(s, c)
	}
	m.tell(s, c)
	if cmd.Kind == KernelCommand {
		s.abandon(c)
	}
	for w := range s.Cast.Count() {
		if s.status[w] != Pending {
			continue
		}
		if waits := s.Cast.Units[w].cmd; slices.Contains(waits.Events, id) || slices.Contains(waits.After, id) {
			s.Mem.JoinView(w, c)
		}
	}
	m.handOver(s, c)
}

// failed reports the abnormal termination of a command of the host whose event
// the host has not kept: nobody can know.
func (m *Machine) failed(s *State, c memmodel.Unit) {
	by, ok := s.Cast.parent(c)
	if !ok || !s.Cast.Units[by].Place.Host {
		return
	}
	pc := s.Cast.Units[c].cmd.PC
	if m.Program.Funcs[s.Cast.Units[by].Func].Code[pc].Dst < 0 {
		s.fail(by, pc, FailedCommand)
	}
}

// parent returns the unit that has enqueued command c.
func (c *Cast) parent(command memmodel.Unit) (by memmodel.Unit, ok bool) {
	cmd := c.Units[command].cmd
	if cmd == nil {
		return 0, false
	}
	by, ok = c.index[cmd.Parent]
	return by, ok
}

// dismiss removes the units that have ended, if nobody but the host is left,
// which knows all that was done. With several host threads, all stay.
func (m *Machine) dismiss(s *State) {
	if m.Threaded || !s.Mem.Quiet() || s.Mem.Open() || s.Violation.Kind != NoViolation {
		return
	}
	left, others := 0, false
	for u := range s.Cast.Count() {
		switch q := &s.Cast.Units[u]; {
		case q.thread():
			left++
		case s.status[u] == Running && q.cmd.Kind == UserEvent, s.code[u] < 0:
			left, others = left+1, true
		case s.status[u] != Ended || !s.public(u):
			return
		}
	}
	if left == len(s.Cast.Units) {
		return
	}
	p := s.Cast.hosts.Load()
	if p == nil || others {
		var units []Role
		for u := range s.Cast.Units {
			if q := &s.Cast.Units[u]; q.thread() || s.status[u] != Ended || s.code[u] < 0 {
				units = append(units, *q)
			}
		}
		p = &passage{}
		p.plan(s.Cast, m.newCast(units, false))
		if !others {
			s.Cast.hosts.Store(p)
		}
	}
	m.move(s, p)
}

// recast moves s to the cast with these units. Those that are new have done
// and seen nothing yet.
func (m *Machine) recast(s *State, units []Role) { m.join(s, m.newCast(units, false)) }

// join is recast to a cast that is there.
func (m *Machine) join(s *State, c *Cast) {
	r := removals.Get().(*removal)
	defer removals.Put(r)
	r.plan(s.Cast, c)
	m.move(s, &r.passage)
}

// passage is the way from a cast to another one.
type passage struct {
	cast *Cast           // that it leads to
	to   []memmodel.Unit // as memmodel.Memory.Relayout takes them: the units
	locs []memmodel.Loc  // and the locations
}

// removal is space that a move between casts needs.
type removal struct {
	was State // what moves, as it was
	passage
}

var removals = sync.Pool{New: func() any { return &removal{} }}

// plan makes p the way from cast old to cast c.
func (p *passage) plan(old, c *Cast) {
	p.cast, p.to, p.locs = c, p.to[:0], p.locs[:0]
	for u := range old.Units {
		at, ok := c.index[old.Units[u].ID]
		if !ok {
			at = -1
		}
		p.to = append(p.to, at)
	}
	for i, cl := range c.cells {
		x := memmodel.Loc(i)
		if cl.fn != -1 {
			x = old.locationOf(c, cl)
		}
		p.locs = append(p.locs, x)
	}
}

// move moves s to another cast.
func (m *Machine) move(s *State, p *passage) {
	r := removals.Get().(*removal)
	defer removals.Put(r)
	old, c := s.Cast, p.cast
	s.Mem.Relayout(c.Layout, p.to, p.locs)
	was, mem := &r.was, s.Mem
	*was, *s = *s, *was
	s.Mem, was.Mem = mem, memmodel.Memory{}
	s.reset(c)
	s.obs, s.maps = append(s.obs, was.obs...), append(s.maps, was.maps...)
	s.reached = append(s.reached, was.reached...)
	s.Violation, s.due, s.PastRace = was.Violation.moved(p.to, p.locs), was.due, was.PastRace
	s.Abandoned, s.AssumptionFailed, s.Uncertified, s.CertificationFailed, s.MessageBoundHit, s.solo = was.Abandoned, was.AssumptionFailed, was.Uncertified, was.CertificationFailed, was.MessageBoundHit, was.solo
	s.abortable = was.abortable
	for u, t := range p.to {
		if t < 0 {
			continue
		}
		s.status[t], s.pc[t], s.made[t], s.code[t], s.refs[t] = was.status[u], was.pc[u], was.made[u], was.code[u], was.refs[u]
		copy(s.reg(t), was.regs[old.Units[u].regs:])
	}
}

// moved returns the violation in terms of a cast in which unit u is unit
// units[u] and location x was location locs[x].
func (v Violation) moved(units []memmodel.Unit, locs []memmodel.Loc) Violation {
	v.Rename(
		func(u memmodel.Unit) memmodel.Unit { return units[u] },
		func(x memmodel.Loc) memmodel.Loc { return memmodel.Loc(slices.Index(locs, x)) })
	return v
}

// locationOf returns the location in c that is cell cl of cast d, or -1.
func (c *Cast) locationOf(d *Cast, cl cell) memmodel.Loc {
	if cl.fn == statusCell {
		if u, ok := c.index[d.Units[cl.group].ID]; ok {
			return statusOf(&c.Units[u])
		}
		return -1
	}
	first := &d.Units[d.Groups[cl.group].Units[0]]
	u, ok := c.index[first.ID]
	if !ok {
		return -1
	}
	return c.Groups[c.Units[u].Group].base + memmodel.Loc(cl.addr)
}
