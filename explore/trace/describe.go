package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// teller says what went wrong, or what had before: the sentence, and what belongs to it.
type teller struct {
	*replay
	t  *Trace  // that it is told in
	at culprit // what it is told of
}

func newTeller(r *replay) *teller { return &teller{r, r.t, r.at} }

// conclude says what went wrong.
func (r *teller) conclude() {
	c := &r.at
	t := r.t
	if c.op.Instr != nil {
		t.At = position(r.p, c.op.Instr.Pos)
	}
	switch t.kind {
	case state.NoViolation:
		t.Message = "An execution in which nothing goes wrong."
	case state.DataRace:
		r.race()
	case state.UninitialisedRead:
		r.uninitialised()
	case state.UnfencedImage:
		r.unfenced()
	case state.UnwaitedCopy:
		t.Message = fmt.Sprintf("Copy not waited for: %s ends%s, but the asynchronous copy%s has not been waited for by wait_group_events.",
			r.who(c.lane), at(t.At), at(position(r.p, c.misses.Instr.Pos)))
	case state.BarrierDivergence:
		r.divergence()
	case state.Deadlock:
		r.deadlock()
	case state.NoWayOut:
		r.noWayOut()
	case state.MayRun:
		r.mayRun()
	case state.AssertionFailed:
		t.Message = fmt.Sprintf("Assertion failed: %q does not hold, which %s asserts%s%s.", r.p.Strings[c.op.Instr.Str], r.who(c.lane), at(t.At),
			r.condition(c.op.Instr))
	case state.InvalidArgument:
		t.Message = fmt.Sprintf("%s passes an argument that OpenCL does not allow%s%s.", upper(r.who(c.lane)), r.whichArgument(), at(t.At)+r.operandValue())
		if in := c.op.Instr; in.Op == ir.OpCheck && in.Check == ir.CheckArgument && int(in.Str) < len(r.p.Strings) {
			t.Message = fmt.Sprintf("%s does what OpenCL does not allow%s: %s.", upper(r.who(c.lane)), at(t.At), r.p.Strings[in.Str])
		}
	case state.InvalidAccess:
		r.misuse()
	case state.MappingViolation:
		r.mapping()
	case state.FreedMemory:
		r.freedMemory()
	case state.FailedCommand:
		t.Message = fmt.Sprintf("The kernel that is enqueued%s terminates abnormally: a kernel that it enqueued, or an event that it waited for, has failed, and the host does not look.", at(t.At))
	case state.InvalidEvent:
		t.Message = fmt.Sprintf("%s %s%s.", upper(r.who(c.lane)), eventMisuse[c.op.Instr.Op], at(t.At))
	default:
		deed := violationVerb[t.kind]
		if in := c.op.Instr; in != nil && in.Op == ir.OpCheck && in.Check == ir.CheckObject {
			deed = "accesses memory outside of the object that its pointer was made from"
			if name := r.p.Strings[in.Str]; name != "" {
				deed = "accesses memory outside of " + name
			}
		}
		t.Message = fmt.Sprintf("%s %s%s.", upper(r.who(c.lane)), deed, at(t.At)+r.operandValue())
	}
}

// consequence says what had gone wrong before a data race.
func (r *teller) consequence() *Consequence {
	side := *r.t
	side.kind = r.at.violation.Failed
	(&teller{r.replay, &side, r.failed}).conclude()
	return &Consequence{ID: side.kind.ID(), Kind: side.kind.String(), Message: side.Message, At: side.At}
}

// violationVerb says what a work-item did that it must not do.
var violationVerb = map[state.Kind]string{
	state.IndexOutOfRange: "uses an index that is out of range",
	state.NilDereference:  "dereferences a null pointer",
	state.DivisionByZero:  "divides an integer by zero",
	state.NonTermination:  "computes for ever without touching shared memory",
}

// eventMisuse says what a work-item did to an event that it must not do.
var eventMisuse = map[ir.Op]string{
	ir.OpEnqueueNDRange: "waits for an event that is not valid",
	ir.OpEnqueueNative:  "waits for an event that is not valid",
	ir.OpMarker:         "waits for an event that is not valid",
	ir.OpQueueBarrier:   "waits for an event that is not valid",
	ir.OpWaitEvents:     "waits for an event that is not valid",
	ir.OpEventStatus:    "asks for the status of an event that is not valid",
	ir.OpCallback:       "registers a callback for an event that is not valid",
	ir.OpEnqueueKernel:  "waits for an event that is not valid",
	ir.OpEnqueueMarker:  "enqueues a marker that waits for no event, or for one that is not valid",
	ir.OpSetEvent:       "sets the status of an event that is no user event, is not valid or has been set before, or sets it to a positive number",
	ir.OpRetainEvent:    "retains an event that is not valid, or once too often",
	ir.OpReleaseEvent:   "releases an event that is not valid: it never was, or has been released before",
}

func at(p Pos) string {
	if p.Line == 0 {
		return ""
	}
	return " at " + p.String()
}

// exactly is at with the column.
func exactly(p Pos) string {
	if p.Line == 0 {
		return ""
	}
	return " at " + p.Exactly()
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// name names a location with what tells it from others of the name.
func (l *Location) name() string {
	if l.Group != nil {
		return fmt.Sprintf("%s (local memory of work-group %d)", l.Name, *l.Group)
	}
	switch l.region {
	case memmodel.Image:
		return l.Name + " (an image)"
	case memmodel.Pipe:
		return l.Name + " (a pipe)"
	}
	return fmt.Sprintf("%s (%s memory)", l.Name, l.Region)
}

func (r *teller) race() {
	t, c := r.t, &r.at
	a, b := r.stepOf(c.other), t.Step(c.step)
	for _, s := range []*Step{a, b} {
		if s != nil && s.Kind == Map {
			s.loc = r.shadow.at(r.s.Cast, r.s.Violation.Fault.Loc)
		}
	}
	if a == nil || b == nil || b.loc < 0 {
		t.Message = fmt.Sprintf("Data race%s.", at(t.At))
		return
	}
	l := &r.locs[b.loc]
	t.Accesses, t.Location = []int{a.ID, b.ID}, l.Name
	t.Message = fmt.Sprintf("Data race on %s: %s %s it%s and %s %s it%s, and neither access happens before the other.",
		l.name(), r.who(a.Lane), verb(a), exactly(*a.Pos), r.who(b.Lane), verb(b), exactly(*b.Pos))
	t.Why = newDiagnosis(r.replay, a, b).reasons()
}

// verb says what an access does.
func verb(s *Step) string {
	v := "reads"
	switch {
	case s.Kind == Map && s.instr.Op == ir.OpFree:
		return "frees"
	case s.Kind == Map && s.instr.Op == ir.OpUnmap:
		return "unmaps"
	case s.Kind == Map:
		return "maps"
	case s.Kind == Modify || s.Kind == CompareExch && s.Writes():
		v = "modifies"
	case s.Writes():
		v = "writes"
	}
	if s.Atomic {
		v = "atomically " + v
	}
	return v
}

func (r *teller) uninitialised() {
	t, c := r.t, &r.at
	// a step on shared memory may come before the check of private memory, without a part in it
	if in := c.op.Instr; in.Op == ir.OpCheck {
		if t.Location = r.p.Strings[in.Str]; t.Location == "" { // by a pointer
			t.Message = fmt.Sprintf("%s reads private memory that it has not written%s: its value is indeterminate.", upper(r.who(c.lane)), at(t.At))
			return
		}
		if strings.HasPrefix(t.Location, "the ") { // not a variable, as the result of a function
			t.Message = fmt.Sprintf("%s uses %s, which nothing has set%s: its value is indeterminate.", upper(r.who(c.lane)), t.Location, at(t.At))
			return
		}
		t.Message = fmt.Sprintf("%s reads its variable %s, which it has not written%s: its value is indeterminate.", upper(r.who(c.lane)), t.Location, at(t.At))
		return
	}
	if s := t.Step(c.step); s != nil && s.loc >= 0 {
		l := &r.locs[s.loc]
		t.Accesses, t.Location = []int{s.ID}, l.Name
		t.Message = fmt.Sprintf("%s reads %s%s, which nothing has written before: its value is indeterminate.",
			upper(r.who(c.lane)), l.name(), at(t.At))
		if n := len(l.Order); n > 0 && l.Order[n-1] > 0 {
			w := t.Step(l.Order[n-1])
			t.Message = fmt.Sprintf("%s reads %s%s, but no write of it happens before the read: step %d of %s, which writes it, is not ordered before.",
				upper(r.who(c.lane)), l.name(), at(t.At), w.ID, r.who(w.Lane))
		}
		return
	}
	t.Message = fmt.Sprintf("%s reads memory that nothing has written%s.", upper(r.who(c.lane)), at(t.At))
}

// unfenced says which write a work-item reads without a fence.
func (r *teller) unfenced() {
	t, c := r.t, &r.at
	a, b := r.stepOf(c.other), t.Step(c.step)
	if a == nil || b == nil || b.loc < 0 {
		t.Message = fmt.Sprintf("Missing image fence%s.", at(t.At))
		return
	}
	l := &r.locs[b.loc]
	t.Accesses, t.Location = []int{a.ID, b.ID}, l.Name
	t.Message = fmt.Sprintf("Missing image fence: %s reads %s%s, which it has itself written%s, with no fence in between: it may find an older value.",
		r.who(c.lane), l.name(), at(t.At), at(*a.Pos))
	t.Why = []Reason{{Kind: "order", Rule: "6.10; OpenCL 3.0 section 3.3.5", Steps: []int{a.ID, b.ID},
		Text:   "A work-item is certain to read what it has written to an image only after a fence, or a barrier, with CLK_IMAGE_MEM_FENCE.",
		Repair: "Put atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item) between the two."}}
}

func (r *teller) misuse() {
	t, c := r.t, &r.at
	if in := c.op.Instr; in != nil && in.Op == ir.OpCheck && in.Check == ir.CheckAligned {
		t.Message = fmt.Sprintf("%s accesses %s at an address that is not aligned for it%s.", upper(r.who(c.lane)), r.p.Strings[in.Str], at(t.At)+r.operandValue())
		return
	}
	s := t.Step(c.step)
	if s != nil && s.loc >= 0 {
		t.Location = r.locs[s.loc].Name
		t.Accesses = []int{s.ID}
		if in := c.op.Instr; in.Op == ir.OpStore && in.Type == ir.Ptr {
			t.Message = fmt.Sprintf("%s stores in %s a pointer to memory that others who may load it do not reach%s.",
				upper(r.who(c.lane)), r.locs[s.loc].name(), at(t.At))
			return
		}
		t.Message = fmt.Sprintf("%s performs an atomic operation on %s, which is not of an atomic type%s.",
			upper(r.who(c.lane)), r.locs[s.loc].name(), at(t.At))
		return
	}
	t.Message = fmt.Sprintf("%s uses a pointer that points to no object%s.", upper(r.who(c.lane)), at(t.At))
}

// whichArgument says what is wrong with an argument, as far as the program tells.
func (r *teller) whichArgument() string {
	in := r.at.op.Instr
	switch {
	case in.Op == ir.OpCheck && in.Check == ir.CheckShift:
		return ": a negative shift count"
	case in.Op == ir.OpCollective:
		return ": the ID is that of no work-item of the group"
	case in.Op == ir.OpAsyncCopy, in.Op == ir.OpWaitCopies:
		return ": the event belongs to no copy, or to one that has been waited for"
	case in.Op == ir.OpEnqueueKernel || in.Op == ir.OpEnqueueMarker:
		return ": the queue or the flags are invalid, or the index space has no work-items"
	case in.Op == ir.OpFree:
		return ": clSVMFree takes what clSVMAlloc has returned"
	case in.Op == ir.OpEnqueueNDRange:
		return ": the index space has no work-items"
	}
	return ""
}

// kindOfMeeting says what work-items meet at.
func kindOfMeeting(p *ir.Program, in *ir.Instr) string {
	if in.Op == ir.OpBarrier {
		return "barrier"
	}
	return "call of " + meetingName(p, in)
}

// divergence says who waits at a barrier and where the others are.
func (r *teller) divergence() {
	t, c := r.t, &r.at
	waits, misses := position(r.p, c.waits.Instr.Pos), position(r.p, c.misses.Instr.Pos)
	group := "work-group"
	if c.waits.Instr.SubGroup {
		group = "sub-group"
	}
	t.At = waits
	missing := r.absence(waits, misses)
	what := "Divergence"
	if c.waits.Instr.Op == ir.OpBarrier {
		what = "Barrier divergence"
	}
	t.Message = fmt.Sprintf("%s: %s waits at %s%s, but %s of the same %s %s, so they can never meet there.",
		what, r.who(c.waiting), meetingName(r.p, c.waits.Instr), at(waits), r.who(c.missing), group, missing)
	t.Waits = []Wait{
		{Lane: c.waiting, Pos: waits, Text: "waits at " + call(r.p, &c.waits, "")},
		{Lane: c.missing, Pos: misses, Text: strings.TrimSuffix(missing, at(misses))},
	}
}

// absence says why the missing work-item does not come to the barrier.
func (r *teller) absence(here, there Pos) string {
	c := &r.at
	a, b := c.waits.Instr, c.misses.Instr
	switch {
	case c.ended:
		return "has ended" + at(there)
	case !b.Op.Meets():
		return "is elsewhere" + at(there)
	case meetingName(r.p, a) != meetingName(r.p, b):
		return "waits at a " + meetingName(r.p, b) + at(there)
	case r.p.Strings[a.Str] != r.p.Strings[b.Str] && here != there:
		return "waits at another " + kindOfMeeting(r.p, a) + at(there)
	case r.p.Strings[a.Str] != r.p.Strings[b.Str]:
		return "waits there by another call of the function"
	case slices.Equal(c.waits.Rounds, c.misses.Rounds):
		return "waits there with other arguments, " + call(r.p, &c.misses, "")
	}
	return "waits there in another iteration of a loop"
}

// deadlock says what each unit that has not ended waits for.
func (r *teller) deadlock() {
	t := r.t
	var parts []string
	for u := range r.s.Cast.Count() {
		lane := r.of[u]
		if lane < 0 || r.s.Status(u) == state.Ended {
			continue
		}
		w := r.waiting(u)
		t.Waits = append(t.Waits, w)
		if len(parts) < 3 && r.s.Status(u) != state.Finishing {
			parts = append(parts, fmt.Sprintf("%s%s %s", r.who(lane), at(w.Pos), w.Text))
		}
		if t.At == (Pos{}) && len(parts) > 0 {
			t.At = w.Pos
		}
	}
	for u := range r.s.Cast.Count() {
		w, ok := r.pending(u)
		if !ok {
			continue
		}
		text := w.Text
		w.Text = "has enqueued a command that " + text
		t.Waits = append(t.Waits, w)
		if len(parts) < 3 {
			parts = append(parts, fmt.Sprintf("the command that %s enqueues%s %s", r.who(w.Lane), at(w.Pos), text))
		}
		if t.At == (Pos{}) {
			t.At = w.Pos
		}
	}
	if len(parts) == 0 { // nobody waits but those who have done what they had to
		for _, w := range t.Waits[:min(3, len(t.Waits))] {
			parts = append(parts, fmt.Sprintf("%s%s %s", r.who(w.Lane), at(w.Pos), w.Text))
		}
	}
	more := ""
	if n := len(t.Waits) - len(parts); n > 0 {
		more = fmt.Sprintf("; %d more wait", n)
		if n == 1 {
			more = "; 1 more waits"
		}
	}
	t.Message = "Deadlock: " + strings.Join(parts, "; ") + more + "."
}

// pending says what command u waits for, if it is one that has not started.
func (r *commandLog) pending(u memmodel.Unit) (Wait, bool) {
	c := r.commandOf(r.s.Cast.Units[u].ID)
	if c == nil || r.s.Status(u) != state.Pending {
		return Wait{}, false
	}
	w := Wait{Lane: c.lane, Pos: *r.t.Step(c.step).Pos}
	switch why := r.s.Blocked(u); {
	case why.Event != 0:
		w.Text = "waits for an event that is never complete"
		if e := r.commandOf(why.Event); e != nil {
			w.Text = fmt.Sprintf("waits for the event of step %d, which is never complete", e.step)
		}
	case why.Late:
		w.Text = "need not start before the kernel that enqueues it has ended: an implementation may delay it whatever its flags (rule 12.13)"
	case why.Parent:
		w.Text = "waits, as its flags say, for the kernel or work-group that enqueues it to end"
	default:
		w.Text = "waits for the command before it in its queue"
	}
	return w, true
}

func (r *execution) waiting(u memmodel.Unit) Wait {
	o := r.m.Operation(r.s, u)
	w := Wait{Lane: r.of[u], Pos: position(r.p, o.Instr.Pos)}
	switch {
	case r.s.Status(u) == state.Finishing:
		w.Text = "waits in clFinish for commands that never complete"
		if o.Instr.Op == ir.OpWaitEvents {
			w.Text = "waits in clWaitForEvents for events that are never complete"
		}
	case o.Instr.Op.Meets():
		w.Text = "waits at " + meetingName(r.p, o.Instr)
	case o.Loc >= 0 && o.Instr.Order != memmodel.NonAtomic:
		l := &r.locs[r.shadow.at(r.s.Cast, o.Loc)]
		if l.pipe != nil {
			w.Text = r.waitsForPipe(l.pipe, &o)
			return w
		}
		held := "which is not initialised"
		if v, from, ok := l.read(0); ok {
			held = fmt.Sprintf("whose last value is %s", l.text(r.p, v))
			if from > 0 {
				held += fmt.Sprintf(" (step %d)", from)
			}
		}
		w.Text = fmt.Sprintf("waits for another value of %s, %s and which nobody will change", l.Name, held)
	default:
		w.Text = "cannot go on"
	}
	return w
}
