package memmodel

// A label names a message: across the steps from one canonical state to the
// next, for a search that wants to know which messages came with them (Label), or
// from the beginning of an execution to its end, for who tells it (Call). Labels are
// not part of the state.

// Labels of messages that have no number of their own. That of an initial value is 0
// until Label is called.
const (
	Fresh = -1 // inserted since Label
	Lost  = -2 // not to be told
)

// Nothing is the label of no message.
const Nothing = -3

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
func (m *Memory) MessageIndex(x Loc, back Msg) int {
	if i := int(m.start[m.L.atom[x]+1]) - 1 - int(back); i < maxLabels {
		return i
	}
	return -1
}

// Disown makes the fresh messages of units other than u lost ones. It must be
// called before the canonical form forgets which unit wrote them.
func (m *Memory) Disown(u Unit) {
	for i := range m.msgs {
		if q := &m.msgs[i]; q.label == Fresh && Unit(q.writer) != u {
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

// maxCalls is the number of labels that Call gives.
const maxCalls = 1<<7 - 1

// Call gives the messages that come from here on a number, from 1. Messages that are maxCalls
// numbers apart have one label: seldom are two such of one location still there to be told
// apart, and who asks must try both.
func (m *Memory) Call(number int) { m.called = CallLabel(number) }

// CallLabel is the label that Call gives.
func CallLabel(number int) int8 { return int8(1 + (number-1)%maxCalls) }

// newLabel returns the label of a message that is inserted.
func (m *Memory) newLabel() int8 {
	if m.called != 0 {
		return m.called
	}
	return Fresh
}

// Name returns the label of the message of x `back` before the newest, Nothing if
// there is none.
func (m *Memory) Name(x Loc, back int) int8 {
	list := m.list(x)
	if at := len(list) - 1 - back; at >= 0 {
		return list[at].label
	}
	return Nothing
}

// NameOfPlace returns what tells the place of x behind the newest `back` messages from
// other places, whatever has been dropped or merged: the label of the last of the
// read-modify-writes that follow it one upon the other, Nothing if it is the end.
func (m *Memory) NameOfPlace(x Loc, back int) int8 {
	list := m.list(x)
	at := len(list) - back
	if at >= len(list) {
		return Nothing
	}
	for at+1 < len(list) && list[at+1].rmw {
		at++
	}
	return list[at].label
}

// MarkNewest labels the newest message of each location 1, and all others 0, so that AppendRenewed tells what has become of them. What is
// inserted after is Fresh.
func (m *Memory) MarkNewest() {
	m.called = 0
	for a := range m.L.atomics {
		for i := m.start[a]; i < m.start[a+1]; i++ {
			m.msgs[i].label = int8(bit(i+1 == m.start[a+1]))
		}
	}
}

// AppendRenewed appends the locations whose newest message is not the one that MarkNewest has marked, nor one that this has been
// merged with by a Canon with First.
func (m *Memory) AppendRenewed(out []Loc) []Loc {
	for a, x := range m.L.atomics {
		if last := m.start[a+1]; last > m.start[a] && m.msgs[last-1].label != 1 {
			out = append(out, x)
		}
	}
	return out
}

// MarkPlaces labels the messages of location x by their place in modification order, from 0, and reports whether there are labels enough.
func (m *Memory) MarkPlaces(x Loc) bool {
	m.called = 0
	list := m.list(x)
	for i := range list {
		list[i].label = int8(i)
	}
	return len(list) <= maxCalls
}
