package prove

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// execute goes through an area once: from its first block to where it is left, and back to it.
func (m *machine) execute(l *loop, in *way) *pass {
	a := m.g.area(l)
	p := &pass{}
	start := 0
	if l != nil {
		start = l.header
	}
	come := map[int][]*way{start: {in}} // ways into each node
	at := map[int]*term{}               // under which condition nodes are come to
	for _, node := range a.nodes {
		list := come[node]
		if len(list) == 0 {
			continue
		}
		w := list[0]
		if node != start {
			w = m.join(a, node, list, at)
		}
		at[node] = w.pc
		if m.g.in[node] != l {
			inner := m.g.in[node]
			for inner.outer != l {
				inner = inner.outer
			}
			for _, e := range m.loop(inner, w, p) {
				m.lead(a, p, come, e)
			}
			continue
		}
		m.block(w, node, p)
		m.branch(a, p, come, node, w)
	}
	return p
}

// branch ends a block: its way goes on along each edge.
func (m *machine) branch(a *area, p *pass, come map[int][]*way, node int, w *way) {
	b := &m.g.blocks[node]
	if w.pc == m.no {
		return
	}
	if len(b.succ) == 0 {
		p.exits = append(p.exits, exit{node, -1, w})
		return
	}
	if len(b.succ) == 1 {
		m.lead(a, p, come, exit{node, b.succ[0], w})
		return
	}
	last := &m.f.Code[b.to-1]
	c := m.holds(m.operand(w, last.A))
	for i, cond := range []*term{c, m.not(c)} {
		n := w.clone()
		if n.pc = m.and(w.pc, cond); n.pc != m.no {
			m.lead(a, p, come, exit{node, b.succ[i], n})
		}
	}
}

// lead goes along an edge.
func (m *machine) lead(a *area, p *pass, come map[int][]*way, e exit) {
	if a.l != nil && len(e.way.copies) > 0 && (a.isBack(e.to) || e.to >= 0 && !a.l.has[e.to]) {
		m.give(m.f.Code[m.g.blocks[e.from].to-1].Pos, "an asynchronous copy that is not waited for in its round of a loop")
	}
	switch n, at := a.node(max(e.to, 0)); {
	case e.to < 0 || at == outside:
		p.exits = append(p.exits, e)
	case a.isBack(e.to):
		if p.back == nil {
			p.back = e.way
		} else {
			p.back = m.merge(m.or(p.back.pc, e.way.pc), []*way{p.back, e.way}, nil)
		}
	default:
		come[n] = append(come[n], e.way)
	}
}

// join makes one way of those that come to a node.
func (m *machine) join(a *area, node int, list []*way, at map[int]*term) *way {
	if len(list) == 1 {
		return list[0]
	}
	pc := list[0].pc
	for _, w := range list[1:] {
		pc = m.or(pc, w.pc)
	}
	if d, ok := a.joins(node); ok && at[d] != nil {
		pc = at[d] // whatever the branch was, its ways are together again
	}
	return m.merge(pc, list, func(r int) bool { return m.f.LiveAt(m.g.blocks[node].from, r) })
}

// merge makes one way of several. Registers that do not matter keep any of their values.
func (m *machine) merge(pc *term, list []*way, live func(int) bool) *way {
	w := list[len(list)-1].clone()
	w.pc = pc
	conds := make([]*term, len(list))
	for i := range list {
		conds[i] = m.beyond(list[i].pc, pc)
	}
	for i := len(list) - 2; i >= 0; i-- {
		for r := range w.regs {
			if live == nil || live(r) {
				w.regs[r] = m.ite(conds[i], list[i].regs[r], w.regs[r])
			}
		}
		w.open = w.open || list[i].open
	}
	for _, o := range list {
		if pos, ok := o.unlike(w); ok {
			m.give(pos, "an asynchronous copy that is under way in one branch alone")
		}
	}
	var tails [][]*access
	w.tail, w.old = nil, slices.DeleteFunc(w.old, func(x *access) bool {
		return slices.ContainsFunc(list, func(o *way) bool { return !slices.Contains(o.old, x) })
	})
	for _, o := range list {
		tails = append(tails, slices.DeleteFunc(o.all(), func(x *access) bool { return slices.Contains(w.old, x) }))
	}
	for i := range list {
		for _, x := range tails[i] {
			if slices.Contains(w.tail, x) {
				continue
			}
			if !everywhere(x, tails) {
				if pc := m.and(x.pc, list[i].pc); pc != x.pc && x.copy == nil { // it is of this way only
					n := *x
					n.pc = pc
					x = &n
				}
			}
			w.tail = append(w.tail, x)
		}
	}
	return w
}

func everywhere(x *access, tails [][]*access) bool {
	return !slices.ContainsFunc(tails, func(list []*access) bool { return !slices.Contains(list, x) })
}

// beyond is what a condition says more than another one that it includes.
func (m *machine) beyond(a, b *term) *term {
	known := conjuncts(b)
	var rest []*term
	for _, c := range conjuncts(a) {
		if !slices.Contains(known, c) {
			rest = append(rest, c)
		}
	}
	return m.and(rest...)
}

// run follows the whole kernel.
func (m *machine) run() {
	w := &way{pc: m.yes, open: true, regs: make([]*term, m.f.Regs)}
	for r := range w.regs {
		w.regs[r] = m.num(64, 0)
	}
	for i := range m.f.Params {
		w.regs[m.f.Private+i] = m.sizes.scalar(m.terms, i)
	}
	m.mem, m.now = newMemory(), group
	m.forget(group)
	p := m.execute(nil, w)
	var ends []*way
	for _, e := range p.exits {
		ends = append(ends, e.way)
	}
	if len(ends) > 0 {
		m.interval(m.merge(m.yes, ends, func(int) bool { return false }))
	}
}

// changed lists the registers that the code of a loop sets.
func (m *machine) changed(l *loop) (list []int) {
	set := make([]bool, m.f.Regs)
	for b := range l.has {
		if !l.has[b] {
			continue
		}
		for pc := m.g.blocks[b].from; pc < m.g.blocks[b].to; pc++ {
			in := &m.f.Code[pc]
			if defines(in) && in.Dst >= 0 {
				set[in.Dst] = true
			}
			if in.Op == ir.OpCmpXchg && in.Dst2 >= 0 {
				set[in.Dst2] = true
			}
			if in.Op == ir.OpStore {
				for r := range m.f.Private {
					set[r] = true
				}
			}
		}
	}
	for r := range set {
		if set[r] {
			list = append(list, r)
		}
	}
	return list
}

// defines reports whether an instruction may set the registers that it names as its results.
func defines(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpNop, ir.OpJump, ir.OpBranch, ir.OpCheck, ir.OpAssert, ir.OpAssume, ir.OpObserve, ir.OpReach, ir.OpRound, ir.OpEnd, ir.OpStore, ir.OpFence, ir.OpBarrier, ir.OpWaitCopies:
		return false
	}
	return true
}
