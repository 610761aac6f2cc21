package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// unsynchronised explains a race of two accesses that no chain of any kind
// connects: nothing after the one reaches anything before the other.
func (q *diagnosis) unsynchronised() []Reason {
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

// suggestion says why work-items at their places are unordered, and gives a reason what could order them.
func (q *diagnosis) suggestion(out *Reason, a, b *Lane) (cause string) {
	switch {
	case a.Host && b.Host && !a.Command() && !b.Command():
		cause, out.Repair = q.threads()
		return cause
	case a.Host || b.Host:
		return q.besideKernel(out)
	case a.place.SameGroup(b.place):
		return q.inStep(out, a, b)
	case q.oneLine():
		out.Repair = fmt.Sprintf("Let line %d write to other memory than it reads (a second buffer, which the next kernel reads).", q.a.Line)
		return fmt.Sprintf("Line %d writes in some work-items what it reads in others, which no barrier joins: they are in different work-groups.", q.a.Line)
	case a.Device == b.Device && a.Kernel == b.Kernel:
		out.Repair = "Hand the data over through an atomic variable (release and acquire, memory_scope_device), or split the kernel in two."
		return "They are in different work-groups, which no barrier joins."
	}
	out.Repair = "Order the commands, or hand the data over through an atomic variable (release and acquire) of a scope that includes both."
	return "They belong to different kernel-instances."
}

// besideKernel gives a race between the host and a kernel what could order the two: a kernel that waits for the host would wait for ever if
// the host waited for it.
func (q *diagnosis) besideKernel(out *Reason) (cause string) {
	if l := q.conversation(); l != "" {
		out.Repair = fmt.Sprintf("Hand %s over through an atomic variable that both use, such as %s: write it before a store with memory_order_release, and read it behind a load with memory_order_acquire that has read that store.", q.l.Name, l)
		return fmt.Sprintf("The host and the kernel run beside each other, and talk through %s: to wait for the kernel is no way to order the two.", l)
	}
	out.Repair = "Let the host wait with clFinish before it touches what a kernel uses."
	return "The host and what it has enqueued run beside each other."
}

// inStep gives a race in a work-group the barrier that is missing, where there is a place for it.
func (q *diagnosis) inStep(out *Reason, a, b *Lane) (cause string) {
	cause = fmt.Sprintf("Both are in work-group %d, whose work-items need not run in step.", a.Group)
	sub := a.SubGroup == b.SubGroup && q.subGroups()
	if sub {
		cause = fmt.Sprintf("Both are in sub-group %d of work-group %d, whose work-items need not run in step.", a.SubGroup, a.Group)
	}
	if ahead, ok := q.rounds(); ok {
		cause += ahead
	}
	switch {
	case q.barrierBetween(out, sub):
	case !q.sameText():
		out.Repair = fmt.Sprintf("Put a %s(%s) between the two accesses, where all work-items of the group come by.", q.meetingPlace(sub), q.flag())
	case q.oneLine():
		out.Repair = fmt.Sprintf("Read in line %d into a private variable, write what comes of it in a later statement, and put a %s(%s) between the two, to which all work-items of the group come (outside of a condition that some do not meet); or write to other memory than it reads, in turns.",
			q.a.Line, q.meetingPlace(sub), q.flag())
		cause += fmt.Sprintf(" Line %d writes in some of them what it reads in others.", q.a.Line)
	default:
		out.Repair = fmt.Sprintf("Let all work-items of the group come by a %s(%s) between the two accesses: as the kernel is written there is no place for it, for not all come by there, or not equally often.", q.meetingPlace(sub), q.flag())
	}
	return cause
}

// oneLine reports whether a line reads in one place, and writes in another, by ordinary accesses.
func (q *diagnosis) oneLine() bool {
	return q.a.Line > 0 && q.a.Line == q.b.Line && q.a.File == q.b.File && q.a.Writes() != q.b.Writes() && !q.a.Atomic && !q.b.Atomic
}

// sameText reports whether both accesses are in one function, of whose text enough is known.
func (q *diagnosis) sameText() bool {
	return q.funcs[q.a.Lane] == q.funcs[q.b.Lane] && q.a.Line > 0 && q.b.Line > 0 && len(q.p.Funcs[q.funcs[q.a.Lane]].Code) <= maxParted
}

// meetingPlace is what the program calls a barrier.
func (q *diagnosis) meetingPlace(sub bool) string {
	if sub {
		return "sub_group_barrier"
	}
	return q.barrierName()
}

// barrierBetween gives a reason the barriers that are missing between two accesses of work-items of one group, if there is a place for them.
func (q *diagnosis) barrierBetween(out *Reason, sub bool) bool {
	m := q.newMeeting(q.a, q.b, sub)
	if m == nil {
		return false
	}
	_, round := q.rounds()
	lines := m.places(round)
	if len(lines) == 0 && sub {
		return q.barrierBetween(out, false)
	}
	if len(lines) == 0 {
		return false
	}
	flags := q.flag()
	if q.l.region == memmodel.Image {
		flags = memmodel.ImageFence
	}
	var changes []Change
	for _, line := range lines {
		c := Change{Kind: AddBarrier, File: q.a.File, Line: line, Flags: flags.String(), Function: q.meetingPlace(sub)}
		if sub {
			c.Kind = AddSubGroup
		}
		changes = append(changes, c)
	}
	early, late := min(m.lineOf(q.a), m.lineOf(q.b)), max(m.lineOf(q.a), m.lineOf(q.b))
	where := fmt.Sprintf("before line %d", lines[0])
	switch {
	case len(lines) > 1:
		where = fmt.Sprintf("before line %d and another one before line %d", lines[0], lines[1])
	case round && lines[0] > late:
		where = fmt.Sprintf("after line %d, at the end of each round, before line %d", late, lines[0])
	case round && lines[0] <= early && !m.divergent[indexOf(m.f, q.a.instr)] && !m.divergent[indexOf(m.f, q.b.instr)]:
		where = fmt.Sprintf("after line %d, at the end of each round (or before line %d, at its beginning)", late, lines[0])
	case round && lines[0] <= early:
		where = fmt.Sprintf("before line %d, at the beginning of each round", lines[0])
	case lines[0] > early && lines[0] <= late:
		where = fmt.Sprintf("between the two accesses, after line %d and before line %d", m.before(lines[0], early), lines[0])
	}
	out.Repair, out.Changes = fmt.Sprintf("Put a %s(%s) %s, where all work-items of the group come by.", q.meetingPlace(sub), flags, where), changes
	return true
}

// threads says what could order host threads.
func (q *diagnosis) threads() (cause, repair string) {
	thread, other := q.a, q.b
	if q.parent[thread.Lane] == 0 {
		thread, other = other, thread
	}
	if start := q.step(q.parent[thread.Lane]); start != nil && start.Lane == other.Lane {
		return fmt.Sprintf("%s runs beside %s, which starts it%s and does not wait for it.", upper(q.who(thread.Lane)), q.who(other.Lane), q.calledIn(start.instr)),
			fmt.Sprintf("Wait for %s, as by Wait of a sync.WaitGroup, before the access%s.", q.lanes[thread.Lane].Name, line(other))
	}
	return "Host threads run beside each other, unless one waits for the other.",
		fmt.Sprintf("Start the one only when the other has been waited for, as by Wait of a sync.WaitGroup, or hand %s over through an atomic variable (release and acquire).", q.l.Name)
}

// subGroups reports whether the program asks for a size of sub-groups: then it is written for them.
func (q *diagnosis) subGroups() bool {
	return q.p.SubGroupSize > 0 || slices.ContainsFunc(q.p.Funcs, func(f *ir.Func) bool { return f.SubGroupSize > 0 })
}

// sameCode reports whether both accesses are of work-items that run one kernel.
func (q *diagnosis) sameCode() bool {
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	return !a.Host && !b.Host && a.Kernel == b.Kernel
}

// stillThere looks, between work-items that do the same, of a write of what all have to have read, for a wait between the two in
// the text of the kernel that lets the one go on by a value which the other has written before it reads: it is there from the last time.
func (q *diagnosis) stillThere() (Reason, bool) {
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
func (q *diagnosis) tooLate() (Reason, bool) {
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
func (q *diagnosis) separateBarriers() (Reason, bool) {
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
func (q *diagnosis) sameStatement() (Reason, bool) {
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
func (q *diagnosis) looksFirst() (Reason, bool) {
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
func (q *diagnosis) oneOperation(out *Reason, read *Step) {
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
func (q *diagnosis) alsoWrites(s, as *Step) bool {
	next := &state.State{}
	next.CopyFrom(q.s)
	next.Mem.Observer = nil
	q.m.Pass(next)
	return q.comesToWrite(next, s, as) || s.ID > as.ID && q.comesToWrite(q.rewound(as.Move), s, as)
}

// comesToWrite follows the lane of a step alone from a state on.
func (q *diagnosis) comesToWrite(next *state.State, s, as *Step) bool {
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
func (q *diagnosis) rewound(move int) *state.State {
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
func (q *diagnosis) times(s *Step) int {
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
func (q *diagnosis) updates(w *Step) *Step {
	return q.readBefore(w, func(_ *causes, s *Step) bool { return slices.Contains(w.data, s.ID) })
}

// decides returns the read of a location that a lane makes just before it writes it, if what it reads decides
// whether it writes, or nil.
func (q *diagnosis) decides(w *Step) *Step {
	return q.readBefore(w, func(n *causes, s *Step) bool { return !slices.Contains(w.data, s.ID) && q.comesOf(n.control, s) })
}

// readBefore returns the read of a location that a lane makes just before it writes it, with no barrier in
// between, if the write depends on it in the way that is asked for, or nil. It stands before the write in the
// text: else the two belong to different rounds of a loop.
func (q *diagnosis) readBefore(w *Step, depends func(*causes, *Step) bool) *Step {
	n := q.made(w)
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
func (q *diagnosis) bothOlder() (Reason, bool) {
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
func (q *diagnosis) missing(reader, writer int) (r, w *Step) {
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

// leaders looks for a hand-over between work-groups in the text of the kernel, between the two
// accesses, in which the work-item of the second does not take part: others of its group do, and it
// does not wait for them.
func (q *diagnosis) leaders() (Reason, bool) {
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	first, second := q.a, q.b
	f := q.p.Funcs[q.funcs[q.a.Lane]]
	i, k := indexOf(f, first.instr), indexOf(f, second.instr)
	if !q.sameCode() || a.place.SameGroup(b.place) || i < 0 || k < 0 || i == k {
		return Reason{}, false
	}
	if i > k {
		first, second, i, k = second, first, k, i
	}
	var release, acquire *ir.Instr
	for pc := i + 1; pc < k; pc++ {
		in := &f.Code[pc]
		if !in.Op.Access() || in.Order == memmodel.NonAtomic || in.Scope < memmodel.ScopeDevice {
			continue
		}
		if in.Order.Releases() && release == nil {
			release = in
		}
		if in.Order.Acquires() {
			acquire = in
		}
	}
	by := func(lane int, in *ir.Instr) bool {
		return slices.ContainsFunc(q.between(lane, 1, len(q.t.Steps)), func(s *Step) bool { return s.instr == in })
	}
	if release == nil || acquire == nil {
		return Reason{}, false
	}
	from, to := position(q.p, release.Pos), position(q.p, acquire.Pos)
	out := Reason{Kind: "barrier", Rule: "5.5, 11.3; OpenCL 3.0 sections 3.3.7 and 3.3.7.3", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Between the lines %d and %d work-groups wait for each other (release in line %d, acquire in line %d), but not all their work-items do: ",
			first.Line, second.Line, from.Line, to.Line)}
	if leader := q.leaderOf(first.Lane, release); !by(second.Lane, acquire) {
		out.Text += fmt.Sprintf("%s comes by without waiting, and is ordered behind those of its own group that wait only by a barrier.", q.lanes[second.Lane].Name)
	} else if leader >= 0 && !by(first.Lane, release) {
		out.Text += fmt.Sprintf("%s releases for its group, and the access of %s comes before that only by a barrier.", q.lanes[leader].Name, q.lanes[first.Lane].Name)
	} else {
		return Reason{}, false
	}
	q.aroundHandOver(&out, first, &Step{Lane: first.Lane, Pos: &from, instr: release}, &Step{Lane: second.Lane, Pos: &to, instr: acquire}, second)
	return out, true
}

// leaderOf returns a lane that has performed an operation for the group of another lane, or -1.
func (q *diagnosis) leaderOf(lane int, in *ir.Instr) int {
	for i := range q.t.Steps {
		if s := &q.t.Steps[i]; s.instr == in && s.Lane != lane && q.lanes[s.Lane].place.SameGroup(q.lanes[lane].place) {
			return s.Lane
		}
	}
	return -1
}

// aroundHandOver gives a reason the barriers that are missing around a hand-over between work-groups: between the first access and the release, and
// between the acquire and the second. One that is there is not asked for again, one that orders other memory gets the flag, and one before the acquire is
// said to be too early.
func (q *diagnosis) aroundHandOver(out *Reason, first, release, acquire, second *Step) {
	barrier := fmt.Sprintf("%s(%s)", q.barrierName(), q.flag())
	before, behind := q.barrierIn(first, release), q.barrierIn(acquire, second)
	if early := q.barrierIn(release, acquire); early != nil && behind == nil && early.Line > 0 && early.Line < acquire.Line {
		out.Text += fmt.Sprintf(" The barrier in line %d is passed before the acquire.", early.Line)
	}
	orders := func(s *Step) bool { return s != nil && s.instr.Flags&q.flag() != 0 }
	if before == nil && behind == nil || orders(before) && orders(behind) {
		out.Repair = fmt.Sprintf("Put a %s before the release%s and one after the acquire%s, where all work-items of the group come by.", barrier, line(release), line(acquire))
		out.Changes = q.barriersAround(first, release, acquire, second)
		return
	}
	var parts []string
	whole := true
	mend := func(there, from, to *Step, where string) {
		switch {
		case orders(there):
		case there != nil:
			c := q.flagsOf(there, q.flag())
			parts, out.Changes = append(parts, c.words()), append(out.Changes, c)
		default:
			parts = append(parts, fmt.Sprintf("put a %s %s, where all work-items of the group come by", barrier, where))
			changes := q.barriersAround(from, to)
			out.Changes, whole = append(out.Changes, changes...), whole && changes != nil
		}
	}
	mend(before, first, release, fmt.Sprintf("after the access%s and before the release%s", line(first), line(release)))
	mend(behind, acquire, second, fmt.Sprintf("after the acquire%s and before the access%s", line(acquire), line(second)))
	out.Repair = upper(strings.Join(parts, ", and ")) + "."
	if !whole {
		out.Changes = nil
	}
}

// barrierIn returns the last barrier of the work-group that stands between two steps in the text of their kernel, as if it were a step; or nil.
func (q *diagnosis) barrierIn(from, to *Step) *Step {
	f := q.p.Funcs[q.funcs[from.Lane]]
	for pc := indexOf(f, to.instr) - 1; pc > indexOf(f, from.instr); pc-- {
		if in := &f.Code[pc]; in.Op == ir.OpBarrier && !in.SubGroup {
			at := position(q.p, in.Pos)
			return &Step{Lane: from.Lane, Kind: Arrive, Pos: &at, instr: in}
		}
	}
	return nil
}

// barriersAround are the changes that put a barrier between each two of some steps that follow each other in pairs; none if there is no place for one of them.
func (q *diagnosis) barriersAround(steps ...*Step) []Change {
	var all []Change
	for i := 0; i < len(steps); i += 2 {
		pair, out := *q, Reason{}
		if pair.a, pair.b = steps[i], steps[i+1]; !pair.barrierBetween(&out, false) {
			return nil
		}
		all = append(all, out.Changes...)
	}
	return all
}

// indexOf returns where an instruction is in a function, or -1.
func indexOf(f *ir.Func, in *ir.Instr) int {
	for pc := range f.Code {
		if &f.Code[pc] == in {
			return pc
		}
	}
	return -1
}

// stale looks for an atomic read of the second lane that came too early to
// see what the first one wrote.
func (q *diagnosis) stale() (Reason, bool) {
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
