package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// A repair that a program can make in the source is a list of changes, each of them a kind, a place and what comes there. The words
// of the report are made from that list. Advice that nobody can follow without thinking has words only: reports call it an idea.

// ChangeKind says what a change of the source does.
type ChangeKind string

// The kinds of change.
const (
	SetOrder     ChangeKind = "order"         // the operation or fence gets Order
	SetFailure   ChangeKind = "failure_order" // the compare-exchange gets Order for when it fails
	SetScope     ChangeKind = "scope"         // the operation, fence or barrier gets Scope
	AddFlags     ChangeKind = "flags"         // the fence or barrier gets Flags besides its own
	AddBarrier   ChangeKind = "barrier"       // a barrier of the work-group with Flags comes before the line
	AddSubGroup  ChangeKind = "sub_group_barrier"
	AddFence     ChangeKind = "fence"         // a fence with Flags, Order and Scope comes before the line
	SetFence     ChangeKind = "set_fence"     // such a fence comes in place of the one that is there
	MakeAtomic   ChangeKind = "atomic"        // the ordinary access becomes an atomic one
	MakeExchange ChangeKind = "exchange"      // the atomic store becomes an atomic exchange
	MoveBehind   ChangeKind = "move"          // the line moves behind line To
	AddWait      ChangeKind = "wait_list"     // the command gets the event of the command in line To into its wait list
	MakeBlocking ChangeKind = "blocking"      // the command gets CL_TRUE for "blocking"
	AddFinish    ChangeKind = "finish"        // a clFinish of Queue comes before the line
	SetEnqueue   ChangeKind = "enqueue_flags" // the device-side enqueue gets Flags
)

// Change is one change of the source.
type Change struct {
	Kind ChangeKind `json:"kind"`
	File string     `json:"file"`
	Line int        `json:"line"`
	Col  int        `json:"col,omitempty"`  // of the operator or call, where there is one
	What string     `json:"what,omitempty"` // what is there: "store"
	To   int        `json:"to,omitempty"`   // another line of the file

	Order string `json:"order,omitempty"`
	Scope string `json:"scope,omitempty"`
	Flags string `json:"flags,omitempty"`
	Queue string `json:"queue,omitempty"`
	// Function is what a barrier is called in the program, or of an access that becomes atomic, the function: "atomic_or".
	Function string `json:"function,omitempty"`
	// Type is that of the pointer to an object which is not declared atomic, where the function asks for one: "global atomic_int *".
	Type string `json:"type,omitempty"`
}

// change returns a change of a kind at the place of a step.
func change(k ChangeKind, s *Step) Change {
	return Change{Kind: k, File: s.File, Line: s.Line, Col: s.Col, What: s.Kind.noun()}
}

// orderChange gives a step an order that it needs, besides what it has.
func orderChange(s *Step, wanted memmodel.Order) Change {
	c := change(SetOrder, s)
	switch {
	case s.Kind == CompareExch && !s.Writes():
		c.Kind = SetFailure
	case (s.Kind == Modify || s.Kind == CompareExch) && s.order != memmodel.Relaxed && s.order != wanted && wanted != memmodel.SeqCst:
		wanted = memmodel.AcqRel
	}
	c.Order = wanted.String()
	return c
}

// words say what a change is, in the middle of a sentence.
func (c *Change) words() string {
	in := fmt.Sprintf(" in line %d", c.Line)
	switch c.Kind {
	case SetOrder:
		text := fmt.Sprintf("use %s for the %s%s", c.Order, c.What, in)
		if c.Order == memmodel.AcqRel.String() && c.What != "fence" {
			text += ", which is both"
		}
		return text
	case SetFailure:
		return fmt.Sprintf("use %s as the order of failure for the %s%s", c.Order, c.What, in)
	case SetScope:
		return fmt.Sprintf("use %s for the %s%s", c.Scope, c.What, in)
	case AddFlags:
		return fmt.Sprintf("add %s to the flags of the %s%s", c.Flags, c.What, in)
	case AddBarrier, AddSubGroup:
		return fmt.Sprintf("put a %s(%s) before line %d", c.Function, c.Flags, c.Line)
	case AddFence:
		return fmt.Sprintf("put %s before line %d", c.fence(), c.Line)
	case SetFence:
		return fmt.Sprintf("write %s instead of the fence%s", c.fence(), in)
	case MakeAtomic:
		return fmt.Sprintf("make the %s%s atomic, by %s", c.What, in, c.call())
	case MakeExchange:
		return fmt.Sprintf("make the store%s a read-modify-write, such as atomic_exchange", in)
	case MoveBehind:
		return fmt.Sprintf("make the access in line %d before the %s%s", c.To, c.What, in)
	case AddWait:
		return fmt.Sprintf("put the event of the command in line %d into the wait list of that%s", c.To, in)
	case MakeBlocking:
		return fmt.Sprintf("make the call%s blocking (CL_TRUE)", in)
	case AddFinish:
		return fmt.Sprintf("wait with %s before line %d", finishOf(c.Queue), c.Line)
	}
	return fmt.Sprintf("use %s in the enqueue%s", c.Flags, in)
}

func finishOf(queue string) string {
	if queue == "" {
		return "clFinish"
	}
	return fmt.Sprintf("clFinish(%s)", queue)
}

// fence writes the fence that a change puts somewhere.
func (c *Change) fence() string {
	if c.Function != "" && c.Function != fenceFunction {
		return fmt.Sprintf("%s(%s)", c.Function, c.Flags)
	}
	return fmt.Sprintf("%s(%s, %s, %s)", fenceFunction, c.Flags, c.Order, c.Scope)
}

const fenceFunction = "atomic_work_item_fence"

// call names the function by which an access becomes atomic, with what a function of OpenCL 2.0 is to be given.
func (c *Change) call() string {
	if c.Order == "" {
		return c.Function
	}
	return fmt.Sprintf("%s (%s, %s)", c.Function, c.Order, c.Scope)
}

// sentence writes changes as one sentence.
func sentence(changes []Change) string {
	var parts []string
	for i := 0; i < len(changes); i++ {
		c := changes[i]
		if i+1 < len(changes) {
			d := changes[i+1]
			same := c.Kind == d.Kind && c.Order == d.Order && c.Scope == d.Scope && c.Flags == d.Flags && c.File == d.File
			if same && (c.Kind == SetScope || c.Kind == AddFlags) && c.Line != d.Line {
				what := map[ChangeKind]string{SetScope: "use " + c.Scope, AddFlags: "add " + c.Flags}[c.Kind]
				parts = append(parts, fmt.Sprintf("%s in both (lines %d and %d)", what, min(c.Line, d.Line), max(c.Line, d.Line)))
				i++
				continue
			}
		}
		parts = append(parts, c.words())
	}
	return upper(strings.Join(parts, ", and ")) + "."
}

// mends gives a reason a repair that is made of changes. Where one of them has no place in the source, the words alone are kept.
func (r *Reason) mends(changes ...Change) {
	for i := 0; i < len(changes); i++ {
		if slices.Contains(changes[:i], changes[i]) {
			changes = slices.Delete(changes, i, i+1)
			i--
		}
	}
	if len(changes) == 0 {
		return
	}
	r.Repair, r.Changes = sentence(changes), changes
	r.placed()
}

// placed keeps the words alone where one of the changes has no place in the source.
func (r *Reason) placed() {
	if slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Line == 0 }) {
		r.Changes = nil
	}
}

// Mechanical reports whether the repairs of a trace can be made without thinking: each reason that has one lists its changes.
func (t *Trace) Mechanical() bool {
	some := false
	for i := range t.Why {
		if t.Why[i].Repair == "" {
			continue
		}
		if some = true; len(t.Why[i].Changes) == 0 {
			return false
		}
	}
	return some
}

// Advised is the repair, with what came of it.
func (r *Reason) Advised() string {
	if r.Tried == "" {
		return r.Repair
	}
	return r.Repair + " " + r.Tried
}

// Advice is what stands before a repair in a report: it is one only where all that has to be changed is known.
func (t *Trace) Advice() string {
	if t.Mechanical() {
		return "Repair"
	}
	return "Idea"
}

// oldForms reports whether a program uses the atomic functions of OpenCL 1.x only: then it is advised in their terms.
func (r *execution) oldForms() bool {
	old := false
	for _, f := range r.p.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			switch {
			case !in.Op.Access() || in.Order == memmodel.NonAtomic:
				if in.Op == ir.OpFence && !legacyFence.MatchString(position(r.p, in.Pos).Source) {
					return false
				}
			case !in.Legacy:
				return false
			default:
				old = true
			}
		}
	}
	return old
}

// barrierName is what the program calls a barrier of a work-group.
func (r *execution) barrierName() string {
	if r.calls("barrier") && !r.calls("work_group_barrier") {
		return "barrier"
	}
	return "work_group_barrier"
}

// calls reports whether a kernel file of the program calls a function.
func (r *execution) calls(function string) bool {
	for _, s := range r.p.Sources {
		for rest := s.Text; ; {
			before, after, ok := strings.Cut(rest, function+"(")
			if !ok {
				break
			}
			if n := len(before); n == 0 || !wordPart(before[n-1]) {
				return true
			}
			rest = after
		}
	}
	return false
}

func wordPart(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
