package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Memory that the host frees is gone for all. A free waits for nobody (API 5.6.1), so it
// counts as a plain write of all that it frees: what is not ordered before it races
// with it, atomic operations too, and what is ordered behind it uses freed memory.

// freed reports whether location x has been freed.
func (s *State) freed(x memmodel.Loc) bool {
	return slices.ContainsFunc(s.maps, func(q mapping) bool { return q.freed && q.covers(x) })
}

// useFreed performs an access of location x, which has been freed: a data race with the
// free, unless it comes after.
func (m *Machine) useFreed(s *State, u memmodel.Unit, x memmodel.Loc, write bool) {
	m.attend(s, u, int(s.pc[u]))
	s.Mem.Touch(u, x, write)
	m.blame(s, u, int(s.pc[u]))
	s.stuck(u, FreedMemory)
}

// free performs clSVMFree, in a host thread or in a command.
func (m *Machine) free(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr) {
	if p := operand(f, s.reg(u), in.A); p != 0 {
		x := s.Cast.resolve(&s.Cast.Units[u], p)
		cells := m.allocated(s, x)
		switch {
		case cells == 0:
			s.stuck(u, InvalidArgument)
			return
		case s.freed(x):
			m.useFreed(s, u, x, true)
			return
		}
		s.Mem.Modify(u, m.Rules[x].Region, 0, 0, 0, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
		m.attend(s, u, int(s.pc[u]))
		for k := range cells {
			s.Mem.Touch(u, x+k, true)
		}
		m.blame(s, u, int(s.pc[u]))
		s.maps = slices.DeleteFunc(s.maps, func(q mapping) bool { return x <= q.base && q.base < x+cells })
		s.maps = append(s.maps, mapping{base: x, cells: cells, freed: true})
		slices.SortFunc(s.maps, mapping.compare)
	}
	s.pc[u]++
	m.run(s, u)
}

// allocated returns how many cells the object has that location x is the first cell of, 0 if
// it is of none that clSVMAlloc returns.
func (m *Machine) allocated(s *State, x memmodel.Loc) (cells memmodel.Loc) {
	region := func(x memmodel.Loc) memmodel.Loc {
		if !m.mappable(x) {
			return -1
		}
		return m.Rules[x].Region
	}
	if !m.mappable(x) || !s.Cast.Layout.Locs[x].Kind.Allocated() || region(x-1) == region(x) {
		return 0
	}
	for region(x+cells) == region(x) {
		cells++
	}
	return cells
}
