package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// consistent checks what a trace says against itself.
func consistent(t *Trace, v explore.Violation) error {
	if t.ViolationKind() != v.Kind || t.Message == "" {
		return fmt.Errorf("says %s of %s: %q", t.ID, v.Kind, t.Message)
	}
	if v.Kind == state.DataRace {
		if err := race(t, v); err != nil {
			return err
		}
	}
	for i := range t.Steps {
		if err := reading(t, &t.Steps[i]); err != nil {
			return err
		}
	}
	for i := range t.Memory {
		if err := memory(t, &t.Memory[i]); err != nil {
			return err
		}
	}
	return relations(t)
}

// race checks the two accesses and that there is an explanation.
func race(t *Trace, v explore.Violation) error {
	// The search forgets the place of a race that does not count at once.
	kept := v.Location != ""
	if len(t.Accesses) != 2 || kept && t.Location != v.Location || len(t.Why) == 0 {
		return fmt.Errorf("race on %s: accesses %v on %s, reasons %v", v.Location, t.Accesses, t.Location, t.Why)
	}
	a, b := t.Step(t.Accesses[0]), t.Step(t.Accesses[1])
	switch {
	case a.Lane == b.Lane, a.loc != b.loc, a.ID >= b.ID:
		return fmt.Errorf("steps %d and %d cannot race", a.ID, b.ID)
	case !a.Writes() && !b.Writes() && !a.frees() && !b.frees():
		return fmt.Errorf("steps %d and %d only read", a.ID, b.ID)
	case kept && v.Line != fmt.Sprintf("%s:%d", b.Pos, b.Col):
		return fmt.Errorf("the later access is at %v, found at %s", b.Pos, v.Line)
	}
	if err := nearest(t, a, b); err != nil {
		return err
	}
	if c := t.Consequence; (c != nil) != (v.Failed != state.NoViolation) ||
		c != nil && (c.ID != v.Failed.ID() || c.Message == "" || v.FailedLine != fmt.Sprintf("%s:%d", c.At, c.At.Col)) {
		return fmt.Errorf("the consequence is %+v, found %v at %s", c, v.Failed, v.FailedLine)
	}
	for _, w := range t.Why {
		if w.Text == "" || w.Rule == "" {
			return fmt.Errorf("an empty reason: %+v", w)
		}
	}
	return nil
}

// nearest checks what is said of a race by the relations that the machine has told: they do
// not order the accesses, and would, if what is said to be missing were there.
func nearest(t *Trace, a, b *Step) error {
	l := &t.Memory[b.loc]
	if l.region == memmodel.Image || a.Atomic && b.Atomic || t.Lanes[a.Lane].Copy || t.Lanes[b.Lane].Copy {
		return nil
	}
	local := l.region == memmodel.Local
	after := map[int][]int{}
	for _, e := range t.Edges {
		p, q := t.Step(e.From), t.Step(e.To)
		var orders bool
		switch e.Relation {
		case SequencedBefore:
			orders = true
		case SynchronisesWith:
			orders = local && e.Local || !local && e.Global && (l.kind.Fine() || t.Lanes[p.Lane].place.SameDevice(t.Lanes[q.Lane].place))
			orders = orders && acts(t.spec, p, l) && acts(t.spec, q, l)
		case CommandOrder:
			orders = !local && (!e.Fine || l.kind.Fine())
		}
		if orders {
			after[e.From] = append(after[e.From], e.To)
		}
	}
	for _, m := range t.Barriers {
		for _, from := range m.Arrivals {
			if local && m.Local || !local && m.Global {
				after[from] = append(after[from], m.Departures...)
			}
		}
	}
	if reaches(after, a.ID, b.ID) {
		return fmt.Errorf("what is told orders steps %d and %d, which race: %+v", a.ID, b.ID, t.Why)
	}
	named := false
	for _, w := range t.Why {
		if w.missing[1] > 0 {
			if reaches(after, w.missing[1], w.missing[0]) {
				return fmt.Errorf("step %d cannot come before step %d, as is advised: %+v", w.missing[0], w.missing[1], w)
			}
			named = true
			after[w.missing[0]] = append(after[w.missing[0]], w.missing[1])
		}
	}
	if named && !reaches(after, a.ID, b.ID) {
		return fmt.Errorf("steps %d and %d race even if this were mended: %+v", a.ID, b.ID, t.Why)
	}
	return nil
}

func reaches(after map[int][]int, from, to int) bool {
	seen := map[int]bool{}
	for todo := []int{from}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at == to {
			return true
		}
		if !seen[at] {
			seen[at] = true
			todo = append(todo, after[at]...)
		}
	}
	return false
}

// reading checks that a step reads what the step that it reads from wrote.
func reading(t *Trace, s *Step) error {
	if s.ReadsFrom == nil || *s.ReadsFrom == 0 {
		return nil
	}
	w := t.Step(*s.ReadsFrom)
	switch {
	case w == nil || w.Wrote == nil || w.loc != s.loc:
		return fmt.Errorf("step %d reads from step %d, which does not write there", s.ID, *s.ReadsFrom)
	case *w.Wrote != *s.Read:
		return fmt.Errorf("step %d reads %d from step %d, which wrote %d", s.ID, *s.Read, w.ID, *w.Wrote)
	case s.Kind == Modify || s.Outcome == "success":
		order, id := t.Memory[s.loc].Order, s.ID
		if s.Early > 0 {
			id = s.Early
		}
		if i := slices.Index(order, id); i < 1 || order[i-1] != w.ID {
			return fmt.Errorf("step %d reads step %d, which is not just before it in %v", s.ID, w.ID, order)
		}
	}
	return nil
}

// memory checks a modification order: total, and in keeping with the lanes'.
func memory(t *Trace, l *Location) error {
	last := map[int]int{}
	for i, id := range l.Order {
		if id == 0 {
			if i > 0 {
				return fmt.Errorf("%s: the initial value is not first in %v", l.Name, l.Order)
			}
			continue
		}
		s := t.Step(id)
		if s.Wrote == nil || *s.Wrote != l.cells[i] || slices.Contains(l.Order[:i], id) {
			return fmt.Errorf("%s: step %d does not belong in %v", l.Name, id, l.Order)
		}
		if l.Atomic && last[s.Lane] > id {
			return fmt.Errorf("%s: %v does not respect the order of lane %d", l.Name, l.Order, s.Lane)
		}
		last[s.Lane] = id
	}
	return nil
}

// relations checks that everything but modification order points forward, and
// that each sw edge comes from a release.
func relations(t *Trace) error {
	for _, e := range t.Edges {
		if e.Relation == VisibleEarly {
			if err := early(t, e); err != nil {
				return err
			}
			continue
		}
		if e.Relation != ModificationOrder && e.From >= e.To {
			return fmt.Errorf("%s from step %d back to step %d", e.Relation, e.From, e.To)
		}
		if e.Relation != SynchronisesWith {
			continue
		}
		from, to := t.Step(e.From), t.Step(e.To)
		if !e.Global && !e.Local || from.Lane == to.Lane || !from.order.Releases() && from.Kind != Arrive || !to.order.Acquires() && to.Kind != Depart {
			return fmt.Errorf("step %d (%s) cannot synchronise with step %d (%s)", e.From, from.Op, e.To, to.Op)
		}
	}
	return nil
}

// early checks that a write that was visible early is one write, of one lane,
// and that it has overtaken a read.
func early(t *Trace, e Edge) error {
	s, v := t.Step(e.From), t.Step(e.To)
	switch {
	case e.To >= e.From || s.Early != e.To || v.Kind != Early || s.Kind == Early:
		return fmt.Errorf("step %d (%s) cannot have been visible from step %d (%s)", e.From, s.Kind, e.To, v.Kind)
	case s.Lane != v.Lane || s.loc != v.loc || *s.Wrote != *v.Wrote || *s.Pos != *v.Pos:
		return fmt.Errorf("steps %d and %d are not one write", e.From, e.To)
	}
	for _, o := range t.Early {
		if o.Visible == e.To && o.Performed == e.From && len(o.Overtaken) > 0 && o.Text != "" {
			return nil
		}
	}
	return fmt.Errorf("nothing is said of the write of steps %d and %d", e.From, e.To)
}
