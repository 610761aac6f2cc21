package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// inquiry finds out why two accesses of one location are unordered: it looks
// for the chain of steps that comes closest to ordering them, and says what is
// wrong with each link of it that does not.
type inquiry struct {
	*replay
	a, b  *Step // the accesses, in the order of the schedule
	l     *Location
	local bool
}

func newInquiry(r *replay, a, b *Step) *inquiry {
	l := &r.locs[b.loc]
	return &inquiry{replay: r, a: a, b: b, l: l, local: l.region == memmodel.Local}
}

func (q *inquiry) reasons() []Reason {
	if q.a.Atomic && q.b.Atomic {
		return []Reason{q.atomics()}
	}
	chain := path(q.links(q.local), len(q.t.Steps), q.a.ID, q.b.ID)
	var out []Reason
	for i, l := range chain {
		if l.kind == ordered {
			continue
		}
		entry, exit := q.ends(chain, i)
		switch l.kind {
		case otherSync:
			out = append(out, q.wrongRegion(q.step(l.from), q.step(l.to)))
		case passed:
			out = append(out, q.wrongBarrier(l))
		case handed:
			out = append(out, q.handed(q.step(l.from), q.step(l.to), entry, exit))
		case cut:
			out = append(out, q.cutOff(q.step(l.from), q.step(l.to), entry))
		}
	}
	if len(out) == 0 {
		out = q.strangers()
	}
	return out
}

func (q *inquiry) step(id int) *Step { return q.t.Step(id) }

// ends returns between which steps of their lanes the two ends of a link may
// be supported by fences: since the chain entered the one lane, and until it
// leaves the other.
func (q *inquiry) ends(chain []link, i int) (entry, exit int) {
	entry, exit = q.a.ID, q.b.ID
	for k := i - 1; k >= 0; k-- {
		if q.step(chain[k].from).Lane != q.step(chain[k].to).Lane {
			entry = chain[k].to
			break
		}
	}
	for k := i + 1; k < len(chain); k++ {
		if q.step(chain[k].from).Lane != q.step(chain[k].to).Lane {
			exit = chain[k].from
			break
		}
	}
	return entry, exit
}

// atomics explains a race between two atomic operations.
func (q *inquiry) atomics() Reason {
	return Reason{Kind: "scope", Rule: "9.1, " + q.scopeRule() + "; OpenCL 3.0 section 3.3.7", Steps: []int{q.a.ID, q.b.ID},
		Text: "Both accesses are atomic, but atomic operations of two work-items may only meet if their scopes are inclusive: " +
			q.scopes(q.a, q.b, q.b.loc)}
}

func (q *inquiry) scopeRule() string {
	if q.m.Spec.Inclusion == memmodel.WiderScope {
		return "3.6"
	}
	return "3.5"
}

// wrongRegion explains a synchronisation that orders only the other memory.
func (q *inquiry) wrongRegion(from, to *Step) Reason {
	other := "local"
	if q.local {
		other = "global"
	}
	if from.Kind != Fence && from.Kind != Depart && from.loc < 0 {
		return Reason{Kind: "region", Rule: "12.9; OpenCL 3.0 section 3.3.7.5", Steps: []int{from.ID, to.ID},
			Text: "Commands of the host order global memory only."}
	}
	return Reason{Kind: "region", Rule: "5.5, 6.1; OpenCL 3.0 sections 3.3.7 and 3.3.7.1", Steps: []int{from.ID, to.ID},
		Text: fmt.Sprintf("%s synchronises with %s, but only in %s memory, because that is where they meet; %s is in %s memory. "+
			"Hand it over through an atomic variable in %s memory, or put fences with CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE at both ends.",
			upper(q.the(from)), q.the(to), other, q.l.Name, q.l.Region, q.l.Region)}
}

// wrongBarrier explains a barrier whose flags leave out the memory in question.
func (q *inquiry) wrongBarrier(l link) Reason {
	in := q.step(l.from).instr
	does := fmt.Sprintf("its flags are %s, which order %s memory only", in.Flags, regions(l.barrier.Global, l.barrier.Local))
	if !l.barrier.Global && !l.barrier.Local {
		does = "its flags are 0, which order no memory at all"
	}
	return Reason{Kind: "barrier", Rule: "11.3, 11.4; OpenCL 3.0 section 3.3.7.3", Steps: []int{l.from, l.to},
		Text: fmt.Sprintf("Both pass the %s%s between the two accesses, but %s; %s is in %s memory. Add %s.",
			barrierName(in), at(q.step(l.from).Pos), does, q.l.Name, q.l.Region, q.flag())}
}

// flag returns the fence flag of the memory in question.
func (q *inquiry) flag() memmodel.Flags { return flagOf(q.l.region) }

func flagOf(r memmodel.Region) memmodel.Flags {
	if r == memmodel.Local {
		return memmodel.LocalFence
	}
	return memmodel.GlobalFence
}

// the names a step in a sentence.
func (q *inquiry) the(s *Step) string {
	what := map[Kind]string{Load: "load", Store: "store", Modify: "read-modify-write", CompareExch: "compare-exchange",
		Fence: "fence", Arrive: "barrier", Depart: "barrier"}[s.Kind]
	if what == "" {
		what = "operation"
	}
	if s.Location != "" {
		what += " of " + s.Location
	}
	line := ""
	if s.Line > 0 {
		line = fmt.Sprintf(", line %d", s.Line)
	}
	return fmt.Sprintf("the %s in step %d (%s%s)", what, s.ID, q.lanes[s.Lane].Name, line)
}

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

// fences reports whether a step acts as a fence, with what order.
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

// interrupted looks for a release of w's lane whose release sequence would
// reach the write w, were it not for another unit's store in between.
func (q *inquiry) interrupted(w, r *Step, entry int) (Reason, bool) {
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
func (q *inquiry) sequence(head, breaker, r *Step) Reason {
	return Reason{Kind: "sequence", Rule: "5.4, 6.1; OpenCL 3.0 section 3.3.7", Steps: []int{head.ID, breaker.ID, r.ID},
		Text: fmt.Sprintf("%s does not read from the release sequence of %s: in modification order %s, by another unit, comes in between and ends the sequence. "+
			"Only stores of the same work-item and read-modify-writes continue it; make the other store a read-modify-write.",
			upper(q.the(r)), q.the(head), q.the(breaker))}
}

// cutOff explains that a read met a later store than those of the release
// sequence that would have ordered the accesses.
func (q *inquiry) cutOff(w, r *Step, entry int) Reason {
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

// inclusive reports whether two steps, meeting through location x, have
// inclusive scopes.
func (q *inquiry) inclusive(f, t *Step, x int) bool {
	scope := func(s *Step) memmodel.Scope { return s.instr.Scope }
	return within(q.m.Spec, q.lanes[f.Lane].place, scope(f), q.lanes[t.Lane].place, scope(t), &q.locs[x])
}

// within asks the memory model about two units at these places.
func within(spec memmodel.Spec, a memmodel.Place, s memmodel.Scope, b memmodel.Place, r memmodel.Scope, l *Location) bool {
	loc := []memmodel.Loc{{Region: l.region, Kind: l.kind, Atomic: true}}
	layout := memmodel.NewLayout(spec, memmodel.Traits{}, []memmodel.Place{a, b}, loc, false)
	return layout.Inclusive(0, s, 1, r, 0)
}
