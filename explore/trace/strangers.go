package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// strangers explains a race of two accesses that no chain of any kind
// connects: nothing after the one reaches anything before the other.
func (q *inquiry) strangers() []Reason {
	for _, why := range []func() (Reason, bool){q.stillThere, q.bothLook, q.leftOver, q.tooLate, q.commandsApart, q.bothOlder, q.samePlace, q.sameStatement, q.looksFirst, q.plainFlag, q.separateBarriers, q.leaders} {
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
	cause, repair := q.suggestion(a, b)
	out[0].Text += q.onlyFences() + " " + cause
	out[0].Repair = repair
	return out
}

// suggestion says what could order work-items at their places.
func (q *inquiry) suggestion(a, b *Lane) (cause, repair string) {
	switch {
	case a.Host && b.Host && !a.Command() && !b.Command():
		return q.threads()
	case a.Host || b.Host:
		return "The host and what it has enqueued run beside each other.", "Let the host wait with clFinish before it touches what a kernel uses."
	case a.place.SameGroup(b.place):
		cause, barrier := fmt.Sprintf("Both are in work-group %d, whose work-items need not run in step.", a.Group), "work_group_barrier"
		if a.SubGroup == b.SubGroup && q.subGroups() {
			cause, barrier = fmt.Sprintf("Both are in sub-group %d of work-group %d, whose work-items need not run in step.", a.SubGroup, a.Group), "sub_group_barrier"
		}
		where := "between the two accesses, where all work-items of the group come by"
		if ahead, at, ok := q.rounds(); ok {
			return cause + ahead, fmt.Sprintf("Put a %s(%s) %s.", barrier, q.flag(), at)
		}
		switch {
		case q.a.Line == 0 || q.a.File != q.b.File:
		case q.a.Line == q.b.Line:
			where = fmt.Sprintf("between the two accesses, both in line %d: at the end of each round if they are in a loop, or else split the statement", q.a.Line)
		default:
			where = fmt.Sprintf("between the two accesses, after line %d and before line %d, where all work-items of the group come by", min(q.a.Line, q.b.Line), max(q.a.Line, q.b.Line))
		}
		return cause, fmt.Sprintf("Put a %s(%s) %s.", barrier, q.flag(), where)
	case q.a.Line > 0 && q.a.Line == q.b.Line && q.a.File == q.b.File && q.a.Writes() != q.b.Writes() && !q.a.Atomic && !q.b.Atomic:
		return fmt.Sprintf("Line %d writes in some work-items what it reads in others, which no barrier joins: they are in different work-groups.", q.a.Line),
			fmt.Sprintf("Let line %d write to other memory than it reads (a second buffer, which the next kernel reads).", q.a.Line)
	case a.Device == b.Device && a.Kernel == b.Kernel:
		return "They are in different work-groups, which no barrier joins.",
			"Hand the data over through an atomic variable (release and acquire, memory_scope_device), or split the kernel in two."
	}
	return "They belong to different kernel-instances.",
		"Order the commands, or hand the data over through an atomic variable (release and acquire) of a scope that includes both."
}

// threads says what could order host threads.
func (q *inquiry) threads() (cause, repair string) {
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
func (q *inquiry) subGroups() bool { return q.p.SubGroupSize > 0 }

// sameCode reports whether both accesses are of work-items that run one kernel.
func (q *inquiry) sameCode() bool {
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	return !a.Host && !b.Host && a.Kernel == b.Kernel
}

// stillThere looks, between work-items that do the same, of a write of what all have to have read, for a wait between the two in
// the text of the kernel that lets the one go on by a value which the other has written before it reads: it is there from the last time.
func (q *inquiry) stillThere() (Reason, bool) {
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
func (q *inquiry) tooLate() (Reason, bool) {
	before := q.orderedTo(q.links(q.l), q.a.ID)
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
func (q *inquiry) separateBarriers() (Reason, bool) {
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
			_, repair := q.suggestion(a, b)
			return Reason{Kind: "barrier", Rule: "11.2, 11.3; OpenCL 3.0 section 3.3.7.3", Steps: []int{s.ID},
				Text: fmt.Sprintf("A %s%s joins only the work-items of one %s, but %s is in %s and %s in %s.", meetingName(s.instr), at(*s.Pos), group,
					a.Name, where(a, b), b.Name, where(b, a)),
				Repair: repair}, true
		}
	}
	return Reason{}, false
}

// sameStatement explains a race of two work-items that perform one statement, which no barrier can
// come between: both write the location there, or both read it and write it.
func (q *inquiry) sameStatement() (Reason, bool) {
	if !q.sameCode() {
		return Reason{}, false
	}
	r := Reason{Kind: "none", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{q.a.ID, q.b.ID}}
	read, write := q.updates(q.a), q.updates(q.b)
	switch {
	case q.a.instr == q.b.instr && q.a.Kind == Store && read == nil && write == nil:
		r.Text = fmt.Sprintf("Both perform the same statement%s, so no barrier can come between the two.", line(q.b))
		r.Repair = "Let only one work-item write it, or have each write an element of its own."
	case read != nil && (q.b.instr == read.instr || q.b.instr == q.a.instr), write != nil && (q.a.instr == write.instr || q.a.instr == q.b.instr):
		r.Text = fmt.Sprintf("Both read %s and write it back%s, in two accesses: the one can come between the two of the other, whose update is then lost.", q.l.Name, line(q.b))
		r.Repair = fmt.Sprintf("Make the update of %s one atomic operation, such as atomic_fetch_add (in OpenCL 1.x atomic_add), or let only one work-item make it.", q.l.Name)
	default:
		return Reason{}, false
	}
	return r, true
}

// looksFirst explains a race of two work-items each of which looks at a location and, if it finds there
// what it looks for, writes it.
func (q *inquiry) looksFirst() (Reason, bool) {
	if !q.sameCode() {
		return Reason{}, false
	}
	for _, pair := range q.bothWays() {
		w, other := pair[0], pair[1]
		look := q.decides(w)
		if look == nil || other.instr != look.instr && other.instr != w.instr || q.times(look) != q.times(other) && other.instr == look.instr {
			continue
		}
		return Reason{Kind: "lost", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{look.ID, w.ID, other.ID},
			Text: fmt.Sprintf("Both look at %s%s before they write it%s, in two accesses: the one can look before the other has written, and both find what only one should.",
				q.l.Name, line(look), line(w)),
			Repair: fmt.Sprintf("Look at %s and write it in one atomic operation, such as atomic_compare_exchange_strong (in OpenCL 1.x atomic_cmpxchg), and go on only where that succeeds.", q.l.Name)}, true
	}
	return Reason{}, false
}

// times counts how often the lane of a step has performed its instruction, up to that step.
func (q *inquiry) times(s *Step) int {
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
func (q *inquiry) updates(w *Step) *Step {
	return q.readBefore(w, func(n *causes, s *Step) bool { return q.comesOf(n.b, s) })
}

// decides returns the read of a location that a lane makes just before it writes it, if what it reads decides
// whether it writes, or nil.
func (q *inquiry) decides(w *Step) *Step {
	return q.readBefore(w, func(n *causes, s *Step) bool { return !q.comesOf(n.b, s) && q.comesOf(n.control, s) })
}

// readBefore returns the read of a location that a lane makes just before it writes it, with no barrier in
// between, if the write depends on it in the way that is asked for, or nil. It stands before the write in the
// text: else the two belong to different rounds of a loop.
func (q *inquiry) readBefore(w *Step, depends func(*causes, *Step) bool) *Step {
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
func (q *inquiry) bothOlder() (Reason, bool) {
	r, w := q.missing(q.b.Lane, q.a.Lane)
	if r == nil {
		return Reason{}, false
	}
	s, x := q.missing(q.a.Lane, q.b.Lane)
	if s == nil || s.ID < w.ID || r.ID < x.ID || s.loc == r.loc {
		return Reason{}, false
	}
	return Reason{Kind: "order", Rule: "8.1 to 8.4; OpenCL 3.0 section 3.3.6", Steps: []int{w.ID, s.ID, x.ID, r.ID},
		Text: fmt.Sprintf("Each writes what the other reads, and neither has seen it: %s reads an older value than the one of %s, and %s one than the one of %s. Release and acquire allow that.",
			q.the(r), q.the(w), q.the(s), q.the(x)),
		Repair: fmt.Sprintf("Use memory_order_seq_cst in all four (lines %d, %d, %d and %d), or in a fence between the two of each.", w.Line, s.Line, x.Line, r.Line)}, true
}

// missing looks for an atomic load of a lane that returns an older value than a write of another lane
// which that lane makes before its access: it could have seen that one.
func (q *inquiry) missing(reader, writer int) (r, w *Step) {
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
func (q *inquiry) leaders() (Reason, bool) {
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
	if release == nil || acquire == nil || by(second.Lane, acquire) {
		return Reason{}, false
	}
	from, to := position(q.p, release.Pos), position(q.p, acquire.Pos)
	return Reason{Kind: "barrier", Rule: "5.5, 11.3; OpenCL 3.0 sections 3.3.7 and 3.3.7.3", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Between the lines %d and %d work-groups wait for each other (release in line %d, acquire in line %d), but not all their work-items do: %s comes by without waiting, and is ordered behind those of its own group that wait only by a barrier.",
			first.Line, second.Line, from.Line, to.Line, q.lanes[second.Lane].Name),
		Repair: fmt.Sprintf("Put a work_group_barrier(%s) before the release in line %d and one after the acquire in line %d, where all work-items of the group come by.",
			q.flag(), from.Line, to.Line)}, true
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
func (q *inquiry) stale() (Reason, bool) {
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
