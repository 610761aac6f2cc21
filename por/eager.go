package por

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// eager reports whether unit u, whose next operation reads, can perform it at
// once: it has one outcome, and whatever the others may do meanwhile, nothing
// would be different if they did it first. docs/exploration/source-free.md says why.
func (r *Reducer) eager(s *state.State, u memmodel.Unit, scratch []state.Choice) bool {
	m := r.Machine
	x := m.Reading(s, u)
	if x < 0 || m.Beyond || m.Keep&memmodel.KeepOrders != 0 || m.Promises().May(s, u) {
		return false
	}
	p := &m.Plans[s.Cast.Units[u].Func][s.PC(u)]
	if p.Class == ir.Ordered && p.Loops { // it could go round for ever
		return false
	}
	if r.MayBeWritten(s, u, x) && (p.Class == ir.Ordered || !r.commutes(s, u, x, p.Class)) && !r.tooLate(s, u, x, m.Choices(s, u, scratch[:0])) {
		return false
	}
	return len(r.Different(s, u, m.Choices(s, u, scratch[:0]))) == 1
}

// tooLate reports whether unit u's next operation is a compare-exchange of x that can only fail,
// whatever the others may do first, and that makes no difference but by what u has then seen of x:
// least by its last outcome.
// docs/exploration/source-free.md, "Compare-exchanges that come too late".
func (r *Reducer) tooLate(s *state.State, u memmodel.Unit, x memmodel.Loc, choices []state.Choice) bool {
	m := r.Machine
	if !m.Plans[s.Cast.Units[u].Func][s.PC(u)].Vain || m.Traits.SeqCst || s.Cast.Hidden(x) || !m.Promises().Over(s) {
		return false
	}
	last := len(choices) - 1
	least := int(choices[last].Back)
	for i, c := range choices {
		if !c.Fail || i < last && int(c.Back) == least {
			return false
		}
	}
	if m.Ahead(s, u, facts.Ever).Acquires && !s.Mem.TeachesNothing(u, x, least) {
		return false
	}
	expected := m.Operation(s, u).B
	for t := range s.Cast.Count() {
		if f := r.concurrentEffects(s, u, t); f != nil && f.Written[x].Has(expected) {
			return false
		}
	}
	return true
}

// commutes reports whether unit u's next operation, a read-modify-write of x of
// a class, commutes with all that is done to x and not ordered after it: this
// must be of the same class, u's own operations included, and not learn
// through x what u has released by a fence: that goes to whoever comes later and
// acquires by a fence. What u itself does not learn for being first only allows more; but races, too.
// docs/exploration/source-free.md, "Additions that nobody looks at".
func (r *Reducer) commutes(s *state.State, u memmodel.Unit, x memmodel.Loc, k ir.Class) bool {
	m := r.Machine
	if m.Traits.SeqCst || !m.Promises().Over(s) || m.Keep&memmodel.KeepOrders != 0 { // modification order constrains S
		return false
	}
	c := s.Cast
	word, bit := x>>6, uint64(1)<<(x&63)
	group := c.Units[u].Group
	region, e := memmodel.GlobalFence, facts.NearGlobal
	if c.Layout.Locs[x].Region == memmodel.Local {
		region, e = memmodel.LocalFence, facts.NearLocal
	}
	for t := range c.Count() { // those of other groups do not wait at the barrier
		if (group < 0 || c.Units[t].Group != group) && !m.WaitsFor(s, t, u) && m.Ahead(s, t, facts.Ever).Access[word]&bit != 0 {
			e = facts.Ever
		}
	}
	for t := range c.Count() {
		if m.Halted() {
			return false
		}
		if !r.mayCome(s, t, u, word, bit) {
			continue
		}
		f := m.Ahead(s, t, e)
		switch {
		case f.Access[word]&bit == 0:
			continue
		case f.Others[k][word]&bit != 0:
			return false
		case t == u || !m.Traits.Fences:
			continue
		case c.Units[t].Func < 0 || m.Keep&memmodel.KeepSync != 0 && c.Layout.Timed() && m.Ahead(s, u, facts.Ever).Acquires:
			return false
		}
		if m.Ahead(s, t, facts.Ever).Onward.Acquires&region != 0 && s.Mem.WouldTell(u, t, region) {
			return false
		}
	}
	return true
}

// mayCome reports whether unit t may access a location, given by its place in
// sets, and need not wait for unit u and all others that may.
func (r *Reducer) mayCome(s *state.State, t, u memmodel.Unit, word memmodel.Loc, bit uint64) bool {
	m := r.Machine
	if !m.WaitsFor(s, t, u) {
		return true
	}
	if s.Idle(t) || m.Ahead(s, t, facts.Ever).Access[word]&bit == 0 {
		return false
	}
	for v := range s.Cast.Count() {
		if v == t || !m.DeviceQueue && s.Cast.OneCommand(u, v) {
			continue
		}
		if !m.WaitsFor(s, v, u) && m.Ahead(s, v, facts.Ever).Access[word]&bit != 0 && !m.WaitsFor(s, t, v) {
			return true
		}
	}
	return false
}

// Different returns outcomes of unit u's next operation that allow all that any
// of them allows, in their place.
// docs/exploration/waiting.md, "Reads that make no difference".
func (r *Reducer) Different(s *state.State, u memmodel.Unit, choices []state.Choice) []state.Choice {
	m := r.Machine
	if len(choices) < 2 || m.Beyond || m.Traits.SeqCst || m.Keep&memmodel.KeepOrders != 0 || !m.Promises().Over(s) {
		return choices
	}
	if x := m.Reading(s, u); x >= 0 {
		return r.differentReads(s, u, x, choices)
	}
	return r.differentStores(s, u, choices)
}

// differentReads leaves out what has unit u go on as it does when it reads what
// it has seen already of location x, which teaches it nothing: docs/exploration.md
// says why that allows the most.
func (r *Reducer) differentReads(s *state.State, u memmodel.Unit, x memmodel.Loc, choices []state.Choice) []state.Choice {
	m := r.Machine
	base := len(choices) - 1
	if r.tooLate(s, u, x, choices) {
		choices[0] = choices[base]
		return choices[:1]
	}
	var known, after [state.MaxPeek]int64
	if m.Traits.Fences || m.Modifying(s, u) || len(s.Registers(u)) > state.MaxPeek || !s.Mem.TeachesNothing(u, x, int(choices[base].Back)) {
		return choices
	}
	pc, ok := m.Peek(s, u, s.Mem.Value(x, memmodel.Msg(choices[base].Back)), &known)
	if !ok || pc == int32(s.PC(u)) {
		return choices
	}
	n := 0
	for _, c := range choices[:base] {
		if to, ok := m.Peek(s, u, s.Mem.Value(x, memmodel.Msg(c.Back)), &after); !ok || to != pc || after != known {
			choices[n] = c
			n++
		}
	}
	choices[n] = choices[base]
	return choices[:n+1]
}

// differentStores leaves out places in modification order. If unit u's next
// operation stores where nobody will read any more but units that will have seen
// everything by then, it matters at most whether the store is the last.
func (r *Reducer) differentStores(s *state.State, u memmodel.Unit, choices []state.Choice) []state.Choice {
	m := r.Machine
	x := m.Target(s, u, choices[0])
	if x < 0 || s.Mem.Guarded(x) || m.Keep&memmodel.KeepLocations != 0 {
		return choices
	}
	wanted := s.Cast.Wanted(x)
	for t := range s.Cast.Count() {
		f := m.Future(s, t)
		if f == nil || (f.Peek[x>>6]|f.Modify[x>>6])&(1<<(x&63)) == 0 {
			continue
		}
		if m.Concurrent || s.Mem.Acting(t) {
			return choices
		}
		wanted = true
	}
	if wanted {
		return choices[:2]
	}
	return choices[:1]
}

// ConflictingOutcomes reports whether outcomes of unit u's next operation may be compared by
// Dominates: it is a load or compare-exchange.
func (r *Reducer) ConflictingOutcomes(s *state.State, u memmodel.Unit) bool {
	m := r.Machine
	return !m.Traits.SeqCst && m.Keep&memmodel.KeepOrders == 0 && m.Reading(s, u) >= 0 && m.Promises().Over(s)
}
