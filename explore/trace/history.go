package trace

import (
	"encoding/binary"

	"github.com/clmc/clmc/state/ir"
)

// History is what the lanes of an execution knew as it went on: what their private
// variables held after each step, and what they had to see of memory. It is for those
// who show the execution at any of its steps; all that goes wrong is in the Trace itself.
type History struct {
	Calls     []Call // entry 0 is no call
	Variables []Variable
	Settings  []Setting // in the order of the execution
	Lists     [][]Sight
	Sights    []Sighting // in the order of the execution
}

// Call is an inlined call of a function.
type Call struct {
	Name string
	From int // the call that it is in
}

// Variable is a private variable of a lane.
type Variable struct {
	Name string
	Lane int
	Call int // that it belongs to
	Line int // where its scope begins; 0: unknown
}

// Setting says what a variable holds after a step of its lane, step 0 being before the
// lane's first. Known is false where its value is not kept any more.
type Setting struct {
	Step, Variable int
	Value          string
	Known          bool
}

// Sighting says what the lane of a step must see when it has performed the step, or
// with Entry when it comes to it, and has not seen before: a list of History.Lists.
// What a lane reads and writes itself is left out.
type Sighting struct {
	Step, List int
	Entry      bool
}

// Sight is a location, an index into Trace.Memory, whose value of a step a lane must
// see, or a later one.
type Sight struct{ Location, Step int32 }

// past is a History while the execution is repeated.
type past struct {
	program  *ir.Program
	funcs    []int // by lane
	settings []pastSetting
	latest   map[pastKey]int // the last setting of a variable
	views    [][]int32       // by lane and location: the step that it must see
	lists    [][]Sight
	index    map[string]int // by their bytes
	sights   []Sighting
}

type pastKey struct {
	lane     int
	variable int32
}

type pastSetting struct {
	pastKey
	step  int
	val   int64
	known bool
}

// set notes that a variable takes a value. Of what one step brings only the last counts:
// a private loop sets its variables as often as it likes.
func (p *past) set(step, lane int, variable int32, val int64, known bool) {
	k := pastKey{lane, variable}
	s := pastSetting{k, step, val, known}
	if i, ok := p.latest[k]; ok && p.settings[i].step == step {
		p.settings[i] = s
		return
	}
	if p.latest == nil {
		p.latest = map[pastKey]int{}
	}
	p.latest[k] = len(p.settings)
	p.settings = append(p.settings, s)
}

// see notes what a lane sees at a step.
func (p *past) see(lane, step int, entry bool, now []view) {
	for len(p.views) <= lane {
		p.views = append(p.views, nil)
	}
	known := p.views[lane]
	var list []Sight
	for _, v := range now {
		for len(known) <= int(v.loc) {
			known = append(known, 0)
		}
		if known[v.loc] != v.step {
			known[v.loc] = v.step
			list = append(list, Sight{v.loc, v.step})
		}
	}
	p.views[lane] = known
	if list != nil {
		p.sights = append(p.sights, Sighting{step, p.list(list), entry})
	}
}

// list returns the number of a list. Those who pass a barrier learn the same.
func (p *past) list(list []Sight) int {
	var key []byte
	for _, s := range list {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(s.Location)), uint64(s.Step))
	}
	i, ok := p.index[string(key)]
	if !ok {
		if p.index == nil {
			p.index = map[string]int{}
		}
		i = len(p.lists)
		p.index[string(key)] = i
		p.lists = append(p.lists, list)
	}
	return i
}

// learns notes what those who have taken steps, from step id on, have come to see without
// synchronising with one: a call that waits for commands returns.
func (r *viewLog) learns(id int) {
	for i := id; i <= len(r.t.Steps); i++ {
		s := r.t.Step(i)
		if s.Kind != Finish && s.Kind != Return {
			continue
		}
		if u := r.unit(s.Lane); u >= 0 {
			r.past.see(s.Lane, s.ID, false, r.view(u))
		}
	}
}

// close keeps what a History is made of: the functions of the lanes are known.
func (p *past) close(funcs []int) {
	p.funcs, p.latest, p.views, p.index = funcs, nil, nil, nil
}

// History returns the history of an execution, empty if there was none.
func (t *Trace) History() *History {
	h, p := &History{}, t.past
	if p == nil {
		return h
	}
	for _, c := range p.program.Calls {
		from := 0
		if c.Pos >= 0 && int(c.Pos) < len(p.program.Positions) {
			from = int(p.program.Positions[c.Pos].Call)
		}
		h.Calls = append(h.Calls, Call{c.Name, from})
	}
	number := map[pastKey]int{}
	for _, s := range p.settings {
		f := p.program.Funcs[p.funcs[s.lane]]
		v := f.Variable(s.variable)
		text := ""
		if s.known {
			text = shown(p.program, f, &v, s.val)
		}
		if v.Name == "" || s.known && text == "" {
			continue
		}
		i, ok := number[s.pastKey]
		if !ok {
			i = len(h.Variables)
			number[s.pastKey] = i
			h.Variables = append(h.Variables, Variable{v.Name, s.lane, int(v.Call), int(v.From)})
		}
		h.Settings = append(h.Settings, Setting{s.step, i, text, s.known})
	}
	h.Lists, h.Sights = p.lists, p.sights
	return h
}

// ValueAt writes a value of a location, an index into Memory, as its type writes it.
func (t *Trace) ValueAt(location int, v int64) string {
	if t.past == nil {
		return ""
	}
	return t.Memory[location].text(t.past.program, v)
}

// ReadText writes what a step has read, "" if that is nothing.
func (t *Trace) ReadText(s *Step) string { return t.textOf(s, s.Read, s.readRaw) }

// WroteText writes what a step has written, "" if that is nothing.
func (t *Trace) WroteText(s *Step) string { return t.textOf(s, s.Wrote, s.wroteRaw) }

func (t *Trace) textOf(s *Step, v, raw *int64) string {
	if raw != nil {
		v = raw
	}
	if v == nil || s.loc < 0 {
		return ""
	}
	return t.ValueAt(s.loc, *v)
}

// Initial returns the initial value of a location, an index into Memory, and whether it
// has one.
func (t *Trace) Initial(location int) (int64, bool) {
	l := &t.Memory[location]
	if len(l.cells) == 0 || l.Order[0] != 0 {
		return 0, false
	}
	return l.cells[0], true
}

// CallOf returns the inlined call that a step belongs to, an index into History.Calls.
func (t *Trace) CallOf(s *Step) int {
	if p := t.past; p != nil && s.instr != nil && s.instr.Pos >= 0 && int(s.instr.Pos) < len(p.program.Positions) {
		return int(p.program.Positions[s.instr.Pos].Call)
	}
	return 0
}

// Source returns the text of a file of the model.
func (t *Trace) Source(file string) (string, bool) {
	if t.past != nil {
		for _, s := range t.past.program.Sources {
			if s.Name == file {
				return s.Text, true
			}
		}
	}
	return "", false
}

// LocationIndex returns the index into Trace.Memory of the location that a step
// accesses, or -1.
func (s *Step) LocationIndex() int { return s.loc }
