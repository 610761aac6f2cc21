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
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	if r, ok := q.tooLate(); ok {
		return []Reason{r}
	}
	if r, ok := q.commandsApart(); ok {
		return []Reason{r}
	}
	if r, ok := q.separateBarriers(); ok {
		return []Reason{r}
	}
	out := []Reason{{Kind: "none", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Nothing synchronises the two: before its access, %s neither reads a value that %s writes after its own, nor meets it at a barrier. %s",
			b.Name, a.Name, q.suggestion(a.place, b.place))}}
	if r, ok := q.stale(); ok {
		out = append(out, r)
	}
	return out
}

// suggestion says how work-items at these places can be ordered.
func (q *inquiry) suggestion(a, b memmodel.Place) string {
	switch {
	case a.Host || b.Host:
		return "Let the host wait with clFinish before it touches what a kernel uses."
	case a.SameGroup(b):
		return fmt.Sprintf("Both are in work-group %d: a work_group_barrier(%s) between the two accesses would order them.", a.Group, q.flag())
	case a.Device == b.Device && a.Kernel == b.Kernel:
		return "They are in different work-groups, which no barrier joins: hand the data over through an atomic variable (release and acquire, memory_scope_device), or split the kernel in two."
	}
	return "They belong to different kernel-instances: order the commands, or hand the data over through an atomic variable (release and acquire) of a scope that includes both."
}

// tooLate looks for a hand-over that happened before the access that it
// should have published.
func (q *inquiry) tooLate() (Reason, bool) {
	for _, r := range q.between(q.b.Lane, 1, q.b.ID-1) {
		if r.ReadsFrom == nil || !r.Atomic {
			continue
		}
		w := q.step(*r.ReadsFrom)
		if w == nil || w.Lane != q.a.Lane || w.ID > q.a.ID || !w.Atomic || len(q.between(w.Lane, w.ID+1, q.a.ID)) == 0 {
			continue
		}
		return Reason{Kind: "late", Rule: "5.1, 6.1; OpenCL 3.0 section 3.3.7.1", Steps: []int{w.ID, r.ID, q.a.ID},
			Text: fmt.Sprintf("%s reads the value of %s, but that comes before the access in step %d, and a release publishes only what comes before it in its work-item. Make the access first.",
				upper(q.the(r)), q.the(w), q.a.ID)}, true
	}
	return Reason{}, false
}

// separateBarriers looks for a barrier that the second lane has passed, but
// that the first one is not in the group of.
func (q *inquiry) separateBarriers() (Reason, bool) {
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	for _, s := range q.between(q.b.Lane, 1, q.b.ID-1) {
		group, apart := "work-group", !a.place.SameGroup(b.place)
		if s.Kind == Depart && s.instr.SubGroup {
			group, apart = "sub-group", apart || a.SubGroup != b.SubGroup
		}
		if s.Kind != Depart || s.instr.Op != ir.OpBarrier || !apart || a.Host {
			continue
		}
		return Reason{Kind: "barrier", Rule: "11.2, 11.3; OpenCL 3.0 section 3.3.7.3", Steps: []int{s.ID},
			Text: fmt.Sprintf("A %s%s joins only the work-items of one %s, but %s is in %s and %s in %s. %s", meetingName(s.instr), at(s.Pos), group,
				a.Name, where(a, b), b.Name, where(b, a), q.suggestion(a.place, b.place))}, true
	}
	return Reason{}, false
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
					Text: fmt.Sprintf("%s reads an older value than the one of %s: it must wait for that value, or not make the access without it.",
						upper(q.the(r)), q.the(w))}, true
			}
		}
	}
	return Reason{}, false
}
