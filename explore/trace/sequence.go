package trace

import (
	"fmt"
	"slices"
)

// interrupted looks for a release of w's lane whose release sequence would
// reach the write w, were it not for another unit's store in between.
func (q *chainReader) interrupted(w, r *Step, entry int) (Reason, bool) {
	order := q.locs[w.loc].Order
	var breaker *Step
	for i := slices.Index(order, w.ID) - 1; i >= 0 && order[i] >= entry; i-- {
		s := q.step(order[i])
		switch {
		case s.Lane != w.Lane && s.Kind == Store:
			breaker = s
		case s.Lane == w.Lane && breaker != nil && len(q.releases(s, entry)) > 0:
			return q.sequence(s, breaker, r), true
		}
	}
	return Reason{}, false
}

// sequence explains a release sequence that ends before what is read.
func (q *chainReader) sequence(head, breaker, r *Step) Reason {
	out := Reason{Kind: "sequence", Rule: "5.4, 6.1; OpenCL 3.0 section 3.3.7", Steps: []int{head.ID, breaker.ID, r.ID},
		Text: fmt.Sprintf("%s does not read from the release sequence of %s: in modification order %s, by another unit, comes in between and ends the sequence: "+
			"only stores of the same work-item and read-modify-writes continue it.",
			upper(q.the(r)), q.the(head), q.the(breaker))}
	out.mends(change(MakeExchange, breaker))
	if breaker.Kind != Store {
		out.Changes = nil
	}
	return out
}

// cutOff explains that a read met a later store than those of the release
// sequence that would have ordered the accesses.
func (q *chainReader) cutOff(w, r *Step, entry int) Reason {
	if len(q.releases(w, entry)) == 0 {
		return Reason{Kind: "order", Rule: "6.1; OpenCL 3.0 section 3.3.7.1", Steps: []int{w.ID, r.ID},
			Text: fmt.Sprintf("%s comes before what %s reads, but it is no release, and it is not what is read.", upper(q.the(w)), q.the(r))}
	}
	order := q.locs[r.loc].Order
	breaker := q.step(*r.ReadsFrom)
	for _, id := range order[slices.Index(order, w.ID)+1:] {
		if s := q.step(id); s.Lane != w.Lane && s.Kind == Store || id == *r.ReadsFrom {
			breaker = s
			break
		}
	}
	return q.sequence(w, breaker, r)
}
