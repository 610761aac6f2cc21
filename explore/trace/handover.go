package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// between lists the steps of a lane from one id to another, both included.
func (q *inquiry) between(lane, from, to int) []*Step {
	var out []*Step
	for i := max(from, 1); i <= to; i++ {
		if s := q.step(i); s.Lane == lane {
			out = append(out, s)
		}
	}
	return out
}

// fenceOrder is the order that a step has as a fence; relaxed if it is none.
func fenceOrder(s *Step) memmodel.Order {
	switch s.Kind {
	case Fence:
		return s.order
	case Arrive:
		return memmodel.Release
	case Depart:
		return memmodel.Acquire
	}
	return memmodel.Relaxed
}

// releases lists what may publish the access along with the write w: w itself
// and the fences before it, nearest first.
func (q *inquiry) releases(w *Step, entry int) []*Step {
	var out []*Step
	if w.order.Releases() {
		out = append(out, w)
	}
	for _, s := range slices.Backward(q.between(w.Lane, entry, w.ID-1)) {
		if fenceOrder(s).Releases() {
			out = append(out, s)
		}
	}
	return out
}

// acquires lists what may take over what the read r has met: r itself and the
// fences after it, nearest first.
func (q *inquiry) acquires(r *Step, exit int) []*Step {
	var out []*Step
	if r.order.Acquires() {
		out = append(out, r)
	}
	for _, s := range q.between(r.Lane, r.ID+1, exit) {
		if fenceOrder(s).Acquires() {
			out = append(out, s)
		}
	}
	return out
}

// handed explains an atomic read of the other's atomic write that did not
// synchronise with it.
func (q *inquiry) handed(w, r *Step, entry, exit int) Reason {
	from, to := q.releases(w, entry), q.acquires(r, exit)
	met := fmt.Sprintf("%s reads the value of %s", upper(q.the(r)), q.the(w))
	if w.ID != *r.ReadsFrom {
		met = fmt.Sprintf("%s reads from the release sequence of %s", upper(q.the(r)), q.the(w))
	}
	if reason, ok := q.interrupted(w, r, entry); ok && len(from) == 0 {
		return reason
	}
	reason := Reason{Kind: "order", Rule: "6.1, 6.3 to 6.5; OpenCL 3.0 sections 3.3.7.1 and 3.3.7.2", Steps: []int{w.ID, r.ID}}
	switch {
	case len(from) == 0 && len(to) == 0:
		reason.Text = fmt.Sprintf("%s, but neither is more than relaxed, so they do not synchronise. Use %s for the write%s and %s for the read%s.",
			met, q.needRelease(w), q.late(w, entry), q.needAcquire(r), q.early(r, exit))
	case len(from) == 0:
		reason.Text = fmt.Sprintf("%s, but that write is no release: nothing publishes what %s has done before it. Use %s%s.",
			met, q.lanes[w.Lane].Name, q.needRelease(w), q.late(w, entry))
	case len(to) == 0:
		reason.Text = fmt.Sprintf("%s, but that read is no acquire, so %s need not see what came before the write. Use %s%s.",
			met, q.lanes[r.Lane].Name, q.needAcquire(r), q.early(r, exit))
	default:
		return q.pairs(met, from, to, r.loc)
	}
	return reason
}

func (q *inquiry) needRelease(w *Step) string {
	if w.Kind == Modify || w.Kind == CompareExch {
		return "memory_order_release or memory_order_acq_rel"
	}
	return "memory_order_release"
}

func (q *inquiry) needAcquire(r *Step) string {
	if r.Kind == Modify || r.Kind == CompareExch {
		return "memory_order_acquire or memory_order_acq_rel"
	}
	return "memory_order_acquire"
}

// late remarks on a release fence that comes too early to publish the access.
func (q *inquiry) late(w *Step, entry int) string {
	for _, s := range slices.Backward(q.between(w.Lane, 1, entry-1)) {
		if s.Kind == Fence && s.order.Releases() {
			return fmt.Sprintf(" (%s publishes only what comes before it)", q.the(s))
		}
	}
	return ""
}

// early remarks on an acquire fence that comes too late for the access.
func (q *inquiry) early(r *Step, exit int) string {
	for _, s := range q.between(r.Lane, exit+1, len(q.t.Steps)) {
		if s.Kind == Fence && s.order.Acquires() {
			return fmt.Sprintf(" (%s comes only after the access)", q.the(s))
		}
	}
	return ""
}

// pairs explains why releases and acquires that meet through location x do not
// synchronise, by the pair that comes closest.
func (q *inquiry) pairs(met string, from, to []*Step, x int) Reason {
	var best Reason
	rank := -1
	for _, f := range from {
		for _, t := range to {
			if r, k := q.pair(met, f, t, x); k > rank {
				best, rank = r, k
			}
		}
	}
	return best
}

// pair explains why a release and an acquire do not synchronise; the rank says
// how near they come.
func (q *inquiry) pair(met string, f, t *Step, x int) (Reason, int) {
	through := &q.locs[x]
	steps := []int{f.ID, t.ID}
	for _, s := range []*Step{f, t} {
		if s.loc < 0 && s.instr.Flags&flagOf(through.region) == 0 {
			return Reason{Kind: "flags", Rule: "6.3 to 6.6; OpenCL 3.0 section 3.3.7.2", Steps: steps,
				Text: fmt.Sprintf("%s, but %s has the flags %s, and %s is in %s memory: the fence does nothing for it. Add %s.",
					met, q.the(s), s.instr.Flags, through.Name, through.region, flagOf(through.region))}, 1
		}
	}
	if !q.inclusive(f, t, x) {
		return Reason{Kind: "scope", Rule: "6.2, " + q.scopeRule() + "; OpenCL 3.0 section 3.3.7", Steps: steps,
			Text: fmt.Sprintf("%s, but %s and %s do not synchronise, because their scopes are not inclusive: %s",
				met, q.the(f), q.the(t), q.scopes(f, t, x))}, 2
	}
	if (through.region == memmodel.Local) != q.local {
		return q.wrongRegion(f, t), 3
	}
	return Reason{Kind: "none", Rule: "5.5", Steps: steps, Text: met + ", but does not synchronise with it."}, 0
}
