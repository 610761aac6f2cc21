package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// This file holds the commands of the host: its queues, and its waiting.

// enqueueHost performs an operation that enqueues a command of the host. What
// the host has done so far happens before the command (rule 12.1).
func (m *Machine) enqueueHost(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr) {
	args := s.arguments(u, f, in)
	header := 1
	if in.Op == ir.OpEnqueueNDRange {
		header = ir.NDRangeHeader
	}
	events, ok := m.hostEvents(s, u, args[header:][:in.Waits])
	if !ok {
		return
	}
	cmd := Command{Queue: args[0], Events: events}
	switch params := args[header+int(in.Waits):]; in.Op {
	case ir.OpEnqueueNDRange:
		cmd.Func, cmd.Args = int(in.Target), append(args[1:header:header], params...)
		if r := rangeOf(cmd.Args); !m.launches(s, u, &r) {
			return
		}
	case ir.OpEnqueueNative:
		cmd.Kind, cmd.Func, cmd.Args = NativeCommand, int(in.Target), params
	case ir.OpMarker:
		cmd.Kind = MarkerCommand
	case ir.OpQueueBarrier:
		cmd.Kind = BarrierCommand
	}
	if s.made[u] == maxCommands {
		s.flood(u, TooManyCommands)
		return
	}
	host := s.Cast.Units[u].ID
	id := m.inQueue(s, u, cmd, in.Waits > 0)
	u = s.Cast.index[host]
	s.Mem.JoinView(s.Cast.index[id], u)
	set(s.reg(u), in.Dst, int64(id))
	s.pc[u]++
	m.run(s, u)
}

// inQueue creates a command of unit u behind those of its queue that it must
// follow (rules 12.5 to 12.7). Whether it has a wait list its events do not tell:
// those of commands that are complete for long are not among them any more.
func (m *Machine) inQueue(s *State, u memmodel.Unit, cmd Command, listed bool) uint64 {
	_, outOfOrder := m.queueOf(cmd.Queue)
	var before []uint64
	switch {
	case !outOfOrder || cmd.Kind >= MarkerCommand && !listed:
		before = s.last(func(c *Command) bool { return c.Queue == cmd.Queue })
	default:
		before = s.last(func(c *Command) bool { return c.Queue == cmd.Queue && c.Kind == BarrierCommand })
	}
	cmd.After = before
	s.due = true
	return m.submit(s, u, cmd)
}

// last returns the commands of a kind, of those that the host has enqueued,
// which no other one of the kind follows already.
func (s *State) last(kind func(*Command) bool) (last []uint64) {
	for c := range s.Cast.Count() {
		if q := s.Cast.Units[c].cmd; q.enqueued() && s.Cast.ofHost(c) && kind(q) {
			last = append(last, s.Cast.Units[c].ID)
		}
	}
	return slices.DeleteFunc(last, func(id uint64) bool {
		return slices.ContainsFunc(last, func(other uint64) bool {
			return slices.Contains(s.Cast.Units[s.Cast.index[other]].cmd.After, id)
		})
	})
}

// ofHost reports whether a host thread has enqueued command c.
func (c *Cast) ofHost(command memmodel.Unit) bool {
	by, ok := c.parent(command)
	return ok && c.Units[by].Place.Host
}

// queueOf returns what the handle of a host queue stands for.
func (m *Machine) queueOf(handle int64) (device uint16, outOfOrder bool) {
	if handle == 0 {
		return 0, false
	}
	q := &m.Program.HostQueues[-1-handle]
	return q.Device, q.OutOfOrder
}

// hostEvents returns the commands that event handles of the host stand for, as
// far as they are still there; the others have been complete for long. It
// reports a violation and returns false if one is no event.
func (m *Machine) hostEvents(s *State, u memmodel.Unit, handles []int64) (events []uint64, ok bool) {
	for _, h := range handles {
		if h == 0 {
			s.stuck(u, InvalidEvent)
			return nil, false
		}
		if _, ok := s.Cast.index[uint64(h)]; ok {
			events = append(events, uint64(h))
		}
	}
	return events, true
}

// launchNative starts a command that executes a function once.
func (m *Machine) launchNative(s *State, c memmodel.Unit) {
	command := s.Cast.Units[c]
	path := extend(command.path, stepItem, 0)
	worker := Role{Name: command.Name, ID: identify(path), path: path, Func: command.cmd.Func, Place: command.Place, serves: command.ID}
	units := slices.Clone(s.Cast.Units)
	units[c].cmd = command.cmd.running()
	m.recast(s, append(units, worker))
	c, w := s.Cast.index[command.ID], s.Cast.index[worker.ID]
	s.status[c] = Running
	m.announce(s, c, running)
	s.Mem.Park(c)
	f := m.Program.Funcs[worker.Func]
	copy(s.reg(w)[f.Private:f.Private+f.Params], command.cmd.Args)
	s.Mem.JoinView(w, c)
	m.run(s, w)
}

// wait lets unit u wait for commands: in clFinish or clWaitForEvents.
func (m *Machine) wait(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr) {
	if in.Op == ir.OpWaitEvents {
		if _, ok := m.hostEvents(s, u, s.arguments(u, f, in)); !ok {
			return
		}
	} else if m.Threaded {
		// Others may enqueue meanwhile, what is not to be waited for, and does not wait.
		host := s.Cast.Units[u].ID
		c := s.Cast.index[m.inQueue(s, u, Command{Kind: finishCommand, Queue: operand(f, s.reg(u), in.A)}, false)]
		s.Mem.JoinView(c, s.Cast.index[host])
		s.Mem.Park(c)
		u = s.Cast.index[host]
	}
	s.status[u] = Finishing
	if in.Op == ir.OpFinish && !m.Concurrent {
		s.Mem.Park(u)
	}
	s.due = true
}

// awaiting reports whether unit u, which waits for commands, waits for command c.
func (m *Machine) awaiting(s *State, u, c memmodel.Unit) bool {
	cmd := s.Cast.Units[c].cmd
	if cmd == nil {
		return false
	}
	f := m.Program.Funcs[s.Cast.Units[u].Func]
	in := &f.Code[s.pc[u]]
	switch {
	case in.Op == ir.OpWaitEvents:
		return slices.ContainsFunc(in.Args, func(a int32) bool { return uint64(operand(f, s.reg(u), a)) == s.Cast.Units[c].ID })
	case m.Threaded:
		return identify(extend(s.Cast.Units[u].path, stepCommand, int(s.made[u])-1)) == s.Cast.Units[c].ID
	}
	return cmd.enqueued() && s.Cast.ofHost(c) && cmd.Queue == operand(f, s.reg(u), in.A)
}

// finished reports whether all that unit u waits for has completed.
func (m *Machine) finished(s *State, u memmodel.Unit) bool {
	for c := range s.Cast.Count() {
		if s.status[c] != Ended && m.awaiting(s, u, c) {
			return false
		}
	}
	return true
}

// resume lets unit u return from its wait: what it has waited for happens
// before what it does next (rules 12.4, 12.8).
func (m *Machine) resume(s *State, u memmodel.Unit) {
	ok := int64(1)
	for c := range s.Cast.Count() {
		if m.awaiting(s, u, c) {
			s.Mem.JoinView(u, c)
			if s.code[c] < 0 {
				ok = 0
			}
			if s.Cast.Units[c].cmd.Kind == finishCommand {
				s.Mem.End(c)
			}
		}
	}
	in := &m.Program.Funcs[s.Cast.Units[u].Func].Code[s.pc[u]]
	if in.Op == ir.OpWaitEvents {
		set(s.reg(u), in.Dst, ok)
	}
	s.Mem.Unpark(u)
	s.status[u] = Ready
	s.pc[u]++
	id := s.Cast.Units[u].ID
	if !m.Concurrent {
		m.retire(s)
		m.dismiss(s)
	}
	m.run(s, s.Cast.index[id])
}

// retire ends the commands that have completed and have nothing to tell to any
// host thread any more, and reports whether there were any. Of those that have
// mapped memory, kernels may yet have to know.
func (m *Machine) retire(s *State) (ended bool) {
	for c := range s.Cast.Count() {
		id := s.Cast.Units[c].ID
		if slices.ContainsFunc(s.maps, func(q mapping) bool { return q.by == id }) {
			continue
		}
		if s.Cast.Units[c].cmd.enqueued() && s.status[c] == Ended && s.Mem.Live(c) && s.Cast.ofHost(c) && s.public(c) {
			s.Mem.End(c)
			ended = true
		}
	}
	return ended
}

// turn returns the location that stands for the queue of an operation, by
// whose modification order several host threads take turns at the queue.
func (m *Machine) turn(f *ir.Func, regs []int64, in *ir.Instr) memmodel.Loc {
	q := in.A
	if in.Op != ir.OpFinish {
		q = in.Args[0]
	}
	return m.Turns - memmodel.Loc(operand(f, regs, q))
}

// takeTurn orders an operation of unit u on a queue.
func (m *Machine) takeTurn(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr) {
	if m.Threaded {
		s.Mem.Modify(u, m.turn(f, s.reg(u), in), 0, 0, 0, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
	}
}
