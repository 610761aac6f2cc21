package buffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// A unit that promises a write need not perform it where it would have running alone: meanwhile it may be told something that has it go another way, and
// keep the promise by another write of the same. That one may be on a cycle, as it depends on what the unit has been told; the one
// that stands in for it when it is promised need not be on any.

// standIns returns writes, by function and pc, with all that may stand in for one of them: it follows a read that the other follows as well, and
// they may write the same, where standsIn says so of two of a function.
// docs/exploration/promises.md, "When promises matter".
func (m *program) standIns(writes [][]bool, standsIn func(fn, a, b int) bool) (all [][]bool) {
	for fn, f := range m.Program.Funcs {
		with, some := slices.Clone(writes[fn]), slices.Contains(writes[fn], true)
		for pc := range f.Code {
			if !some || !readsAtomically(&f.Code[pc]) {
				continue
			}
			near, _ := m.reach(fn, pc)
			for b, needed := range writes[fn] {
				if !needed || near[b] == 0 {
					continue
				}
				for a := range near {
					with[a] = with[a] || near[a] != 0 && standsIn(fn, a, b)
				}
			}
		}
		all = append(all, with)
	}
	return all
}

// readsAtomically reports whether an instruction is a load or a read-modify-write.
func readsAtomically(in *ir.Instr) bool {
	return in.Op.Access() && in.Op != ir.OpStore && in.Order != memmodel.NonAtomic
}

// standsIn reports whether a promise of what one instruction of a function writes might be kept by another one, as far as the code tells.
func (m *program) standsIn(fn, a, b int) bool {
	f := m.Program.Funcs[fn]
	p, q := &f.Code[a], &f.Code[b]
	if p.Op == ir.OpLoad || !m.canBePromised(p) || (p.Op == ir.OpStore) != (q.Op == ir.OpStore) || p.Order != q.Order || p.Scope != q.Scope {
		return false
	}
	if v, w := written(f, p), written(f, q); v.known && w.known && v.of != w.of {
		return false
	}
	shared := false
	m.eachObject(fn, p, func(i int) { m.eachObject(fn, q, func(j int) { shared = shared || i == j }) })
	return shared
}

// standsIn returns what program.standsIn tells of two writes if it is known, too, what threads write where: some thread
// must write the same to one cell at both, and read the same there if it reads. (What is in a cell whose values are carried stands for all.)
func (a *modular) standsIn() func(fn, p, q int) bool {
	type does struct {
		thread, cell  int   // who, and where
		read, written int64 // what is there before, if it reads, and after
	}
	at := map[point]map[does]bool{}
	for _, t := range a.threads {
		for _, n := range t.nodes {
			p := point{t.unit.Func, int(n.pc)}
			for k := range n.edges {
				e := &n.edges[k]
				if !e.writes {
					continue
				}
				if at[p] == nil {
					at[p] = map[does]bool{}
				}
				at[p][does{t.number, n.cell, e.read, e.written}] = true
			}
		}
	}
	return func(fn, p, q int) bool {
		if !a.m.standsIn(fn, p, q) {
			return false
		}
		for d := range at[point{fn, p}] {
			if at[point{fn, q}][d] {
				return true
			}
		}
		return false
	}
}
