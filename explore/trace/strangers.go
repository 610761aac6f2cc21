package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// unsynchronised explains a race of two accesses that no chain of any kind
// connects: nothing after the one reaches anything before the other.
func (q *stranger) unsynchronised() []Reason {
	for _, why := range []func() (Reason, bool){q.stillThere, q.bothLook, q.leftOver, q.publishedEarly, q.tooLate, q.commandsApart, q.mixed, q.bothOlder, q.samePlace, q.sameStatement, q.looksFirst, q.plainFlag, q.leaders, q.separateBarriers} {
		if r, ok := why(); ok {
			return []Reason{r}
		}
	}
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	out := []Reason{{Kind: "none", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Nothing synchronises the two: before its access, %s neither reads a value that %s writes after its own, nor meets it at a barrier.", b.Name, a.Name)}}
	if r, ok := q.stale(); ok {
		return append(out, r) // there is something that could hand over
	}
	if r, ok := q.elsewhere(); ok {
		return []Reason{r}
	}
	cause := q.suggestion(&out[0], a, b)
	out[0].Text += q.onlyFences() + " " + cause
	return out
}

// stillThere looks, between work-items that do the same, of a write of what all have to have read, for a wait between the two in
// the text of the kernel that lets the one go on by a value which the other has written before it reads: it is there from the last time.
func (q *stranger) stillThere() (Reason, bool) {
	if !q.sameCode() {
		return Reason{}, false
	}
	f := q.p.Funcs[q.funcs[q.a.Lane]]
	for _, pair := range q.bothWays() {
		ahead, behind := pair[0], pair[1]
		from, to := indexOf(f, behind.instr), indexOf(f, ahead.instr)
		if !ahead.Writes() || behind.Writes() || !slices.ContainsFunc(q.between(ahead.Lane, 1, ahead.ID-1), func(s *Step) bool { return s.instr == behind.instr }) {
			continue // it does not write again what all read before
		}
		for _, r := range slices.Backward(q.between(ahead.Lane, 1, ahead.ID-1)) {
			at := indexOf(f, r.instr)
			if from < 0 || at <= from || at >= to || !r.Atomic || !r.order.Acquires() || r.ReadsFrom == nil || r.Writes() {
				continue
			}
			w := q.step(*r.ReadsFrom)
			if w == nil || w.Lane != behind.Lane || indexOf(f, w.instr) >= from || w.ID > behind.ID {
				break
			}
			return Reason{Kind: "late", Rule: "5.1, 6.1; OpenCL 3.0 section 3.3.7.1", Steps: []int{w.ID, r.ID, q.a.ID, q.b.ID},
				Text: fmt.Sprintf("%s waits%s for %s, whose access%s should come first; but it goes on by the value of %s, which is from before that access: it is there still from an earlier time.",
					q.lanes[ahead.Lane].Name, line(r), q.lanes[behind.Lane].Name, line(behind), q.the(w)),
				Repair: fmt.Sprintf("Wait%s for a value that is written only after the access%s, such as the number of the round or a sense that changes each time.", line(r), line(behind))}, true
		}
	}
	return Reason{}, false
}

// tooLate looks for synchronisation that happened before the access that it
// should have published: with what its own lane has done, or another one of its group that it comes after.
func (q *stranger) tooLate() (Reason, bool) {
	before := q.orderedTo(q.ways(), q.a.ID)
	for _, r := range q.between(q.b.Lane, 1, q.b.ID-1) {
		if r.Kind == Depart {
			continue
		}
		for _, sync := range r.Sync {
			w := q.step(sync.From)
			out := Reason{Kind: "late", Rule: "5.1, 6.1; OpenCL 3.0 section 3.3.7.1", Steps: []int{w.ID, r.ID, q.a.ID},
				Text: fmt.Sprintf("%s synchronises with %s, but that comes before the access in step %d, and a release publishes only what comes before it",
					upper(q.the(r)), q.the(w), q.a.ID)}
			switch own := w.Lane == q.a.Lane; {
			case w.Kind == Arrive || w.ID > q.a.ID:
			case own && len(q.between(w.Lane, w.ID+1, q.a.ID)) > 0:
				out.Text += " in its work-item."
				q.moved(&out, w, q.a)
				out.Repair = fmt.Sprintf("Make the access%s before the %s%s.", line(q.a), w.Kind.noun(), line(w))
				return out, true
			case !own && before[w.ID] && q.lanes[w.Lane].place.SameGroup(q.lanes[q.a.Lane].place) && w.Line > 0:
				out.Text += "."
				out.Repair = fmt.Sprintf("Make the %s%s only after the access%s, with a work_group_barrier(%s) between the two.", w.Kind.noun(), line(w), line(q.a), q.flag())
				return out, true
			}
		}
	}
	return Reason{}, false
}

// separateBarriers looks for a barrier that the one lane has passed before its access, and stands in the text behind that of
// the other one, but that the other one is not in the group of.
func (q *stranger) separateBarriers() (Reason, bool) {
	for _, pair := range q.bothWays() {
		one, passed := pair[0], pair[1]
		a, b := &q.lanes[one.Lane], &q.lanes[passed.Lane]
		f := q.p.Funcs[q.funcs[one.Lane]]
		for _, s := range q.between(passed.Lane, 1, passed.ID-1) {
			group, separate := "work-group", !a.place.SameGroup(b.place)
			if s.Kind == Depart && s.instr.SubGroup {
				group, separate = "sub-group", separate || a.SubGroup != b.SubGroup
			}
			if s.Kind != Depart || s.instr.Op != ir.OpBarrier || !separate || a.Host || one == q.b && (!q.sameCode() || indexOf(f, one.instr) > indexOf(f, s.instr)) {
				continue
			}
			out := Reason{Kind: "barrier", Rule: "11.2, 11.3; OpenCL 3.0 section 3.3.7.3", Steps: []int{s.ID},
				Text: fmt.Sprintf("A %s%s joins only the work-items of one %s, but %s is in %s and %s in %s.", meetingName(q.p, s.instr), at(*s.Pos), group,
					a.Name, where(a, b), b.Name, where(b, a))}
			q.suggestion(&out, a, b)
			return out, true
		}
	}
	return Reason{}, false
}

// sameStatement explains a race of two work-items that perform one statement, which no barrier can
// come between: both write the location there, or both read it and write it.
func (q *stranger) sameStatement() (Reason, bool) {
	if !q.sameCode() {
		return Reason{}, false
	}
	r := Reason{Kind: "none", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{q.a.ID, q.b.ID}}
	read, write := q.updates(q.a), q.updates(q.b)
	switch {
	case q.a.instr == q.b.instr && q.a.Kind == Store && read == nil && write == nil:
		r.Text = fmt.Sprintf("Both perform the same statement%s, so no barrier can come between the two.", line(q.b))
		r.Repair = "Let only one work-item write it, or have each write an element of its own."
	case read != nil && write != nil && q.a.instr == q.b.instr, read != nil && q.b.instr == read.instr && q.alsoWrites(q.b, q.a),
		write != nil && q.a.instr == write.instr && q.alsoWrites(q.a, q.b):
		r.Text = fmt.Sprintf("Both read %s and write it back%s, in two accesses: the one can come between the two of the other, whose update is then lost.", q.l.Name, line(q.b))
		q.oneOperation(&r, read)
	default:
		return Reason{}, false
	}
	return r, true
}

// looksFirst explains a race of two work-items each of which looks at a location and, if it finds there
// what it looks for, writes it.
func (q *stranger) looksFirst() (Reason, bool) {
	if !q.sameCode() {
		return Reason{}, false
	}
	for _, pair := range q.bothWays() {
		w, other := pair[0], pair[1]
		look := q.decides(w)
		if look == nil || other.instr != look.instr && other.instr != w.instr || q.times(look) != q.times(other) && other.instr == look.instr ||
			other.instr == look.instr && !q.alsoWrites(other, w) {
			continue
		}
		return Reason{Kind: "lost", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{look.ID, w.ID, other.ID},
			Text: fmt.Sprintf("Both look at %s%s before they write it%s, in two accesses: the one can look before the other has written, and both find what only one should.",
				q.l.Name, line(look), line(w)),
			Repair: fmt.Sprintf("Look at %s and write it in one atomic operation, such as atomic_compare_exchange_strong (in OpenCL 1.x atomic_cmpxchg), and go on only where that succeeds.", q.l.Name)}, true
	}
	return Reason{}, false
}

// oneOperation gives a reason the atomic operation that an update in two accesses should be.
func (q *mender) oneOperation(out *Reason, read *Step) {
	store := q.b
	if read != nil {
		store = q.a
	}
	does := q.updateOf(store)
	out.Repair = fmt.Sprintf("Make the update of %s one atomic operation, such as atomic_fetch_%s (in OpenCL 1.x atomic_%[2]s), or let only one work-item make it.", q.l.Name, does)
	if q.l.typ.Float() {
		out.Repair = fmt.Sprintf("Make the update of %s one atomic operation: for floating-point numbers a loop around an atomic compare-exchange (in OpenCL 1.x atomic_cmpxchg, of the bits as int), or let only one work-item make it.", q.l.Name)
		return
	}
	scope, ok := q.narrowest(q.lanes[q.a.Lane].place, q.lanes[q.b.Lane].place, q.l)
	if c, possible := q.asAtomic(store, true, scope); ok && scope <= q.m.Program.LegacyScope && possible && q.inPlace(store) != "" {
		c.What = "update"
		out.Changes = []Change{c}
	}
}

// alsoWrites reports whether the lane of an access goes on to write its location as the other access has done, if it is left alone: from here on, or if it
// has come second, had it come first.
func (q *stranger) alsoWrites(s, as *Step) bool {
	next := &state.State{}
	next.CopyFrom(q.s)
	next.Mem.Observer = nil
	q.m.Pass(next)
	return q.comesToWrite(next, s, as) || s.ID > as.ID && q.comesToWrite(q.rewound(as.Move), s, as)
}

// comesToWrite follows the lane of a step alone from a state on.
func (q *stranger) comesToWrite(next *state.State, s, as *Step) bool {
	for range maxOnward {
		u := memmodel.Unit(slices.IndexFunc(next.Cast.Units, func(r state.Role) bool { return q.board.index[r.ID] == s.Lane && r.Func >= 0 }))
		if u < 0 || next.Status(u) == state.Ended || next.Violation.Kind != state.NoViolation {
			return false
		}
		if o := q.m.Operation(next, u); o.Instr == as.instr && o.Loc >= 0 {
			return keyOf(next.Cast, o.Loc) == q.shadow.key(as.loc)
		}
		moves := q.m.Choices(next, u, nil)
		if len(moves) == 0 {
			return false
		}
		q.m.Do(next, u, moves[0])
		if q.m.Pass(next); next.AssumptionFailed || next.Abandoned || q.m.Halted() {
			return false
		}
	}
	return false
}

// rewound performs the execution once more, up to one of its moves.
func (q *stranger) rewound(move int) *state.State {
	s := q.m.Start(nil)
	for _, m := range q.schedule[:min(move, len(q.schedule))] {
		if s.Violation.Kind == state.DataRace {
			q.m.Pass(s)
		}
		q.m.Try(s, m.Unit, m.Choice)
	}
	return s
}

// maxOnward bounds the steps that a lane is followed on its way.
const maxOnward = 64

// times counts how often the lane of a step has performed its instruction, up to that step.
func (q *accessPair) times(s *Step) int {
	n := 0
	for _, p := range q.between(s.Lane, 1, s.ID) {
		if p.instr == s.instr {
			n++
		}
	}
	return n
}

// updates returns the read of a location that a lane makes just before it writes it, if it writes what it makes
// of that, or nil.
func (q *accessPair) updates(w *Step) *Step {
	return q.readBefore(w, func(_ *causes, s *Step) bool { return slices.Contains(w.data, s.ID) })
}

// decides returns the read of a location that a lane makes just before it writes it, if what it reads decides
// whether it writes, or nil.
func (q *accessPair) decides(w *Step) *Step {
	return q.readBefore(w, func(n *causes, s *Step) bool {
		return !slices.Contains(w.data, s.ID) && q.ledger.comesOf(n.control, s.ID)
	})
}

// readBefore returns the read of a location that a lane makes just before it writes it, with no barrier in
// between, if the write depends on it in the way that is asked for, or nil. It stands before the write in the
// text: else the two belong to different rounds of a loop.
func (q *accessPair) readBefore(w *Step, depends func(*causes, *Step) bool) *Step {
	n := q.ledger.made(w.ID)
	if w.Kind != Store || n == nil && !q.ledger.full() {
		return nil
	}
	f := q.p.Funcs[q.funcs[w.Lane]]
	for _, s := range slices.Backward(q.between(w.Lane, 1, w.ID-1)) {
		switch {
		case s.Kind == Arrive || s.Kind == Depart:
			return nil
		case s.loc == w.loc && s.Kind == Load && indexOf(f, s.instr) < indexOf(f, w.instr) && (n == nil || depends(n, s)):
			return s
		case s.loc == w.loc:
			return nil
		}
	}
	return nil
}

// bothOlder looks for two work-items each of which writes what the other reads, and reads an older
// value: only seq_cst operations rule that out (store buffering).
func (q *stranger) bothOlder() (Reason, bool) {
	r, w := q.missing(q.b.Lane, q.a.Lane)
	if r == nil {
		return Reason{}, false
	}
	s, x := q.missing(q.a.Lane, q.b.Lane)
	if s == nil || s.ID < w.ID || r.ID < x.ID || s.loc == r.loc {
		return Reason{}, false
	}
	out := Reason{Kind: "order", Rule: "8.1 to 8.4; OpenCL 3.0 section 3.3.6", Steps: []int{w.ID, s.ID, x.ID, r.ID},
		Text: fmt.Sprintf("Each writes what the other reads, and neither has seen it: %s reads an older value than the one of %s, and %s one than the one of %s. Release and acquire allow that.",
			q.the(r), q.the(w), q.the(s), q.the(x))}
	var changes []Change
	legacy := false
	for _, s := range []*Step{w, s, x, r} {
		legacy = legacy || s.instr.Legacy
		changes = append(changes, orderChange(s, memmodel.SeqCst))
		if s.Kind == CompareExch && s.Writes() {
			c := change(SetFailure, s)
			c.Order = memmodel.SeqCst.String()
			changes = append(changes, c)
		}
	}
	out.mends(changes...)
	out.Repair = fmt.Sprintf("Use memory_order_seq_cst in all four (lines %d, %d, %d and %d), or in a fence between the two of each.", w.Line, s.Line, x.Line, r.Line)
	if legacy {
		out.Changes = nil
	}
	return out, true
}

// missing looks for an atomic load of a lane that returns an older value than a write of another lane
// which that lane makes before its access: it could have seen that one.
func (q *stranger) missing(reader, writer int) (r, w *Step) {
	for _, r := range slices.Backward(q.between(reader, 1, max(q.a.ID, q.b.ID))) {
		if r.ReadsFrom == nil || !r.Atomic || r.Writes() {
			continue
		}
		l := &q.locs[r.loc]
		for _, id := range l.Order[min(l.place[*r.ReadsFrom]+1, len(l.Order)):] {
			if w := q.step(id); w.Lane == writer && w.Atomic {
				return r, w
			}
		}
	}
	return nil, nil
}

// stale looks for an atomic read of the second lane that came too early to
// see what the first one wrote.
func (q *stranger) stale() (Reason, bool) {
	for _, r := range slices.Backward(q.between(q.b.Lane, 1, q.b.ID-1)) {
		if r.ReadsFrom == nil || !r.Atomic {
			continue
		}
		order := q.locs[r.loc].Order
		for _, id := range order[slices.Index(order, *r.ReadsFrom)+1:] {
			if w := q.step(id); w.Lane == q.a.Lane && w.ID > q.a.ID && w.Atomic {
				return Reason{Kind: "none", Rule: "6.1; OpenCL 3.0 section 3.3.7.1", Steps: []int{r.ID, w.ID},
					Text:   fmt.Sprintf("%s reads an older value than the one of %s.", upper(q.the(r)), q.the(w)),
					Repair: fmt.Sprintf("Wait in line %d for the value of line %d, or make the access only with it.", r.Line, w.Line)}, true
			}
		}
	}
	return Reason{}, false
}
