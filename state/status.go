package state

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// The execution status of a command that somebody may ask for is a location of
// its own, which the command writes and clGetEventInfo reads by a relaxed load: that
// one sees a command go on orders nothing, but nobody sees it further back again, nor
// incomplete after having waited for it. When a command is submitted is not told apart
// from when it is enqueued, so it is both from the start; it runs from its own start on.

// The statuses of a command that is not complete, in the order in which it has them
// (API 5.11).
const (
	queued    = 3
	submitted = 2
	running   = 1
)

// statusLoc describes the status of a command.
func statusLoc(cmd *Command) memmodel.Location {
	l := memmodel.Location{Kind: memmodel.SystemSVM, Atomic: true, Init: queued, Initialised: true,
		Uniform: true, Scope: memmodel.ScopeAllSVMDevices}
	if cmd.Kind == UserEvent {
		l.Init = submitted
	}
	return l
}

// announce gives command c, which is not complete, another status.
func (m *Machine) announce(s *State, c memmodel.Unit, status int64) {
	if x, ok := s.Cast.Units[c].status.get(); ok && m.Polls && s.Cast.Units[c].cmd.Kind != UserEvent {
		s.Mem.Store(c, x, 0, status, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
	}
}

// tell makes it known that command c has completed. One that executes nothing has run
// if it has not failed.
func (m *Machine) tell(s *State, c memmodel.Unit) {
	if !s.Cast.Units[c].cmd.started && s.code[c] >= 0 {
		m.announce(s, c, running)
	}
	if x, ok := s.Cast.Units[c].status.get(); ok {
		s.Mem.Store(c, x, 0, int64(s.code[c]), memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
	}
}

// asked returns the location that unit u's next operation, clGetEventInfo,
// reads, or -1 if the command is no longer there: it has completed long ago.
func (m *Machine) asked(s *State, u memmodel.Unit) memmodel.Loc {
	f := m.Program.Funcs[s.Cast.Units[u].Func]
	c, ok := s.Cast.index[uint64(operand(f, s.reg(u), f.Code[s.pc[u]].A))]
	if !ok {
		return -1
	}
	return statusOf(&s.Cast.Units[c])
}

// statusChoices appends what clGetEventInfo may return.
func (m *Machine) statusChoices(s *State, u memmodel.Unit, out []Choice) []Choice {
	x := m.asked(s, u)
	if x < 0 {
		return append(out, Choice{})
	}
	for back := range s.Mem.Readable(u, x) {
		out = append(out, Choice{Back: uint16(back)})
	}
	return out
}

// askStatus performs clGetEventInfo.
func (m *Machine) askStatus(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, c Choice) {
	if operand(f, s.reg(u), in.A) == 0 {
		s.stuck(u, InvalidEvent)
		return
	}
	var v int64
	if x := m.asked(s, u); x >= 0 {
		v, _ = s.Mem.Load(u, x, memmodel.Msg(c.Back), 0, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
	}
	set(s.reg(u), in.Dst, v)
	s.pc[u]++
	m.run(s, u)
}

// statusOf returns the location that holds a command's status, or -1.
func statusOf(command *Role) memmodel.Loc {
	if x, ok := command.status.get(); ok {
		return x
	}
	return -1
}
