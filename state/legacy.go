package state

// noteLegacy notes whether units of several work-groups may call them.
func (m *Machine) noteLegacy(units []Role) {
	first := -1
	for i := range units {
		if u := &units[i]; u.Func < 0 || !m.Legacy[u.Func] {
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
