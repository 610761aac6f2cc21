package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Eager reports whether unit u, whose next operation reads, can perform it at
// once: it has one outcome, and whatever the others may do meanwhile, nothing
// would be different if they did it first. docs/exploration.md says why.
func (m *Machine) Eager(s *State, u int, scratch []Choice) bool {
	x := m.Reading(s, u)
	if x < 0 || m.Beyond || m.Keep&memmodel.KeepOrders != 0 || m.Promising(s, u) {
		return false
	}
	p := &m.Plans[s.Cast.Units[u].Func][s.pc[u]]
	if p.Class == facts.NumClasses && p.Loops { // it could go round for ever
		return false
	}
	if m.MayBeWritten(s, u, x) && (p.Class == facts.NumClasses || !m.commutes(s, u, x, p.Class)) {
		return false
	}
	return len(m.Different(s, u, m.Choices(s, u, scratch[:0]))) == 1
}

// commutes reports whether unit u's next operation, a read-modify-write of x of
// a class, commutes with all that is done to x and not ordered after it: this
// must be of the same class, u's own operations included, and not learn
// through x what u has released by a fence: that goes to whoever comes later and
// acquires by a fence. What u itself does not learn for being first only allows more.
func (m *Machine) commutes(s *State, u, x int, k facts.Class) bool {
	if m.Traits.SeqCst || !m.PromisesOver(s) || m.Keep&memmodel.KeepOrders != 0 { // modification order constrains S
		return false
	}
	c := s.Cast
	word, bit := x>>6, uint64(1)<<(x&63)
	group := c.Units[u].Group
	region, e := memmodel.GlobalFence, facts.NearGlobal
	if c.Layout.Locs[x].Region == memmodel.Local {
		region, e = memmodel.LocalFence, facts.NearLocal
	}
	for t := range c.Units { // those of other groups do not wait at the barrier
		if (group < 0 || c.Units[t].Group != group) && !m.waitsFor(s, t, u) && m.future(s, t, facts.Ever).Access[word]&bit != 0 {
			e = facts.Ever
		}
	}
	for t := range c.Units {
		if !m.mayCome(s, t, u, word, bit) {
			continue
		}
		f := m.future(s, t, e)
		switch {
		case f.Access[word]&bit == 0:
			continue
		case f.apart[k][word]&bit != 0:
			return false
		case t == u || !m.Traits.Fences:
			continue
		case c.Units[t].Func < 0:
			return false
		}
		if m.future(s, t, facts.Ever).ahead.Acquires&region != 0 && s.Mem.WouldTell(u, t, region) {
			return false
		}
	}
	return true
}

// mayCome reports whether unit t may access a location, given by its place in
// sets, and need not wait for unit u and all others that may.
func (m *Machine) mayCome(s *State, t, u, word int, bit uint64) bool {
	if !m.waitsFor(s, t, u) {
		return true
	}
	if s.idle(t) || m.future(s, t, facts.Ever).Access[word]&bit == 0 {
		return false
	}
	for v := range s.Cast.Units {
		if v == t || !m.DeviceQueue && s.Cast.Units[v].command == s.Cast.Units[u].command {
			continue
		}
		if !m.waitsFor(s, v, u) && m.future(s, v, facts.Ever).Access[word]&bit != 0 && !m.waitsFor(s, t, v) {
			return true
		}
	}
	return false
}

// Different returns outcomes of unit u's next operation that allow all that any
// of them allows, in their place.
func (m *Machine) Different(s *State, u int, choices []Choice) []Choice {
	if len(choices) < 2 || m.Beyond || m.Traits.SeqCst || m.Keep&memmodel.KeepOrders != 0 || !m.PromisesOver(s) {
		return choices
	}
	if x := m.Reading(s, u); x >= 0 {
		return m.differentReads(s, u, x, choices)
	}
	return m.differentStores(s, u, choices)
}

// differentReads leaves out what has unit u go on as it does when it reads what
// it has seen already of location x, which teaches it nothing: docs/exploration.md
// says why that allows the most.
func (m *Machine) differentReads(s *State, u, x int, choices []Choice) []Choice {
	base := len(choices) - 1
	var known, after [maxGlimpse]int64
	if m.Traits.Fences || m.Modifying(s, u) || len(s.reg(u)) > maxGlimpse || !s.Mem.TeachesNothing(u, x, int(choices[base].Back)) {
		return choices
	}
	pc, ok := m.glimpse(s, u, s.Mem.Value(x, int(choices[base].Back)), &known)
	if !ok || pc == s.pc[u] {
		return choices
	}
	n := 0
	for _, c := range choices[:base] {
		if to, ok := m.glimpse(s, u, s.Mem.Value(x, int(c.Back)), &after); !ok || to != pc || after != known {
			choices[n] = c
			n++
		}
	}
	choices[n] = choices[base]
	return choices[:n+1]
}

// Bounds of a glimpse, in registers and instructions.
const (
	maxGlimpse = 32
	farGlimpse = 32
)

// glimpse finds where unit u goes, and with which registers, if its next operation,
// a load or a compare-exchange that fails, reads a value. The result is false if
// more comes of it, or it is far.
func (m *Machine) glimpse(s *State, u int, value int64, regs *[maxGlimpse]int64) (pc int32, ok bool) {
	unit := &s.Cast.Units[u]
	f := m.Program.Funcs[unit.Func]
	own := regs[:copy(regs[:], s.reg(u))]
	pc = s.pc[u]
	switch in := &f.Code[pc]; in.Op {
	case ir.OpLoad:
		set(own, in.Dst, value)
	case ir.OpCmpXchg:
		set(own, in.Dst2, value)
		set(own, in.Dst, 0)
	default:
		return 0, false
	}
	pc++
	for range farGlimpse {
		in := &f.Code[pc]
		switch in.Op {
		case ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv, ir.OpJump, ir.OpBranch, ir.OpQuery, ir.OpRound:
		case ir.OpCheck, ir.OpAssert:
			if operand(f, own, in.A) == 0 {
				return 0, false
			}
		case ir.OpEnd:
			clear(own)
			return pc, true
		default:
			if !in.Op.Visible() {
				return 0, false
			}
			if !m.private(in, f, own) {
				for _, r := range m.Plans[unit.Func][pc].Dead {
					own[r] = 0
				}
				return pc, true
			}
			pc++
			continue
		}
		pc, _ = m.local(s, u, f, in, pc, own)
	}
	return 0, false
}

// differentStores leaves out places in modification order. If unit u's next
// operation stores where nobody will read any more but units that will have seen
// everything by then, it matters at most whether the store is the last.
func (m *Machine) differentStores(s *State, u int, choices []Choice) []Choice {
	x := m.Target(s, u, choices[0])
	if x < 0 || s.Mem.Guarded(x) || m.Keep&memmodel.KeepLocations != 0 {
		return choices
	}
	wanted := s.Cast.final[x>>6]&(1<<(x&63)) != 0
	for t := range s.Cast.Units {
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

// Rivals reports whether outcomes of unit u's next operation may be compared by
// Dominates: it is a load or compare-exchange.
func (m *Machine) Rivals(s *State, u int) bool {
	return !m.Traits.SeqCst && m.Keep&memmodel.KeepOrders == 0 && m.Reading(s, u) >= 0 && m.PromisesOver(s)
}

// Dominates reports whether whatever may follow b may follow a, both of which are
// outcomes of one operation: they differ at most in that units have seen less of
// some locations in a, and hence can read all that they could in b, and more.
func (m *Machine) Dominates(a, b *State) bool {
	return a.Cast == b.Cast && !a.Abandoned && !b.Abandoned && a.Violation == b.Violation && a.reached == b.reached &&
		a.due == b.due && slices.Equal(a.pc, b.pc) && slices.Equal(a.status, b.status) && slices.Equal(a.obs, b.obs) &&
		slices.Equal(a.made, b.made) && slices.Equal(a.code, b.code) && slices.Equal(a.refs, b.refs) &&
		slices.Equal(a.maps, b.maps) && slices.Equal(a.regs, b.regs) && a.Mem.Dominates(&b.Mem)
}
