package buffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Counters only go up: tickets, heads and tails of queues. A cell *rises* if, while several units act, it is written
// by read-modify-writes only, atomically, in scopes that include everybody, and each writes no less than it reads. In modification order,
// from what a work-item has read or written of it on, nothing is less, so it reads nothing less (coherence). So a loop that
// takes tickets ends in the analysis, too.
//
// Which cells rise is seen when all is known that is written to them. So an analysis begins with all, and is made again
// without those of an object where it comes to something else.

// rising tells which cells rise.
type rising struct {
	falls   facts.Set // the objects of which some cells do not
	refuted bool      // that of one more has been seen: the analysis is to be made again
}

// floor is what a thread has read last of a cell that rises, or written.
type floor struct {
	cell  int   // by number
	value int64 // than which it reads nothing less
}

// rises reports whether a cell rises, for all that is known.
func (a *modular) rises(cell int) bool {
	c := a.cells[cell]
	return a.rising != nil && !c.carried && !a.rising.falls.Holds(c.object)
}

// below reports whether a thread, at a node that accesses a cell, has come to know of more than a value.
func (n *node) below(v int64) bool {
	return slices.ContainsFunc(n.floors, func(f floor) bool { return f.cell == n.cell && v < f.value })
}

// floorsAfter returns the floors of a thread after an outcome of a node's operation.
func (a *modular) floorsAfter(t *thread, n *node, e *edge) []floor {
	if t.unit.Place.Host || n.cell == nowhere || !a.rises(n.cell) {
		return n.floors
	}
	next := floor{n.cell, e.read}
	if e.writes {
		next.value = e.written
	}
	i, known := slices.BinarySearchFunc(n.floors, n.cell, func(f floor, cell int) int { return f.cell - cell })
	floors := slices.Clone(n.floors)
	if !known {
		return slices.Insert(floors, i, next)
	}
	floors[i] = next
	return floors
}

// goesUp reports whether an outcome of a node's operation is one that a cell may have that rises.
func (a *modular) goesUp(t *thread, n *node, e *edge, in *ir.Instr) bool {
	return in.Order != memmodel.NonAtomic && a.m.allInclusive(in.Scope, a.cells[n.cell].object) && (!e.writes || e.reads && e.read <= e.written) ||
		t.unit.Place.Host && a.m.alonePoints(t.unit.Func)[n.pc]
}

// seeRise notes that a cell does not rise if that is seen by an outcome of a node's operation.
func (a *modular) seeRise(t *thread, n *node, e *edge, in *ir.Instr) {
	if n.cell != nowhere && a.rises(n.cell) && !a.goesUp(t, n, e, in) {
		a.rising.falls.Insert(a.cells[n.cell].object)
		a.rising.refuted, a.failed = true, true
	}
}

// someRise reports whether a cell that work-items change rises, by what has been found, unless that has been counted.
func (a *modular) someRise() bool {
	if a.rising != nil {
		return false
	}
	falls, up := make([]bool, len(a.cells)), make([]bool, len(a.cells))
	for _, t := range a.threads {
		for _, n := range t.nodes {
			if n.cell == nowhere || falls[n.cell] {
				continue
			}
			in := &a.m.Program.Funcs[t.unit.Func].Code[n.pc]
			for k := range n.edges {
				switch e := &n.edges[k]; {
				case e.carried || !a.goesUp(t, n, e, in):
					falls[n.cell] = true
				case !t.unit.Place.Host && e.changes():
					up[n.cell] = true
				}
			}
		}
	}
	for c := range up {
		if up[c] && !falls[c] {
			return true
		}
	}
	return false
}
