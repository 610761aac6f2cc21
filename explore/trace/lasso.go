package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Liveness says of an execution that goes on for ever how work is scheduled in it, and which part is repeated.
type Liveness struct {
	Device   string `json:"device"`              // the model of work-groups
	Group    string `json:"group"`               // of what a work-group consists of
	SubGroup string `json:"sub_group,omitempty"` // of work-items of a sub-group, if there is a level of sub-groups
	Fairness string `json:"fairness"`            // weak or strong
	Model    string `json:"model"`               // all this, as --liveness takes it
	Loop     int    `json:"loop"`                // index of the first move of the part that is repeated for ever
	From     int    `json:"from_step"`           // the first step of that part,
	To       int    `json:"to_step"`             // and the last
	Halted   []int  `json:"halted,omitempty"`    // the lanes that could go on there, and never do

	levels liveness.Levels
}

// livenessOf stores what a violation says of its lasso.
func livenessOf(l *explore.Lasso) *Liveness {
	q := l.Question
	out := &Liveness{Device: q.Device.String(), Group: q.Group.String(), Fairness: q.Fairness.String(), Model: q.Levels.String(), Loop: l.Loop, levels: q.Levels}
	if q.SubGroups {
		out.SubGroup = q.Sub.String()
	}
	return out
}

// Lasso is the inverse, as far as it is stored: nil if it says nothing that can be.
func (l *Liveness) Lasso() *explore.Lasso {
	levels, err := liveness.ParseLevels(l.Model)
	fair, err2 := liveness.ParseFairness(l.Fairness)
	if err != nil || err2 != nil {
		return nil
	}
	return &explore.Lasso{Question: liveness.Question{Levels: levels, Fairness: fair}, Loop: l.Loop}
}

// lasso is what is to be told of an execution that goes on for ever.
type lasso struct {
	*teller
	*Liveness
	busy map[int]bool // lanes that make steps in the part that is repeated
}

// mayRun says who goes round for ever, and why the others do not move.
func (r *teller) mayRun() {
	q := &lasso{teller: r, Liveness: r.t.Liveness, busy: map[int]bool{}}
	for i := range r.t.Steps {
		if s := &r.t.Steps[i]; s.Move >= q.Loop {
			if q.From == 0 {
				q.From = s.ID
			}
			q.To = s.ID
			q.busy[s.Lane] = true
		}
	}
	var still []string
	for u := range r.s.Cast.Count() {
		lane := r.of[u]
		if lane < 0 || r.s.Status(u) == state.Ended {
			continue
		}
		if !q.busy[lane] && r.s.Status(u) == state.Ready {
			q.Halted = append(q.Halted, lane)
		}
		w := q.wait(u, lane)
		r.t.Waits = append(r.t.Waits, w)
		if !q.busy[lane] && !r.lanes[lane].Host && len(still) < maxStill {
			still = append(still, q.standing(u, lane))
		}
	}
	r.t.Message = fmt.Sprintf("With %s, %s", scheduled(q.levels), q.spins())
	if len(still) > 0 {
		r.t.Message += "; " + strings.Join(still, "; ")
	}
	r.t.Message += "."
}

// maxStill bounds the units of which the message says why they do not move.
const maxStill = 2

// inWords are the models of work-groups, in the words of the first sentence.
var inWords = map[liveness.Model]string{
	liveness.Unfair: "in no way that is promised (unfair)", liveness.HSA: "lowest first (hsa)", liveness.OBE: "occupancy-bound (obe)",
	liveness.HSAOBE: "occupancy-bound and lowest first (hsa_obe)", liveness.LOBE: "occupancy-bound in order (lobe)", liveness.Fair: "fairly",
}

// scheduled says how work is scheduled.
func scheduled(l liveness.Levels) string {
	text := "work-groups scheduled " + inWords[l.Device]
	switch {
	case l.Group == liveness.Fair && (!l.SubGroups || l.Sub == liveness.Fair):
		return text
	case !l.SubGroups:
		return text + fmt.Sprintf(" and the work-items of a group %v", l.Group)
	case l.Group == liveness.Fair:
		return text + fmt.Sprintf(" and the work-items of a sub-group %v", l.Sub)
	}
	return text + fmt.Sprintf(", sub-groups %v and the work-items of a sub-group %v", l.Group, l.Sub)
}

// spins says who goes round: first who waits for a value, else who goes round at all.
func (q *lasso) spins() string {
	lanes := q.rounds()
	if len(lanes) == 0 {
		return "an execution may go on for ever"
	}
	lane := lanes[0]
	pos, reads, _ := q.deeds(lane)
	if q.t.At == (Pos{}) {
		q.t.At = pos
	}
	text := fmt.Sprintf("%s may spin for ever%s", q.who(lane), at(pos))
	if n := len(lanes) - 1; n == 1 {
		text += fmt.Sprintf(", and %s, too", q.who(lanes[1]))
	} else if n > 1 {
		text += fmt.Sprintf(", and %d others, too", n)
	}
	if len(reads) > 0 {
		text += ": it waits for another value of " + strings.Join(reads, " and ")
	}
	return text
}

// rounds lists the lanes that go round, work-items before host threads, those that only wait first.
func (q *lasso) rounds() (lanes []int) {
	for lane := range q.lanes {
		if q.busy[lane] {
			lanes = append(lanes, lane)
		}
	}
	slices.SortStableFunc(lanes, func(a, b int) int { return q.rank(a) - q.rank(b) })
	return lanes
}

func (q *lasso) rank(lane int) int {
	_, _, writes := q.deeds(lane)
	n := 0
	if writes {
		n = 1
	}
	if q.lanes[lane].Host {
		n += 2
	}
	return n
}

// deeds says where a lane begins its round, what it reads there that nobody changes meanwhile, and whether it changes something.
func (q *lasso) deeds(lane int) (pos Pos, reads []string, writes bool) {
	for i := range q.t.Steps {
		s := &q.t.Steps[i]
		if s.Move < q.Loop || s.Lane != lane {
			continue
		}
		if pos == (Pos{}) && s.Pos != nil {
			pos = *s.Pos
		}
		writes = writes || s.Writes() && q.changes(s)
		if !s.Reads() || !s.Atomic || s.loc < 0 || q.changed(s.loc) {
			continue
		}
		text := q.locs[s.loc].Name
		if s.Read != nil {
			text += fmt.Sprintf(", which is %s", q.locs[s.loc].text(q.p, *s.Read))
		}
		if !slices.Contains(reads, text) {
			reads = append(reads, text)
		}
	}
	return pos, reads, writes
}

// changes reports whether a write gives its location another value than it has read there.
func (q *lasso) changes(s *Step) bool { return s.Read == nil || s.Wrote == nil || *s.Read != *s.Wrote }

// changed reports whether some step of the part that is repeated changes a location.
func (q *lasso) changed(loc int) bool {
	return slices.ContainsFunc(q.t.Steps, func(s Step) bool { return s.Move >= q.Loop && s.loc == loc && s.Writes() && q.changes(&s) })
}

// wait says what a unit does, or why it does nothing.
func (q *lasso) wait(u memmodel.Unit, lane int) Wait {
	w := Wait{Lane: lane, Pos: position(q.p, q.m.Operation(q.s, u).Instr.Pos)}
	switch {
	case q.busy[lane]:
		pos, reads, writes := q.deeds(lane)
		w.Pos, w.Text = pos, "goes round for ever"
		if len(reads) > 0 {
			w.Text += ", reading " + strings.Join(reads, " and ")
		}
		w.Text += q.plight(lane, writes)
	case q.s.Status(u) == state.AtBarrier:
		w.Text = "is blocked at the barrier" + q.missing(u)
	case q.s.Status(u) == state.Finishing:
		w.Text = q.waiting(u).Text
	case q.last[lane] == 0:
		w.Text = fmt.Sprintf("has never started: not guaranteed under %v", q.levels)
	default:
		w.Text = fmt.Sprintf("has stopped behind step %d: not guaranteed under %v", q.last[lane], q.levels)
	}
	return w
}

// plight says whether who goes round is starved, or all who are left are in each other's way.
func (q *lasso) plight(lane int, writes bool) string {
	others, all := false, true
	for u := range q.s.Cast.Count() {
		o := q.of[u]
		if o < 0 || q.s.Status(u) == state.Ended || q.lanes[o].Host && !q.busy[o] {
			continue
		}
		if !q.busy[o] {
			all = false
		} else if _, _, w := q.deeds(o); o != lane && w {
			others = true
		}
	}
	switch {
	case writes && others && all:
		return " (livelocked: nobody leaves)"
	case !writes && others:
		return " (starved: others progress)"
	}
	return ""
}

// missing says for whom a unit waits at a barrier.
func (q *lasso) missing(u memmodel.Unit) string {
	me := q.s.Cast.Units[u].Place
	var names []string
	for v := range q.s.Cast.Count() {
		if lane := q.of[v]; lane >= 0 && v != u && q.lanes[lane].place.SameGroup(me) && q.s.Status(v) == state.Ready {
			names = append(names, q.lanes[lane].Name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > maxStill:
		return fmt.Sprintf(" for %s and %d others", names[0], len(names)-1)
	}
	return " for " + strings.Join(names, " and ")
}

// standing says why a unit does not move, and what it would write that others wait for.
func (q *lasso) standing(u memmodel.Unit, lane int) string {
	name := q.lanes[lane].Name
	if write := q.wouldWrite(lane); write != "" {
		name += ", which " + write + ","
	}
	switch {
	case q.s.Status(u) == state.AtBarrier:
		return name + " is blocked at the barrier" + q.missing(u)
	case q.last[lane] == 0:
		return name + " has never been started, and nothing guarantees that it is"
	}
	return fmt.Sprintf("%s has stopped behind step %d, and nothing guarantees that it goes on", name, q.last[lane])
}

// wouldWrite says where a lane writes what others wait for.
func (q *lasso) wouldWrite(lane int) string {
	for i := range q.t.Steps {
		s := &q.t.Steps[i]
		if s.Move < q.Loop || s.Lane == lane || s.loc < 0 || !s.Reads() || q.changed(s.loc) {
			continue
		}
		for _, pc := range q.writesTo(q.funcs[lane], s.loc) {
			in := &q.p.Funcs[q.funcs[lane]].Code[pc]
			if pos := position(q.p, in.Pos); pos.Line > 0 && in.Op.Access() && in.Op != ir.OpLoad && in.Pos != s.instr.Pos {
				return fmt.Sprintf("would set %s%s", q.locs[s.loc].Name, at(pos))
			}
		}
	}
	return ""
}
