package buffering

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// program is what is asked about.
type program struct {
	*facts.Facts
	machine *state.Machine // to run units by themselves
	sync    bool           // races are set aside: memmodel.KeepSync
	learns  map[point]bool // what has been found of learnsAt,
	tells   map[point]bool // and of tellsAt
}

// point is an instruction of a function.
type point struct{ fn, pc int }

func of(m *state.Machine) *program {
	return &program{m.Facts, m, m.Keep&memmodel.KeepSync != 0, map[point]bool{}, map[point]bool{}}
}

// Halted reports whether what takes long is to be given up.
func (m *program) Halted() bool { return m.machine.Halted() }

// Matters reports whether promises can make a difference to the
// program: whether a cycle in program order and reads-from is possible that no
// barrier, fence or order forbids. It may err only towards true.
func Matters(machine *state.Machine) bool {
	_, matters := Where(machine)
	return matters
}

// May is Matters as far as the code alone tells.
func May(machine *state.Machine) bool {
	_, may := Anywhere(machine)
	return may
}

// Where says where promises can make a difference, and whether they can at all.
func Where(machine *state.Machine) (where state.Promisable, matters bool) {
	m := of(machine)
	cyclic := m.cycles()
	if cyclic == nil {
		return where, false
	}
	a := m.analyse(nil)
	if a == nil {
		return m.where(m.standIns(cyclic, m.standsIn)), true
	}
	writes := m.standIns(cyclic, a.standsIn())
	a.spare(writes)
	h, tooMany := a.findHops(false)
	if tooMany {
		return m.where(writes), true
	}
	if !h.cyclic(nil) || a.acyclic() {
		return m.where(writes), false
	}
	where = m.where(writes)
	where.Enough, where.Unaided = h.enough(writes)
	return where, true
}

// acyclic reports whether there are no cycles if it counts as well which courses cells have, and that who leaves a value as it is need hardly be read.
func (a *modular) acyclic() bool {
	none := func(a *modular) bool {
		h, tooMany := a.findHops(true)
		return !tooMany && !h.cyclic(nil)
	}
	if c := a.findCourses(); c != nil {
		if b := a.m.analyseWith(nil, c); b != nil {
			return none(b)
		}
	}
	return a.someRestore() && none(a)
}

// Anywhere is Where as far as the code alone tells.
func Anywhere(machine *state.Machine) (where state.Promisable, may bool) {
	m := of(machine)
	writes := m.cycles()
	if writes == nil {
		return where, false
	}
	return m.where(m.standIns(writes, m.standsIn)), true
}

// Everywhere lets each write be promised that is of a kind that can be, before each read, as if nothing were known of cycles. It reports
// whether there is one.
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
	where.Always = true
	return where, some
}

// where says of these writes when they can be promised, and of what a promise makes a difference to.
func (m *program) where(writes [][]bool) state.Promisable {
	where := state.Promisable{Reads: m.readsBefore(writes), Writes: writes, Looks: m.looks(writes)}
	Weigh(m.machine, &where)
	return where
}

// set gives a register a value, if there is one.
func set(regs []int64, r int32, v int64) {
	if r >= 0 {
		regs[r] = v
	}
}
