package trace

import (
	"fmt"

	"github.com/clmc/clmc/state"
)

// An assertion can fail though every operation is as strong as it can be, or as weak as is meant: since two operations, which nothing orders, come in the
// one order and not in the other. Where no mistake is known by its shape, it is said which two the rest hangs on.

// hinges says what a violation hangs on of which nothing else is known: what a work-item has found in memory and acts upon, though it no longer
// holds when it does; or else what it has found last while another writes there later.
func (r *replay) hinges() []Reason {
	if r.t.kind != state.AssertionFailed {
		return nil
	}
	for i := range r.t.Steps {
		if look := &r.t.Steps[i]; r.finds(look) {
			if w := r.overwrites(look); w != nil {
				if act := r.actsUpon(look, w); act != nil {
					return []Reason{r.outdated(look, w, act)}
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

// finds reports whether a step is one of a kernel that reads atomic memory on which the violation depends.
func (r *replay) finds(s *Step) bool {
	return s.Atomic && s.loc >= 0 && s.ReadsFrom != nil && r.t.Needed(s.ID) && !r.lanes[s.Lane].Host
}

// overwrites returns what another lane than that of a look, and another one than wrote what that finds, writes over it first, or nil.
func (r *replay) overwrites(look *Step) *Step {
	l := &r.t.Memory[look.loc]
	from := *look.ReadsFrom
	if look.Writes() {
		from = look.ID
	}
	for _, id := range l.Order[l.place[from]+1:] {
		if w := r.t.Step(id); w != nil && w.Lane != look.Lane {
			return w
		}
	}
	return nil
}

// actsUpon returns what the lane of a look writes elsewhere after w, since that look has found what it has: the last such write that the violation depends on.
func (r *replay) actsUpon(look, w *Step) *Step {
	if look.Writes() || r.ledger.full() {
		return nil
	}
	for i := len(r.t.Steps) - 1; i >= 0 && i >= look.ID; i-- {
		act := &r.t.Steps[i]
		if act.Lane != look.Lane || !act.Writes() || act.loc < 0 || act.ID < w.ID || !r.t.Needed(act.ID) {
			continue
		}
		if n := r.made(act); n != nil && (r.comesOf(n.control, look) || r.comesOf(n.b, look)) {
			return act
		}
	}
	return nil
}

// outdated is the reason that a work-item acts upon what it has found in memory when another one has changed it.
func (r *replay) outdated(look, w, act *Step) Reason {
	l := &r.t.Memory[look.loc]
	found := l.text(r.p, *look.Read)
	return Reason{Kind: "lost", Steps: []int{look.ID, w.ID, act.ID},
		Text: fmt.Sprintf("%s finds %s in %s%s (step %d) and goes by it when it writes %s%s (step %d); but %s writes %s%s (step %d) before that, so what was found no longer holds.",
			r.lanes[look.Lane].Name, found, l.Name, line(look), look.ID, act.Location, line(act), act.ID, r.lanes[w.Lane].Name, l.Name, line(w), w.ID),
		Repair: fmt.Sprintf("Look at %s and act upon it in one atomic operation, or under a lock that all take who write it; or look again%s before going on, and give up where it has changed.", l.Name, line(act))}
}

// hangsOn is the reason that a look comes before a write.
func (r *replay) hangsOn(look, w *Step) Reason {
	l := &r.t.Memory[look.loc]
	order := "before"
	if w.ID < look.ID {
		order = "and has not seen that"
	}
	return Reason{Kind: "none", Steps: []int{look.ID, w.ID},
		Text: fmt.Sprintf("It hangs on what %s finds in %s%s (step %d): %s, %s %s writes it%s (step %d). Nothing orders the two.",
			r.lanes[look.Lane].Name, l.Name, line(look), look.ID, l.text(r.p, *look.Read), order, r.lanes[w.Lane].Name, line(w), w.ID),
		Repair: fmt.Sprintf("If %s is to find what %s writes, have it wait for that: for an atomic variable that is written (release) after it, and read (acquire) before line %d.",
			r.lanes[look.Lane].Name, r.lanes[w.Lane].Name, look.Line)}
}
