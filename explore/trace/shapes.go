package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// shapeFinder knows mistakes by the shape that they have in an execution, of which nothing else is known.
type shapeFinder struct{ *replay }

// shapes looks, in an execution in which an assertion fails or a computation goes wrong, for a mistake
// that is known by its shape, among the steps that the violation depends on.
func (r *shapeFinder) shapes() []Reason {
	switch r.t.kind {
	case state.AssertionFailed, state.IndexOutOfRange, state.NilDereference, state.DivisionByZero:
	default:
		return nil
	}
	for _, shape := range []func(*Step) (Reason, bool){r.mistaken, r.lost} {
		for i := range slices.Backward(r.t.Steps) {
			if s := &r.t.Steps[i]; s.Atomic && s.loc >= 0 && r.t.Needed(s.ID) {
				if reason, ok := shape(s); ok {
					return []Reason{reason}
				}
			}
		}
	}
	for i := range slices.Backward(r.t.Steps) { // what is lost need not be read by anybody: two have drawn the same number
		if s := &r.t.Steps[i]; s.Atomic && s.loc >= 0 {
			if reason, ok := r.lost(s); ok {
				return []Reason{reason}
			}
		}
	}
	if out := r.unseenWrites(); len(out) > 0 {
		return out
	}
	if out := r.overwritten(); len(out) > 0 {
		return out
	}
	return r.notReset()
}

// overwritten finds that an assertion asks for a value that was there, and that another lane than the one that reads has
// written over before it was read.
func (r *shapeFinder) overwritten() []Reason {
	if r.t.kind != state.AssertionFailed {
		return nil
	}
	test := r.private[r.at.lane].tested(r.at.op.Instr)
	if test == nil || test.alu != ir.Eq {
		return nil
	}
	s, wanted := r.t.Step(test.from), test.b
	if s == nil {
		s, wanted = r.t.Step(test.to), test.a
	}
	if s == nil || s.ReadsFrom == nil || s.loc < 0 || s.instr.Type != test.typ {
		return nil
	}
	l := &r.t.Memory[s.loc]
	w := r.t.Step(*s.ReadsFrom)
	if w == nil || w.Lane == s.Lane {
		return nil
	}
	for i := l.place[w.ID] - 1; i >= 0 && l.Order[i] > 0; i-- {
		was := r.t.Step(l.Order[i])
		if was.Lane == s.Lane {
			return nil
		}
		if l.cells[i] != wanted {
			continue
		}
		return []Reason{{Kind: "lost", Steps: []int{was.ID, w.ID, s.ID},
			Text: fmt.Sprintf("%s held what is asked for, from step %d%s on (%s), but %s writes over it in step %d%s before %s reads it.",
				l.Name, was.ID, line(was), r.lanes[was.Lane].Name, r.lanes[w.Lane].Name, w.ID, line(w), r.lanes[s.Lane].Name),
			Repair: fmt.Sprintf("Let %s wait before line %d until the value has been read: for an atomic variable that the reader writes (release) after it has read, and %s reads (acquire).",
				r.lanes[w.Lane].Name, w.Line, r.lanes[w.Lane].Name)}}
	}
	return nil
}

// lookedAt returns how a step's lane has looked at its location last before it, or nil.
func (r *shapeFinder) lookedAt(s *Step) *Step {
	for i := s.ID - 1; i > 0; i-- {
		switch p := r.t.Step(i); {
		case p.Lane != s.Lane || p.loc != s.loc:
		case p.Kind == Load || p.Kind == CompareExch && !p.Writes() || p.Kind == Modify && *p.Read == *p.Wrote:
			return p
		default:
			return nil
		}
	}
	return nil
}

// lost finds an update of a location in two operations between which another lane has written it: what is written comes of what was read, or
// whether it is.
func (r *shapeFinder) lost(s *Step) (Reason, bool) {
	look := r.lookedAt(s)
	blind := s.Kind == Store || s.Kind == Modify && s.instr.Alu == ir.Xchg && s.instr.Dst < 0
	if !blind || look == nil || look.ReadsFrom == nil || !r.t.Needed(look.ID) || !r.updates(look, s) {
		return Reason{}, false
	}
	l := &r.t.Memory[s.loc]
	for _, id := range l.Order[l.place[*look.ReadsFrom]+1 : max(l.place[s.ID], l.place[*look.ReadsFrom]+1)] {
		w := r.t.Step(id)
		if w.Lane == s.Lane {
			continue
		}
		return Reason{Kind: "lost", Steps: []int{look.ID, w.ID, s.ID},
			Text: fmt.Sprintf("A lost update: %s reads %s%s (step %d) and writes it%s (step %d), in two operations; what %s writes in step %d comes in between, and is overwritten unseen.",
				r.lanes[s.Lane].Name, l.Name, line(look), look.ID, line(s), s.ID, r.lanes[w.Lane].Name, w.ID),
			Repair: fmt.Sprintf("Make the update of %s one atomic operation, such as %s, or a loop around atomic_compare_exchange_strong.", l.Name, r.update(look, s))}, true
	}
	return Reason{}, false
}

// updates reports whether what a step writes comes of a look, or whether it is written does, as far as all is noted.
func (r *shapeFinder) updates(look, s *Step) bool {
	n := r.ledger.made(s.ID)
	return n != nil && !r.ledger.full() && (r.ledger.comesOf(n.b, look.ID) || r.ledger.comesOf(n.control, look.ID))
}

// update names the atomic operation that may be meant by a look and a write: what is written comes of what was seen, or only whether.
func (r *shapeFinder) update(look, w *Step) string {
	if n := r.ledger.made(w.ID); n != nil && !r.ledger.full() && !r.ledger.comesOf(n.b, look.ID) && r.ledger.comesOf(n.control, look.ID) {
		return "atomic_fetch_min or atomic_fetch_max"
	}
	return "atomic_fetch_add"
}

// mistaken finds a compare-exchange that succeeds since the value is again what its lane has read, though it
// was another one in between (ABA).
func (r *shapeFinder) mistaken(s *Step) (Reason, bool) {
	look := r.lookedAt(s)
	if s.Kind != CompareExch || !s.Writes() || look == nil || look.ReadsFrom == nil || *look.Read != *s.Read || *look.ReadsFrom == *s.ReadsFrom {
		return Reason{}, false
	}
	l := &r.t.Memory[s.loc]
	from, to := l.place[*look.ReadsFrom], l.place[*s.ReadsFrom]
	var steps []string
	other := false
	for i := from + 1; i <= to; i++ {
		other = other || l.cells[i] != *s.Read
		steps = append(steps, fmt.Sprint(l.Order[i]))
	}
	if !other {
		return Reason{}, false
	}
	if len(steps) > 4 {
		steps = append(steps[:3], "...", steps[len(steps)-1])
	}
	return Reason{Kind: "aba", Steps: append([]int{look.ID, s.ID}, l.Order[from+1:to+1]...),
		Text: fmt.Sprintf("ABA: the compare-exchange of %s in step %d (%s%s) finds the value of step %d again and succeeds, but %s has been changed and changed back in between (steps %s).",
			l.Name, s.ID, r.lanes[s.Lane].Name, strings.Replace(line(s), " in", ",", 1), look.ID, l.Name, strings.Join(steps, ", ")),
		Repair: fmt.Sprintf("Keep a counter in %s beside the value, and count it up with each change, or do not give back what others may still look at.", l.Name)}, true
}

// unseenWrites explains that a step has read an older value than one that was written before, where what
// comes between the two nearly orders them.
func (r *shapeFinder) unseenWrites() []Reason {
	tries := 0
	for i := range slices.Backward(r.t.Steps) {
		s := &r.t.Steps[i]
		if !r.t.Needed(s.ID) {
			continue
		}
		for _, id := range r.t.Missed(s) {
			if tries++; tries > maxUnseen {
				return nil
			}
			w := r.t.Step(id)
			q := newDiagnosis(r.replay, w, s)
			if reason, ok := q.bothOlder(); ok {
				return []Reason{reason}
			}
			if !w.Atomic {
				continue
			}
			if out := q.chained(); len(out) > 0 {
				return out
			}
		}
	}
	return nil
}

// maxUnseen bounds the pairs of a write and a read that has not seen it which are looked at.
const maxUnseen = 8
