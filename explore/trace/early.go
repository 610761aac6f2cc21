package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/state"
)

// A promise shows as a step of its own, of kind Early, where the write becomes
// visible. The step that performs the write, later, says so by Step.Early.

// Overtaking is a write that others have seen before its work-item had
// performed what comes first in its program: load buffering.
type Overtaking struct {
	Visible   int    `json:"visible"`   // the step from which on it can be read
	Performed int    `json:"performed"` // the step at its place in the program
	Overtaken []int  `json:"overtaken"` // the reads that it has overtaken
	Text      string `json:"text"`
}

// early records a write that becomes visible early.
func (r *stepLog) early(i int, move explore.Move) *Step {
	u := move.Unit
	x, w, pc := r.m.Promises().Of(r.s, u, move.Choice)
	lane := r.of[u]
	in := &r.p.Funcs[r.funcs[lane]].Code[pc]
	s := r.add(Step{Lane: lane, Move: i, Pos: r.place(in.Pos), Kind: Early}, in, u)
	if w.Order.Releases() {
		r.occurs(s, r.s.Mem.Event(u)+1) // such a write is performed in full
	}
	s.Order, s.Scope, s.Atomic = w.Order.String(), w.Scope.String(), true
	s.loc = r.shadow.at(r.s.Cast, x)
	l := &r.locs[s.loc]
	s.Location, s.Region = l.Name, l.Region
	r.write(s, l, int(move.Choice.Back), w.Val)
	s.Op = fmt.Sprintf("the write of %s becomes visible", l.Name)
	s.Brief = fmt.Sprintf("%s = %s becomes visible", l.Name, value(r.p, in.Type, w.Val))
	return s
}

// performs records that a write which has been visible is performed.
func (r *stepLog) performs(s *Step, c state.Choice) {
	l := &r.locs[s.loc]
	s.Early = r.earlier(s, c)
	e := r.t.Step(s.Early)
	v := *e.Wrote
	s.Wrote = &v
	if e.order.Releases() {
		delete(r.events, event{s.Lane, s.event})
		s.event = 0 // it happened then
	}
	if s.Kind != Store {
		if at := slices.Index(l.Order, e.ID); at > 0 {
			old, from := l.cells[at-1], l.Order[at-1]
			s.Read, s.ReadsFrom = &old, &from
		}
		if s.Kind == CompareExch {
			s.Outcome = "success"
		}
	}
}

// earlier returns the step at which the write that a step performs became visible.
func (r *stepLog) earlier(s *Step, c state.Choice) int {
	l := &r.locs[s.loc]
	releases := s.order.Releases()
	for i := range r.t.Steps[:s.ID-1] {
		e := &r.t.Steps[i]
		if e.Kind != Early || e.Lane != s.Lane || e.loc != s.loc || e.order.Releases() != releases || r.performed(e.ID) {
			continue
		}
		back := len(l.Order) - 1 - slices.Index(l.Order, e.ID)
		if s.Kind != Store {
			back++
		}
		if releases || back == int(c.Back) {
			return e.ID
		}
	}
	return 0
}

func (r *stepLog) performed(early int) bool {
	return slices.ContainsFunc(r.t.Steps, func(s Step) bool { return s.Early == early })
}

// overtakings says of each early write what it has overtaken.
func (r *stepLog) overtakings() {
	for i := range r.t.Steps {
		s := &r.t.Steps[i]
		e := r.t.Step(s.Early)
		if e == nil {
			continue
		}
		e.Pos, e.Op = s.Pos, s.Op+", visible early"
		r.edge(Edge{Relation: VisibleEarly, From: s.ID, To: e.ID, Location: s.Location})
		o := Overtaking{Visible: e.ID, Performed: s.ID, Overtaken: []int{}}
		for k := e.ID; k < s.ID; k++ {
			if q := r.t.Step(k); q.Lane == s.Lane && q.Reads() && q.Early == 0 {
				o.Overtaken = append(o.Overtaken, q.ID)
			}
		}
		o.Text = r.overtaking(s, &o)
		r.t.Early = append(r.t.Early, o)
	}
}

// overtaking words what an early write has overtaken.
func (r *stepLog) overtaking(s *Step, o *Overtaking) string {
	what := "the store to " + s.Location
	if s.Kind != Store {
		what = "the atomic update of " + s.Location
	}
	if s.Line > 0 {
		what += fmt.Sprintf(" in line %d", s.Line)
	}
	var loads []string
	for _, id := range o.Overtaken[:min(len(o.Overtaken), 3)] {
		q := r.t.Step(id)
		load := "the read of " + q.Location
		if q.Line > 0 {
			load += fmt.Sprintf(" in line %d", q.Line)
		}
		loads = append(loads, fmt.Sprintf("%s (step %d)", load, id))
	}
	before := strings.Join(loads, " and ") + " was performed"
	switch {
	case len(loads) == 0:
		before = "what comes before it was performed"
	case len(loads) > 1:
		before = strings.Join(loads, " and ") + " were performed"
	}
	return fmt.Sprintf("In %s, %s became visible to others (step %d) before %s: a compiler or a device may let it, for nothing orders the two (load buffering).",
		r.who(s.Lane), what, o.Visible, before)
}
