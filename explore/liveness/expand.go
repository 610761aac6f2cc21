package liveness

import (
	"encoding/binary"
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// expander computes the steps of states. It holds scratch space.
type expander struct {
	m       *state.Machine
	opt     Options
	por     por.Reducer
	canon   canon
	choices []state.Choice
	next    state.State
	cur     state.State
	buf     []byte
	renewed []memmodel.Loc
}

// canon brings states into canonical form so that each message is called by the oldest that it stands for.
type canon struct{ memmodel.Canon }

func newExpander(m *state.Machine, opt Options) *expander {
	x := &expander{m: m, opt: opt, por: por.Reducer{Mode: por.Sleep, Machine: m}}
	x.canon.First = true
	return x
}

// Normalise brings a state into canonical form.
func (c *canon) Normalise(m *state.Machine, s *state.State) { m.Normalise(&c.Canon, s) }

// words is how long a set of a cast's units is.
func words(c *state.Cast) int { return (int(c.Count()) + 63) / 64 }

func has(set []uint64, u memmodel.Unit) bool { return set[u>>6]&(1<<(u&63)) != 0 }

func add(set []uint64, u memmodel.Unit) { set[u>>6] |= 1 << (u & 63) }

func appendWords(b []byte, set []uint64) []byte {
	for _, w := range set {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return append(b, byte(len(set)), byte(len(set)>>8))
}

// decode returns the state that a node stands for, and who has started.
func (x *expander) decode(text []byte) (*state.State, []uint64, error) {
	n := int(binary.LittleEndian.Uint16(text[len(text)-2:]))
	from := len(text) - 2 - 8*n
	started := make([]uint64, n)
	for i := range started {
		started[i] = binary.LittleEndian.Uint64(text[from+8*i:])
	}
	return &x.cur, started, x.m.Decode(&x.cur, text[:from])
}

// profile returns what obligations ask of a state.
func (x *expander) profile(s *state.State, started []uint64) profile {
	n := words(s.Cast)
	p := profile{cast: s.Cast, enabled: make([]uint64, n), started: started, owing: make([]uint64, n), open: s.Open()}
	some := false
	for u := range s.Cast.Count() {
		if x.m.Traits.Promises && s.Mem.Promises(u) > 0 {
			add(p.owing, u)
		}
		if s.Status(u) == state.Ready {
			if x.choices = x.m.Choices(s, u, x.choices[:0]); len(x.choices) > 0 {
				add(p.enabled, u)
				some = true
			}
		}
	}
	p.end = !some
	return p
}

// step is something that a unit can do at a state.
type step struct {
	unit      memmodel.Unit
	choice    state.Choice
	next      *state.State // in canonical form
	started   []uint64     // who has started then
	flag      flag
	loc       memmodel.Loc
	renewed   []memmodel.Loc // with manyRenewed
	round     bool           // it is a round of waiting that leads back to where it begins
	discarded bool           // an assumption of the model fails
	limit     string         // why it cannot be followed, if it cannot
}

// each calls f with all steps that units can make at a state, but for one unit, always in the same order. A step is valid until the next.
func (x *expander) each(s *state.State, started []uint64, but memmodel.Unit, f func(*step)) {
	for u := range s.Cast.Count() {
		if u != but {
			x.of(s, started, u, f)
		}
	}
}

// of calls f with all steps that a unit can make at a state.
func (x *expander) of(s *state.State, started []uint64, u memmodel.Unit, f func(*step)) {
	if s.Status(u) != state.Ready {
		return
	}
	for _, c := range por.Moves(x.m, s, u, nil) {
		st := step{unit: u, choice: c, next: &x.next}
		if x.take(s, started, &st) {
			f(&st)
		}
	}
}

// atOnce returns a unit whose steps alone need be tried at a state, or -1.
// docs/exploration/liveness.md, "Steps at once".
func (x *expander) atOnce(s *state.State, started []uint64) memmodel.Unit {
	if x.opt.AtOnce == Nobody {
		return -1
	}
	for u := range s.Cast.Count() {
		if s.Status(u) == state.Ready && x.mustCome(s, started, u) && x.por.AtOnce(s, u) {
			return u
		}
	}
	return -1
}

// mustCome reports whether unit u, that can make a step, does some time, or nobody could tell whether it does.
func (x *expander) mustCome(s *state.State, started []uint64, u memmodel.Unit) bool {
	switch {
	case !isItem(&s.Cast.Units[u]):
		return true
	case x.opt.Starts && !has(started, u):
		return false
	}
	return x.opt.AtOnce == Started || (!x.opt.Each || has(started, u)) && x.unnoticed(s, u)
}

// unnoticed reports whether nobody can notice the next step of unit u: it is a plain access or a fence, behind which u can make another step. What data it
// writes is read by nobody who has not been told by a later step of u.
func (x *expander) unnoticed(s *state.State, u memmodel.Unit) bool {
	if x.m.Traits.Promises || x.m.Maps || x.m.Beyond {
		return false
	}
	in := x.m.Operation(s, u).Instr
	switch {
	case in.Op.Access() && in.Order == memmodel.NonAtomic:
	case in.Op == ir.OpFence && in.Order != memmodel.SeqCst:
	default:
		return false
	}
	x.choices = x.m.Choices(s, u, x.choices[:0])
	if len(x.choices) != 1 {
		return false
	}
	n := &x.next
	n.CopyFrom(s)
	x.m.Try(n, u, x.choices[0])
	return !n.Abandoned && n.Cast == s.Cast && n.Status(u) == state.Ready && n.Violation.Kind == state.NoViolation
}

// take makes a step, and reports whether it exists.
func (x *expander) take(s *state.State, started []uint64, st *step) bool {
	u, c, n := st.unit, st.choice, &x.next
	n.CopyFrom(s)
	st.flag, st.loc = x.label(s, u, c)
	n.Mem.MarkNewest()
	x.m.Try(n, u, c)
	switch {
	case n.Abandoned && n.Mem.GraphFull():
		st.limit = "more than 64 seq_cst operations constrain each other in some execution"
		return true
	case n.Abandoned:
		st.discarded = n.AssumptionFailed && !s.Open()
		return st.discarded
	case n.MessageBoundHit != state.NoLimit:
		st.limit = n.MessageBoundHit.String()
		return true
	case n.Violation.Kind != state.NoViolation && !n.Open():
		st.limit = "an execution goes wrong before it is known whether it ends"
		return true
	}
	if st.round = x.opt.Rounds && x.isRound(s, n, st); st.round {
		n.CopyFrom(s)
		st.started = x.begin(s, n, started, u)
		return true
	}
	x.m.Normalise(&x.canon.Canon, n)
	if n.Mem.Longest() > maxMessages {
		st.limit = fmt.Sprintf("one work-item can perform more than %d stores to one location that another has not seen, which is the bound of clmc", maxMessages)
		return true
	}
	x.renewals(s, st)
	st.started = x.begin(s, n, started, u)
	return true
}

// isRound reports whether a step that has led from s to n is a round of waiting, in which nothing is written.
// docs/exploration/liveness.md, "Rounds of waiting".
func (x *expander) isRound(s, n *state.State, st *step) bool {
	return st.choice.Promise == 0 && st.choice.Broken == 0 && x.m.Reading(s, st.unit) >= 0 && x.m.Target(s, st.unit, st.choice) < 0 && x.por.Spins(s, n, st.unit)
}

// label says what a step is to memory fairness.
func (x *expander) label(s *state.State, u memmodel.Unit, c state.Choice) (f flag, loc memmodel.Loc) {
	loc = -1
	if s.Cast.Units[u].Func < 0 || c.Promise > 1 {
		return 0, loc
	}
	if loc = x.m.Target(s, u, c); loc < 0 {
		loc = x.m.Reading(s, u)
	}
	if loc < 0 {
		return 0, loc
	}
	op := x.m.Operation(s, u)
	if op.Instr.Op.Access() && op.Instr.Order != memmodel.NonAtomic {
		if c.Back > 0 {
			f |= stale
		}
		if op.Instr.Op == ir.OpCmpXchg && op.Instr.Weak && c.Fail && s.Mem.Value(loc, memmodel.Msg(c.Back)) == op.B {
			f |= spurious
		}
	}
	if c.Promise == 1 {
		f |= keeps
	}
	return f, loc
}

// renewals notes of which locations the newest message is another one after a step.
func (x *expander) renewals(s *state.State, st *step) {
	n := st.next
	if n.Cast != s.Cast { // whose locations have other numbers
		return
	}
	x.renewed = n.Mem.AppendRenewed(x.renewed[:0])
	switch {
	case len(x.renewed) == 0:
	case len(x.renewed) == 1 && (x.renewed[0] == st.loc || st.loc < 0):
		st.loc, st.flag = x.renewed[0], st.flag|renews
	default:
		st.flag |= manyRenewed
		st.renewed = x.renewed
	}
}

// begin returns who has started after a step of unit u: the unit, or all units of its group, where that is all that matters.
func (x *expander) begin(s, n *state.State, started []uint64, u memmodel.Unit) []uint64 {
	if !x.opt.Starts && !x.opt.Each {
		if n.Cast == s.Cast {
			return started
		}
		return make([]uint64, words(n.Cast))
	}
	after := make([]uint64, len(started))
	copy(after, started)
	if c := s.Cast; isItem(&c.Units[u]) {
		add(after, u)
		for v := range c.Count() {
			if !x.opt.Each && isItem(&c.Units[v]) && c.Units[v].Place.SameGroup(c.Units[u].Place) {
				add(after, v)
			}
		}
	}
	if n.Cast == s.Cast {
		return after
	}
	carried := make([]uint64, words(n.Cast))
	for v := range n.Cast.Count() {
		if was := s.Cast.Find(n.Cast.Units[v].ID); was >= 0 && has(after, was) {
			add(carried, v)
		}
	}
	return carried
}
