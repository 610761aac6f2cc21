package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// commutingOnly returns, by object, whether all concurrent accesses are non-acquiring read-modify-writes of one
// commutative operator with unused results. Nobody can see the order of such writes, and what one of them reads
// can be chosen so that it closes no cycle.
func (m *program) commutingOnly() []bool {
	blind := make([]bool, len(m.Program.Objects))
	for i := range blind {
		blind[i] = true
	}
	alu := make([]ir.Alu, len(blind))
	for i := range alu {
		alu[i] = ir.Xchg // not known yet
	}
	for fn, f := range m.Program.Funcs {
		alone := m.alonePoints(fn)
		for pc := range f.Code {
			in := &f.Code[pc]
			if !in.Op.Access() || in.Order == memmodel.NonAtomic || alone[pc] {
				continue
			}
			fenced := m.acquiresAfter(fn, pc)
			m.eachObject(fn, in, func(x int) {
				blind[x] = blind[x] && !fenced
				if alu[x] == ir.Xchg {
					alu[x] = in.Alu
				}
				blind[x] = blind[x] && isCommutingUpdate(in) && in.Alu == alu[x]
			})
		}
	}
	return blind
}

// acquiresAfter reports whether a fence or barrier can follow pc that acquires what is read there.
func (m *program) acquiresAfter(fn, pc int) bool {
	_, far := m.reach(fn, pc)
	for to := range far {
		if in := &m.Program.Funcs[fn].Code[to]; far[to] && (in.Op == ir.OpFence && in.Order.Acquires() || in.Op.Meets()) {
			return true
		}
	}
	return false
}

// isCommutingUpdate reports whether an instruction is a read-modify-write of a commutative operator that does not
// acquire and whose result is unused.
func isCommutingUpdate(in *ir.Instr) bool {
	return in.Op == ir.OpRMW && in.Dst < 0 && in.Alu.Class(in.Type) != ir.Ordered && !in.Order.Acquires()
}

// commutingOnly is program.commutingOnly by cell. It also knows which threads do nothing more, that others could
// see, after such a write.
// docs/exploration/thread-modular.md, "Additions at which nobody looks".
func (a *threadModular) commutingOnly() []bool {
	if a.onlyCommuting == nil {
		a.onlyCommuting = a.findCommutingOnly()
	}
	return a.onlyCommuting
}

func (a *threadModular) findCommutingOnly() []bool {
	blind, kernels := a.updatedCells(), a.kernels()
	for changed := true; changed; {
		changed = false
		for _, kernel := range kernels {
			seen := make([]sight, len(a.cells))
			for _, t := range kernel {
				s := a.sightFrom(t, blind)
				a.eachAtomic(t, func(i int, n *node, _ *ir.Instr) { seen[n.cell].add(s[i], t) })
			}
			for c := range blind {
				if blind[c] && seen[c].acquires && (seen[c].continuing == several || a.m.sync) {
					blind[c], changed = false, true
				}
			}
		}
	}
	return blind
}

// kernels returns the sets of threads that may act at the same time: the host threads with the work-items of each
// kernel. Two kernels of which one ends before the other begins may be in different sets, because host threads
// promise nothing.
func (a *threadModular) kernels() (kernels [][]*thread) {
	index := map[int]int{}
	var hosts []*thread
	for _, t := range a.threads {
		if t.launch == 0 {
			hosts = append(hosts, t)
			continue
		}
		i, ok := index[t.launch]
		if !ok {
			i = len(kernels)
			index[t.launch] = i
			kernels = append(kernels, nil)
		}
		kernels[i] = append(kernels[i], t)
	}
	if len(kernels) == 0 {
		return [][]*thread{hosts}
	}
	for i := range kernels {
		kernels[i] = append(kernels[i], hosts...)
	}
	return kernels
}

// sight is what may follow the commuting updates of a cell.
type sight struct {
	continuing threadSet // the threads that then do more than add, where others could see it
	acquires   bool      // a fence or barrier that acquires what was read
}

// add joins what may follow an update of thread t.
func (s *sight) add(after sight, t *thread) {
	s.acquires = s.acquires || after.acquires
	if after.continuing != 0 {
		s.continuing = s.continuing.and(t.number)
	}
}

// eachAtomic calls f with the nodes at which a thread accesses a cell atomically while other units act.
func (a *threadModular) eachAtomic(t *thread, f func(i int, n *node, in *ir.Instr)) {
	alone := a.m.alonePoints(t.unit.Func)
	for i, n := range t.nodes {
		if in := &a.m.Program.Funcs[t.unit.Func].Code[n.pc]; n.cell >= 0 && in.Order != memmodel.NonAtomic && !alone[n.pc] {
			f(i, n, in)
		}
	}
}

// updatedCells returns, by cell, whether all concurrent atomic accesses are commuting updates of one operator and
// type.
func (a *threadModular) updatedCells() []bool {
	added, first := slices.Repeat([]bool{true}, len(a.cells)), make([]*ir.Instr, len(a.cells))
	for _, t := range a.threads {
		a.eachAtomic(t, func(_ int, n *node, in *ir.Instr) {
			if first[n.cell] == nil {
				first[n.cell] = in
			}
			added[n.cell] = added[n.cell] && isCommutingUpdate(in) && in.Alu == first[n.cell].Alu && in.Type == first[n.cell].Type
		})
	}
	return added
}

// sightFrom returns, by node of a thread, what may follow its operation.
func (a *threadModular) sightFrom(t *thread, blind []bool) []sight {
	code, sights := a.m.Program.Funcs[t.unit.Func].Code, make([]sight, len(t.nodes))
	own := threadSet(t.number + 1)
	at := func(n *node) (s sight) { // what its operation is
		switch in := &code[n.pc]; {
		case in.Op.Access():
			if in.Order != memmodel.NonAtomic && !(n.cell >= 0 && blind[n.cell]) {
				s.continuing = own
			}
		case in.Op != ir.OpChoose:
			s = sight{own, in.Op == ir.OpFence && in.Order.Acquires() || in.Op.Meets()}
		}
		return s
	}
	for changed := true; changed; {
		changed = false
		for i := len(t.nodes) - 1; i >= 0; i-- {
			s := sights[i]
			for k := range t.nodes[i].outcomes {
				if to := t.nodes[i].outcomes[k].to; to != nowhere {
					next := at(t.nodes[to])
					s.acquires = s.acquires || next.acquires || sights[to].acquires
					s.continuing = max(s.continuing, next.continuing, sights[to].continuing)
				}
			}
			if s != sights[i] {
				sights[i], changed = s, true
			}
		}
	}
	return sights
}

// spare takes from writes, by function and pc, those that only add to commuting-only cells: nobody needs to see them early.
func (a *threadModular) spare(writes [][]bool) {
	blind := a.commutingOnly()
	adds, does := make([][]bool, len(writes)), make([][]bool, len(writes)) // to commuting-only cells; something else
	for fn := range writes {
		adds[fn], does[fn] = make([]bool, len(writes[fn])), make([]bool, len(writes[fn]))
	}
	for _, t := range a.threads {
		for _, n := range t.nodes {
			if n.cell >= 0 && blind[n.cell] {
				adds[t.unit.Func][n.pc] = true
			} else {
				does[t.unit.Func][n.pc] = true
			}
		}
	}
	for fn := range writes {
		for pc := range writes[fn] {
			writes[fn][pc] = writes[fn][pc] && (does[fn][pc] || !adds[fn][pc])
		}
	}
}
