package explore

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// meaning is what a choice says, in terms that do not depend on what has been
// dropped or merged of the state: messages by their labels, promised writes by what
// they write. What it leaves out is the guess about a release sequence: of the
// same sequence, one state may show more that hangs on it than the other.
type meaning struct {
	message int8           // the one that is read, or what names the place of a store
	choice  state.Choice   // but for what message says
	promise memmodel.Write // the write that is promised
	addr    int32          // of the promise's location
}

// meaningOf returns what a choice of unit u's next operation says.
func meaningOf(m *state.Machine, s *state.State, u memmodel.Unit, c state.Choice) meaning {
	w := meaning{message: memmodel.Nothing, choice: c}
	if c.Promise > 1 {
		var x memmodel.Loc
		x, w.promise, _ = m.Promises().Of(s, u, c) // where it is written depends on what else can be promised
		w.addr = s.Cast.Cell(x).Addr
		w.named(s, x, c, !w.promise.RMW)
		w.choice.Promise = 2 // its number depends on what else can be promised
		return w
	}
	if s.Cast.Units[u].Func < 0 {
		return w
	}
	switch in := m.Operation(s, u).Instr; {
	case in.Op == ir.OpEventStatus:
		if x := m.Reading(s, u); x >= 0 {
			w.named(s, x, c, false)
			w.choice.Broken = c.Broken // is no guess here
		}
	case in.Op.Access() && in.Order != memmodel.NonAtomic:
		if x := m.Operation(s, u).Loc; x >= 0 && s.Cast.Layout.Locs[x].Atomic && !sealed(m, s, u, c) {
			w.named(s, x, c, in.Op == ir.OpStore && c.Promise == 0)
		}
	}
	return w
}

// named says by the label of a message of x what a choice says by its place.
func (w *meaning) named(s *state.State, x memmodel.Loc, c state.Choice, place bool) {
	if place {
		w.message = s.Mem.NameOfPlace(x, int(c.Back))
	} else {
		w.message = s.Mem.Name(x, int(c.Back))
	}
	w.choice.Back, w.choice.Broken = 0, 0
}

// sealed reports whether a choice keeps the promise of a release, which has no place.
func sealed(m *state.Machine, s *state.State, u memmodel.Unit, c state.Choice) bool {
	return c.Promise == 1 && m.Operation(s, u).Instr.Order.Releases()
}
