package state

import "github.com/clmc/clmc/memmodel"

// The atomic functions of OpenCL 1.x have no scope argument, and no text says
// what scope they have (rule 3.9). It makes no difference where only one
// work-group uses them on a location.

// callsLegacy reports whether a function may call one on global memory.
func (m *Machine) callsLegacy(fn int) bool {
	f := m.Program.Funcs[fn]
	for pc := range f.Code {
		in := &f.Code[pc]
		if !in.Legacy {
			continue
		}
		objects, _, _ := m.points[fn].Address(in)
		for i := range m.Program.Objects {
			if objects.Has(i) && m.Program.Objects[i].Region == memmodel.Global {
				return true
			}
		}
	}
	return false
}

// noteLegacy notes whether units of several work-groups may call them.
func (m *Machine) noteLegacy(units []Unit) {
	first := -1
	for i := range units {
		if u := &units[i]; u.Func < 0 || !m.legacy[u.Func] {
			continue
		}
		switch {
		case first < 0:
			first = i
		case !units[i].Place.SameGroup(units[first].Place):
			m.legacyShared.Store(true)
			return
		}
	}
}

// LegacyShared reports whether several work-groups may have called atomic
// functions of OpenCL 1.x on global memory, as far as the program has been executed.
func (m *Machine) LegacyShared() bool { return m.legacyShared.Load() }

// MarkLegacyShared notes what an earlier search has found.
func (m *Machine) MarkLegacyShared(shared bool) {
	if shared {
		m.legacyShared.Store(true)
	}
}
