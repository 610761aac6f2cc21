package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// onwardLimit bounds the states that onward looks at, and onwardBytes their encodings: where
// nothing ends they may become longer and longer.
const (
	onwardLimit = 4096
	onwardBytes = 1 << 20
)

// onward is what can still happen after the schedule, by a search without any
// reduction: whether something ends, and if not, who goes round where. Beyond
// the limit it takes the search's word for it.
type onward struct {
	m         *state.Machine
	forgiving bool        // the execution goes on after data races
	cast      *state.Cast // in which units have their numbers
	canon     memmodel.Canon
	known     map[string]int         // states looked at, by number
	bytes     int                    // of their encodings
	done      []bool                 // by number: its component is closed
	open      []int                  // those that are not done
	sound     []bool                 // by number: the execution exists that has come there
	steps     [][]deed               // by number: what units do there
	leaves    bool                   // something ends, goes wrong or is discarded
	goes      []deed                 // in the first component that nothing leaves
	waiting   map[memmodel.Unit]bool // the units that have not ended there, but do nothing
}

// deed is a step of a unit, which the schedule's last state knows by that number.
type deed struct {
	unit memmodel.Unit
	op   state.Operation
}

// ahead looks on from the schedule's end, beyond data races if the schedule goes on after one.
func (r *replay) ahead(forgiving bool) *onward {
	o := &onward{m: r.m, cast: r.s.Cast, forgiving: forgiving, known: map[string]int{}}
	start := &state.State{}
	start.CopyFrom(r.s)
	start.Mem.Observer = nil
	o.visit(start)
	if o.waiting == nil { // it is too far to see how it goes on: say what begins
		for _, steps := range o.steps {
			o.goes = append(o.goes, steps...)
		}
	}
	return o
}

// visit looks at a state and all that follows, and returns the smallest number
// of a state that is not done among them (Tarjan's algorithm).
func (o *onward) visit(s *state.State) int {
	m := o.m
	m.Normalise(&o.canon, s)
	key := string(s.Append(nil))
	if n, ok := o.known[key]; ok {
		if o.done[n] {
			return len(o.known)
		}
		return n
	}
	number := len(o.known)
	low := number
	o.known[key] = number
	o.bytes += len(key)
	o.done, o.steps, o.open, o.sound = append(o.done, false), append(o.steps, nil), append(o.open, number), append(o.sound, !s.Open())
	if (s.Done() || s.Violation.Kind != state.NoViolation) && !s.Open() { // else it is not known yet whether there is such an execution
		o.leaves = true
	}
	for u := range s.Cast.Count() {
		for _, c := range por.Moves(m, s, u, nil) {
			if o.leaves || m.Halted() || len(o.known) > onwardLimit || o.bytes > onwardBytes {
				return low
			}
			next := &state.State{}
			next.CopyFrom(s)
			if m.Do(next, u, c); o.forgiving {
				state.PassTo(m, next, state.NoViolation, 0)
			}
			switch {
			case next.AssumptionFailed:
				o.leaves = true
			case !next.Abandoned:
				if s.Cast == o.cast && s.Cast.Units[u].Func >= 0 {
					o.steps[number] = append(o.steps[number], deed{u, m.Operation(s, u)})
				}
				low = min(low, o.visit(next))
			}
		}
	}
	if low == number {
		o.close(number, s)
	}
	return low
}

// close notes what goes on in a component that is done, if executions exist that come there.
func (o *onward) close(number int, s *state.State) {
	at := slices.Index(o.open, number)
	for _, n := range o.open[at:] {
		o.done[n] = true
	}
	if o.waiting == nil && !o.leaves && slices.ContainsFunc(o.open[at:], func(n int) bool { return o.sound[n] }) {
		o.waiting = map[memmodel.Unit]bool{}
		for _, n := range o.open[at:] {
			o.goes = append(o.goes, o.steps[n]...)
		}
		for u := range s.Cast.Count() {
			o.waiting[u] = s.Cast == o.cast && s.Status(u) != state.Ended && !o.rounds(u)
		}
	}
	o.open = o.open[:at]
}

func (o *onward) rounds(u memmodel.Unit) bool {
	return slices.ContainsFunc(o.goes, func(d deed) bool { return d.unit == u })
}

// noWayOut says who goes round for ever, and where, and who waits.
func (r *teller) noWayOut() {
	t, o := r.t, r.onward
	var parts []string
	for u := range r.s.Cast.Count() {
		lane := r.of[u]
		if lane < 0 || r.s.Status(u) == state.Ended {
			continue
		}
		switch {
		case o.rounds(u):
			w, lines := r.going(o, u)
			t.Waits = append(t.Waits, w)
			if len(parts) < 3 {
				parts = append(parts, r.who(lane)+lines+" "+w.Text)
			}
			if t.At == (Pos{}) {
				t.At = w.Pos
			}
		case o.waiting[u]:
			t.Waits = append(t.Waits, Wait{Lane: lane, Pos: position(r.p, r.m.Operation(r.s, u).Instr.Pos), Text: r.held(u)})
		}
	}
	more := ""
	if n := len(t.Waits) - len(parts); n > 0 {
		more = fmt.Sprintf("; %d more never end either", n)
		if n == 1 {
			more = "; 1 more never ends either"
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "those that are left go on for ever")
	}
	t.Message = "No way out: from here on no execution comes to an end, whatever is scheduled: " + strings.Join(parts, "; ") + more + "."
}

// going says what a unit that goes round reads there, and at which lines.
func (r *teller) going(o *onward, u memmodel.Unit) (w Wait, lines string) {
	w.Lane = r.of[u]
	var places []Pos
	var reads []string
	for _, d := range o.goes {
		if d.unit != u {
			continue
		}
		if pos := position(r.p, d.op.Instr.Pos); pos.Line > 0 {
			places = append(places, pos)
		}
		if d.op.Loc < 0 || d.op.Instr.Order == memmodel.NonAtomic || d.op.Instr.Op == ir.OpStore {
			continue
		}
		l := &r.locs[r.shadow.at(r.s.Cast, d.op.Loc)]
		text := l.Name
		if v, _, ok := l.read(0); ok && !o.written(d.op.Loc) {
			text += " = " + l.text(r.p, v)
		}
		if !slices.Contains(reads, text) {
			reads = append(reads, text)
		}
	}
	w.Text = "goes round for ever"
	if len(reads) > 0 {
		slices.Sort(reads)
		w.Text += ", reading " + strings.Join(reads, ", ")
	}
	slices.SortFunc(places, func(a, b Pos) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for i, p := range places {
		switch {
		case i == 0:
			w.Pos, lines = p, " at "+p.String()
		case p.File != places[i-1].File:
			lines += ", " + p.String()
		case p.Line != places[i-1].Line:
			lines += fmt.Sprintf(", %d", p.Line)
		}
	}
	return w, lines
}

// written reports whether some unit writes a location while it goes round.
func (o *onward) written(x memmodel.Loc) bool {
	return slices.ContainsFunc(o.goes, func(d deed) bool { return d.op.Loc == x && d.op.Instr.Op.Access() && d.op.Instr.Op != ir.OpLoad })
}

// held says why a unit that has not ended does nothing.
func (r *teller) held(u memmodel.Unit) string {
	if s := r.s.Status(u); s == state.AtBarrier || s == state.Finishing {
		return r.waiting(u).Text
	}
	return "waits for the others"
}
