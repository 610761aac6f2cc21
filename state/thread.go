package state

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// spawn starts a host thread. All that the unit that starts it knows happens
// before what the thread does (C11 7.26.5.1).
func (m *Machine) spawn(s *State, u int, f *ir.Func, in *ir.Instr) {
	if s.made[u] == maxCommands {
		s.stuck(u, InvalidArgument)
		return
	}
	g := m.Program.Funcs[in.Target]
	name, same := g.Name, 1
	for i := range s.Cast.Units {
		if q := &s.Cast.Units[i]; q.Func == int(in.Target) && q.Place.Host {
			same++
		}
	}
	if same > 1 {
		name = fmt.Sprintf("%s#%d", name, same)
	}
	by := &s.Cast.Units[u]
	path := extend(by.path, stepThread, int(s.made[u]))
	thread := Unit{Name: name, ID: identify(path), path: path, Func: int(in.Target), Place: memmodel.Place{Host: true}}
	args, parent := s.arguments(u, f, in), by.ID
	s.made[u]++
	m.recast(s, append(slices.Clone(s.Cast.Units), thread))
	t := s.Cast.index[thread.ID]
	u = s.Cast.index[parent]
	copy(s.reg(t)[g.Private:g.Private+g.Params], args)
	s.Mem.Follow(t, u)
	s.pc[u]++
	m.run(s, t)
	m.run(s, s.Cast.index[parent])
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
