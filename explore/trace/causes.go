package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Violations other than data races have causes and repairs, too. What a kind of violation always comes
// of is said from what the machine knows; what a failed assertion comes of, only where the execution
// shows one of the mistakes that are known by their shape: a value that was overwritten unseen, a
// compare-exchange that takes a value for one that it has seen before, a write that has not been seen.

// explainer says what lies behind what went wrong, and how to mend it.
type explainer struct{ *replay }

// causesOf explains the kinds of violation, but for those in unexplained (kinds_test.go).
var causesOf = map[state.Kind]func(*explainer) []Reason{
	state.UninitialisedRead: (*explainer).unwritten,
	state.BarrierDivergence: func(r *explainer) []Reason { return []Reason{r.partedAtBarrier()} },
	state.Deadlock:          (*explainer).waitsInVain,
	state.NoWayOut:          (*explainer).waitsInVain,
	state.IndexOutOfRange:   (*explainer).outOfRange,
	state.NilDereference: func(*explainer) []Reason {
		return []Reason{{Kind: "range", Text: "Nothing has given the pointer memory to point to.",
			Repair: "Give the argument memory, or make the access only where the pointer is not NULL."}}
	},
	state.DivisionByZero: func(*explainer) []Reason {
		return []Reason{{Kind: "range", Text: "Nothing keeps the divisor from being 0.", Repair: "Divide only where the divisor is not 0."}}
	},
	state.UnwaitedCopy: func(r *explainer) []Reason {
		return []Reason{{Kind: "none", Rule: "11.7; OpenCL C section 6.15.11", Text: "A work-group may not end before its asynchronous copies do.",
			Repair: fmt.Sprintf("Call wait_group_events with the event of the copy%s before the kernel ends.", inLine(position(r.p, r.at.misses.Instr.Pos)))}}
	},
	state.MappingViolation: (*explainer).touched,
	state.FreedMemory:      (*explainer).usedFreed,
	state.InvalidAccess:    (*explainer).notReached,
}

// causes returns the reasons for a violation that is no data race.
func (r *explainer) causes() []Reason {
	if of := causesOf[r.t.kind]; of != nil {
		return of(r)
	}
	return nil
}

func (r *explainer) waitsInVain() []Reason { return (&vainWait{r.replay}).waitsFor() }

// outOfRange explains an index that is out of range.
func (r *explainer) outOfRange() []Reason {
	if out, ok := r.drawn(); ok {
		return []Reason{out}
	}
	return []Reason{r.overrun()}
}

func inLine(p Pos) string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" in line %d", p.Line)
}

// unwritten explains a read of memory that nothing has written before.
func (r *explainer) unwritten() []Reason {
	t := r.t
	s := t.Step(r.at.step)
	in := r.at.op.Instr
	if check := in != nil && in.Op == ir.OpCheck; check || s == nil || s.loc < 0 {
		what := "the variable"
		if t.Location != "" {
			what = t.Location
		}
		if f, ok := strings.CutPrefix(what, "the result of "); ok {
			return []Reason{{Kind: "none", Rule: "OpenCL C section 6.9", Text: fmt.Sprintf("%s comes to its end without a return, and what it returns is used.", f),
				Repair: fmt.Sprintf("Let each way through %s return something.", f)}}
		}
		return []Reason{{Kind: "none", Rule: "OpenCL C section 6.9", Text: "A private variable holds nothing before it is written.",
			Repair: fmt.Sprintf("Give %s a value where it is declared, or on each way that leads here.", what)}}
	}
	l := &r.locs[s.loc]
	if n := len(l.Order); n > 0 && l.Order[n-1] > 0 {
		return newDiagnosis(r.replay, t.Step(l.Order[n-1]), s).reasons()
	}
	if l.region == memmodel.Local {
		if out, ok := r.unfilled(s); ok {
			return []Reason{out}
		}
		return []Reason{{Kind: "none", Rule: "OpenCL C section 6.7.2", Steps: []int{s.ID}, Text: "Local memory holds nothing when a work-group starts, not even zeros.",
			Repair: fmt.Sprintf("Let one work-item of the group write %s first, and put a work_group_barrier(%s) between that and line %d.", l.Name, flagOf(l.region), s.Line)}}
	}
	return []Reason{{Kind: "none", Steps: []int{s.ID}, Text: "Memory that is allocated without content holds nothing.",
		Repair: fmt.Sprintf("Write %s before, by the host or a kernel that comes first.", l.Name)}}
}

// partedAtBarrier explains divergence by the way in which those who should meet differ.
func (r *explainer) partedAtBarrier() Reason {
	c := &r.at
	a, b := c.waits.Instr, c.misses.Instr
	group, what := "work-group", kindOfMeeting(r.p, a)
	if a.SubGroup {
		group = "sub-group"
	}
	out := Reason{Kind: "barrier", Rule: "11.1; OpenCL C section 6.15.8", Text: fmt.Sprintf("All work-items of a %s must come to the same %s, or none.", group, what)}
	here, there := position(r.p, a.Pos), position(r.p, b.Pos)
	inLoop := false
	ways := newBranching(r.p, r.funcs[c.waiting])
	if branch := r.parted(c.waiting, c.missing, ways, a); branch >= 0 {
		q := r.private[c.missing]
		if at := position(r.p, q.f.Code[branch].Pos); at.Line > 0 {
			out.Text += fmt.Sprintf(" The ways of the two part at the condition in line %d: %s", at.Line, clip(at.Source))
		}
		if meets := indexOf(q.f, a); meets >= 0 {
			inLoop = ways.of(branch).leaves && q.leads(branch, meets, -1) && q.leads(meets, branch, -1)
		}
	}
	switch {
	case c.ended && inLoop:
		out.Repair = fmt.Sprintf("Let all go round the loop around line %d equally often, with the same bound and no way out for some, and put only the accesses around it under the condition.", here.Line)
	case c.ended:
		out.Repair = fmt.Sprintf("Let all come to the %s%s: instead of returning early, or calling it in a branch, put only the accesses around it under the condition.", what, inLine(here))
	case !b.Op.Meets():
		out.Repair = fmt.Sprintf("Let all come to the %s%s: take it out of the branch or loop, or what %s waits for there.", what, inLine(here), r.who(c.missing))
	case meetingName(r.p, a) != meetingName(r.p, b) || r.p.Strings[a.Str] != r.p.Strings[b.Str]:
		of := ""
		if x, y, ok := r.partingCalls(a.Pos, b.Pos); ok {
			here, there = place(r.p, x.Pos), place(r.p, y.Pos)
			if x.Name == y.Name {
				of = " of " + x.Name
			}
		}
		lines := inLine(here) + " and" + inLine(there)
		if here.File == there.File && here.Line == there.Line {
			lines = inLine(here)
		}
		out.Repair = fmt.Sprintf("Take the calls%s%s out of their branches, and make one of them that all come to.", of, lines)
	case slices.Equal(c.waits.Rounds, c.misses.Rounds):
		out.Repair = "Call it with the same arguments in all work-items."
	default:
		out.Repair = "Let all go round the loop equally often: the same bound for all, and the condition inside, around the accesses only."
	}
	return out
}

// partingCalls returns the calls by which two places were come to, where these are not the same: outermost ones.
func (r *explainer) partingCalls(a, b int32) (x, y ir.Call, ok bool) {
	of, to := r.p.CallsAt(a), r.p.CallsAt(b)
	for i := 1; i <= min(len(of), len(to)); i++ {
		x, y = of[len(of)-i], to[len(to)-i]
		if place(r.p, x.Pos) != place(r.p, y.Pos) {
			return x, y, true
		}
	}
	return x, y, false
}

// parted returns the branch at which the ways of two lanes part, of which the first waits at a barrier and the second does not come there: of those at which
// the second went the other way, the one that decides most closely whether the code comes to the barrier, and else the last; or -1.
func (r *explainer) parted(one, other int, ways *branching, barrier *ir.Instr) int {
	a, b := r.private[one], r.private[other]
	if a == nil || b == nil || a.f != b.f {
		return -1
	}
	at, last, least := -1, 0, len(a.f.Code)+1
	meets := indexOf(a.f, barrier)
	for pc := range b.turns {
		s, t := a.turns[pc], b.turns[pc]
		if s.number == 0 || s.taken == t.taken || t.number == 0 {
			continue
		}
		size := len(a.f.Code) + 1
		if n := ways.decides(pc, meets); n > 0 {
			size = n
		}
		if size < least || size == least && t.number > last {
			at, last, least = pc, t.number, size
		}
	}
	return at
}

// clip shortens a source line that stands in a sentence.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// commandWaits says what a command waits for in vain.
func (r *vainWait) commandWaits(u memmodel.Unit, c *issued) Reason {
	out := Reason{Kind: "command", Rule: "12.2, 12.19; OpenCL 3.0 section 3.2.1", Steps: []int{c.step}}
	switch why := r.s.Blocked(u); {
	case why.Late:
		out.Rule = "12.13; OpenCL C section 6.15.16"
		out.Text = "A kernel that is enqueued by a kernel need not start before that one has ended, so nobody may wait in a kernel for what it enqueues."
		out.Repair = "Do what needs the result in a further kernel, which is enqueued with the event of that one in its wait list."
	case why.Event != 0:
		e := r.commandOf(why.Event)
		if e == nil || e.op != ir.OpCreateEvent {
			return Reason{}
		}
		out.Text = fmt.Sprintf("The event of step %d%s is a user event, and nobody sets its status.", e.step, line(r.t.Step(e.step)))
		out.Repair = "Set its status, to CL_COMPLETE or an error, on each way that is left (set_user_event_status, clSetUserEventStatus)."
	}
	return out
}

// notReached says why a pointer leads nowhere, or not to where it may.
func (r *explainer) notReached() []Reason {
	c := &r.at
	in, s := c.op.Instr, r.t.Step(c.step)
	switch {
	case in.Op == ir.OpCheck && in.Check == ir.CheckAligned:
		return []Reason{{Kind: "range", Rule: "OpenCL C sections 6.3.5 and 6.15.7",
			Text: fmt.Sprintf("The address of a value of type %s must be a multiple of its size, and what the pointer was cast from, or moved by, is none.", r.p.Strings[in.Str]),
			Repair: fmt.Sprintf("Make the offset%s a multiple of the size, or read and write with vload and vstore of the element's type, or byte by byte: they ask for the alignment of the element only.",
				inLine(r.t.At))}}
	case in.Op.Access() && c.op.A&ir.SegMask == ir.SegPrivate:
		return []Reason{{Kind: "range", Text: "The pointer is to a variable of a function, which is private memory: commands, kernels and other host threads do not reach it.",
			Repair: "Declare the variable outside functions, or allocate it with cl.NewBuffer or cl.SVMAlloc."}}
	case s == nil || s.loc < 0:
		return nil
	case in.Op == ir.OpStore && in.Type == ir.Ptr:
		return []Reason{{Kind: "region", Rule: "1.1; OpenCL C section 6.7.2", Steps: []int{s.ID}, Text: "Local memory belongs to one work-group: a pointer to it means nothing to others.",
			Repair: fmt.Sprintf("Store a position%s, such as an index, and not a pointer, or have the pointer lead to global memory.", inLine(r.t.At))}}
	}
	name := r.locs[s.loc].Name
	return []Reason{{Kind: "order", Rule: "1.6; OpenCL C section 6.15.12", Steps: []int{s.ID}, Text: fmt.Sprintf("Atomic operations need an object of an atomic type, and %s is declared without one.", name),
		Repair: fmt.Sprintf("Declare %s with an atomic type, such as atomic_int, and access it by atomic operations everywhere.", name)}}
}

// maps returns the command that has mapped the cell at an address last, or is to map it, or nil.
func (r *explainer) maps(addr int64, underWay bool) *issued {
	for i := range slices.Backward(r.issued) {
		c := &r.issued[i]
		if r.does(c, ir.OpMap) && len(c.args) > 1 && c.args[0] <= addr && addr < c.args[0]+c.args[1] && r.underWay(c) == underWay {
			return c
		}
	}
	return nil
}

// underWay reports whether a command is not complete.
func (r *explainer) underWay(c *issued) bool {
	for u := range r.s.Cast.Count() {
		if r.s.Cast.Units[u].ID == c.id {
			return r.s.Status(u) != state.Ended
		}
	}
	return false
}

// does reports whether an operation is what a command that is no kernel is there for.
func (r *commandLog) does(c *issued, op ir.Op) bool {
	return c.op == ir.OpEnqueueNative && slices.ContainsFunc(r.p.Funcs[r.t.Step(c.step).instr.Target].Code, func(in ir.Instr) bool { return in.Op == op })
}

// touched says what to do about memory that is touched while it is mapped, or is not.
func (r *explainer) touched() []Reason {
	c := &r.at
	s := r.t.Step(c.step)
	if s == nil || s.loc < 0 {
		return nil
	}
	l := &r.locs[s.loc]
	out := Reason{Kind: "map", Rule: "2.7; OpenCL API sections 5.2.4 and 5.6", Steps: []int{s.ID}}
	switch lane := &r.lanes[c.lane]; {
	case c.op.Instr.Op == ir.OpMap || c.op.Instr.Op == ir.OpUnmap:
		return nil
	case lane.Host && !lane.Command() && r.maps(c.op.A, true) != nil:
		m := r.maps(c.op.A, true)
		out.Steps = []int{m.step, s.ID}
		out.Text = fmt.Sprintf("%s is mapped by the command of step %d%s, which the host has not waited for: it goes on before the map is complete.", l.Name, m.step, line(r.t.Step(m.step)))
		out.Repair = fmt.Sprintf("Map it with CL_TRUE (blocking)%s, or wait for the event of the map (clWaitForEvents) before the access%s.", line(r.t.Step(m.step)), line(s))
	case lane.Host && !lane.Command():
		out.Text = fmt.Sprintf("%s is %s: the host may touch it only between a map and the unmap, whatever has been handed over by atomic operations.", l.Name, memoryNames[l.kind])
		out.Repair = fmt.Sprintf("Map it for the access (clEnqueueMapBuffer or clEnqueueSVMMap, blocking or waited for) and unmap it afterwards, or allocate %s as fine-grained SVM (CL_MEM_SVM_FINE_GRAIN_BUFFER).", l.Name)
	default:
		out.Text = fmt.Sprintf("The host has mapped %s and not yet unmapped it when %s runs.", l.Name, r.who(c.lane))
		out.Repair = "Unmap it (clEnqueueUnmapMemObject, clEnqueueSVMUnmap) before the command is enqueued, in the same in-order queue or with the event in its wait list."
		if user, m := r.commandOfLane(lane), r.maps(c.op.A, false); user != nil && m != nil {
			if _, unmap := r.mappingOf(m); unmap != m && unmap.step < user.step {
				out.Repair = r.listed(unmap, user) + ", or use one in-order queue: it is unmapped before, but nothing waits for that."
			}
		}
	}
	return []Reason{out}
}
