package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// A work-item that looks at a flag before it goes on may look at the wrong one: at its own, at that of another one, or at a
// counter to which not all have added. The flag that would do is in the text of whoever makes the other access, behind it.

// elsewhere explains a race behind a wait that goes on by what somebody else has written, while the maker of the other access
// publishes it, behind that, in the same object.
func (q *stranger) elsewhere() (Reason, bool) {
	for _, pair := range q.bothWays() {
		maker, taker := pair[0], pair[1]
		if !maker.Writes() {
			continue
		}
		for _, r := range slices.Backward(q.between(taker.Lane, 1, taker.ID-1)) {
			if !r.Atomic || r.ReadsFrom == nil || !r.order.Acquires() || r.loc < 0 {
				continue
			}
			w := q.step(*r.ReadsFrom)
			if w != nil && w.Lane == maker.Lane {
				return Reason{}, false // it has looked at what the maker writes
			}
			if pc := q.published(maker, r.loc); pc >= 0 {
				return q.lookedElsewhere(maker, taker, r, w, pc), true
			}
		}
	}
	return Reason{}, false
}

// published returns where the function of a lane may release a write of a location, or of a cell beside it, behind a step: the
// first such place in its text, or -1.
func (q *stranger) published(after *Step, loc int) int {
	fn, key, o := q.funcs[after.Lane], q.shadow.key(loc), q.objectOf(loc)
	f := q.p.Funcs[fn]
	from := indexOf(f, after.instr)
	for _, pc := range q.writes(fn, key.fn, func(other *ir.Object, _ int32, _ bool) bool { return other == o }) {
		if in := &f.Code[pc]; from >= 0 && pc > from && in.Order != memmodel.NonAtomic && in.Order.Releases() {
			return pc
		}
	}
	return -1
}

// lookedElsewhere words that a wait goes on by the write w, or by the initial value, and not by what its maker publishes at pc.
func (q *stranger) lookedElsewhere(maker, taker, r, w *Step, pc int) Reason {
	out := Reason{Kind: "none", Rule: "9.1, 6.1; OpenCL 3.0 sections 3.3.7 and 3.3.7.1", Steps: []int{r.ID, q.a.ID, q.b.ID}}
	by := "its initial value"
	switch {
	case w == nil:
	case w.Lane == taker.Lane:
		by = fmt.Sprintf("a value of its own (step %d%s)", w.ID, line(w))
	default:
		by = fmt.Sprintf("a value of %s (step %d%s)", q.lanes[w.Lane].Name, w.ID, line(w))
	}
	if w != nil {
		out.Steps = append(out.Steps, w.ID)
	}
	slices.Sort(out.Steps)
	makers, takers := q.lanes[maker.Lane].Name, q.lanes[taker.Lane].Name
	there := position(q.p, q.p.Funcs[q.funcs[maker.Lane]].Code[pc].Pos).Line
	o := q.objectOf(r.loc)
	if o == nil || o.Layout.Cells() == 1 {
		out.Text = fmt.Sprintf("%s goes on%s by %s, which is %s: %s writes %s only later, in line %d, behind its access.", takers, line(r), r.Location, by, makers, r.Location, there)
		out.Repair = fmt.Sprintf("Wait%s for a value that is there only when all have written %s, such as their number.", line(r), r.Location)
		return out
	}
	out.Text = fmt.Sprintf("%s goes on%s by %s, which is %s, and that says nothing of %s: behind its access, %s tells by an element of %s that it has written in line %d.",
		takers, line(r), r.Location, by, makers, makers, o.Name, there)
	out.Repair = fmt.Sprintf("Wait before line %d for the element of %s that %s writes in line %d, in place of %s or besides.", taker.Line, o.Name, makers, there, r.Location)
	return out
}

// objectOf returns the object that a location is a cell of, or nil.
func (r *execution) objectOf(loc int) *ir.Object {
	key := r.shadow.key(loc)
	return r.p.ObjectAt(key.fn, key.addr)
}
