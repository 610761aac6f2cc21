package report

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/explore/trace"
)

// arrow is one relation to be drawn between two steps.
type arrow struct {
	from, to int // steps
	style    *style
	label    string
}

// style is how a relation is drawn, and its line in the legend.
type style struct {
	name, colour, dash string
	width              float64
	what               string
}

// The styles of the relations.
var (
	styleRF       = &style{"rf", "#0969da", "", 1.5, "reads from"}
	styleMO       = &style{"mo", "#9a6700", "5,3", 1.2, "next in modification order"}
	styleSWGlobal = &style{"sw global", "#1a7f37", "", 2.2, "synchronises with, in global memory"}
	styleSWLocal  = &style{"sw local", "#8250df", "", 2.2, "synchronises with, in local memory"}
	styleCommand  = &style{"command", "#8c959f", "2,3", 1.2, "order of commands"}
	styleRace     = &style{"race", "#cf222e", "7,4", 2.2, "the accesses that race"}
	styleEarly    = &style{"early", "#bc4c00", "2,2", 2.2, "was visible before it was performed"}
	styleCycle    = &style{"rf", "#bc4c00", "", 2.2, "reads from, and closes a cycle with sb and early: load buffering"}
	styleLoop     = &style{"repeats", "#cf222e", "", 2.2, "what is repeated for ever: from its last step back to its first"}
	styleSB       = &style{"sb", "#57606a", "", 1, "sequenced before"}
)

// arrows lists the relations worth drawing between different lanes. Within a
// lane, order is plain to see; sb is drawn by itself.
func arrows(t *trace.Trace) []arrow {
	var out []arrow
	add := func(e trace.Edge, s *style) {
		label := s.name
		switch {
		case s == styleCommand:
			label = "" // there are many, and the legend says it
		case e.Location != "":
			label += " " + e.Location
		}
		out = append(out, arrow{e.From, e.To, s, label})
	}
	cyclic := cycles(t)
	for _, e := range t.Edges {
		from := t.Step(e.From)
		if e.Relation == trace.VisibleEarly {
			add(e, styleEarly)
			continue
		}
		if from == nil || from.Lane == t.Step(e.To).Lane || racing(t, e) {
			continue
		}
		switch e.Relation {
		case trace.ReadsFrom:
			switch {
			case cyclic[e]:
				add(e, styleCycle)
			case !t.Lanes[from.Lane].Host:
				add(e, styleRF)
			}
		case trace.ModificationOrder:
			if t.Step(e.To).Atomic {
				add(e, styleMO)
			}
		case trace.SynchronisesWith:
			if e.Global {
				add(e, styleSWGlobal)
			}
			if e.Local {
				add(e, styleSWLocal)
			}
		case trace.CommandOrder:
			add(e, styleCommand)
		}
	}
	if len(t.Accesses) == 2 {
		out = append(out, arrow{t.Accesses[0], t.Accesses[1], styleRace, "race on " + t.Location})
	}
	if l := t.Liveness; l != nil && l.From > 0 {
		out = append(out, arrow{l.To, l.From, styleLoop, "repeats for ever"})
	}
	return out
}

// cycles returns the reads-from edges by which what was visible early came back
// to its own work-item before it was performed.
func cycles(t *trace.Trace) map[trace.Edge]bool {
	out := map[trace.Edge]bool{}
	for _, o := range t.Early {
		via := map[int]trace.Edge{} // by step, the edge that led there first
		for todo := []int{o.Visible}; len(todo) > 0; todo = todo[1:] {
			for _, e := range t.Edges {
				_, met := via[e.To]
				if e.From == todo[0] && !met && (e.Relation == trace.SequencedBefore || e.Relation == trace.ReadsFrom) {
					via[e.To] = e
					todo = append(todo, e.To)
				}
			}
		}
		for at := o.Performed; at != o.Visible; at = via[at].From {
			e, met := via[at]
			if !met {
				break // nobody has made use of it
			}
			out[e] = e.Relation == trace.ReadsFrom
		}
	}
	return out
}

// racing reports whether a relation connects the two accesses of a race, of
// which "race" says enough.
func racing(t *trace.Trace, e trace.Edge) bool {
	return len(t.Accesses) == 2 && e.From == t.Accesses[0] && e.To == t.Accesses[1]
}

// legend lists the styles in use.
func legend(all []arrow) []*style {
	used := map[*style]bool{styleSB: true}
	for _, a := range all {
		used[a.style] = true
	}
	var out []*style
	for _, s := range []*style{styleSB, styleRF, styleCycle, styleMO, styleSWGlobal, styleSWLocal, styleCommand, styleEarly, styleRace, styleLoop} {
		if used[s] {
			out = append(out, s)
		}
	}
	return out
}

// passes reports whether a lane takes part in the passage of a barrier.
func passes(t *trace.Trace, r row, lane int) bool {
	for s := r.from; s <= r.to; s++ {
		if t.Step(s).Lane == lane {
			return true
		}
	}
	return false
}

// caption is the small print of a step.
func caption(t *trace.Trace, r row) string {
	s := "step " + r.label()
	if line := lineOf(t, r); line != "" {
		s += fmt.Sprintf(", line %s", line)
	}
	return s
}

// atFault reports whether a row shows a step at fault: where no access is, the
// last step, and where each who waits for ever has come to.
func (r *row) atFault(t *trace.Trace) bool {
	if len(t.Accesses) > 0 {
		return r.mark
	}
	return r.to == len(t.Steps) || slices.ContainsFunc(t.Waits, func(w trace.Wait) bool {
		return w.Lane == r.lane && !slices.ContainsFunc(t.Steps[r.to:], func(s trace.Step) bool { return s.Lane == r.lane })
	})
}

// place is the small print of a lane.
func place(l *trace.Lane) string {
	if l.Host {
		return "host thread"
	}
	return l.Where()
}
