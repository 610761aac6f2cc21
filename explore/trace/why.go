package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// accessPair is two accesses of one location that are unordered, and answers what is asked of the steps and the code around them.
type accessPair struct {
	*replay
	a, b  *Step     // the accesses, in the order of the schedule
	l     *Location // that they access
	local bool      // it is in local memory
}

// with returns the pair of two other steps, as if they were accesses of the location.
func (q *accessPair) with(a, b *Step) accessPair {
	other := *q
	other.a, other.b = a, b
	return other
}

// mender gives a reason the changes of the source that would order the two.
type mender struct{ accessPair }

// chainReader looks for the chain of steps that comes closest to ordering the two, and says what is wrong with each link of it that does not.
type chainReader struct {
	mender
	known []link // what ways has found
}

// stranger knows the mistakes behind accesses that no chain connects, by their shapes.
type stranger struct{ chainReader }

// diagnosis says why two accesses of one location are unordered. It is made of parts that lie on each other, as a replay is: the pair of accesses, what
// mends it, the chain between the two, and the shapes of mistakes where there is none.
type diagnosis struct{ stranger }

// ways returns the connections between steps that matter for the location, which are as many as the square of those who meet at a barrier.
func (q *chainReader) ways() []link {
	if q.known == nil {
		q.known = q.links(q.l)
	}
	return q.known[:len(q.known):len(q.known)]
}

func newDiagnosis(r *replay, a, b *Step) *diagnosis {
	l := &r.locs[b.loc]
	q := &diagnosis{}
	q.accessPair = accessPair{replay: r, a: a, b: b, l: l, local: l.region == memmodel.Local}
	return q
}

func (q *diagnosis) reasons() []Reason {
	if q.a.Atomic && q.b.Atomic {
		return []Reason{q.atomics()}
	}
	switch {
	case q.lanes[q.a.Lane].Copy || q.lanes[q.b.Lane].Copy:
		return []Reason{q.copies()}
	case q.a.frees() || q.b.frees():
		return []Reason{q.freed()}
	case q.a.Kind == Map || q.b.Kind == Map:
		return []Reason{q.mapped()}
	case q.l.region == memmodel.Image:
		return []Reason{q.images()}
	}
	if out := q.chained(); len(out) > 0 {
		return out
	}
	return q.unsynchronised()
}

// chained says what is wrong with the chain that comes closest to ordering the two, if there is any.
func (q *chainReader) chained() []Reason {
	links := q.ways()
	links = append(links, q.meetings(links)...)
	chain := path(links, len(q.t.Steps), q.a.ID, q.b.ID)
	var out []Reason
	for i, l := range chain {
		if l.kind == ordered {
			continue
		}
		entry, exit := q.ends(chain, i)
		was := len(out)
		switch l.kind {
		case otherSync:
			out = append(out, q.wrongRegion(q.step(l.from), q.step(l.to)))
		case coarse:
			out = append(out, q.unseen(q.step(l.from)))
		case passed:
			out = append(out, q.wrongBarrier(l))
		case handed:
			out = append(out, q.handed(q.step(l.from), q.step(l.to), entry, exit))
		case unmet:
			out = append(out, q.unmet(l))
		case aside:
			out = append(out, q.besides(q.step(l.from), q.step(l.to)))
		case grained:
			out = append(out, q.grained(q.step(l.from), q.step(l.to)))
		case cut:
			out = append(out, q.cutOff(q.step(l.from), q.step(l.to), entry))
		}
		for k := range out[was:] {
			out[was+k].missing = [2]int{l.from, l.to}
		}
	}
	if len(out) == 0 && len(chain) > 0 { // the trace takes for ordered what the memory model does not
		out = []Reason{{Kind: "none", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{q.a.ID, q.b.ID},
			Text: fmt.Sprintf("What comes between the two accesses does not order %s.", q.l.Name)}}
	}
	return out
}

func (q *accessPair) step(id int) *Step { return q.t.Step(id) }

// ends returns between which steps of their lanes the two ends of a link may
// be supported by fences: since the chain entered the one lane, and until it
// leaves the other.
func (q *chainReader) ends(chain []link, i int) (entry, exit int) {
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
func (q *diagnosis) atomics() Reason {
	out := Reason{Kind: "scope", Rule: "9.1, " + q.scopeRule() + "; OpenCL 3.0 section 3.3.7", Steps: []int{q.a.ID, q.b.ID}}
	out.Text = "Both accesses are atomic, but atomic operations of two work-items may only meet if their scopes are inclusive: " + q.scopes(&out, q.a, q.b, q.b.loc)
	if l := q.legacy(); l != "" {
		out.Repair, out.Changes = out.Repair+l, nil
	}
	return out
}

// legacy says what to do where a scope cannot be written.
func (q *mender) legacy() string {
	if !q.a.instr.Legacy && !q.b.instr.Legacy {
		return ""
	}
	s := q.m.Program.LegacyScope
	text := fmt.Sprintf(" A function of OpenCL 1.x has no scope argument: it is taken to have %s (rule 3.9). Write the function of OpenCL 2.0, such as atomic_fetch_add_explicit, which has one", s)
	if s == memmodel.ScopeWorkGroup {
		text += "; or leave --legacy-atomics work_group out, which asks for this reading: implementations give these functions device scope"
	}
	return text + "."
}

// copies explains a race with an asynchronous copy.
func (q *diagnosis) copies() Reason {
	out := Reason{Kind: "none", Rule: "11.7; OpenCL C section 6.15.11", Steps: []int{q.a.ID, q.b.ID},
		Text: "An asynchronous copy comes after what happens before its call in all work-items of the group, and before what happens after their wait_group_events; " +
			"it is in no order with anything between. The call itself waits for nothing.",
		Repair: "Touch that memory only after wait_group_events; and put a barrier before the call where work-items have written or read it before."}
	copied, other := q.a, q.b
	if !q.lanes[copied.Lane].Copy {
		copied, other = other, copied
	}
	if q.lanes[other.Lane].Copy || copied.Line == 0 || other.Line == 0 {
		return out
	}
	calls := func(s *Step) bool { return s.instr.Op == ir.OpAsyncCopy && *s.Pos == *copied.Pos }
	since := q.between(other.Lane, 1, other.ID)
	call := slices.IndexFunc(since, calls)
	if call < 0 {
		return out
	}
	out.Text = fmt.Sprintf("The copy that is started in line %d is under way until wait_group_events is given its event, in no order with anything between. The call itself waits for nothing.", copied.Line)
	out.Repair = fmt.Sprintf("Touch that memory only after wait_group_events, with the event of the copy in line %d: call it before the access in line %d.", copied.Line, other.Line)
	for _, s := range since[call:] {
		if s.instr.Op == ir.OpWaitCopies && s.Kind == Depart {
			out.Steps = append(out.Steps, s.ID)
			out.Text += fmt.Sprintf(" The wait_group_events%s waits for other events only.", line(s))
			out.Repair = fmt.Sprintf("Give the wait_group_events%s the event of the copy in line %d, too, or call another one before the access in line %d.", line(s), copied.Line, other.Line)
		}
	}
	slices.Sort(out.Steps)
	return out
}

// images explains a race on an image.
func (q *diagnosis) images() Reason {
	out := Reason{Kind: "flags", Rule: "4.5, 6.10, 11.3; OpenCL 3.0 sections 3.3.5 and 3.3.7.3", Steps: []int{q.a.ID, q.b.ID},
		Text: "Images have a fence flag of their own: what different work-items do to one is ordered by a barrier of their group with CLK_IMAGE_MEM_FENCE, and by commands, " +
			"and not by atomic operations, nor by fences and barriers with other flags."}
	q.imageBarrier(&out)
	return out
}

// imageBarrier says where a barrier for images is missing.
func (q *mender) imageBarrier(out *Reason) {
	if !q.lanes[q.a.Lane].place.SameGroup(q.lanes[q.b.Lane].place) {
		out.Repair = "Split the kernel in two: the work-items are in different work-groups, which no barrier joins."
		return
	}
	for i := range q.t.Barriers {
		b := &q.t.Barriers[i]
		for k, id := range b.Arrivals {
			if s := q.step(id); s.Lane == q.a.Lane && id > q.a.ID && b.Departures[k] < q.b.ID && !b.SubGroup && s.instr.Op == ir.OpBarrier {
				out.mends(q.flagsOf(s, memmodel.ImageFence))
				return
			}
		}
	}
	if !q.barrierBetween(out, false) {
		out.Repair = "Let all work-items of the group come by a work_group_barrier(CLK_IMAGE_MEM_FENCE) between the two accesses."
	}
}

func (q *accessPair) scopeRule() string {
	if q.m.Spec.Inclusion == memmodel.WiderScope {
		return "3.6"
	}
	return "3.5"
}

// wrongRegion explains a synchronisation that orders only the other memory.
func (q *chainReader) wrongRegion(from, to *Step) Reason {
	other := "local"
	if q.local {
		other = "global"
	}
	if from.Kind != Fence && from.Kind != Depart && from.loc < 0 {
		return Reason{Kind: "region", Rule: "12.9; OpenCL 3.0 section 3.3.7.5", Steps: []int{from.ID, to.ID},
			Text: "Commands of the host order global memory only.", Repair: "Hand it over within the kernel, or through global memory."}
	}
	out := Reason{Kind: "region", Rule: "5.5, 6.1; OpenCL 3.0 sections 3.3.7 and 3.3.7.1", Steps: []int{from.ID, to.ID},
		Text: fmt.Sprintf("%s synchronises with %s, but only in %s memory, because that is where they meet; %s is in %s memory.",
			upper(q.the(from)), q.the(to), other, q.l.Name, q.l.Region)}
	q.bothFences(&out, from, to)
	return out
}

// bothFences has a hand-over through the other memory order this one, too: by fences that are about both.
func (q *mender) bothFences(out *Reason, from, to *Step) {
	out.Repair = q.bothRegions()
	h := repairing{mender: q, w: from, r: to}
	if from.loc < 0 || to.loc < 0 || from.ID < q.a.ID || to.ID > q.b.ID || to.Lane != q.b.Lane {
		return
	}
	release, ok := h.fenceBefore(from, from, memmodel.Release)
	acquire, also := h.fenceBefore(to, q.b, memmodel.Acquire)
	if ok && also {
		out.mends(release, acquire)
		out.Idea = fmt.Sprintf("Or hand it over through an atomic variable in %s memory.", q.l.Region)
	}
}

// besides explains a pair of seq_cst operations that orders both memories, but not what
// stands before or behind it in program order.
func (q *chainReader) besides(from, to *Step) Reason {
	return Reason{Kind: "region", Rule: "5.5, 6.8; OpenCL 3.0 section 3.3.7.1", Steps: []int{from.ID, to.ID},
		Text: fmt.Sprintf("%s synchronises with %s, but they do not both act on %s memory, and so do not order what comes before and after them there; %s is in %s memory.",
			upper(q.the(from)), q.the(to), q.l.Region, q.l.Name, q.l.Region),
		Repair: q.bothRegions()}
}

// bothRegions says how what is handed over through one memory can bring the other along.
func (q *mender) bothRegions() string {
	return fmt.Sprintf("Hand it over through an atomic variable in %s memory, or put fences with CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE at both ends.", q.l.Region)
}

// unseen explains an enqueue that does not show a child what its parent did.
func (q *chainReader) unseen(enqueue *Step) Reason {
	return Reason{Kind: "enqueue", Rule: "12.1; OpenCL 3.0 section 3.3.7.5", Steps: []int{enqueue.ID},
		Text: fmt.Sprintf("%s comes after the access, but an enqueue by a kernel orders only what was done to fine-grained SVM; %s is %s.",
			upper(q.the(enqueue)), q.l.Name, memoryNames[q.l.kind]),
		Repair: "Let the child wait for the access, with CLK_ENQUEUE_FLAGS_WAIT_KERNEL, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP or an event, or hand the data over through an atomic variable."}
}

// wrongBarrier explains a barrier whose flags leave out the memory in question.
func (q *chainReader) wrongBarrier(l link) Reason {
	in := q.step(l.from).instr
	if in.Op != ir.OpBarrier {
		out := Reason{Kind: "barrier", Rule: "11.6, 11.7; OpenCL 3.0 section 3.3.7.3", Steps: []int{l.from, l.to},
			Text: fmt.Sprintf("%s pass the %s%s between the two accesses, but it orders no memory of theirs.",
				q.whoPass(l), meetingName(q.p, in), at(*q.step(l.from).Pos))}
		q.inStep(&out, &q.lanes[q.a.Lane], &q.lanes[q.b.Lane])
		return out
	}
	does := fmt.Sprintf("its flags are %s, which order %s memory only", in.Flags, regions(l.barrier.Global, l.barrier.Local))
	if !l.barrier.Global && !l.barrier.Local {
		does = "its flags are 0, which order no memory at all"
	}
	return Reason{Kind: "barrier", Rule: "11.3, 11.4; OpenCL 3.0 section 3.3.7.3", Steps: []int{l.from, l.to},
		Text: fmt.Sprintf("%s pass the %s%s between the two accesses, but %s; %s is in %s memory.",
			q.whoPass(l), meetingName(q.p, in), at(*q.step(l.from).Pos), does, q.l.Name, q.l.Region),
		Changes: []Change{q.flagsOf(q.step(l.from), q.flag())},
		Repair:  fmt.Sprintf("Add %s to the flags of the barrier%s.", q.flag(), line(q.step(l.from)))}
}

// whoPass names who passes a barrier that does not order the two accesses: both who make them, or others on the way from the one to the other.
func (q *chainReader) whoPass(l link) string {
	from, to := q.step(l.from).Lane, q.step(l.to).Lane
	if from == q.a.Lane && to == q.b.Lane || from == q.b.Lane && to == q.a.Lane {
		return "Both"
	}
	return fmt.Sprintf("%s and %s", q.lanes[from].Name, q.lanes[to].Name)
}

// flagsOf is the change that adds flags to a fence or barrier.
func (q *mender) flagsOf(s *Step, flags memmodel.Flags) Change {
	c := change(AddFlags, s)
	c.Flags = flags.String()
	return c
}

// flag returns the fence flag of the memory in question.
func (q *accessPair) flag() memmodel.Flags { return flagOf(q.l.region) }

func flagOf(r memmodel.Region) memmodel.Flags {
	if r == memmodel.Local {
		return memmodel.LocalFence
	}
	return memmodel.GlobalFence
}

// noun names what a step of the kind is.
func (k Kind) noun() string {
	what := map[Kind]string{Load: "load", Store: "store", Modify: "read-modify-write", CompareExch: "compare-exchange",
		Fence: "fence", Arrive: "barrier", Depart: "barrier"}[k]
	if what == "" {
		return "operation"
	}
	return what
}

// the names a step in a sentence.
func (q *accessPair) the(s *Step) string {
	what := s.Kind.noun()
	if s.Location != "" {
		what += " of " + s.Location
	}
	line := ""
	if s.Line > 0 {
		line = fmt.Sprintf(", line %d", s.Line)
	}
	return fmt.Sprintf("the %s in step %d (%s%s)", what, s.ID, q.lanes[s.Lane].Name, line)
}

// bothWays lists the two accesses in either order.
func (q *accessPair) bothWays() [][2]*Step { return [][2]*Step{{q.a, q.b}, {q.b, q.a}} }
