package loadbuffering

import "github.com/clmc/clmc/state/ir"

// If any race will do as a finding, an execution without a round of waiting stands for the one with it: the unit
// has acquired less and so races with more. If races are set aside (memmodel.KeepSync), violations of race-free
// executions are still to be found. A round is then in vain only if nothing is acquired by it.

// mustAcquireAt reports whether a round of waiting that reads at pc must be kept because the unit acquires
// something by it, at once or by a later fence. That is asked only where races are set aside.
func (m *program) mustAcquireAt(fn, pc int) bool {
	if !m.sync {
		return false
	}
	learns, known := m.acquiring[point{fn, pc}]
	if !known {
		learns = m.Program.Funcs[fn].Code[pc].Order.Acquires() || m.acquiresAfter(fn, pc)
		m.acquiring[point{fn, pc}] = learns
	}
	return learns
}

// untilTaken reports whether a thread at a node tries to take a lock until it has it. Whatever it acquires by a
// try in vain was released with the lock or before, so the thread acquires it again as it takes the lock: by the
// taking itself if it may have acquired it at once, otherwise by the same fence.
func (h *edgeBuilder) untilTaken(l *threadSummary, i int32) bool {
	cell, seen := l.nodes[i].cell, map[int32]bool{}
	if !h.failReleasesNothing[cell] {
		return false
	}
	free, early, late := h.cells[cell].list[0], false, false // early: a try acquires; late: a taking does not
	var tries func(i int32) bool
	tries = func(i int32) bool {
		if seen[i] {
			return true
		}
		seen[i] = true
		n := l.nodes[i]
		if n.cell != cell {
			return false
		}
		in := &l.code.Code[n.pc]
		early = early || in.Order.Acquires()
		for k := range n.outcomes {
			switch e := &n.outcomes[k]; {
			case e.changes() && e.reads && e.read == free:
				late = late || !in.Order.Acquires()
			case e.changes() || e.observable || e.to == nowhere || !tries(e.to):
				return false
			}
		}
		return true
	}
	return tries(i) && !(early && late)
}

// failReleasesNothing returns, by cell, the locks of which a try in vain releases nothing.
func (a *threadModular) failReleasesNothing(locks map[int32][][]holding) []bool {
	dumb := make([]bool, len(a.cells))
	if !a.m.sync {
		return dumb
	}
	for cell := range locks {
		dumb[cell] = true
	}
	for _, t := range a.threads {
		for _, n := range t.nodes {
			if n.cell < 0 || !dumb[n.cell] {
				continue
			}
			free := a.cells[n.cell].list[0]
			for k := range n.outcomes {
				if e := &n.outcomes[k]; e.reads && e.writes && e.read != free && a.m.mayReleaseAt(t.unit.Func, int(n.pc)) {
					dumb[n.cell] = false
				}
			}
		}
	}
	return dumb
}

// mayReleaseAt reports whether the write at pc may release something, by itself or by a fence or barrier before
// it.
func (m *program) mayReleaseAt(fn, pc int) bool {
	tells, known := m.releasing[point{fn, pc}]
	if !known {
		code := m.Program.Funcs[fn].Code
		tells = code[pc].Order.Releases()
		for from := 0; from < len(code) && !tells; from++ {
			if handsOn(&code[from]) {
				_, far := m.reach(fn, from)
				tells = far[pc]
			}
		}
		m.releasing[point{fn, pc}] = tells
	}
	return tells
}

// handsOn reports whether an instruction is a fence or barrier that makes later writes of its unit release
// something.
func handsOn(in *ir.Instr) bool { return in.Op == ir.OpFence && in.Order.Releases() || in.Op.Meets() }
