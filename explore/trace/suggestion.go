package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// suggestion says why work-items at their places are unordered, and gives a reason what could order them.
func (q *mender) suggestion(out *Reason, a, b *Lane) (cause string) {
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
func (q *mender) besideKernel(out *Reason) (cause string) {
	if l := q.conversation(); l != "" {
		out.Repair = fmt.Sprintf("Hand %s over through an atomic variable that both use, such as %s: write it before a store with memory_order_release, and read it behind a load with memory_order_acquire that has read that store.", q.l.Name, l)
		return fmt.Sprintf("The host and the kernel run beside each other, and talk through %s: to wait for the kernel is no way to order the two.", l)
	}
	out.Repair = "Let the host wait with clFinish before it touches what a kernel uses."
	return "The host and what it has enqueued run beside each other."
}

// inStep gives a race in a work-group the barrier that is missing, where there is a place for it.
func (q *mender) inStep(out *Reason, a, b *Lane) (cause string) {
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
func (q *mender) oneLine() bool {
	return q.a.Line > 0 && q.a.Line == q.b.Line && q.a.File == q.b.File && q.a.Writes() != q.b.Writes() && !q.a.Atomic && !q.b.Atomic
}

// sameText reports whether both accesses are in one function, of whose text enough is known.
func (q *mender) sameText() bool {
	return q.funcs[q.a.Lane] == q.funcs[q.b.Lane] && q.a.Line > 0 && q.b.Line > 0 && len(q.p.Funcs[q.funcs[q.a.Lane]].Code) <= maxParted
}

// meetingPlace is what the program calls a barrier.
func (q *mender) meetingPlace(sub bool) string {
	if sub {
		return "sub_group_barrier"
	}
	return q.barrierName()
}

// barrierBetween gives a reason the barriers that are missing between two accesses of work-items of one group, if there is a place for them.
func (q *mender) barrierBetween(out *Reason, sub bool) bool {
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
func (q *mender) threads() (cause, repair string) {
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
func (q *accessPair) subGroups() bool {
	return q.p.SubGroupSize > 0 || slices.ContainsFunc(q.p.Funcs, func(f *ir.Func) bool { return f.SubGroupSize > 0 })
}

// sameCode reports whether both accesses are of work-items that run one kernel.
func (q *accessPair) sameCode() bool {
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	return !a.Host && !b.Host && a.Kernel == b.Kernel
}
