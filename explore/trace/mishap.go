package trace

import (
	"strings"

	"github.com/clmc/clmc/state"
)

// What goes wrong within private code is no operation that others could notice, and so no step of the search; nor is it that a work-item ends which others
// wait for at a barrier. A reader looks for both in the schedule: each is told as its last step.

// mishaps are what a work-item does, in a few words, when it goes wrong within private code.
var mishaps = map[state.Kind]string{
	state.IndexOutOfRange:   "out of range",
	state.NilDereference:    "dereferences NULL",
	state.DivisionByZero:    "divides by 0",
	state.AssertionFailed:   "assertion fails",
	state.UninitialisedRead: "reads what is not written",
	state.InvalidArgument:   "not allowed",
	state.InvalidAccess:     "access not allowed",
	state.NonTermination:    "computes for ever",
}

// mishap adds the step in which the execution goes wrong, if it is within private code.
func (r *teller) mishap() {
	c := &r.at
	if r.t.kind == state.BarrierDivergence {
		if c.ended {
			r.lastly(c.missing, End, c.misses, "ends")
		}
		return
	}
	brief := mishaps[r.t.kind]
	if brief == "" || c.op.Instr == nil || c.op.Instr.Op.Visible() {
		return
	}
	switch value, _, _ := strings.Cut(r.operandValue(), ","); {
	case r.t.kind == state.IndexOutOfRange && value != "":
		brief += value
	case r.t.kind == state.UninitialisedRead && r.t.Location != "" && !strings.HasPrefix(r.t.Location, "the "):
		brief = "reads " + r.t.Location + ", which is not written"
	}
	r.lastly(c.lane, Mishap, c.op, brief)
}

// lastly adds a step that no move performs.
func (r *teller) lastly(lane int, kind Kind, o state.Operation, brief string) {
	u := r.unit(lane)
	if u < 0 {
		return
	}
	s := r.add(Step{Lane: lane, Move: max(len(r.schedule)-1, 0), Pos: r.place(o.Instr.Pos), Kind: kind, Op: brief, Brief: brief}, o.Instr, u)
	if r.t.Slice != nil {
		r.t.Slice = append(r.t.Slice, s.ID)
	}
}
