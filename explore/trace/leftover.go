package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Values that are out of date when they are gone by: two work-items that both look before either has taken, what an earlier
// launch has left, an index that is drawn after a look at the counter.

// bothLook explains a race of two work-items that look at an atomic variable to find out whether they may go on, and
// only then, in another operation, write that they do.
func (q *stranger) bothLook() (Reason, bool) {
	if !q.sameCode() || q.ledger.full() {
		return Reason{}, false
	}
	tries := 0
	for _, first := range slices.Backward(q.between(q.a.Lane, 1, q.a.ID)) {
		if !blind(first) {
			continue
		}
		if tries++; tries > maxLooks {
			break
		}
		one := q.lookFor(first)
		if one == nil {
			continue
		}
		l := &q.locs[first.loc]
		for _, second := range slices.Backward(q.between(q.b.Lane, 1, q.b.ID)) {
			if second.instr != first.instr || second.loc != first.loc {
				continue
			}
			if tries++; tries > maxLooks {
				break
			}
			other := q.lookFor(second)
			if other == nil || other.instr != one.instr {
				continue
			}
			if slices.Index(l.Order, *other.ReadsFrom) < slices.Index(l.Order, first.ID) && slices.Index(l.Order, *one.ReadsFrom) < slices.Index(l.Order, second.ID) {
				return Reason{Kind: "lost", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{one.ID, first.ID, other.ID, second.ID},
					Text: fmt.Sprintf("Both look at %s%s before the other has written it%s, in two operations, and both go on where only one should.", l.Name, line(one), line(first)),
					Repair: fmt.Sprintf("Look at %s and write it in one atomic operation, such as atomic_compare_exchange_strong, in place of the two%s and%s, and go on only where that succeeds.",
						l.Name, line(one), line(first))}, true
			}
		}
	}
	return Reason{}, false
}

// maxLooks bounds the operations of which it is asked whether they come after a look at what they write: to ask takes time.
const maxLooks = 8

// blind reports whether a step writes an atomic variable whatever is there, and does not look what was there.
func blind(w *Step) bool {
	return w.Atomic && w.loc >= 0 && (w.Kind == Store || w.Kind == Modify && w.instr.Dst < 0)
}

// lookFor returns the load of what a step writes blindly, by which its lane has decided to write it, or nil.
func (q *stranger) lookFor(w *Step) *Step {
	n := q.ledger.made(w.ID)
	if n == nil {
		return nil
	}
	for _, s := range slices.Backward(q.between(w.Lane, 1, w.ID-1)) {
		if s.loc != w.loc {
			continue
		}
		if s.Kind == Load && s.ReadsFrom != nil && q.ledger.comesOf(n.control, s.ID) && !q.ledger.comesOf(n.b, s.ID) {
			return s
		}
		return nil
	}
	return nil
}

// leftOver explains a race behind a wait for a value that an earlier launch of the kernel has written, and that is there still.
func (q *stranger) leftOver() (Reason, bool) {
	if !q.sameCode() {
		return Reason{}, false
	}
	f := q.p.Funcs[q.funcs[q.a.Lane]]
	for _, pair := range q.bothWays() {
		one, other := pair[0], pair[1] // the one should have come first
		for _, r := range slices.Backward(q.between(other.Lane, 1, other.ID-1)) {
			w := q.fromEarlier(r)
			if w == nil || !r.order.Acquires() || indexOf(f, w.instr) <= indexOf(f, one.instr) || indexOf(f, one.instr) < 0 {
				continue
			}
			return Reason{Kind: "late", Rule: "5.1, 6.1; OpenCL 3.0 section 3.3.7.1", Steps: []int{w.ID, r.ID, q.a.ID, q.b.ID},
				Text: fmt.Sprintf("%s goes on%s by the value of %s, which is from an earlier launch of the kernel: it is there still, and says nothing of the access%s in this one.",
					q.lanes[other.Lane].Name, line(r), q.the(w), line(one)),
				Repair: fmt.Sprintf("Reset %s between the launches (by the host, or with clEnqueueFillBuffer), or wait%s for a value that only this launch writes, such as its number.", q.locs[r.loc].Name, line(r))}, true
		}
	}
	return Reason{}, false
}

// fromEarlier returns the step that has written what a step reads, if that is one of an earlier launch of the same kernel, or nil.
func (r *execution) fromEarlier(s *Step) *Step {
	if !s.Atomic || s.ReadsFrom == nil {
		return nil
	}
	w := r.t.Step(*s.ReadsFrom)
	if w == nil {
		return nil
	}
	a, b := &r.lanes[w.Lane], &r.lanes[s.Lane]
	if a.Host || b.Host || a.Kernel == b.Kernel || r.funcs[w.Lane] != r.funcs[s.Lane] {
		return nil
	}
	return w
}

// notReset finds that a launch of a kernel goes by a value that an earlier launch of it has left in place of the initial one.
func (r *shapeFinder) notReset() []Reason {
	if r.ledger.full() {
		return nil
	}
	tries := 0
	for i := range r.t.Steps {
		s := &r.t.Steps[i]
		w := r.fromEarlier(s)
		if w == nil {
			continue
		}
		if tries++; tries > maxLooks {
			return nil
		}
		if !r.ledger.steers(s.Lane, s.ID) {
			continue
		}
		l := &r.t.Memory[s.loc]
		if l.Order[0] != 0 || l.cells[0] == *s.Read {
			continue
		}
		return []Reason{{Kind: "lost", Steps: []int{w.ID, s.ID},
			Text: fmt.Sprintf("%s finds %s at %s%s (step %d), where it was %s at first: an earlier launch of the kernel has left it so (step %d), and nobody has reset it.",
				upper(r.who(s.Lane)), l.Name, l.text(r.p, *s.Read), line(s), s.ID, l.text(r.p, l.cells[0]), w.ID),
			Repair: fmt.Sprintf("Reset %s between the launches: by the host, with clEnqueueFillBuffer, or by the last work-item that uses it.", l.Name)}}
	}
	return nil
}

// drawn explains an index that is out of range and that an atomic operation has counted: whoever looked at the counter
// before has seen an older value.
func (r *explainer) drawn() (Reason, bool) {
	c := &r.at
	test := r.private[c.lane].tested(c.op.Instr)
	if test == nil {
		return Reason{}, false
	}
	s := r.t.Step(test.from)
	if s == nil || s.Kind != Modify || s.Lane != c.lane || s.instr.Alu != ir.Add && s.instr.Alu != ir.Sub {
		return Reason{}, false
	}
	out := Reason{Kind: "range", Steps: []int{s.ID}, Text: fmt.Sprintf("The index is what %s%s returns (step %d), and nothing keeps that within what is there.", s.Location, line(s), s.ID)}
	out.Repair = fmt.Sprintf("Compare what line %d returns with the length, and make the access%s only if it is less.", s.Line, inLine(r.t.At))
	for i := s.ID - 1; i > 0 && !r.ledger.full(); i-- {
		look := r.t.Step(i)
		if look.Lane != s.Lane || look.loc != s.loc {
			continue
		}
		if look.Kind != Load || !r.ledger.steers(look.Lane, look.ID) {
			break
		}
		out.Steps = []int{look.ID, s.ID}
		out.Text = fmt.Sprintf("The index is what counting %s on%s returns (step %d): %s. When line %d looked at it, it was %s (step %d): others have counted in between.",
			s.Location, line(s), s.ID, r.locs[s.loc].text(r.p, *s.Read), look.Line, r.locs[s.loc].text(r.p, *look.Read), look.ID)
		break
	}
	return out, s.Line > 0
}
