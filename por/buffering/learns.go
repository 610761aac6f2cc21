package buffering

import "github.com/clmc/clmc/state/ir"

// Where it is enough that there is some race, an execution without a round of waiting stands for the one with it: the unit knows less, and so
// races with more. Where races are set aside (memmodel.KeepSync), what goes wrong without one is still to be found, so that a
// round is in vain only if nothing is acquired by it.
// docs/exploration/races.md, "Races that are set aside".

// learnsAt reports whether a unit may come behind something by what it reads at pc, at once or by a fence, that it is to come behind
// although it may do without.
func (m *program) learnsAt(fn, pc int) bool {
	if !m.sync {
		return false
	}
	learns, known := m.learns[point{fn, pc}]
	if !known {
		learns = m.Program.Funcs[fn].Code[pc].Order.Acquires() || m.acquiresAfter(fn, pc)
		m.learns[point{fn, pc}] = learns
	}
	return learns
}

// untilTaken reports whether a thread that comes to a node tries to take a lock again and again until it has it. All that it acquires in vain
// was released with the lock, or before, so it acquires it once more as it takes the lock: then, if it may have acquired it at once, else by the same
// fence.
func (h *hopper) untilTaken(l *lane, i int32) bool {
	cell, seen := l.nodes[i].cell, map[int32]bool{}
	if !h.dumb[cell] {
		return false
	}
	free, early, late := h.cells[cell].list[0], false, false // somebody acquires at once, somebody takes the lock and does not
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
		for k := range n.edges {
			switch e := &n.edges[k]; {
			case e.changes() && e.reads && e.read == free:
				late = late || !in.Order.Acquires()
			case e.changes() || e.mark || e.to == nowhere || !tries(e.to):
				return false
			}
		}
		return true
	}
	return tries(i) && !(early && late)
}

// dumb tells which cells are locks that nobody who tries to take them in vain releases anything by.
func (a *modular) dumb(locks map[int32][][]holding) []bool {
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
			for k := range n.edges {
				if e := &n.edges[k]; e.reads && e.writes && e.read != free && a.m.tellsAt(t.unit.Func, int(n.pc)) {
					dumb[n.cell] = false
				}
			}
		}
	}
	return dumb
}

// tellsAt reports whether what is written at pc may release anything: by itself, or by a fence or barrier before it.
func (m *program) tellsAt(fn, pc int) bool {
	tells, known := m.tells[point{fn, pc}]
	if !known {
		code := m.Program.Funcs[fn].Code
		tells = code[pc].Order.Releases()
		for from := 0; from < len(code) && !tells; from++ {
			if handsOn(&code[from]) {
				_, far := m.reach(fn, from)
				tells = far[pc]
			}
		}
		m.tells[point{fn, pc}] = tells
	}
	return tells
}

// handsOn reports whether an instruction is a fence or barrier by which what its unit writes later may release something.
func handsOn(in *ir.Instr) bool { return in.Op == ir.OpFence && in.Order.Releases() || in.Op.Meets() }
