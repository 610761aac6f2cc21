package state

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// What an execution observes is never merged: each observation is kept with who
// made it. Its name is the one that the program gives it, in a kernel behind the
// work-item's linear id: "r", "1:r". If several functions observe under a name,
// it says which of them did: "k(1):r". A unit's later observations under one name
// are numbered: "r#2". Where that does not tell two units of one execution apart,
// the long name does, by the command or thread: "k(1)@2:r".

// observation is a value that the program has added to its outcome.
type observation struct {
	text int32  // the name, as an index into Program.Strings
	nth  int32  // how many the unit had made before under that name
	who  uint64 // the ID of the unit
	val  int64  // what was observed
}

// before orders observations.
func (o *observation) before(p *observation) bool {
	if o.text != p.text {
		return o.text < p.text
	}
	return o.who < p.who
}

// MaxObservations bounds how often a unit may observe under one name: one that
// does so in an endless loop has infinitely many states.
const MaxObservations = 256

// Observer is what a unit that observes is called.
type Observer struct{ Plain, Function, Long string }

// observe adds a value to the outcome.
func (m *Machine) observe(s *State, u memmodel.Unit, in *ir.Instr, val int64) {
	unit := &s.Cast.Units[u]
	m.called(unit, in.PerItem)
	o := observation{text: in.Str, who: unit.ID, val: val}
	i := 0
	for ; i < len(s.obs) && !o.before(&s.obs[i]); i++ {
		if s.obs[i].text == o.text && s.obs[i].who == o.who {
			o.nth++
		}
	}
	if o.nth == MaxObservations {
		s.MessageBoundHit = TooManyObservations
		return
	}
	s.obs = slices.Insert(s.obs, i, o)
}

// called notes what a unit that observes is called: it may have ended when the
// outcome is told.
func (m *Machine) called(u *Role, perItem bool) {
	m.mu.RLock() // workers come here at every observation, and nearly always know
	_, ok := m.observers[u.ID]
	m.mu.RUnlock()
	if ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	o := Observer{Function: m.Program.Funcs[u.Func].Name}
	if perItem {
		o.Plain = fmt.Sprintf("%d:", u.Item.Answer(ir.QueryGlobalLinearID, 0))
		o.Function += "(" + coordinates(u.Item) + ")"
	}
	o.Long = o.Function
	if n := u.number(); n != "" {
		o.Long += "@" + n
	}
	m.observers[u.ID] = o
}

// pathStep is the length of one step of a path.
const pathStep = 3

// number tells a unit's command or thread from others: which one of its parent's
// it is, counted from 1, behind the parent's own number.
func (u *Role) number() string {
	var parts []string
	for at := pathStep; at < len(u.path); at += pathStep {
		n := int(u.path[at+1])<<8 | int(u.path[at+2])
		if u.path[at] != stepItem {
			n++
		} else if at+pathStep == len(u.path) {
			break // its coordinates are in its name
		}
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ".")
}

// value tells an observation.
func (m *Machine) value(o *observation) Value {
	name := m.Program.Strings[o.text]
	if o.nth > 0 {
		name = fmt.Sprintf("%s#%d", name, o.nth+1)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	q := m.observers[o.who]
	v := Value{Name: q.Plain + name, Long: q.Long + ":" + name, Value: o.val, Unsigned: m.Program.Unsigned(o.text, 0)}
	if m.SharedNames[truth(q.Plain != "")][o.text] {
		v.Name = q.Function + ":" + name
	}
	return v
}
