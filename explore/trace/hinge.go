package trace

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// An assertion can fail though every operation is as strong as it can be, or as weak as is meant: since two operations, which nothing orders, come in the
// one order and not in the other. Where no mistake is known by its shape, it is said which two the rest hangs on.

// hinges says what a failed assertion hangs on of which nothing else is known.
func (r *shapeFinder) hinges() []Reason {
	if r.t.kind != state.AssertionFailed {
		return nil
	}
	for _, shape := range []func(*Step) (Reason, bool){r.unheeded, r.outdated, r.gaveUp} {
		for i := range r.t.Steps {
			if s := &r.t.Steps[i]; s.loc >= 0 && s.Atomic && !r.lanes[s.Lane].Host {
				if out, ok := shape(s); ok {
					return []Reason{out}
				}
			}
		}
	}
	for i := len(r.t.Steps) - 1; i >= 0; i-- {
		if look := &r.t.Steps[i]; r.finds(look) {
			if w := r.overwrites(look); w != nil && r.t.Needed(w.ID) {
				return []Reason{r.hangsOn(look, w)}
			}
		}
	}
	return nil
}

// unheeded finds a function of a pipe that fails, and is not tried again.
func (r *shapeFinder) unheeded(s *Step) (Reason, bool) {
	if s.lack == "" {
		return Reason{}, false
	}
	for i := s.ID; i < len(r.t.Steps); i++ {
		if next := &r.t.Steps[i]; next.Lane == s.Lane && next.instr == s.instr && next.loc == s.loc && next.lack == "" {
			return Reason{}, false
		}
	}
	name, _, _ := strings.Cut(s.Op, "(")
	out := Reason{Kind: "lost", Rule: "14.1; OpenCL C section 6.15.16", Steps: []int{s.ID},
		Text: fmt.Sprintf("%s of %s%s (step %d) fails: %s. %s goes on without it.", s.Op, r.lanes[s.Lane].Name, line(s), s.ID, s.lack, r.lanes[s.Lane].Name)}
	if readsPipe(s.instr, name) {
		out.Repair = fmt.Sprintf("Look at what %s returns%s: use the packet only where that is 0, and else try again or give up.", name, line(s))
	} else {
		out.Repair = fmt.Sprintf("Look at what %s returns%s: where that is not 0 nothing was written, so try again or say so; or make room for more packets in %s.", name, line(s), r.t.Memory[s.loc].pipe.name)
	}
	return out, true
}

// finds reports whether a step is one of a kernel that reads atomic memory on which the violation depends.
func (r *shapeFinder) finds(s *Step) bool {
	return s.Atomic && s.loc >= 0 && s.ReadsFrom != nil && r.t.Needed(s.ID) && !r.lanes[s.Lane].Host
}

// overwrites returns what writes over what a look finds first, in another lane, or nil.
func (r *shapeFinder) overwrites(look *Step) *Step {
	l := &r.t.Memory[look.loc]
	from := *look.ReadsFrom
	if look.Writes() {
		from = look.ID
	}
	next := l.place[from] + 1
	if next < len(l.Order) && r.t.laneOf(l.Order[next]) == look.Lane {
		next = l.others[next]
	}
	if next == len(l.Order) {
		return nil
	}
	return r.t.Step(l.Order[next])
}

// outdated finds a look whose lane goes by what it has found when another one has changed that.
func (r *shapeFinder) outdated(look *Step) (Reason, bool) {
	if !r.finds(look) || look.Writes() || r.ledger.full() || r.t.Memory[look.loc].pipe != nil {
		return Reason{}, false
	}
	w := r.overwrites(look)
	if w == nil || w.ID < look.ID {
		return Reason{}, false
	}
	act := r.actsUpon(look, w)
	if act == nil {
		return Reason{}, false
	}
	l := &r.t.Memory[look.loc]
	return Reason{Kind: "lost", Steps: []int{look.ID, w.ID, act.ID},
		Text: fmt.Sprintf("%s finds %s in %s%s (step %d) and goes by it when it writes %s%s (step %d); but %s writes %s%s (step %d) before that, so what was found no longer holds.",
			r.lanes[look.Lane].Name, l.text(r.p, *look.Read), l.Name, line(look), look.ID, act.Location, line(act), act.ID, r.lanes[w.Lane].Name, l.Name, line(w), w.ID),
		Repair: fmt.Sprintf("Look at %s and act upon it in one atomic operation, or under a lock that all take who write it; or look again%s before going on, and give up where it has changed.", l.Name, line(act))}, true
}

// actsUpon returns what the lane of a look writes after w, since that look has found what it has: the last such write that the violation depends on.
func (r *shapeFinder) actsUpon(look, w *Step) *Step {
	for i := len(r.t.Steps) - 1; i >= 0 && r.t.Steps[i].ID > w.ID; i-- {
		act := &r.t.Steps[i]
		if act.Lane != look.Lane || !act.Writes() || act.loc < 0 || !r.t.Needed(act.ID) {
			continue
		}
		if n := r.ledger.made(act.ID); n != nil && (r.ledger.comesOf(n.control, look.ID) || act.Atomic && r.ledger.comesOf(n.b, look.ID)) {
			return act
		}
	}
	return nil
}

// gaveUp finds a compare-exchange that fails since another lane has written what it compares with, and that its lane does not try again.
func (r *shapeFinder) gaveUp(s *Step) (Reason, bool) {
	if s.Kind != CompareExch || s.Writes() || s.ReadsFrom == nil || *s.ReadsFrom == 0 {
		return Reason{}, false
	}
	w := r.t.Step(*s.ReadsFrom)
	if w == nil || w.Lane == s.Lane || r.lanes[w.Lane].Host {
		return Reason{}, false
	}
	for i := s.ID; i < len(r.t.Steps); i++ {
		if next := &r.t.Steps[i]; next.Lane == s.Lane && next.loc == s.loc {
			return Reason{}, false
		}
	}
	l := &r.t.Memory[s.loc]
	return Reason{Kind: "lost", Steps: []int{w.ID, s.ID},
		Text: fmt.Sprintf("The compare-exchange of %s by %s%s (step %d) fails, since %s has written %s%s (step %d), and %s does not try again: what it was to write is lost.",
			l.Name, r.lanes[s.Lane].Name, line(s), s.ID, r.lanes[w.Lane].Name, l.text(r.p, *s.Read), line(w), w.ID, r.lanes[s.Lane].Name),
		Repair: fmt.Sprintf("Try again in a loop, with what the compare-exchange%s has found, until it succeeds or need not; or use one operation, such as atomic_fetch_min, where there is one that does it.", line(s))}, true
}

// hangsOn is the reason that a look comes before a write.
func (r *shapeFinder) hangsOn(look, w *Step) Reason {
	l := &r.t.Memory[look.loc]
	out := Reason{Kind: "none", Steps: []int{min(look.ID, w.ID), max(look.ID, w.ID)}}
	if l.pipe != nil {
		one, _, _ := strings.Cut(look.Brief, ":")
		other, _, _ := strings.Cut(w.Brief, ":")
		out.Text = fmt.Sprintf("It hangs on the order in which pipe %s is used: %s of %s%s (step %d) comes before %s of %s%s (step %d). Nothing orders the two.",
			l.pipe.name, one, r.lanes[look.Lane].Name, line(look), look.ID, other, r.lanes[w.Lane].Name, line(w), w.ID)
		out.Repair = "Take packets for what is in them, and not for who has written or read before; or put a number into each that says where it belongs."
		return out
	}
	order := "before"
	if w.ID < look.ID {
		order = "and does not see that"
	}
	out.Text = fmt.Sprintf("It hangs on what %s finds in %s%s (step %d): %s, %s %s writes it%s (step %d). Nothing orders the two.",
		r.lanes[look.Lane].Name, l.Name, line(look), look.ID, l.text(r.p, *look.Read), order, r.lanes[w.Lane].Name, line(w), w.ID)
	if a, b := &r.lanes[look.Lane], &r.lanes[w.Lane]; !b.Host && a.place.SameGroup(b.place) {
		q := newDiagnosis(r.replay, r.t.Step(out.Steps[0]), r.t.Step(out.Steps[1]))
		if q.sameCode() && q.barrierBetween(&out, false) {
			return out
		}
	}
	out.Repair = fmt.Sprintf("If %s is to find what %s writes, have it wait for that: for an atomic variable that is written (release) after it, and read (acquire) before line %d.",
		r.lanes[look.Lane].Name, r.lanes[w.Lane].Name, look.Line)
	return out
}

// bothInside explains a race in what an atomic variable is to guard, where it lets in more than one: the one goes on by what the other has left when it went
// on itself, and which that one gives back after its access.
func (q *stranger) bothInside(maker, taker, w, r *Step) (Reason, bool) {
	if w.instr != r.instr || w.Kind != Modify && w.Kind != CompareExch {
		return Reason{}, false
	}
	f := q.p.Funcs[q.funcs[maker.Lane]]
	at, o := indexOf(f, maker.instr), q.objectOf(w.loc)
	back := q.atomicsOf(q.funcs[maker.Lane], func(pc int, in *ir.Instr) bool { return pc > at && in != w.instr && in.Op != ir.OpLoad })
	given := false
	for i := range q.p.Objects {
		given = given || &q.p.Objects[i] == o && back.Has(i)
	}
	if !given {
		return Reason{}, false
	}
	name := q.locs[w.loc].Name
	return Reason{Kind: "none", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{w.ID, r.ID, q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Both are inside at once: %s goes on%s (step %d) by the value of %s with which %s has gone on itself (step %d), and which that one gives back only after its access%s.",
			q.lanes[taker.Lane].Name, line(r), r.ID, name, q.lanes[maker.Lane].Name, w.ID, line(maker)),
		Repair: fmt.Sprintf("Let %s admit one at a time: by the condition%s, or by the value that it begins with; or make the accesses of %s atomic.", name, line(r), q.l.Name)}, true
}

// writtenAgain explains a race of a write with who uses what was written and published there before: the same statement comes round again.
func (q *stranger) writtenAgain(maker, taker, w, r *Step) (Reason, bool) {
	for _, first := range q.between(maker.Lane, 1, w.ID-1) {
		if first.instr != maker.instr || first.loc != maker.loc {
			continue
		}
		return Reason{Kind: "late", Rule: "5.1, 6.1; OpenCL 3.0 section 3.3.7.1", Steps: []int{first.ID, w.ID, r.ID, q.a.ID, q.b.ID},
			Text: fmt.Sprintf("Written again too early: %s has written %s%s (step %d) and published that%s (step %d), by which %s goes on%s (step %d); and it writes %s again%s (step %d), while that may still be used.",
				q.lanes[maker.Lane].Name, q.l.Name, line(first), first.ID, line(w), w.ID, q.lanes[taker.Lane].Name, line(r), r.ID, q.l.Name, line(maker), maker.ID),
			Repair: fmt.Sprintf("Let %s wait before line %d until what is there has been used: for an atomic variable that %s writes with %s after line %d, and %s reads with %s.",
				q.lanes[maker.Lane].Name, maker.Line, q.lanes[taker.Lane].Name, memmodel.Release, taker.Line, q.lanes[maker.Lane].Name, memmodel.Acquire)}, true
	}
	return Reason{}, false
}
