package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
)

// Whether promises can matter is told twice: for a program by its text (cycles),
// and from a state on by what each unit may still do, here.

// promisesOver reports whether no promise is owed nor can matter any more: what
// follows is as if there were none.
func (m *Machine) promisesOver(s *State) bool {
	if !m.Traits.Promises || s.unpromising {
		return true
	}
	for u := range s.Cast.Count() {
		if unit := &s.Cast.Units[u]; unit.Func >= 0 && !unit.Place.Host && (s.Mem.Promises(u) > 0 || m.buffers(s, u)) {
			return false
		}
	}
	s.unpromising = true
	return true
}

// promiseLocs returns the locations of which unit u may promise a write from s on.
func (m *Machine) promiseLocs(s *State, u memmodel.Unit) facts.Set {
	if m.Future(s, u) == nil {
		return nil
	}
	return m.Ahead(s, u, facts.Ever).Promisable
}

// answer is what is known of a question.
type answer uint8

const (
	unasked answer = iota
	yes
	no
)

// buffers reports whether a promise of unit u may matter from s on, which the state remembers.
func (m *Machine) buffers(s *State, u memmodel.Unit) bool {
	if int(u) < len(s.buffering) && s.buffering[u] != unasked {
		return s.buffering[u] == yes
	}
	b := m.offers.Always || m.mayBuffer(s, u)
	if m.Halted() {
		return b // for all that is known
	}
	if len(s.buffering) == 0 {
		s.buffering = zeroed(s.buffering, len(s.pc))
	}
	if s.buffering[u] = no; b {
		s.buffering[u] = yes
	}
	return b
}

// goneOn has what was found to matter be asked again, now that some unit has gone on. What does not matter never will.
func (s *State) goneOn() {
	for u := range s.buffering {
		if s.buffering[u] == yes {
			s.buffering[u] = unasked
		}
	}
}

// mayBuffer reports whether a promise of unit u may matter from s on: whether
// another unit may read what u may promise, and that unit, or one that it may tell anything by
// memory or otherwise, may write what u may read, all while u has not ended. It
// errs only towards true, and once false it stays false.
func (m *Machine) mayBuffer(s *State, u memmodel.Unit) bool {
	n := memmodel.Unit(len(s.Cast.Units))
	if n > maxBuffering {
		return true
	}
	promisable := m.promiseLocs(s, u)
	if !slices.ContainsFunc(promisable, func(w uint64) bool { return w != 0 }) {
		return false
	}
	mine := &m.Ahead(s, u, facts.Ever).Future
	var some, others [16]unaffectedThread // there are seldom more
	told, rest := some[:0], others[:0]
	for v := range n {
		switch may := m.besides(s, u, v); {
		case may == nil:
		case reads(may, promisable):
			told = append(told, unaffectedThread{v, may})
		default:
			rest = append(rest, unaffectedThread{v, may})
		}
	}
	for at := 0; at < len(told); at++ {
		v := told[at]
		if writesTo(v.may, mine) {
			return true
		}
		left := rest[:0]
		for _, w := range rest {
			if !s.Cast.unrelated(v.unit, w.unit) || writesTo(v.may, w.may) {
				told = append(told, w)
			} else {
				left = append(left, w)
			}
		}
		rest = left
	}
	return false
}

// unaffectedThread is a unit that may do something while another one has not ended.
type unaffectedThread struct {
	unit memmodel.Unit    // which
	may  *memmodel.Future // what it may do
}

// maxBuffering is the number of units up to which it is told whose promises matter.
const maxBuffering = 256

// besides returns what unit v may do while unit u has not ended, nil if that is
// nothing or they are the same.
func (m *Machine) besides(s *State, u, v memmodel.Unit) *memmodel.Future {
	if v == u || m.WaitsFor(s, v, u) {
		return nil
	}
	return m.Future(s, v)
}

// unrelated reports whether units v and w tell each other nothing but by memory: they
// are work-items of two groups of one command.
func (c *Cast) unrelated(v, w memmodel.Unit) bool {
	p, q := &c.Units[v], &c.Units[w]
	return p.command >= 0 && p.command == q.command && p.Group != q.Group
}

// reads reports whether a unit with this future may read one of these locations.
func reads(f *memmodel.Future, set []uint64) bool {
	for i, w := range set {
		if (f.Peek[i]|f.Modify[i])&w != 0 {
			return true
		}
	}
	return false
}

// writesTo reports whether a unit may write what another may read.
func writesTo(f, g *memmodel.Future) bool {
	for i := range f.Store {
		if (f.Store[i]|f.Modify[i])&(g.Peek[i]|g.Modify[i]) != 0 {
			return true
		}
	}
	return false
}
