package state

import (
	"encoding/binary"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// mapping is a region of shared memory that the host may touch at present, or an
// object that nobody may touch any more.
type mapping struct {
	base   memmodel.Loc // the first cell
	cells  memmodel.Loc // how many there are
	writes bool         // the host may write it
	freed  bool         // it is no longer there
	by     uint64       // ID of the command that mapped it
}

func (q *mapping) covers(x memmodel.Loc) bool { return q.base <= x && x < q.base+q.cells }

// touchesAtomically reports whether unit u is about to make an atomic access that
// asks for a region.
func (m *Machine) touchesAtomically(s *State, u memmodel.Unit) bool {
	unit := &s.Cast.Units[u]
	if s.status[u] != Ready || !unit.thread() {
		return false
	}
	in := &m.Program.Funcs[unit.Func].Code[s.pc[u]]
	return in.Op.Access() && in.Order != memmodel.NonAtomic && m.asksFor(s, u, in) >= 0
}

// mappable reports whether location x is a cell of the shared segment, which has an
// access rule.
func (m *Machine) mappable(x memmodel.Loc) bool { return 0 <= x && int(x) < len(m.Rules) }

// regionOf returns the location that stands for what is mapped of the object that
// an instruction names, or -1.
func (m *Machine) regionOf(s *State, u memmodel.Unit, in *ir.Instr) memmodel.Loc {
	x := s.Cast.resolve(&s.Cast.Units[u], operand(m.Program.Funcs[s.Cast.Units[u].Func], s.reg(u), in.A))
	if !m.mappable(x) {
		return -1
	}
	return m.Rules[x].Region
}

// asksFor returns that location if the access that unit u is about to make is by
// the host, of memory that it must map.
func (m *Machine) asksFor(s *State, u memmodel.Unit, in *ir.Instr) memmodel.Loc {
	unit := &s.Cast.Units[u]
	if !unit.thread() {
		return -1
	}
	x := s.Cast.resolve(unit, operand(m.Program.Funcs[unit.Func], s.reg(u), in.A))
	if !m.mappable(x) || !m.Rules[x].Mapped {
		return -1
	}
	return m.Rules[x].Region
}

// mayTouch reports whether unit u may access location x of the shared segment
// now: the host what it has mapped, others what is not mapped for writing, and
// nobody else may write what is mapped at all (rules 1.5, 2.1, 2.2; API 5.2.4).
func (m *Machine) mayTouch(s *State, u memmodel.Unit, x memmodel.Loc, write bool) bool {
	rule := m.Rules[x]
	if !rule.Mapped {
		return true
	}
	unit := &s.Cast.Units[u]
	if unit.thread() && rule.Device {
		return false
	}
	for i := range s.maps {
		q := &s.maps[i]
		if !q.covers(x) || !s.knowsOf(u, q.by) {
			continue
		}
		if unit.thread() {
			return q.writes || !write
		}
		return !q.writes && !write
	}
	return !unit.thread()
}

// knowsOf reports whether a command has completed before what unit u does next.
func (s *State) knowsOf(u memmodel.Unit, command uint64) bool {
	c, ok := s.Cast.index[command]
	if !ok {
		return true
	}
	x, ok := s.Cast.Units[c].status.get()
	return ok && s.status[c] == Ended && s.Mem.Latest(u, x)
}

// mapCell performs one cell's part of a map command: the command may overwrite
// the cell by the value that it has seen (rule 2.7).
func (m *Machine) mapCell(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, c Choice) {
	x := s.Cast.resolve(&s.Cast.Units[u], operand(f, s.reg(u), in.A))
	if !m.mappable(x) {
		s.stuck(u, InvalidAccess)
		return
	}
	if c.Fail {
		s.Mem.Restore(u, x)
	}
	s.pc[u]++
	m.run(s, u)
}

// mapped returns the location whose value a map command may undo in its next
// step, or -1.
func (m *Machine) undoes(s *State, u memmodel.Unit) memmodel.Loc {
	f := m.Program.Funcs[s.Cast.Units[u].Func]
	x := s.Cast.resolve(&s.Cast.Units[u], operand(f, s.reg(u), f.Code[s.pc[u]].A))
	if !m.mappable(x) || !m.Rules[x].History {
		return -1
	}
	return x
}

// undoChoices appends what a map command may do to a cell.
func (m *Machine) undoChoices(s *State, u memmodel.Unit, out []Choice) []Choice {
	out = append(out, Choice{})
	if x := m.undoes(s, u); x >= 0 && s.Mem.Writable(u, x) > 1 {
		out = append(out, Choice{Fail: true})
	}
	return out
}

// remap performs the end of a map command, or an unmap command. An unmap
// command counts as an access of the region: nobody else may touch it until it
// is complete.
func (m *Machine) remap(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr) {
	x := s.Cast.resolve(&s.Cast.Units[u], operand(f, s.reg(u), in.A))
	cells := operand(f, s.reg(u), in.B)
	if !m.mappable(x) || int(cells) > len(m.Rules)-int(x) {
		s.stuck(u, InvalidAccess)
		return
	}
	if s.freed(x) {
		if in.Op == ir.OpUnmap {
			m.useFreed(s, u, x, in.Writes)
		}
		s.stuck(u, FreedMemory)
		return
	}
	s.Mem.Modify(u, m.Rules[x].Region, 0, 0, 0, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
	q := mapping{base: x, cells: memmodel.Loc(cells), writes: in.Writes, by: s.Cast.Units[u].serves}
	if in.Op == ir.OpMap {
		for _, o := range s.maps {
			if (q.writes || o.writes) && q.base < o.base+o.cells && o.base < q.base+q.cells {
				s.stuck(u, MappingViolation)
				return
			}
		}
		s.maps = append(s.maps, q)
		slices.SortFunc(s.maps, mapping.compare)
	} else {
		same := func(o mapping) bool { return o.base == q.base && o.cells == q.cells }
		i := slices.IndexFunc(s.maps, func(o mapping) bool { return same(o) && s.knowsOf(u, o.by) })
		if i < 0 {
			i = slices.IndexFunc(s.maps, same)
		}
		if i < 0 {
			s.stuck(u, MappingViolation)
			return
		}
		m.attend(s, u, int(s.pc[u]))
		for k := range cells {
			s.Mem.Touch(u, x+memmodel.Loc(k), s.maps[i].writes)
		}
		m.blame(s, u, int(s.pc[u]))
		s.maps = slices.Delete(s.maps, i, i+1)
	}
	s.pc[u]++
	m.run(s, u)
}

func (q mapping) compare(o mapping) int {
	switch {
	case q.base != o.base:
		return int(q.base - o.base)
	case q.cells != o.cells:
		return int(q.cells - o.cells)
	case q.by < o.by:
		return -1
	}
	return 1
}

func appendMaps(b []byte, maps []mapping) []byte {
	b = binary.AppendUvarint(b, uint64(len(maps)))
	for _, q := range maps {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(q.base)), uint64(q.cells))
		b = binary.LittleEndian.AppendUint64(append(b, truth(q.writes)|truth(q.freed)<<1), q.by)
	}
	return b
}

func readMaps(d *memmodel.Reader, list []mapping) []mapping {
	for range d.Uvarint() {
		q := mapping{base: memmodel.Loc(d.Uvarint()), cells: memmodel.Loc(d.Uvarint())}
		is := d.Byte()
		q.writes, q.freed = is&1 != 0, is&2 != 0
		for i := range 8 {
			q.by |= uint64(d.Byte()) << (8 * i)
		}
		if d.Bad() {
			return list
		}
		list = append(list, q)
	}
	return list
}
