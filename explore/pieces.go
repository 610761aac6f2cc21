package explore

import (
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// An access of several cells is several steps of its unit: one through a cast to a wider type, or one of a vector. Two such accesses that race do so
// at each cell that they share. That is one race, told once: at the first cell.

// pieces tells races of one pair of accesses from others.
// docs/exploration/violations.md, "Beyond races".
type pieces struct {
	s    *reporter           // which has found them
	told map[string][2]piece // of races, by their keys
}

// piece is a step of an access.
type piece struct {
	unit uint64     // the ID of its unit
	f    int        // the function, and
	pc   int        // the instruction
	cell state.Cell // what it accesses
}

// repeated reports whether a data race is one of the pair of accesses of which a race has been told, and notes it. What cannot be repeated any more counts as another one.
func (p *pieces) repeated(v *Violation) bool {
	if v.Kind != state.DataRace {
		return false
	}
	if _, known := p.told[v.key()]; known {
		return false
	}
	now, ok := p.s.racing(v)
	if !ok {
		return false
	}
	again := false
	for _, was := range p.told {
		again = again || p.s.onePair(was, now)
	}
	p.told[v.key()] = now
	return again
}

// onePair reports whether the pieces of two races are of the same two accesses.
func (s *reporter) onePair(was, now [2]piece) bool {
	return s.oneAccess(was[0], now[0]) && s.oneAccess(was[1], now[1]) || s.oneAccess(was[0], now[1]) && s.oneAccess(was[1], now[0])
}

// oneAccess reports whether two pieces are different ones of one access: all that lies between is at its place in the source, and the one is the next step of its kind after the other,
// and its cell the next one of the object. A loop comes back to the same piece, and what it does then is another access.
func (s *reporter) oneAccess(a, b piece) bool {
	if a.pc > b.pc {
		a, b = b, a
	}
	p := s.m.Program
	if a.unit != b.unit || a.f != b.f || a.cell.Func != b.cell.Func || p.ObjectAt(a.cell.Func, a.cell.Addr) != p.ObjectAt(b.cell.Func, b.cell.Addr) {
		return false
	}
	code, steps := p.Funcs[a.f].Code, int32(0)
	for pc := a.pc; pc <= b.pc; pc++ {
		in := &code[pc]
		if in.Pos != code[a.pc].Pos || in.Pos == 0 || in.Op == ir.OpBranch || in.Op == ir.OpJump {
			return false
		}
		if pc > a.pc && in.Op == code[a.pc].Op {
			steps++
		}
	}
	return steps == 1 && b.cell.Addr == a.cell.Addr+1
}

// racing returns the two steps of a data race, of which the second one is the last of its schedule, and false if they cannot be told.
func (s *reporter) racing(v *Violation) (pair [2]piece, ok bool) {
	type event struct {
		unit   uint64 // its ID
		number uint32 // of the unit's events
	}
	for m := range replayers(s.m, makesPromises(v.Schedule)) {
		n, done := m.Start(nil), map[event]piece{}
		for _, mv := range v.Schedule {
			if v.After {
				state.PassTo(m, n, state.NoViolation, 0)
			}
			if mv.Unit >= n.Cast.Count() || n.Abandoned {
				break
			}
			unit := &n.Cast.Units[mv.Unit]
			at, from := piece{unit: unit.ID, f: unit.Func, pc: n.PC(mv.Unit)}, n.Mem.Event(mv.Unit)
			m.Try(n, mv.Unit, mv.Choice)
			if u := n.Cast.Find(at.unit); u >= 0 {
				for e := from + 1; e <= n.Mem.Event(u); e++ {
					done[event{at.unit, e}] = at
				}
			}
		}
		if n.Violation.Kind != state.DataRace || n.Abandoned {
			continue
		}
		w := &n.Violation
		second := n.Cast.Units[w.Unit]
		pair[0], ok = done[event{n.Cast.Units[w.Fault.Other].ID, w.Fault.OtherEvent}]
		pair[1] = piece{unit: second.ID, f: second.Func, pc: w.PC}
		if ok {
			pair[0].cell, pair[1].cell = n.Cast.Cell(w.Fault.Loc), n.Cast.Cell(w.Fault.Loc)
			return pair, true
		}
	}
	return pair, false
}
