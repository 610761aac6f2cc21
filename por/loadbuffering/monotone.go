package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Tickets, heads and tails of queues only increase; distances and labels that are minimised only decrease. A cell
// is increasing if, while several units act, each write of it is an atomic read-modify-write whose scope includes
// each unit and that writes no less than it reads. It is decreasing if none writes more. By coherence a work-item
// reads nothing that precedes, in modification order, what it has read or written before; so it sees an increasing
// cell never decrease. That makes the analysis of a loop that takes tickets end.
//
// Whether a cell is monotone is known only when all writes to it are. So an analysis begins with an assumption for
// each object and is made again, with a weaker one, where an outcome refutes it.

// monotonicity says how the values of a cell change while several units act.
type monotonicity uint8

const (
	increasing monotonicity = iota // or stays
	decreasing                     // or stays
	unknown                        // as it likes
)

// keeps reports whether a cell with this monotonicity can go from one value to another.
func (c monotonicity) keeps(from, to int64) bool {
	return c == unknown || from == to || (from < to) == (c == increasing)
}

// monotonicities are those of all cells, as assumed so far.
// docs/exploration/thread-modular.md, "Values that rise or fall".
type monotonicities struct {
	of      []monotonicity // by object: of its cells
	falling bool           // whether cells fall is asked, too
	refuted bool           // one of them is another: the analysis is to be made again
}

// assumeMonotone returns the assumption to begin with: all cells increase.
func (m *program) assumeMonotone(falling bool) *monotonicities {
	return &monotonicities{of: make([]monotonicity, len(m.Program.Objects)), falling: falling}
}

// next returns the assumption that follows a refuted one.
func (c *monotonicities) next(was monotonicity) monotonicity {
	if was == increasing && c.falling {
		return decreasing
	}
	return unknown
}

// latest is the value that a thread has last read from a monotone cell, or written to it.
type latest struct {
	cell  int   // by number
	value int64 // behind which it reads nothing
}

// monotonicityOf returns the assumed monotonicity of a cell.
func (a *threadModular) monotonicityOf(cell int) monotonicity {
	if c := a.cells[cell]; a.monotone != nil && !c.symbolic {
		return a.monotone.of[c.object]
	}
	return unknown
}

// pastValue reports whether a thread at a node already knows of a value that comes after v in a monotone cell, so
// that it cannot read v.
func (a *threadModular) pastValue(n *node, v int64) bool {
	return slices.ContainsFunc(n.latest, func(r latest) bool { return r.cell == n.cell && !a.monotonicityOf(n.cell).keeps(r.value, v) })
}

// latestAfter returns the latest values that a thread knows after an outcome of a node's operation.
func (a *threadModular) latestAfter(t *thread, n *node, e *outcome) []latest {
	if t.unit.Place.Host || n.cell == nowhere || a.monotonicityOf(n.cell) == unknown {
		return n.latest
	}
	next := latest{n.cell, e.read}
	if e.writes {
		next.value = e.written
	}
	i, known := slices.BinarySearchFunc(n.latest, n.cell, func(r latest, cell int) int { return r.cell - cell })
	all := slices.Clone(n.latest)
	if !known {
		return slices.Insert(all, i, next)
	}
	all[i] = next
	return all
}

// keepsMonotonicity reports whether an outcome of a node's operation fits a monotonicity of its cell.
func (a *threadModular) keepsMonotonicity(t *thread, n *node, e *outcome, in *ir.Instr, c monotonicity) bool {
	if c == unknown || t.unit.Place.Host && a.m.alonePoints(t.unit.Func)[n.pc] {
		return true
	}
	return in.Order != memmodel.NonAtomic && a.m.allInclusive(in.Scope, a.cells[n.cell].object) &&
		(!e.writes || e.reads && !e.symbolic && c.keeps(e.read, e.written))
}

// noteMonotonicity refutes the assumed monotonicity of a cell if an outcome of a node's operation does not fit it.
// The analysis is then made again.
func (a *threadModular) noteMonotonicity(t *thread, n *node, e *outcome, in *ir.Instr) {
	if n.cell != nowhere && a.monotonicityOf(n.cell) != unknown && a.correct(a.monotone, t, n, e, in) {
		a.monotone.refuted, a.failed = true, true
	}
}

// correct weakens an assumption until an outcome of a node's operation fits it, and reports whether it had to.
func (a *threadModular) correct(known *monotonicities, t *thread, n *node, e *outcome, in *ir.Instr) (corrected bool) {
	c := &known.of[a.cells[n.cell].object]
	for ; !a.keepsMonotonicity(t, n, e, in, *c); *c = known.next(*c) {
		corrected = true
	}
	return corrected
}

// findMonotonicities returns the monotonicities that all outcomes fit. It returns nil if they tell nothing new
// about a cell that work-items change.
func (a *threadModular) findMonotonicities() *monotonicities {
	found, some := a.m.assumeMonotone(true), false
	counted := func(o int) bool { return a.monotone != nil && a.monotone.of[o] != unknown }
	for again := true; again; {
		again, some = false, false
		a.eachOutcome(func(t *thread, n *node, e *outcome, in *ir.Instr) {
			again = a.correct(found, t, n, e, in) || again
			o := a.cells[n.cell].object
			some = some || !t.unit.Place.Host && found.of[o] != unknown && !counted(o) && e.changes()
		})
	}
	if !some {
		return nil
	}
	return found
}

// someRestore reports whether some read-modify-write of a work-item writes the value that it reads.
func (a *threadModular) someRestore() (some bool) {
	a.eachOutcome(func(t *thread, _ *node, e *outcome, _ *ir.Instr) {
		some = some || !t.unit.Place.Host && e.writes && !e.changes()
	})
	return some
}

// eachOutcome calls visit with the outcomes of all accesses.
func (a *threadModular) eachOutcome(visit func(t *thread, n *node, e *outcome, in *ir.Instr)) {
	for _, t := range a.threads {
		for _, n := range t.nodes {
			for k := range n.outcomes {
				if n.cell != nowhere {
					visit(t, n, &n.outcomes[k], &a.m.Program.Funcs[t.unit.Func].Code[n.pc])
				}
			}
		}
	}
}
