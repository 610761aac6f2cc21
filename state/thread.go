package state

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// maxThreads bounds the host threads of an execution.
const maxThreads = 1 << 6

// spawn starts a host thread. All that the unit that starts it knows happens
// before what the thread does (C11 7.26.5.1).
func (m *Machine) spawn(s *State, u int, f *ir.Func, in *ir.Instr) {
	old := s.Cast
	g := m.Program.Funcs[in.Target]
	name, threads, same := g.Name, 0, 1
	for i := range old.Units {
		if q := &old.Units[i]; q.Func >= 0 && q.Place.Host {
			if threads++; q.Func == int(in.Target) {
				same++
			}
		}
	}
	if same > 1 {
		name = fmt.Sprintf("%s#%d", name, same)
	}
	if threads == maxThreads {
		s.fail(u, int(s.pc[u]), InvalidArgument)
		s.status[u] = Stuck
		return
	}
	args := make([]int64, len(in.Args))
	for i, a := range in.Args {
		args[i] = operand(f, s.reg(u), a)
	}
	thread := Unit{Name: name, Func: int(in.Target), Place: memmodel.Place{Host: true}}
	m.recast(s, m.newCast(append(append([]Unit(nil), old.Units...), thread)), identity(len(old.Units)))
	t := len(old.Units)
	copy(s.reg(t)[g.Private:g.Private+g.Params], args)
	s.Mem.Follow(t, u)
	s.pc[u]++
	m.run(s, t)
	m.run(s, u)
}

// family lists a function and all that it may start, by go statements and
// enqueues, and what these may start.
func (m *Machine) family(fn int) []int {
	list := []int{fn}
	for i := 0; i < len(list); i++ {
		for _, in := range m.Program.Funcs[list[i]].Code {
			if in.Op.Starts() && !slices.Contains(list, int(in.Target)) {
				list = append(list, int(in.Target))
			}
		}
	}
	return list
}

// concurrent reports whether the program has several host threads, so that
// kernels may start while others run.
func concurrent(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if f.Code[pc].Op == ir.OpGo {
				return true
			}
		}
	}
	return false
}

// hostFuncs tells of each function whether host threads execute it.
func hostFuncs(p *ir.Program) []bool {
	on := make([]bool, len(p.Funcs))
	var mark func(fn int)
	mark = func(fn int) {
		if on[fn] {
			return
		}
		on[fn] = true
		for _, in := range p.Funcs[fn].Code {
			if in.Op == ir.OpGo {
				mark(int(in.Target))
			}
		}
	}
	for _, t := range p.Threads {
		if t.Place.Host {
			mark(t.Func)
		}
	}
	return on
}
