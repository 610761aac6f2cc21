package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state"
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
	if t.Slice == nil {
		fmt.Fprintf(&b, "Schedule (%s", count(len(t.Steps), "step"))
	} else {
		what := "the violation"
		if t.ViolationKind() == state.NoViolation {
			what = "what was asked for"
		}
		fmt.Fprintf(&b, "Schedule (%s of %s, on which %s depends; --full shows all", number(len(t.Slice)), count(len(t.Steps), "step"), what)
	}
	if g.line > 0 {
		b.WriteString(", source lines on the left of each step")
	}
	b.WriteString("):\n")
	if len(lanes) > 0 && len(lanes) <= maxColumns && g.fit(rows) {
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
	strip    string // of the passage of a barrier: the same, what matters first, for where it may be cut short
	notes    []string
	mark     bool // a step at fault
	cited    bool // by the explanation
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

// rowsOf sums the steps to show up into rows.
func rowsOf(t *trace.Trace) []row {
	v := viewOf(t)
	rows := make([]row, 0, len(v.steps))
	for i := 0; i < len(v.steps); i++ {
		s := v.steps[i]
		if n := v.aside(i); n > 0 {
			rows = append(rows, row{lane: -1, from: s.ID, to: v.steps[i+n-1].ID, text: count(n, "step") + " of other work-items"})
			i += n - 1
			continue
		}
		if b := v.barriers[s.ID]; b != nil {
			rows = append(rows, passage(t, b))
			rows = append(rows, v.departures(b)...)
			for i+1 < len(v.steps) && v.steps[i+1].ID <= b.Departures[len(b.Departures)-1] {
				i++
			}
			continue
		}
		if n := v.dullRun(i); n > 1 {
			rows = append(rows, v.summary(i, n))
			i += n - 1
			continue
		}
		rows = append(rows, row{lane: s.Lane, from: s.ID, to: s.ID, text: s.Brief, notes: notes(t, s), mark: slices.Contains(t.Accesses, s.ID), cited: v.cited[s.ID]})
	}
	return fold(t, rows)
}

// view is what is shown of a trace.
type view struct {
	t        *trace.Trace
	steps    []*trace.Step
	lanes    map[int]bool
	named    map[int]bool           // steps that another lane's step, or the explanation, names
	cited    map[int]bool           // those that the explanation names
	barriers map[int]*trace.Barrier // by the first of its departures
}

func viewOf(t *trace.Trace) *view {
	v := &view{t: t, lanes: cast(t), barriers: map[int]*trace.Barrier{}}
	v.named, v.cited = cited(t)
	for i := range t.Steps {
		if s := &t.Steps[i]; t.Needed(s.ID) {
			v.steps = append(v.steps, s)
		}
	}
	for i := range t.Barriers {
		v.barriers[t.Barriers[i].Departures[0]] = &t.Barriers[i]
	}
	return v
}

// passage is the row of a whole group's passing a barrier.
func passage(t *trace.Trace, b *trace.Barrier) row {
	names := make([]string, 0, len(b.Departures))
	for _, id := range b.Departures {
		names = append(names, abridge(t.Lanes[t.Step(id).Lane].Name))
	}
	who := strings.Join(names, ", ")
	if len(names) > 4 {
		who = fmt.Sprintf("%s ... %s (%d work-items)", names[0], names[len(names)-1], len(names))
	}
	d := b.Departures
	return row{lane: -1, from: d[0], to: d[len(d)-1], strip: Passed(b) + ": " + who, text: fmt.Sprintf("%s pass the %s, which %s", who, met(b), Orders(b))}
}

// departures are the rows of those who learn something at a barrier.
func (v *view) departures(b *trace.Barrier) []row {
	var rows []row
	for _, id := range b.Departures {
		s := v.t.Step(id)
		if !v.lanes[s.Lane] {
			continue
		}
		if n := notes(v.t, s); len(n) > 0 {
			rows = append(rows, row{lane: s.Lane, from: id, to: id, text: n[0], notes: n[1:]})
		}
	}
	return rows
}

// dullRun returns how many steps from index i on are ordinary accesses of one
// lane with nothing to say about.
func (v *view) dullRun(i int) int {
	n := 0
	for ; i+n < len(v.steps); n++ {
		s := v.steps[i+n]
		if s.Lane != v.steps[i].Lane || s.ID != v.steps[i].ID+n || s.Atomic || s.Location == "" || slices.Contains(v.t.Accesses, s.ID) || v.named[s.ID] {
			break
		}
	}
	return n
}

// cited are the steps that another lane's step, or the explanation, names, and those that the
// explanation does.
func cited(t *trace.Trace) (named, why map[int]bool) {
	named, why = map[int]bool{}, map[int]bool{}
	for _, reason := range t.Why {
		for _, id := range reason.Steps {
			named[id], why[id] = true, true
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
	return named, why
}

// summary is the row of a dull run.
func (v *view) summary(i, n int) row {
	texts := []string{v.steps[i].Brief, "...", v.steps[i+n-1].Brief}
	if n <= 3 {
		texts = texts[:0]
		for _, s := range v.steps[i : i+n] {
			texts = append(texts, s.Brief)
		}
	}
	return row{lane: v.steps[i].Lane, from: v.steps[i].ID, to: v.steps[i+n-1].ID, text: strings.Join(texts, ", ")}
}
