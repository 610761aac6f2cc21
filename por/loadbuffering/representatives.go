package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// A unit that promises a write need not perform it where it would have running alone. What it acquires later may
// lead it another way, on which it fulfils the promise by another write of the same value. That other write may be
// on a cycle, since it depends on what the unit has read. The write that represents it when it is promised need
// not be on any.

// representatives returns writes, by function and pc, with each write that may represent one of them in a promise:
// both follow one read, and both may write the same, as represents says of two writes of a function.
// docs/exploration/promises.md, "When promises matter".
func (m *program) representatives(writes [][]bool, standsIn func(fn, a, b int) bool) (all [][]bool) {
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

// readsAtomically reports whether an instruction is an atomic load or read-modify-write.
func readsAtomically(in *ir.Instr) bool {
	return in.Op.Access() && in.Op != ir.OpStore && in.Order != memmodel.NonAtomic
}

// represents reports whether a promise of the write of one instruction might be fulfilled by another instruction,
// judged by the code.
func (m *program) represents(fn, a, b int) bool {
	f := m.Program.Funcs[fn]
	p, q := &f.Code[a], &f.Code[b]
	if p.Op == ir.OpLoad || !m.mayComeEarly(p) || (p.Op == ir.OpStore) != (q.Op == ir.OpStore) || p.Order != q.Order || p.Scope != q.Scope {
		return false
	}
	if v, w := written(f, p), written(f, q); v.known && w.known && v.of != w.of {
		return false
	}
	shared := false
	m.eachObject(fn, p, func(i int) { m.eachObject(fn, q, func(j int) { shared = shared || i == j }) })
	return shared
}

// represents returns program.represents restricted by what threads write: some thread writes the same value to one
// cell at both instructions and, if it reads, reads the same. (A symbolic cell has one value that stands for all.)
func (a *threadModular) represents() func(fn, p, q int) bool {
	type does struct {
		thread, cell  int   // who, and where
		read, written int64 // what is there before, if it reads, and after
	}
	at := map[point]map[does]bool{}
	for _, t := range a.threads {
		for _, n := range t.nodes {
			p := point{t.unit.Func, int(n.pc)}
			for k := range n.outcomes {
				e := &n.outcomes[k]
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
		if !a.m.represents(fn, p, q) {
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
