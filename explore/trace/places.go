package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// What the private code of a work-item makes of what it reads tells apart mistakes whose accesses look alike.

// samePlace explains a race on an element whose place both work-items have read from one value of a
// counter, which the program counts on by another operation.
func (q *stranger) samePlace() (Reason, bool) {
	if q.ledger.full() {
		return Reason{}, false
	}
	one, other := q.placeOf(q.a), q.placeOf(q.b)
	if one == nil || other == nil || one.loc != other.loc || *one.ReadsFrom != *other.ReadsFrom {
		return Reason{}, false
	}
	counts := q.storeTo(q.funcs[q.b.Lane], one.loc)
	if counts == nil {
		return Reason{}, false
	}
	name, store := q.locs[one.loc].Name, position(q.p, counts.Pos)
	return Reason{Kind: "lost", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{one.ID, other.ID, q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Both take the same place: %s (step %d) and %s (step %d) read the same value of %s. To read it, and to store in line %d that the place is taken, are two operations.",
			q.lanes[q.a.Lane].Name, one.ID, q.lanes[q.b.Lane].Name, other.ID, name, store.Line),
		Repair: fmt.Sprintf("Read %s and count it on in one atomic operation, such as atomic_fetch_add, in place of the load%s and the store in line %d.", name, line(other), store.Line)}, true
}

// placeOf returns the atomic load that the address of an access is computed from, or nil. That what was read decides whether there is an
// access is not enough.
func (q *stranger) placeOf(s *Step) *Step {
	if s.Atomic {
		return nil
	}
	for _, r := range slices.Backward(q.between(s.Lane, 1, s.ID-1)) {
		if r.Atomic && r.Kind == Load && r.ReadsFrom != nil && slices.Contains(s.place, r.ID) {
			return r
		}
	}
	return nil
}

// storeTo returns an atomic store of a function to the object that a location is in, or nil.
func (q *accessPair) storeTo(fn, loc int) *ir.Instr {
	f, to := q.p.Funcs[fn], q.p.PointsTo(fn)
	for pc := range f.Code {
		in := &f.Code[pc]
		if in.Op != ir.OpStore || in.Order == memmodel.NonAtomic {
			continue
		}
		objects, _, _ := to.Address(in)
		for i := range q.p.Objects {
			if objects[i>>6]&(1<<(i&63)) != 0 && strings.HasPrefix(q.locs[loc].Name, q.p.Objects[i].Name) {
				return in
			}
		}
	}
	return nil
}

// rounds says of two work-items of a group that one of them is a round of a loop ahead, if it is.
func (q *accessPair) rounds() (cause string, ok bool) {
	for _, pair := range q.bothWays() {
		ahead, behind := pair[0], pair[1]
		if ahead.Line == 0 || behind.Line == 0 || !q.roundAhead(ahead, behind) {
			continue
		}
		return fmt.Sprintf(" %s, in line %d, is a round of a loop ahead of %s, in line %d.",
			q.lanes[ahead.Lane].Name, ahead.Line, q.lanes[behind.Lane].Name, behind.Line), true
	}
	return "", false
}

// roundAhead reports whether the lane of a step has performed its operation before, and then, with no barrier up
// to the step, that of the other one.
func (q *accessPair) roundAhead(ahead, behind *Step) bool {
	passed := false
	for _, s := range slices.Backward(q.between(ahead.Lane, 1, ahead.ID-1)) {
		switch {
		case passed && s.instr == ahead.instr:
			return ahead.instr != behind.instr
		case s.instr == behind.instr:
			passed = true
		case !passed && (s.Kind == Arrive || s.Kind == Depart):
			return false
		}
	}
	return false
}
