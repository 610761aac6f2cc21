package buffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// blind tells of which objects nobody can see in what order they were changed:
// those that atomic operations only add to, or the like, without using what
// they read and without acquiring. What such an operation reads can be chosen
// so that it closes no cycle.
func (m *program) blind() []bool {
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
				blind[x] = blind[x] && adds(in) && in.Alu == alu[x]
			})
		}
	}
	return blind
}

// acquiresAfter reports whether a fence or barrier that may acquire what has been read
// at pc can follow.
func (m *program) acquiresAfter(fn, pc int) bool {
	_, far := m.reach(fn, pc)
	for to := range far {
		if in := &m.Program.Funcs[fn].Code[to]; far[to] && (in.Op == ir.OpFence && in.Order.Acquires() || in.Op.Meets()) {
			return true
		}
	}
	return false
}

// adds reports whether an instruction only adds to what it accesses, or the like, as all who commute with it do: nobody uses
// what it reads, nor acquires it.
func adds(in *ir.Instr) bool {
	return in.Op == ir.OpRMW && in.Dst < 0 && in.Alu.Class(in.Type) != ir.Ordered && !in.Order.Acquires()
}

// blind tells of which cells nobody can see in what order they were changed, as far as that could close a cycle. It
// knows more than the code alone tells: that most threads may do nothing more once they have added.
// docs/exploration/thread-modular.md, "Additions at which nobody looks".
func (a *modular) blind() []bool {
	if a.unseen == nil {
		a.unseen = a.findBlind()
	}
	return a.unseen
}

func (a *modular) findBlind() []bool {
	blind, kernels := a.added(), a.kernels()
	for changed := true; changed; {
		changed = false
		for _, kernel := range kernels {
			seen := make([]sight, len(a.cells))
			for _, t := range kernel {
				s := a.sightFrom(t, blind)
				a.eachAtomic(t, func(i int, n *node, _ *ir.Instr) { seen[n.cell].add(s[i], t) })
			}
			for c := range blind {
				if blind[c] && seen[c].acquires && (seen[c].goers == several || a.m.sync) {
					blind[c], changed = false, true
				}
			}
		}
	}
	return blind
}

// kernels returns the threads that may act at the same time: host threads with each other and with the work-items of each kernel. That a
// kernel ends before the next one begins, of which a host thread may hear, is of no concern as long as host threads promise nothing.
func (a *modular) kernels() (kernels [][]*thread) {
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

// sight is what may come after additions to a cell.
type sight struct {
	goers    who  // the threads that then do more than add, where others could see it
	acquires bool // a fence or barrier that acquires what was read
}

// add adds what may come after an addition of thread t.
func (s *sight) add(after sight, t *thread) {
	s.acquires = s.acquires || after.acquires
	if after.goers != 0 {
		s.goers = s.goers.and(t.number)
	}
}

// eachAtomic calls f with the nodes of a thread that are about to access a cell atomically while others act.
func (a *modular) eachAtomic(t *thread, f func(i int, n *node, in *ir.Instr)) {
	alone := a.m.alonePoints(t.unit.Func)
	for i, n := range t.nodes {
		if in := &a.m.Program.Funcs[t.unit.Func].Code[n.pc]; n.cell >= 0 && in.Order != memmodel.NonAtomic && !alone[n.pc] {
			f(i, n, in)
		}
	}
}

// added tells which cells are only added to, in one way, by who looks at nothing, while several threads act.
func (a *modular) added() []bool {
	added, first := slices.Repeat([]bool{true}, len(a.cells)), make([]*ir.Instr, len(a.cells))
	for _, t := range a.threads {
		a.eachAtomic(t, func(_ int, n *node, in *ir.Instr) {
			if first[n.cell] == nil {
				first[n.cell] = in
			}
			added[n.cell] = added[n.cell] && adds(in) && in.Alu == first[n.cell].Alu && in.Type == first[n.cell].Type
		})
	}
	return added
}

// sightFrom returns, by node of a thread, what may come after its operation.
func (a *modular) sightFrom(t *thread, blind []bool) []sight {
	code, sights := a.m.Program.Funcs[t.unit.Func].Code, make([]sight, len(t.nodes))
	own := who(t.number + 1)
	at := func(n *node) (s sight) { // what its operation is
		switch in := &code[n.pc]; {
		case in.Op.Access():
			if in.Order != memmodel.NonAtomic && !(n.cell >= 0 && blind[n.cell]) {
				s.goers = own
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
			for k := range t.nodes[i].edges {
				if to := t.nodes[i].edges[k].to; to != nowhere {
					next := at(t.nodes[to])
					s.acquires = s.acquires || next.acquires || sights[to].acquires
					s.goers = max(s.goers, next.goers, sights[to].goers)
				}
			}
			if s != sights[i] {
				sights[i], changed = s, true
			}
		}
	}
	return sights
}

// spare takes from writes, by function and pc, those that only add to blind cells: nobody needs to see them early.
func (a *modular) spare(writes [][]bool) {
	blind := a.blind()
	adds, does := make([][]bool, len(writes)), make([][]bool, len(writes)) // to blind cells; something else
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
