package state

import "maps"

// Learnt is what the executions so far have shown, and is in no state of theirs.
type Learnt struct {
	Reached   []int32             // messages of the cl.Reachable calls that Reach has noted
	Observers map[uint64]Observer // what the units that have observed are called, by their IDs
	// LegacyShared: several work-groups may have called atomic functions of OpenCL 1.x on
	// global memory.
	LegacyShared bool
	// Covered are the places where executions have gone on, a bit each, function by function.
	Covered []byte
}

// Learnt returns what the machine has learnt.
func (m *Machine) Learnt() Learnt {
	l := Learnt{LegacyShared: m.legacyShared.Load()}
	for str := range m.reached {
		if m.reached[str].Load() {
			l.Reached = append(l.Reached, int32(str))
		}
	}
	l.Covered = m.covered.bits()
	m.mu.RLock()
	defer m.mu.RUnlock()
	l.Observers = maps.Clone(m.observers)
	return l
}

// Learn adds what an earlier search has learnt. Messages that the program does not have
// are ignored.
func (m *Machine) Learn(l Learnt) {
	for _, str := range l.Reached {
		if int(str) < len(m.reached) && str >= 0 {
			m.reached[str].Store(true)
		}
	}
	if l.LegacyShared {
		m.legacyShared.Store(true)
	}
	m.covered.add(l.Covered)
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.observers, l.Observers)
}

// Lessons returns how much the machine has learnt: the number grows with what Learnt returns.
func (m *Machine) Lessons() (n int) {
	if m.legacyShared.Load() {
		n++
	}
	for str := range m.reached {
		if m.reached[str].Load() {
			n++
		}
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return n + len(m.observers) + int(m.covered.places.Load())
}
