package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Device-side enqueue. A child has seen, when it starts, what its parent's
// kernel-instance had seen when it started, what the enqueuing work-item has
// done to fine-grained memory, and all that the flags and the wait list make
// it wait for (rules 12.1, 12.2, 12.12). Of the rest of what the parent does to
// memory it knows nothing. Hence the helpers: units that execute nothing and
// hold, in their views, a moment of the parent's execution.

// helpers lists the helpers that a kernel-instance with these work-items needs:
// one for its start and one for the ends of each work-group, as far as there
// can be a child that follows it.
func (m *Machine) helpers(c *Role, items []Role) (helpers []Role) {
	children := m.Children[c.cmd.Func]
	if !children.Any || len(items) == 0 {
		return nil
	}
	add := func(kind CommandKind, group uint16) {
		path := extend(c.path, stepHelper, len(helpers))
		helpers = append(helpers, Role{
			Name: c.Name, ID: identify(path), path: path, Func: -1,
			cmd:   &Command{Kind: kind, Func: c.cmd.Func, Parent: c.ID, started: true},
			Place: memmodel.Place{Host: true, Device: c.Place.Device, Group: group},
		})
	}
	add(originCommand, 0)
	if children.WaitGroup {
		for i := range items {
			if g := items[i].Place.Group; !slices.ContainsFunc(helpers[1:], func(h Role) bool { return h.Place.Group == g }) {
				add(groupCommand, g)
			}
		}
	}
	return helpers
}

// attend puts helper h to work at the start of command c.
func (s *State) attend(h, c memmodel.Unit) {
	s.status[h] = Ended // it takes no steps, and nobody waits for it
	s.Mem.JoinView(h, c)
	if s.Cast.Units[h].cmd.Kind == groupCommand {
		s.Mem.Park(h)
	}
}

// helper returns the helper of command c, of a kind and a work-group, or -1.
func (s *State) helper(c memmodel.Unit, kind CommandKind, group uint16) memmodel.Unit {
	for h := range s.Cast.Count() {
		if q := &s.Cast.Units[h]; q.cmd != nil && q.cmd.Kind == kind && q.cmd.Parent == s.Cast.Units[c].ID &&
			(kind == originCommand || q.Place.Group == group) {
			return h
		}
	}
	return -1
}

// leave is called when work-item u of a command has ended (rule 12.9).
func (m *Machine) leave(s *State, u memmodel.Unit) {
	unit := &s.Cast.Units[u]
	c := unit.command
	s.Mem.JoinView(c, u)
	over := s.ended(c)
	s.due = s.due || over
	if !m.Children[unit.Func].Any {
		return
	}
	s.due = true
	if g := s.helper(c, groupCommand, unit.Place.Group); g >= 0 {
		s.Mem.JoinView(g, u)
	}
	if over { // there are no more children
		s.Mem.End(s.helper(c, originCommand, 0))
	}
}

// handOver lets the parent of command c, which is complete, keep what that has
// done, if nothing else can ask for it: no event of the command is held, and no
// child waits for the parent's own work-items alone. So it does not matter in
// which order children complete.
func (m *Machine) handOver(s *State, c memmodel.Unit) {
	by, ok := s.Cast.parent(c)
	if !ok || s.refs[c] > 0 {
		return
	}
	p := s.Cast.Units[by].command
	if p < 0 || m.Children[s.Cast.Units[p].cmd.Func].WaitKernel {
		return
	}
	s.Mem.JoinView(p, c)
	s.Mem.End(c)
}

// abandon ends the user events of command c's work-items: nobody can set them
// any more, and nothing waits for them.
func (s *State) abandon(c memmodel.Unit) {
	for e := range s.Cast.Count() {
		q := &s.Cast.Units[e]
		if s.status[e] != Running || q.cmd == nil || q.cmd.Kind != UserEvent {
			continue
		}
		if by, ok := s.Cast.index[q.cmd.Parent]; ok && s.Cast.Units[by].command == c {
			s.status[e] = Ended
			s.Mem.End(e)
		}
	}
}

// descends reports whether unit d is a command that a work-item of command c
// has enqueued.
func (c *Cast) descends(d, command memmodel.Unit) bool {
	cmd := c.Units[d].cmd
	if !cmd.enqueued() {
		return false
	}
	by, ok := c.index[cmd.Parent]
	return ok && c.Units[by].command == command
}

// released reports whether the flags of a device-side enqueue, and its being
// late, let the command start (rules 12.12, 12.13).
func (s *State) released(cmd *Command) bool {
	by, ok := s.Cast.index[cmd.Parent]
	if !ok || cmd.Flags == ir.NoWait && !cmd.Late {
		return true
	}
	parent := &s.Cast.Units[by]
	for u := range s.Cast.Units {
		q := &s.Cast.Units[u]
		awaited := q.command == parent.command && q.command >= 0
		if cmd.Flags == ir.WaitWorkGroup && !cmd.Late {
			awaited = q.Group == parent.Group && parent.Group >= 0
		}
		if awaited && s.status[u] != Ended {
			return false
		}
	}
	return true
}

// enqueueChoices appends what may come of an enqueue by work-item u: the
// command may start as soon as its flags allow, or only when the parent's
// kernel-instance has ended, where somebody of that may wait for it; and the
// enqueue may fail, if the program wants to know (rules 12.13, 12.17).
func (m *Machine) enqueueChoices(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, out []Choice) []Choice {
	from := len(out)
	out = append(out, Choice{})
	if in.Op == ir.OpEnqueueKernel && m.Children[s.Cast.Units[u].Func].Spins && operand(f, s.reg(u), in.Args[1]) != ir.WaitKernel {
		out = append(out, Choice{Back: 1})
	}
	mayFail := m.Program.EnqueueFailure
	if size := m.bound(s, u); size > 0 {
		queue := operand(f, s.reg(u), in.Args[0])
		open, doubtful := s.crowd(u, queue)
		if open >= size {
			out = out[:from]
		}
		mayFail = mayFail || doubtful >= size
	}
	if mayFail {
		out = append(out, Choice{Fail: true})
	}
	return out
}

// bound returns how many commands the queue holds that unit u is about to
// enqueue to, or 0 if it enqueues nothing or there is no bound.
func (m *Machine) bound(s *State, u memmodel.Unit) int {
	f := m.Program.Funcs[s.Cast.Units[u].Func]
	in := &f.Code[s.pc[u]]
	if !m.Bounded || in.Op != ir.OpEnqueueKernel && in.Op != ir.OpEnqueueMarker {
		return 0
	}
	if q := operand(f, s.reg(u), in.Args[0]) - ir.DefaultQueue - 1; q >= 0 && int(q) < len(m.Program.Queues) {
		return int(m.Program.Queues[q])
	}
	return 0
}

// crowd counts the commands in a queue that are not complete, and those that
// need not be, for all that work-item u can know. An implementation may take
// its time to find that a command is complete.
func (s *State) crowd(u memmodel.Unit, queue int64) (open, doubtful int) {
	past := s.Cast.Units[s.Cast.Units[u].command].cmd.past
	for c := range s.Cast.Units {
		cmd := s.Cast.Units[c].cmd
		if !cmd.enqueued() || cmd.Queue != queue || s.Cast.Units[c].Place.Device != s.Cast.Units[u].Place.Device {
			continue
		}
		if s.status[c] != Ended {
			open++
		}
		if !slices.Contains(past, s.Cast.Units[c].ID) {
			doubtful++
		}
	}
	return open, doubtful
}

// Contending reports whether the next operation of unit u is an enqueue to a
// queue that can be full, or a host thread's atomic access of memory that must be
// mapped, so that it matters who comes first.
// docs/exploration/source-free.md, "Commands".
func (m *Machine) Contending(s *State, u memmodel.Unit) bool {
	if m.Maps && m.touchesAtomically(s, u) {
		return true
	}
	return m.Bounded && s.status[u] == Ready && s.Cast.Units[u].Func >= 0 && m.bound(s, u) > 0
}

// before returns the commands that are complete when command c starts.
func (s *State) before(c memmodel.Unit) (past []uint64) {
	cmd := s.Cast.Units[c].cmd
	add := func(id uint64) {
		past = append(past, id)
		if p, ok := s.Cast.index[id]; ok {
			past = append(past, s.Cast.Units[p].cmd.past...)
		}
	}
	for _, list := range [...][]uint64{cmd.Events, cmd.After} {
		for _, id := range list {
			add(id)
		}
	}
	if by, ok := s.Cast.parent(c); ok && s.Cast.Units[by].command >= 0 {
		past = append(past, s.Cast.Units[s.Cast.Units[by].command].cmd.past...)
	}
	slices.Sort(past)
	return slices.Compact(past)
}

// command performs an operation of device-side enqueue.
func (m *Machine) command(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, c Choice) {
	switch in.Op {
	case ir.OpEnqueueKernel:
		m.enqueueKernel(s, u, f, in, c)
	case ir.OpEnqueueMarker:
		m.enqueueMarker(s, u, f, in, c)
	default:
		m.useEvent(s, u, f, in)
	}
}

// enqueueKernel performs enqueue_kernel by work-item u. The child may start later than its flags
// allow (rule 12.13), and after or before others of its queue (rule 12.14).
func (m *Machine) enqueueKernel(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, c Choice) {
	args := s.arguments(u, f, in)
	queue, flags := args[0], args[1]
	r := rangeOf(args[2:])
	events, ok := m.waitList(s, u, args[ir.EnqueueHeader:][:in.Waits])
	switch {
	case !ok:
		return
	case !m.queue(queue), flags < ir.NoWait || flags > ir.WaitWorkGroup, s.Cast.Units[u].command < 0:
		s.stuck(u, InvalidArgument)
		return
	case !m.launches(s, u, &r):
		return
	case s.made[u] == maxCommands:
		s.flood(u, TooManyCommands)
		return
	case c.Fail:
		m.enqueued(s, u, in, 0)
		return
	}
	cmd := Command{
		Func: int(in.Target), Args: append(args[2:ir.EnqueueHeader:ir.EnqueueHeader], args[ir.EnqueueHeader+in.Waits:]...),
		Queue: queue, Flags: flags, Late: c.Back > 0, Events: events,
	}
	me := s.Cast.Units[u].ID
	child := m.submit(s, u, cmd)
	u, d := s.Cast.index[me], s.Cast.index[child]
	s.Mem.JoinView(d, s.helper(s.Cast.Units[u].command, originCommand, 0))
	s.Mem.JoinFineView(d, u)
	m.enqueued(s, u, in, child)
}

// startAfter lets command c have seen what its flags made it wait for (rule 12.12).
func (m *Machine) startAfter(s *State, c memmodel.Unit) {
	cmd := s.Cast.Units[c].cmd
	by, ok := s.Cast.index[cmd.Parent]
	if !ok {
		return
	}
	parent := &s.Cast.Units[by]
	switch cmd.Flags {
	case ir.WaitKernel:
		s.Mem.JoinView(c, parent.command)
	case ir.WaitWorkGroup:
		s.Mem.JoinView(c, s.helper(parent.command, groupCommand, parent.Place.Group))
	}
}

// enqueueMarker performs enqueue_marker (rule 12.18).
func (m *Machine) enqueueMarker(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, choice Choice) {
	args := s.arguments(u, f, in)
	events, ok := m.waitList(s, u, args[1:])
	switch {
	case !ok:
		return
	case !m.queue(args[0]):
		s.stuck(u, InvalidArgument)
		return
	case s.made[u] == maxCommands:
		s.flood(u, TooManyCommands)
		return
	case len(events) == 0:
		s.stuck(u, InvalidEvent)
		return
	case choice.Fail:
		m.enqueued(s, u, in, 0)
		return
	}
	me := s.Cast.Units[u].ID
	marker := m.submit(s, u, Command{Kind: MarkerCommand, Queue: args[0], Events: events})
	u, c := s.Cast.index[me], s.Cast.index[marker]
	s.Mem.JoinView(c, s.helper(s.Cast.Units[u].command, originCommand, 0))
	s.Mem.JoinFineView(c, u)
	s.Mem.Park(c)
	m.enqueued(s, u, in, marker)
}

// enqueued lets unit u go on after an enqueue, with the event of the command,
// or 0 if it has failed.
func (m *Machine) enqueued(s *State, u memmodel.Unit, in *ir.Instr, command uint64) {
	result := int64(ir.Success)
	if command == 0 {
		result = ir.EnqueueFailure
	} else {
		if in.Dst2 >= 0 {
			s.refs[s.Cast.index[command]] = 1 // the event returned is retained (rule 12.17)
		}
	}
	set(s.reg(u), in.Dst, result)
	set(s.reg(u), in.Dst2, int64(command))
	s.pc[u]++
	m.run(s, u)
	s.due = true
}

// queue reports whether a value of type queue_t names a queue.
func (m *Machine) queue(q int64) bool {
	return q >= ir.DefaultQueue && q <= ir.DefaultQueue+int64(len(m.Program.Queues))
}

// waitList returns the commands whose events are listed. It reports a
// violation and returns false if one of the events is not valid.
func (m *Machine) waitList(s *State, u memmodel.Unit, handles []int64) (events []uint64, ok bool) {
	for _, h := range handles {
		if s.event(h) < 0 {
			s.stuck(u, InvalidEvent)
			return nil, false
		}
		events = append(events, uint64(h))
	}
	slices.Sort(events)
	return slices.Compact(events), true
}

// event returns the command whose event has that handle, or -1 if the event
// is not valid: never was, or has been released.
func (s *State) event(handle int64) memmodel.Unit {
	if c, ok := s.Cast.index[uint64(handle)]; ok && s.Cast.Units[c].cmd != nil && s.refs[c] > 0 {
		return c
	}
	return -1
}

// useEvent performs the operations on events other than enqueues. All are the
// business of one kernel-instance (rule 12.14), and none accesses memory.
func (m *Machine) useEvent(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr) {
	if in.Op == ir.OpCreateEvent {
		m.createEvent(s, u, in)
		return
	}
	e := s.event(operand(f, s.reg(u), in.A))
	if in.Op == ir.OpValidEvent {
		set(s.reg(u), in.Dst, int64(truth(e >= 0)))
	} else if e < 0 || !m.use(s, u, e, f, in) {
		s.stuck(u, InvalidEvent)
		return
	}
	s.pc[u]++
	m.run(s, u)
}

// use retains, releases or sets event e, and reports whether that was possible.
func (m *Machine) use(s *State, u, e memmodel.Unit, f *ir.Func, in *ir.Instr) bool {
	switch in.Op {
	case ir.OpRetainEvent:
		if s.refs[e] == 255 {
			return false
		}
		s.refs[e]++
	case ir.OpReleaseEvent:
		s.refs[e]--
	case ir.OpSetEvent: // rules 12.11, 12.19
		status := operand(f, s.reg(u), in.B)
		if s.Cast.Units[e].cmd.Kind != UserEvent || s.status[e] == Ended || status > 0 {
			return false
		}
		s.Mem.JoinView(e, u)
		m.complete(s, e, int32(status))
		if m.Polls { // the unit itself sees the new status
			s.Mem.JoinView(u, e)
		}
	}
	return true
}

// createEvent performs create_user_event.
func (m *Machine) createEvent(s *State, u memmodel.Unit, in *ir.Instr) {
	me := s.Cast.Units[u].ID
	event := m.submit(s, u, Command{Kind: UserEvent})
	e := s.Cast.index[event]
	s.status[e], s.refs[e] = Running, 1
	s.Mem.Park(e)
	u = s.Cast.index[me]
	set(s.reg(u), in.Dst, int64(event))
	s.pc[u]++
	m.run(s, u)
}

// arguments returns the values of an instruction's arguments.
func (s *State) arguments(u memmodel.Unit, f *ir.Func, in *ir.Instr) []int64 {
	regs := s.reg(u)
	args := make([]int64, len(in.Args))
	for i, a := range in.Args {
		args[i] = operand(f, regs, a)
	}
	return args
}

// stuck reports a violation by the operation that unit u is at.
func (s *State) stuck(u memmodel.Unit, k Kind) {
	s.fail(u, int(s.pc[u]), k)
	s.status[u] = Stuck
}
