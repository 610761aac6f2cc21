package state

import (
	"maps"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Notes are what a machine notes of the executions that it is led through, for reports and for who bounds them; no step
// depends on it.
type Notes struct{ m *Machine }

// Notes returns those of a machine.
func (m *Machine) Notes() Notes { return Notes{m} }

// Learnt is what the executions so far have shown, and is in no state of theirs.
type Learnt struct {
	Reached   []int32             // messages of the cl.Reachable calls that Reached has noted
	Observers map[uint64]Observer // what the units that have observed are called, by their IDs
	// LegacyShared: several work-groups may have called atomic functions of OpenCL 1.x on
	// global memory.
	LegacyShared bool
	// Covered are the places where executions have gone on, a bit each, function by function.
	Covered []byte
}

// Learnt returns what the machine has learnt.
func (n Notes) Learnt() Learnt {
	m := n.m
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
func (n Notes) Learn(l Learnt) {
	m := n.m
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

// Count returns how much the machine has learnt: the number grows with what Learnt returns.
func (n Notes) Count() (count int) {
	m := n.m
	if m.legacyShared.Load() {
		count++
	}
	for str := range m.reached {
		if m.reached[str].Load() {
			count++
		}
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return count + len(m.observers) + int(m.covered.places.Load())
}

// Reached notes that an execution that counts has come to s.
func (n Notes) Reached(s *State) {
	m := n.m
	for str, bit := range m.ReachBits {
		if s.reached.has(int(bit)) {
			m.reached[str].Store(true)
		}
	}
}

// Outcome appends what a finished execution shows: the values that it
// observed, under the names noted of who did, then the final values that the program asks for.
func (n Notes) Outcome(s *State, out []Value) []Value {
	for i := range s.obs {
		out = append(out, n.m.value(&s.obs[i]))
	}
	p := n.m.Program
	for _, f := range p.Final {
		out = append(out, Value{Name: f.Name, Value: s.Mem.Final(memmodel.Loc(f.Addr)), Unsigned: p.Unsigned(-1, f.Addr)})
	}
	return out
}

// Unreached lists the messages of the cl.Reachable calls that no execution has
// reached so far.
func (n Notes) Unreached() []int32 {
	m := n.m
	var out []int32
	seen := map[int32]bool{}
	for _, f := range m.Program.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == ir.OpReach && !m.reached[in.Str].Load() && !seen[in.Str] {
				seen[in.Str] = true
				out = append(out, in.Str)
			}
		}
	}
	return out
}

// Outgrown reports whether an execution was given up at a state whose memory takes more than Machine.Most bytes.
func (n Notes) Outgrown() bool { return n.m.outgrown.Load() }
