package loadbuffering

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// program is the program that the analysis is about.
type program struct {
	*facts.Facts
	machine   *state.Machine // to run units by themselves
	sync      bool           // races are set aside: memmodel.KeepSync
	acquiring map[point]bool // results of mustAcquireAt
	releasing map[point]bool // results of mayReleaseAt
}

// point is an instruction of a function.
type point struct{ fn, pc int }

func of(m *state.Machine) *program {
	return &program{m.Facts, m, m.Keep&memmodel.KeepSync != 0, map[point]bool{}, map[point]bool{}}
}

// Halted reports whether an analysis that takes long is to be given up.
func (m *program) Halted() bool { return m.machine.Halted() }

// Matters reports whether a promise can make a difference to the program: whether there can be a cycle of program
// order and reads-from that no barrier, fence or memory order forbids. It may err only towards true.
func Matters(machine *state.Machine) bool {
	_, matters := Where(machine)
	return matters
}

// May is Matters judged by the code alone, without running threads.
func May(machine *state.Machine) bool {
	_, may := Anywhere(machine)
	return may
}

// Where returns the writes that are worth promising, and whether there is one.
func Where(machine *state.Machine) (where state.Promisable, matters bool) {
	m := of(machine)
	cyclic := m.cycles()
	if cyclic == nil {
		return where, false
	}
	a := m.analyse(nil)
	if a == nil {
		return m.where(m.representatives(cyclic, m.represents)), true
	}
	writes := m.representatives(cyclic, a.represents())
	a.spare(writes)
	h, tooMany := a.buildEdges(false)
	if tooMany {
		return m.where(writes), true
	}
	if !h.cyclic(nil) || a.refutesCycles() {
		return m.where(writes), false
	}
	where = m.where(writes)
	where.Enough, where.Unaided = h.enough(writes)
	return where, true
}

// refutesCycles reports whether two finer analyses find no cycle: one that knows which cells are monotone, and one
// that tells a read-modify-write that leaves its cell as it is from one that changes it.
func (a *threadModular) refutesCycles() bool {
	none := func(a *threadModular) bool {
		h, tooMany := a.buildEdges(true)
		return !tooMany && !h.cyclic(nil)
	}
	if c := a.findMonotonicities(); c != nil {
		if b := a.m.analyseWith(nil, c); b != nil {
			return none(b)
		}
	}
	return a.someRestore() && none(a)
}

// Anywhere is Where judged by the code alone, without running threads.
func Anywhere(machine *state.Machine) (where state.Promisable, may bool) {
	m := of(machine)
	writes := m.cycles()
	if writes == nil {
		return where, false
	}
	return m.where(m.representatives(writes, m.represents)), true
}

// Everywhere allows each write that is of a promisable kind to be promised before each read, as if nothing were
// known about cycles. It reports whether there is such a write.
func Everywhere(machine *state.Machine) (where state.Promisable, some bool) {
	m := of(machine)
	writes := make([][]bool, len(m.Program.Funcs))
	for fn, f := range m.Program.Funcs {
		writes[fn] = make([]bool, len(f.Code))
		for pc := range f.Code {
			in := &f.Code[pc]
			writes[fn][pc] = in.Op != ir.OpLoad && m.canBePromised(in)
			some = some || writes[fn][pc]
		}
	}
	where = m.where(writes)
	where.Always, where.Vain = true, nil
	return where, some
}

// where completes a set of promisable writes with the reads before which they can be promised, the reads that can
// see them and the reads whose value matters to their unit.
func (m *program) where(writes [][]bool) state.Promisable {
	where := state.Promisable{Reads: m.readsBefore(writes), Writes: writes, Readers: m.looks(writes), Vain: m.vainRounds(writes)}
	FindDependencies(m.machine, &where)
	return where
}

// set gives a register a value, if there is one.
func set(regs []int64, r int32, v int64) {
	if r >= 0 {
		regs[r] = v
	}
}
