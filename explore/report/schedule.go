package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore/trace"
)

// Schedule writes the steps of a trace in their order: in columns, one a lane,
// if there are few, else one a line with the lane's name. Steps of no interest
// are summed up.
func Schedule(t *trace.Trace, w int) string {
	rows := rowsOf(t)
	lanes := lanesOf(t)
	g := &grid{t: t, lanes: lanes, width: w}
	for _, r := range rows {
		g.id = max(g.id, len(r.label()))
		g.line = max(g.line, len(lineOf(t, r)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Schedule (%s", count(len(t.Steps), "step"))
	if g.line > 0 {
		b.WriteString(", source lines on the left of each step")
	}
	b.WriteString("):\n")
	if len(lanes) > 0 && len(lanes) <= 4 && g.fit(rows) {
		g.columns(&b, rows)
	} else {
		g.prefixed(&b, rows)
	}
	return b.String()
}

// row is one line of a schedule: a step, a run of steps of no interest, or the
// passage of a barrier.
type row struct {
	lane     int // -1 across all lanes
	from, to int // steps
	text     string
	notes    []string
	mark     bool // a step at fault
}

func (r *row) label() string {
	if r.from == r.to {
		return fmt.Sprint(r.from)
	}
	return fmt.Sprintf("%d-%d", r.from, r.to)
}

func lineOf(t *trace.Trace, r row) string {
	if s := t.Step(r.from); r.lane >= 0 && s.Line > 0 {
		return fmt.Sprint(s.Line)
	}
	return ""
}

// rowsOf sums the steps up into rows.
func rowsOf(t *trace.Trace) []row {
	var rows []row
	shown, named := cast(t), cited(t)
	for i := 0; i < len(t.Steps); i++ {
		s := &t.Steps[i]
		if n := aside(t, i, shown); n > 0 {
			rows = append(rows, row{lane: -1, from: i + 1, to: i + n, text: count(n, "step") + " of other work-items"})
			i += n - 1
			continue
		}
		if b := barrierAt(t, s.ID); b != nil {
			rows = append(rows, passage(t, b))
			rows = append(rows, departures(t, b)...)
			i += len(b.Departures) - 1
			continue
		}
		if n := dullRun(t, i, named); n > 1 {
			rows = append(rows, summary(t, i, n))
			i += n - 1
			continue
		}
		rows = append(rows, row{lane: s.Lane, from: s.ID, to: s.ID, text: s.Brief, notes: notes(t, s), mark: slices.Contains(t.Accesses, s.ID)})
	}
	return rows
}

// barrierAt returns the barrier whose departures begin with a step.
func barrierAt(t *trace.Trace, id int) *trace.Barrier {
	for i := range t.Barriers {
		if b := &t.Barriers[i]; b.Departures[0] == id {
			return b
		}
	}
	return nil
}

// passage is the row of a whole group's passing a barrier.
func passage(t *trace.Trace, b *trace.Barrier) row {
	names := make([]string, 0, len(b.Departures))
	for _, id := range b.Departures {
		names = append(names, t.Lanes[t.Step(id).Lane].Name)
	}
	who := strings.Join(names, ", ")
	if len(names) > 4 {
		who = fmt.Sprintf("%s ... %s (%d work-items)", names[0], names[len(names)-1], len(names))
	}
	d := b.Departures
	return row{lane: -1, from: d[0], to: d[len(d)-1], text: fmt.Sprintf("%s pass the %s, which %s", who, met(b), Orders(b))}
}

// departures are the rows of those who learn something at a barrier.
func departures(t *trace.Trace, b *trace.Barrier) []row {
	var rows []row
	shown := cast(t)
	for _, id := range b.Departures {
		s := t.Step(id)
		if n := notes(t, s); len(n) > 0 && shown[s.Lane] {
			rows = append(rows, row{lane: s.Lane, from: id, to: id, text: n[0], notes: n[1:]})
		}
	}
	return rows
}

// dullRun returns how many steps from index i on are ordinary accesses of one
// lane with nothing to say about.
func dullRun(t *trace.Trace, i int, named map[int]bool) int {
	n := 0
	for ; i+n < len(t.Steps); n++ {
		s := &t.Steps[i+n]
		if s.Lane != t.Steps[i].Lane || s.Atomic || s.Location == "" || slices.Contains(t.Accesses, s.ID) || named[s.ID] {
			break
		}
	}
	return n
}

// cited are the steps that another lane's step, or the explanation, names.
func cited(t *trace.Trace) map[int]bool {
	named := map[int]bool{}
	for _, why := range t.Why {
		for _, id := range why.Steps {
			named[id] = true
		}
	}
	for _, e := range t.Edges {
		from := t.Step(e.From)
		if from == nil {
			continue
		}
		if e.Relation == trace.SynchronisesWith ||
			e.Relation == trace.ReadsFrom && t.Step(e.To).Lane != from.Lane && !t.Lanes[from.Lane].Host {
			named[e.From] = true
		}
	}
	return named
}

// summary is the row of a dull run.
func summary(t *trace.Trace, i, n int) row {
	var texts []string
	for _, s := range t.Steps[i : i+n] {
		texts = append(texts, s.Brief)
	}
	if n > 3 {
		texts = []string{texts[0], "...", texts[n-1]}
	}
	return row{lane: t.Steps[i].Lane, from: i + 1, to: i + n, text: strings.Join(texts, ", ")}
}
