package trace

import (
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// The slice of a trace: the steps without which the violation would not have come about.
// A step belongs to it if the violation is about it or an explanation names it; and if a step of
// the slice needs it: whatever its address, what it writes, or its being performed at all was
// made of; who wrote what that reads, and what it could have read instead; how the one came before
// the other, where the access is ordinary; the others at its barrier; and what started its lane. What
// a branch kept a lane from doing counts as well, if the slice is about the memory that it could have
// written.

// slicing is a slice under construction.
type slicing struct {
	*replay
	about   []string     // names of the values that an execution without violation is shown for; nil: all of it
	in      []bool       // by step: it belongs to the slice
	whole   []bool       // by step: what it reads and writes matters too
	seen    []bool       // by cause
	born    []bool       // by lane
	objects ir.ObjectSet // memory that the slice is about
	causes  []cause      // to be accounted for
	steps   []int        // whose being performed is to be accounted for
	values  []int        // whose values are
	arrows  *arrows      // how the one step came before the other
	looked  int          // steps looked at to find out how one came before another
	cause   []cause      // by step
}

// maxLooked bounds slicing.looked.
const maxLooked = 1 << 22

func newSlicing(r *replay, about []string) *slicing {
	n := len(r.t.Steps) + 1
	q := &slicing{replay: r, about: about, in: make([]bool, n), whole: make([]bool, n), seen: make([]bool, len(r.ledger.all)+1), born: make([]bool, len(r.lanes)),
		objects: r.p.NoObjects(), arrows: arrowsOf(r.t), cause: make([]cause, n)}
	for i, c := range r.ledger.all {
		if c.step > 0 {
			q.cause[c.step] = cause(i + 1)
		}
	}
	return q
}

// slice finds the slice. It is left out where there is nothing to leave out, and where what a
// violation depends on is not known by the step: where writes were visible early, and where commands or
// events were misused.
func slice(r *replay, about []string) {
	t := r.t
	switch t.kind {
	case state.NoViolation, state.DataRace, state.UninitialisedRead, state.UnfencedImage, state.AssertionFailed, state.IndexOutOfRange, state.NilDereference,
		state.DivisionByZero, state.InvalidAccess, state.NonTermination, state.BarrierDivergence, state.Deadlock, state.NoWayOut:
	default:
		return
	}
	if len(t.Early) > 0 || len(t.Steps) == 0 || r.ledger.full() {
		return
	}
	q := newSlicing(r, about)
	q.roots()
	q.shown()
	for q.account(); q.decided(); {
		q.account()
	}
	if q.looked > maxLooked {
		return
	}
	for id := 1; id < len(q.in); id++ {
		if q.in[id] {
			t.Slice = append(t.Slice, id)
		}
	}
	t.DependsOn = nil
	for _, pair := range t.Races {
		if q.comesOf(t.Step(pair[0]), t.Step(pair[1])) {
			t.DependsOn = append(t.DependsOn, pair)
		}
	}
	for _, id := range t.Blanks {
		if q.whole[id] {
			t.DependsOn = append(t.DependsOn, [2]int{id, id})
		}
	}
	t.Depends = t.DependsOn != nil
	if len(t.Slice) == len(t.Steps) {
		t.Slice = nil
	}
}

// roots are what the violation is about.
func (q *slicing) roots() {
	t := q.t
	for _, id := range t.Accesses {
		q.add(id)
	}
	for _, why := range t.Why {
		for _, id := range why.Steps {
			q.add(id)
			q.chain(id)
		}
	}
	for _, v := range t.Waits {
		q.stands(v.Lane)
	}
	for _, c := range []*culprit{&q.at, &q.failed} {
		switch c.violation.Kind {
		case state.NoViolation:
		case state.Deadlock, state.NoWayOut:
			q.stuck()
		case state.BarrierDivergence:
			q.stands(c.waiting)
			q.stands(c.missing)
		case state.DataRace, state.UnfencedImage:
			q.add(c.step)
		default:
			q.stands(c.lane)
		}
	}
	if l := q.last[q.at.lane]; t.kind == state.UninitialisedRead && len(t.Accesses) > 0 && l > 0 {
		if order := q.locs[t.Step(t.Accesses[0]).loc].Order; len(order) > 0 {
			q.add(order[len(order)-1])
		}
	}
}

// shown accounts for those values of the outcome that were asked for. Whose observation a name means is not
// looked at: any under such a name counts.
func (q *slicing) shown() {
	for _, o := range q.ledger.observed {
		if slices.ContainsFunc(q.about, func(name string) bool { return strings.HasSuffix(name, q.p.Strings[o.text]) }) {
			q.causes = append(q.causes, o.cause)
		}
	}
	for _, f := range q.p.Final {
		if !slices.Contains(q.about, f.Name) {
			continue
		}
		if l := q.shadow.at(q.s.Cast, memmodel.Loc(f.Addr)); len(q.locs[l].Order) > 0 { // the last write, and those that it comes after
			for _, id := range q.locs[l].Order {
				q.value(id)
			}
		}
	}
}

// stands accounts for what a lane is at: the step that it has taken last if that went wrong, or
// if it waits there, or else the private code that it has come to.
func (q *slicing) stands(lane int) {
	if lane < len(q.ledger.lanes) && q.ledger.lanes[lane] != nil {
		f := q.ledger.lanes[lane]
		q.causes = append(q.causes, f.at, f.control)
	}
	if s := q.t.Step(q.last[lane]); s != nil && (s.Kind == Arrive || s.ID == q.at.step && q.at.op.Instr != nil && q.at.op.Instr.Op.Visible()) {
		q.add(s.ID)
	}
}

// stuck accounts for all units' having stopped, or going round for ever: what each waits for, and
// why those who have ended did not do more.
func (q *slicing) stuck() {
	for u := range q.s.Cast.Count() {
		if c := q.commandOf(q.s.Cast.Units[u].ID); c != nil && q.s.Status(u) == state.Pending {
			q.value(c.step)
		}
	}
	for lane := range q.ledger.lanes {
		u := q.unit(lane)
		if q.last[lane] == 0 || u < 0 {
			continue
		}
		q.stands(lane)
		if q.s.Status(u) == state.Ended {
			continue
		}
		q.value(q.last[lane])
		o := q.m.Operation(q.s, u)
		if o.Instr.Op.Access() && o.Loc >= 0 {
			q.concerns(q.shadow.at(q.s.Cast, o.Loc))
			l := &q.locs[q.shadow.at(q.s.Cast, o.Loc)]
			for _, id := range l.Order {
				q.value(id)
			}
		}
	}
}

// add puts a step into the slice.
func (q *slicing) add(id int) {
	if id > 0 && !q.in[id] {
		q.in[id] = true
		q.steps = append(q.steps, id)
	}
}

// value puts a step into the slice whose values matter.
func (q *slicing) value(id int) {
	q.add(id)
	if id > 0 && !q.whole[id] {
		q.whole[id] = true
		q.values = append(q.values, id)
	}
}

// account pursues all that the slice needs.
func (q *slicing) account() {
	for {
		switch {
		case len(q.causes) > 0:
			c := q.causes[len(q.causes)-1]
			q.causes = q.causes[:len(q.causes)-1]
			q.back(c)
		case len(q.steps) > 0:
			id := q.steps[len(q.steps)-1]
			q.steps = q.steps[:len(q.steps)-1]
			q.performed(q.t.Step(id))
		case len(q.values) > 0:
			id := q.values[len(q.values)-1]
			q.values = q.values[:len(q.values)-1]
			q.made(q.t.Step(id))
		default:
			return
		}
	}
}

// back goes back from a cause.
func (q *slicing) back(c cause) {
	if c == 0 || q.seen[c] {
		return
	}
	q.seen[c] = true
	n := &q.ledger.all[c-1]
	switch {
	case n.step > 0:
		q.value(int(n.step))
	case n.step < 0:
		q.starts(int(-1 - n.step))
	default:
		q.causes = append(q.causes, n.a, n.b, n.c, n.control)
	}
}

// performed accounts for a step's being performed, where it was.
func (q *slicing) performed(s *Step) {
	q.starts(s.Lane)
	if c := q.cause[s.ID]; c > 0 {
		n := &q.ledger.all[c-1]
		q.causes = append(q.causes, n.a, n.control)
	}
	if s.Kind == CompareExch {
		q.value(s.ID) // whether it writes depends on what it reads
	}
	if s.loc >= 0 {
		q.concerns(s.loc)
	}
	if s.Kind == Arrive || s.Kind == Depart {
		q.barrier(s)
	}
}

// concerns takes note of which memory the slice is about.
func (q *slicing) concerns(loc int) {
	for i := range q.p.Objects {
		if o := &q.p.Objects[i]; len(q.locs[loc].Name) >= len(o.Name) && q.locs[loc].Name[:len(o.Name)] == o.Name {
			q.objects.Union(single(i, len(q.objects)))
		}
	}
}

func single(i, words int) ir.ObjectSet {
	s := make(ir.ObjectSet, words)
	s[i>>6] = 1 << (i & 63)
	return s
}

// barrier accounts for all who passed a barrier.
func (q *slicing) barrier(s *Step) {
	for i := range q.t.Barriers {
		b := &q.t.Barriers[i]
		if !slices.Contains(b.Arrivals, s.ID) && !slices.Contains(b.Departures, s.ID) {
			continue
		}
		for k := range b.Arrivals {
			q.add(b.Arrivals[k])
			q.add(b.Departures[k])
		}
	}
}

// made accounts for what a step reads and writes.
func (q *slicing) made(s *Step) {
	if c := q.cause[s.ID]; c > 0 {
		n := &q.ledger.all[c-1]
		q.causes = append(q.causes, n.a, n.b, n.c, n.control)
	}
	if s.ReadsFrom != nil && *s.ReadsFrom > 0 {
		w := q.t.Step(*s.ReadsFrom)
		q.value(w.ID)
		if w.Lane != s.Lane && (!s.Atomic || !w.Atomic) {
			q.ordered(w, s)
		}
	}
	for _, id := range q.t.Missed(s) {
		q.add(id)
	}
	switch {
	case s.Kind == Depart: // what the others gave it
		for i := range q.t.Barriers {
			if b := &q.t.Barriers[i]; slices.Contains(b.Departures, s.ID) {
				for _, id := range b.Arrivals {
					q.value(id)
				}
			}
		}
	case s.Kind == Event:
		for i := range s.ID - 1 { // commands that have come to an end, and what others did to events
			if e := q.t.Step(i + 1); e.Kind == Event {
				q.value(e.ID)
			}
		}
	}
}

// starts accounts for a lane's being there.
func (q *slicing) starts(lane int) {
	if q.born[lane] {
		return
	}
	q.born[lane] = true
	l := &q.lanes[lane]
	switch c := q.commandOfLane(l); {
	case q.parent[lane] > 0:
		q.value(q.parent[lane])
	case l.Copy:
		for i := range q.t.Steps {
			if s := &q.t.Steps[i]; s.instr.Op == ir.OpAsyncCopy && q.lanes[s.Lane].place.SameGroup(l.place) {
				q.value(s.ID)
			}
		}
		fallthrough
	case c != nil:
		q.value(c.step)
	default:
		for _, e := range q.t.Edges {
			if e.Relation == CommandOrder && e.To == q.first(lane) {
				q.value(e.From)
			}
		}
	}
}

// first returns the first step of a lane.
func (q *slicing) first(lane int) int {
	return 1 + slices.IndexFunc(q.t.Steps, func(s Step) bool { return s.Lane == lane })
}

// chain accounts for the writes through which a step reads from another lane's.
func (q *slicing) chain(id int) {
	for s := q.t.Step(id); s != nil && s.ReadsFrom != nil && *s.ReadsFrom > 0; {
		s = q.t.Step(*s.ReadsFrom)
		if q.add(s.ID); !s.Reads() {
			return
		}
	}
}

// decided accounts for branches that could have had a lane write memory which the slice is
// about, or wait, and reports whether there were any. Lanes that the slice has nothing of matter only
// where nobody does anything any more.
func (q *slicing) decided() bool {
	was := len(q.causes)
	everyone := q.t.kind == state.Deadlock || q.t.kind == state.NoWayOut || q.t.kind == state.BarrierDivergence
	for i := range q.ledger.chosen {
		c := &q.ledger.chosen[i]
		if q.seen[c.cause] || !everyone && !q.born[c.lane] || !c.what.syncs && !c.what.writes.Meets(q.objects) {
			continue
		}
		q.causes = append(q.causes, c.cause)
	}
	return len(q.causes) > was
}
