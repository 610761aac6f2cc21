package trace

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// between lists the steps of a lane from one id to another, both included.
func (q *accessPair) between(lane, from, to int) []*Step {
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
func (q *chainReader) releases(w *Step, entry int) []*Step {
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
func (q *chainReader) acquires(r *Step, exit int) []*Step {
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
func (q *chainReader) handed(w, r *Step, entry, exit int) Reason {
	from, to := q.meant(q.releases(w, entry), w, r), q.meant(q.acquires(r, exit), w, r)
	met := fmt.Sprintf("%s reads the value of %s", upper(q.the(r)), q.the(w))
	if w.ID != *r.ReadsFrom {
		met = fmt.Sprintf("%s reads from the release sequence of %s", upper(q.the(r)), q.the(w))
	}
	if reason, ok := q.interrupted(w, r, entry); ok && len(from) == 0 {
		return reason
	}
	if len(from) > 0 && len(to) > 0 {
		return q.pairs(met, from, to, r.loc)
	}
	reason := Reason{Kind: "order", Rule: "6.1, 6.3 to 6.5; OpenCL 3.0 sections 3.3.7.1 and 3.3.7.2", Steps: []int{w.ID, r.ID}}
	switch {
	case len(from) == 0 && len(to) == 0 && w.order == memmodel.Relaxed && r.order == memmodel.Relaxed:
		reason.Text = fmt.Sprintf("%s, but neither is more than relaxed, so they do not synchronise.", met)
	case len(from) == 0 && len(to) == 0:
		reason.Text = fmt.Sprintf("%s, but that write is no release%s, and that read is no acquire%s, so they do not synchronise.", met, itsOrder(w), itsOrder(r))
	case len(from) == 0:
		reason.Text = fmt.Sprintf("%s, but that write is no release: nothing publishes what %s has done before it.", met, q.lanes[w.Lane].Name)
	default:
		reason.Text = fmt.Sprintf("%s, but that read is no acquire, so %s need not see what came before the write.", met, q.lanes[r.Lane].Name)
	}
	if late := q.late(w, entry); late != "" && len(from) == 0 {
		reason.Text += " " + late
	}
	if early := q.early(r, exit); early != "" && len(to) == 0 {
		reason.Text += " " + early
	}
	q.handOver(&reason, w, r, from, to, exit)
	q.move(&reason, w, r, from, to)
	if len(from)+len(to) == 0 && q.b.Atomic && q.a.Lane == w.Lane && q.b.Lane == r.Lane && w.instr != r.instr && !w.instr.Legacy && !r.instr.Legacy {
		q.fencesAround(&reason, w, r)
	}
	return reason
}

// itsOrder names the order of an operation that is more than relaxed, but does not do what it should.
func itsOrder(s *Step) string {
	if s.order == memmodel.Relaxed {
		return ""
	}
	return fmt.Sprintf(" (it has %s)", s.order)
}

// fencesAround has what comes before the one of two atomic operations come before what follows the other, whatever else is handed on so: by fences.
func (q *mender) fencesAround(out *Reason, w, r *Step) {
	orders := out.Repair
	out.Repair = fmt.Sprintf("For all that is handed on so, put %s after line %d and %s before line %d.",
		q.fence(memmodel.Release, w, r), q.a.Line, q.fence(memmodel.Acquire, w, r), q.b.Line)
	out.Changes, out.Idea = nil, "Or, for this one alone: "+lower(orders)
	h := repairing{mender: q, w: w, r: r}
	release, ok := h.fenceBefore(w, w, memmodel.Release)
	acquire, also := h.fenceBefore(r, q.b, memmodel.Acquire)
	if ok && also {
		out.Changes = []Change{release, acquire}
	}
}

// move says of a fence that would do, but stands behind the write which it should publish, or behind the access which it should
// keep back, that it is to be moved.
func (q *chainReader) move(out *Reason, w, r *Step, from, to []*Step) {
	if f := q.fenceBehind(w, w); f.Line > 0 && len(from) == 0 && len(to) > 0 {
		out.Text += fmt.Sprintf(" The fence in line %d publishes for writes that come after it, and this one comes before.", f.Line)
		out.Repair = fmt.Sprintf("Put the fence in line %d before the %s%s, or %s", f.Line, w.Kind.noun(), line(w), lower(out.Repair))
	}
	if f := q.fenceBehind(q.b, w); f.Line > 0 && len(to) == 0 && len(from) > 0 && q.b.Lane == r.Lane {
		if early := fmt.Sprintf("The fence in line %d comes only after the access%s.", f.Line, line(q.b)); q.early(r, q.b.ID) == "" {
			out.Text += " " + early
		}
		out.Repair = fmt.Sprintf("Put the fence in line %d after the %s%s and before the access, or %s", f.Line, r.Kind.noun(), line(r), lower(out.Repair))
	}
}

// fenceBehind returns where a fence stands in the text, behind a step with nothing in between, that would hand on the value of the write w if
// it stood before, or nowhere.
func (q *mender) fenceBehind(s, w *Step) Pos {
	f := q.p.Funcs[q.funcs[s.Lane]]
	at := indexOf(f, s.instr)
	for pc := at + 1; at >= 0 && pc < len(f.Code); pc++ {
		switch in := &f.Code[pc]; {
		case in.Op == ir.OpFence:
			wanted := in.Order.Acquires()
			if s == w {
				wanted = in.Order.Releases()
			}
			if wanted && in.Flags&flagOf(q.locs[w.loc].region) != 0 && (in.Scope >= memmodel.ScopeDevice || q.lanes[q.a.Lane].place.SameGroup(q.lanes[q.b.Lane].place)) {
				return position(q.p, in.Pos)
			}
			return Pos{}
		case in.Op.Visible(), in.Op == ir.OpJump, in.Op == ir.OpBranch, in.Op == ir.OpEnd:
			return Pos{}
		}
	}
	return Pos{}
}

// handOver gives a reason the changes that make the write w and the read r, which reads it, a release and an acquire
// that synchronise. What there is of the two, but does not reach the other, has to be mended, too.
func (q *chainReader) handOver(out *Reason, w, r *Step, from, to []*Step, exit int) {
	h := repairing{mender: &q.mender, w: w, r: r, possible: true}
	other := (q.locs[w.loc].region == memmodel.Local) != q.local // a release of the one memory publishes nothing of the other
	if len(from)+len(to) == 0 && w.instr == r.instr && !w.instr.Legacy && !other {
		c := change(SetOrder, w)
		c.Order = memmodel.AcqRel.String()
		h.changes = append(h.changes, c)
	} else {
		h.end(w, w, from, memmodel.Release, "before", other)
		h.end(r, q.step(exit), to, memmodel.Acquire, "after", other)
	}
	if len(h.changes) == 0 && len(h.parts) == 0 {
		return
	}
	for _, c := range h.changes {
		h.parts = append(h.parts, c.words())
	}
	out.mends(h.changes...)
	out.Repair = upper(strings.Join(h.parts, ", and ")) + "."
	if len(h.changes) < len(h.parts) || !h.possible {
		out.Changes = nil
	}
}

// repairing collects the changes that repair a hand-over of data from step w to step r.
type repairing struct {
	*mender
	w, r     *Step
	changes  []Change
	parts    []string // in words, what has no place in the source
	possible bool
}

// end mends one end of a hand-over: the operation op, with what is there of fences, so that it has an order. A fence has to come before a step.
func (h *repairing) end(op, before *Step, there []*Step, order memmodel.Order, where string, other bool) {
	fenced := op.instr.Legacy || other && (len(there) == 0 || there[0].Kind != Fence)
	switch {
	case fenced && (len(there) == 0 || other):
		if c, ok := h.fenceBefore(op, before, order); ok {
			h.changes = append(h.changes, c)
			return
		}
		why := ""
		if op.instr.Legacy {
			why = " (a function of OpenCL 1.x has no order)"
		}
		h.parts = append(h.parts, fmt.Sprintf("put %s %s the %s%s%s", h.fence(order, h.w, h.r), where, op.Kind.noun(), line(op), why))
	case len(there) == 0:
		h.changes = append(h.changes, orderChange(op, order))
		if s, ok := h.narrowest(h.lanes[h.w.Lane].place, h.lanes[h.r.Lane].place, &h.locs[h.w.loc]); ok && op.instr.Scope != s && !h.inclusive(h.w, h.r, h.w.loc) {
			c := change(SetScope, op)
			c.Scope = s.String()
			h.changes = append(h.changes, c)
		}
	default:
		f := h.short(there, h.w, h.r)
		if f == nil {
			return
		}
		c := change(SetFence, f)
		h.fenceIn(&c, order)
		h.changes = append(h.changes, c)
	}
}

// fenceIn says which fence has the hand-over order the accesses: one of OpenCL 1.x where the program is written in its terms, and that reaches.
func (h *repairing) fenceIn(c *Change, order memmodel.Order) {
	scope, ok := h.narrowest(h.lanes[h.w.Lane].place, h.lanes[h.r.Lane].place, &h.locs[h.w.loc])
	if !ok {
		scope = memmodel.ScopeAllSVMDevices
	}
	c.Flags, c.Order, c.Scope = (h.flag() | flagOf(h.locs[h.w.loc].region)).String(), order.String(), scope.String()
	if c.Kind == AddFence && scope <= memmodel.ScopeWorkGroup && h.oldForms() {
		c.Function = "mem_fence"
	}
}

// fenceBefore is the change that puts a fence before a step, if a statement begins in its line behind the operation that the fence is for.
func (h *repairing) fenceBefore(op, before *Step, order memmodel.Order) (Change, bool) {
	i := slices.IndexFunc(h.p.Sources, func(src ir.Source) bool { return src.Name == before.File })
	if before.Line == 0 || i < 0 || statements(h.p.Sources[i])(before.Line) != statement || op != before && (op.Line >= before.Line || op.File != before.File) {
		return Change{}, false
	}
	c := change(AddFence, before)
	h.fenceIn(&c, order)
	return c, true
}

// fence writes the fence that has the write w and the read r order the accesses.
func (q *mender) fence(order memmodel.Order, w, r *Step) string {
	c := Change{Kind: AddFence}
	(&repairing{mender: q, w: w, r: r}).fenceIn(&c, order)
	return c.fence()
}

// enough gives a reason the changes of the fences f and t that they need so as to synchronise through a location: flags, and a scope.
func (q *chainReader) enough(out *Reason, f, t *Step, through *Location) {
	var changes []Change
	for _, s := range []*Step{f, t} {
		if missing := (flagOf(through.region) | q.flag()) &^ s.instr.Flags; s.loc < 0 && missing != 0 && s.Kind == Fence {
			changes = append(changes, q.flagsOf(s, missing))
		}
	}
	if !q.inclusiveAt(f, t, through) {
		more := Reason{}
		q.widen(&more, f, t, through)
		changes = append(changes, more.Changes...)
	}
	out.mends(changes...)
	if len(changes) == 0 {
		out.Repair, out.Changes = q.bothRegions(), nil
	}
}

// meant leaves out the barriers whose flags or scope do not reach the other end: they are there for something else, and
// to mend them would not be to mend the hand-over.
func (q *chainReader) meant(fences []*Step, w, r *Step) []*Step {
	return slices.DeleteFunc(fences, func(f *Step) bool {
		return (f.Kind == Arrive || f.Kind == Depart) && (f.instr.Flags&flagOf(q.locs[w.loc].region) == 0 ||
			!q.includes(q.lanes[w.Lane].place, q.lanes[r.Lane].place, f.instr.Scope, &q.locs[w.loc]))
	})
}

// short returns a fence of those that are at one end if all of them have flags or a scope that do not reach the other, or the others of its kernel who may
// come to what is handed over: of a lock, all groups take it.
func (q *accessPair) short(fences []*Step, w, r *Step) *Step {
	l := &q.locs[w.loc]
	a, b := q.lanes[w.Lane].place, q.lanes[r.Lane].place
	for _, f := range fences {
		if f.Kind != Fence || f.instr.Flags&flagOf(l.region) != 0 && q.includes(a, b, f.instr.Scope, l) && q.includesOthers(a, f.instr.Scope, l) && q.includesOthers(b, f.instr.Scope, l) {
			return nil
		}
	}
	return fences[0]
}

// late remarks on a release fence that comes too early to publish the access.
func (q *chainReader) late(w *Step, entry int) string {
	for _, s := range slices.Backward(q.between(w.Lane, 1, entry-1)) {
		if s.Kind == Fence && s.order.Releases() {
			return upper(q.the(s)) + " publishes only what comes before it."
		}
	}
	return ""
}

// early remarks on an acquire fence that comes too late for the access.
func (q *chainReader) early(r *Step, exit int) string {
	for _, s := range q.between(r.Lane, exit+1, len(q.t.Steps)) {
		if s.Kind == Fence && s.order.Acquires() {
			return upper(q.the(s)) + " comes only after the access."
		}
	}
	return ""
}

// pairs explains why releases and acquires that meet through location x do not
// synchronise, by the pair that comes closest.
func (q *chainReader) pairs(met string, from, to []*Step, x int) Reason {
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

// legacyFence finds calls of the fences of OpenCL 1.x in a line of a model.
var legacyFence = regexp.MustCompile(`(?i)\b(read_|write_|cl\.(read|write)?)?mem_?fence\(`)

// scopeless says how to give a scope to fences that have none to be written.
func (q *chainReader) scopeless(f, t *Step) string {
	for _, s := range []*Step{f, t} {
		if s.Kind == Fence && s.instr.Scope == memmodel.ScopeWorkGroup && legacyFence.MatchString(s.Source) {
			return " mem_fence and its kin have memory_scope_work_group: write atomic_work_item_fence instead."
		}
	}
	return ""
}

// pair explains why a release and an acquire do not synchronise; the rank says
// how near they come.
func (q *chainReader) pair(met string, f, t *Step, x int) (Reason, int) {
	through := &q.locs[x]
	steps := []int{f.ID, t.ID}
	for _, s := range []*Step{f, t} {
		if s.loc < 0 && s.instr.Flags&flagOf(through.region) == 0 {
			out := Reason{Kind: "flags", Rule: "6.3 to 6.6; OpenCL 3.0 section 3.3.7.2", Steps: steps, Through: through.Name,
				Text: fmt.Sprintf("%s, but %s has the flags %s, and %s is in %s memory: the fence does nothing for it.",
					met, q.the(s), s.instr.Flags, through.Name, through.region)}
			q.enough(&out, f, t, through)
			return out, 1
		}
	}
	if !q.inclusive(f, t, x) {
		out := Reason{Kind: "scope", Rule: "6.2, " + q.scopeRule() + "; OpenCL 3.0 section 3.3.7", Steps: steps, Through: through.Name}
		out.Text = fmt.Sprintf("%s, but %s and %s do not synchronise, because their scopes are not inclusive: %s",
			met, q.the(f), q.the(t), q.scopes(&out, f, t, x))
		out.Repair += q.scopeless(f, t)
		return out, 2
	}
	if (through.region == memmodel.Local) != q.local {
		return q.wrongRegion(f, t), 3
	}
	return Reason{Kind: "none", Rule: "5.5", Steps: steps, Text: met + ", but does not synchronise with it."}, 0
}
