package trace

import (
	"fmt"
	"slices"
)

// What is missing may be a barrier: a work-item of one group has released what orders the
// accesses, or acquired it, and another one of the group has made the access. The chain
// then leaves the first access by way of its group, or comes to the second one so.
//
// The release must be one that the access could have come before: not one that is ordered
// before it already.

// meetings lists the links that a further barrier of a group would add: from the first
// access to releases of other work-items of its group, and from acquires to the second.
// Of each work-item, those that leave the least out come first.
func (q *chainReader) meetings(links []link) []link {
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	if a.place.SameGroup(b.place) {
		return nil // a barrier between the two themselves would do
	}
	before := q.orderedTo(links, q.a.ID)
	sends, gets := map[int]bool{}, map[int]bool{} // steps that links to other lanes come from, and lead to
	for _, l := range links {
		if l.kind != passed && q.step(l.from) != nil && q.step(l.from).Lane != q.step(l.to).Lane {
			sends[l.from], gets[l.to] = true, true
		}
	}
	var out []link
	rank := map[int]int{}
	add := func(from, to, lane int) {
		if rank[lane] < maxMeetings {
			rank[lane]++
			out = append(out, link{from: from, to: to, cost: costs[unmet] + 50*rank[lane], kind: unmet})
		}
	}
	for i := range q.t.Steps {
		s := &q.t.Steps[i]
		if p := &q.lanes[s.Lane]; !a.Host && !p.Host && sends[s.ID] && s.Lane != q.a.Lane && p.place.SameGroup(a.place) && !before[s.ID] && q.comesBehind(q.a, s) {
			add(q.a.ID, s.ID, s.Lane)
		}
	}
	for i := range slices.Backward(q.t.Steps[:q.b.ID-1]) {
		s := &q.t.Steps[i]
		if p := &q.lanes[s.Lane]; !b.Host && !p.Host && gets[s.ID] && s.Lane != q.b.Lane && p.place.SameGroup(b.place) && q.comesBehind(s, q.b) {
			add(s.ID, q.b.ID, s.Lane)
		}
	}
	return out
}

// comesBehind reports whether the code of a kernel leads from the one step to the other, so that a barrier can stand between them. Where that is not known, it may.
func (q *accessPair) comesBehind(one, other *Step) bool {
	p := q.private[one.Lane]
	if p == nil || q.funcs[one.Lane] != q.funcs[other.Lane] {
		return true
	}
	there, _ := q.leadsTo(one, other)
	return there
}

// maxMeetings bounds the releases and acquires of one work-item that are looked at.
const maxMeetings = 20

// orderedTo is the set of steps that a step is ordered after.
func (q *chainReader) orderedTo(links []link, to int) map[int]bool {
	into := map[int][]int{}
	for _, l := range links {
		if l.kind == ordered {
			into[l.to] = append(into[l.to], l.from)
		}
	}
	seen := map[int]bool{to: true}
	for todo := []int{to}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, from := range into[at] {
			if !seen[from] {
				seen[from] = true
				todo = append(todo, from)
			}
		}
	}
	return seen
}

// unmet explains that a barrier is missing.
func (q *chainReader) unmet(l link) Reason {
	from, to := q.step(l.from), q.step(l.to)
	r := Reason{Kind: "barrier", Rule: "5.5, 11.3; OpenCL 3.0 sections 3.3.7 and 3.3.7.3", Steps: []int{l.from, l.to}}
	one, other := q.lanes[from.Lane].Name, q.lanes[to.Lane].Name
	group := q.lanes[from.Lane].Group
	if l.from == q.a.ID {
		r.Text = fmt.Sprintf("%s hands on to others what %s has done, but the access of %s does not come before it: both are in work-group %d, and they meet at no barrier in between.", upper(q.the(to)), other, one, group)
		r.Repair = fmt.Sprintf("Put a %s(%s) after the access%s and before this %s%s.", q.barrierName(), q.flag(), line(from), to.Kind.noun(), line(to))
		r.Changes = q.barriersAround(from, to)
		return r
	}
	r.Text = fmt.Sprintf("%s takes over what others have done, but the access of %s does not come after it: both are in work-group %d, and they meet at no barrier in between.", upper(q.the(from)), other, group)
	r.Repair = fmt.Sprintf("Put a %s(%s) after this %s%s and before the access%s.", q.barrierName(), q.flag(), from.Kind.noun(), line(from), line(to))
	r.Changes = q.barriersAround(from, to)
	return r
}

func line(s *Step) string {
	if s.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" in line %d", s.Line)
}

// grained explains a synchronisation between host and device, or of two devices, that
// orders fine-grained memory only.
func (q *chainReader) grained(from, to *Step) Reason {
	a, b := &q.lanes[from.Lane], &q.lanes[to.Lane]
	text := fmt.Sprintf("%s synchronises with %s, but %s and %s are not on one device, where atomic operations order fine-grained SVM only (rules 2.1 to 2.3); %s is %s.",
		upper(q.the(from)), q.the(to), a.Name, b.Name, q.l.Name, memoryNames[q.l.kind])
	wait := "Make it fine-grained SVM (CL_MEM_SVM_FINE_GRAIN_BUFFER; in a Go model //cl:memory svm_fine), or order the commands that use it by events."
	if a.Host != b.Host {
		wait = "Wait for the kernel before the access, with clFinish, clWaitForEvents or a blocking command, or make it fine-grained SVM (CL_MEM_SVM_FINE_GRAIN_BUFFER; in a Go model //cl:memory svm_fine)."
	}
	return Reason{Kind: "grain", Rule: "2.1 to 2.3; OpenCL 3.0 section 3.3.7", Steps: []int{from.ID, to.ID}, Text: text, Repair: wait}
}
