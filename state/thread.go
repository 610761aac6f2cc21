package state

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// spawn starts a host thread. All that the unit that starts it knows happens
// before what the thread does (C11 7.26.5.1).
func (m *Machine) spawn(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr) {
	if s.made[u] == maxCommands {
		s.flood(u, TooManyCommands)
		return
	}
	g := m.Program.Funcs[in.Target]
	by := &s.Cast.Units[u]
	path := extend(by.path, stepThread, int(s.made[u]))
	thread := Role{Name: m.threadName(s, int(in.Target)), ID: identify(path), path: path, Func: int(in.Target), Place: memmodel.Place{Host: true}}
	args, parent := s.arguments(u, f, in), by.ID
	s.made[u]++
	m.recast(s, append(slices.Clone(s.Cast.Units), thread))
	t := s.Cast.index[thread.ID]
	u = s.Cast.index[parent]
	copy(s.reg(t)[g.Private:g.Private+g.Params], args)
	s.Mem.JoinView(t, u)
	s.pc[u]++
	m.run(s, t)
	m.run(s, s.Cast.index[parent])
}

// threadName names a new host thread that executes a function.
func (m *Machine) threadName(s *State, fn int) string {
	name, same := m.Program.Funcs[fn].Name, 1
	for i := range s.Cast.Units {
		if q := &s.Cast.Units[i]; q.Func == fn && q.thread() {
			same++
		}
	}
	if same > 1 {
		name = fmt.Sprintf("%s#%d", name, same)
	}
	return name
}

// public reports whether all host threads know what unit u has done, those included that
// callbacks are to start: they know what their commands do.
func (s *State) public(u memmodel.Unit) bool {
	for _, h := range s.Cast.threads {
		if s.status[h] != Ended && !s.Mem.Knows(h, u) {
			return false
		}
	}
	for _, c := range s.Cast.callbacks {
		if s.status[c] != Ended && !s.Mem.Knows(c, u) {
			return false
		}
	}
	return true
}

// thread reports whether the unit is a host thread.
func (u *Role) thread() bool { return u.Func >= 0 && u.Place.Host && u.serves == 0 }

// callBack performs a callback: a host thread that has seen what the event it
// was registered for has, if that is complete (rule 12.10). Its first parameter is the status.
func (m *Machine) callBack(s *State, c memmodel.Unit) {
	command := s.Cast.Units[c]
	status := m.callStatus(s, c)
	path := extend(command.path, stepThread, 0)
	f := m.Program.Funcs[command.cmd.Func]
	thread := Role{Name: m.threadName(s, command.cmd.Func), ID: identify(path), path: path, Func: command.cmd.Func, Place: memmodel.Place{Host: true}}
	units := slices.Clone(s.Cast.Units)
	units[c].cmd = command.cmd.running()
	m.recast(s, append(units, thread))
	c, t := s.Cast.index[command.ID], s.Cast.index[thread.ID]
	s.status[c] = Ended
	args := s.reg(t)[f.Private : f.Private+f.Params]
	copy(args, command.cmd.Args)
	args[0] = status
	s.Mem.JoinView(t, c)
	s.Mem.End(c)
	m.sees(s, t, command.cmd.Begun, status)
	m.run(s, t)
}

// callStatus returns what the callback c is told: the status that it was registered for or, if the
// command has failed instead, how.
func (m *Machine) callStatus(s *State, c memmodel.Unit) int64 {
	cmd := s.Cast.Units[c].cmd
	if codes := s.failures(c); len(codes) > 0 {
		return int64(codes[0])
	}
	if e, ok := s.Cast.index[cmd.Begun]; ok && cmd.Args[0] == running && s.code[e] < 0 && !s.Cast.Units[e].cmd.started {
		return int64(s.code[e])
	}
	return cmd.Args[0]
}

// sees lets host thread t, which is called back for a command that is not complete, know that it has a
// status, and nothing else (API 5.11).
func (m *Machine) sees(s *State, t memmodel.Unit, command uint64, status int64) {
	e, ok := s.Cast.index[command]
	if !ok || !m.Polls {
		return
	}
	x, ok := s.Cast.Units[e].status.get()
	if !ok {
		return
	}
	for back := s.Mem.Readable(t, x) - 1; back >= 0; back-- {
		if s.Mem.Value(x, back) <= status {
			s.Mem.Load(t, x, back, 0, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
			return
		}
	}
}

// register performs clSetEventCallback.
func (m *Machine) register(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr) {
	args := s.arguments(u, f, in)
	events, ok := m.hostEvents(s, u, args[:1])
	if !ok {
		return
	}
	host := s.Cast.Units[u].ID
	cmd := Command{Kind: CallbackCommand, Func: int(in.Target), Args: args[1:], Events: events}
	if args[1] != 0 && len(events) > 0 {
		cmd.Events, cmd.Begun = nil, events[0]
	}
	id := m.submit(s, u, cmd)
	u = s.Cast.index[host]
	s.Mem.JoinView(s.Cast.index[id], u)
	s.pc[u]++
	m.run(s, u)
	s.due = true
}
