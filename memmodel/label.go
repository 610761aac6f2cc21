package memmodel

// A label names a message across the steps from one canonical state to the
// next, for a search that wants to know which messages came with them. Labels
// are not part of the state.

// Labels of messages that have no number of their own.
const (
	Fresh = -1 // inserted since Label
	Lost  = -2 // not to be told
)

// maxLabels is the number of messages that labels tell apart.
const maxLabels = 64

// Label numbers the messages of all locations. The newest message of location
// x but `back` gets the number MessageIndex(x, back).
func (m *Memory) Label() {
	for i := range m.msgs {
		if i < maxLabels {
			m.msgs[i].label = int8(i)
		} else {
			m.msgs[i].label = Lost
		}
	}
}

// MessageIndex returns the number that Label gives a message, -1 if none.
func (m *Memory) MessageIndex(x, back int) int {
	if i := int(m.start[m.L.atom[x]+1]) - 1 - back; i < maxLabels {
		return i
	}
	return -1
}

// Disown makes the fresh messages of units other than u lost ones. It must be
// asked before the canonical form forgets who wrote them.
func (m *Memory) Disown(u int) {
	for i := range m.msgs {
		if q := &m.msgs[i]; q.label == Fresh && int(q.writer) != u {
			q.label = Lost
		}
	}
}

// Labels appends the labels of the messages, in the order of their numbers to be.
func (m *Memory) Labels(out []int8) []int8 {
	for i := range m.msgs {
		if i == maxLabels {
			break
		}
		out = append(out, m.msgs[i].label)
	}
	return out
}
