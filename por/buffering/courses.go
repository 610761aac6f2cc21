package buffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Counters only go up: tickets, heads and tails of queues; and what is a minimum only goes down: distances, labels. A cell *rises* if, while several units
// act, it is written by read-modify-writes only, atomically, in scopes that include everybody, and each writes no less than it reads; it *falls* if none
// writes more. In modification order, from what a work-item has read or written of it on, nothing goes back then, so it reads nothing that does
// (coherence). So a loop that takes tickets ends in the analysis, too.
//
// Which cells do is seen when all is known that is written to them. So an analysis begins with a course for all, and is made again with
// another for the cells of an object where it comes to something else.

// course is how the values of a cell go while several units act.
type course uint8

const (
	rises  course = iota // or stays
	falls                // or stays
	wavers               // as it likes
)

// keeps reports whether a cell with this course can go from one value to another.
func (c course) keeps(from, to int64) bool {
	return c == wavers || from == to || (from < to) == (c == rises)
}

// courses are those of all cells, for all that is known.
// docs/exploration/thread-modular.md, "Values that rise or fall".
type courses struct {
	of      []course // by object: of its cells
	falling bool     // whether cells fall is asked, too
	refuted bool     // one of them is another: the analysis is to be made again
}

// unknown returns what is to be assumed where nothing is known: that all cells rise.
func (m *program) unknown(falling bool) *courses {
	return &courses{of: make([]course, len(m.Program.Objects)), falling: falling}
}

// next returns what is to be assumed of cells that do not have a course.
func (c *courses) next(was course) course {
	if was == rises && c.falling {
		return falls
	}
	return wavers
}

// latest is what a thread has read last of a cell that has a course, or written.
type latest struct {
	cell  int   // by number
	value int64 // behind which it reads nothing
}

// courseOf returns the course of a cell, for all that is known.
func (a *modular) courseOf(cell int) course {
	if c := a.cells[cell]; a.courses != nil && !c.carried {
		return a.courses.of[c.object]
	}
	return wavers
}

// behind reports whether a thread, at a node that accesses a cell, has come to know of what comes after a value.
func (a *modular) behind(n *node, v int64) bool {
	return slices.ContainsFunc(n.latest, func(r latest) bool { return r.cell == n.cell && !a.courseOf(n.cell).keeps(r.value, v) })
}

// latestAfter returns what a thread has come to know after an outcome of a node's operation.
func (a *modular) latestAfter(t *thread, n *node, e *edge) []latest {
	if t.unit.Place.Host || n.cell == nowhere || a.courseOf(n.cell) == wavers {
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

// keepsCourse reports whether an outcome of a node's operation is one that a cell may have with this course.
func (a *modular) keepsCourse(t *thread, n *node, e *edge, in *ir.Instr, c course) bool {
	if c == wavers || t.unit.Place.Host && a.m.alonePoints(t.unit.Func)[n.pc] {
		return true
	}
	return in.Order != memmodel.NonAtomic && a.m.allInclusive(in.Scope, a.cells[n.cell].object) &&
		(!e.writes || e.reads && !e.carried && c.keeps(e.read, e.written))
}

// noteCourse notes that a cell has another course than was assumed if that is seen by an outcome of a node's operation.
func (a *modular) noteCourse(t *thread, n *node, e *edge, in *ir.Instr) {
	if n.cell != nowhere && a.courseOf(n.cell) != wavers && a.correct(a.courses, t, n, e, in) {
		a.courses.refuted, a.failed = true, true
	}
}

// correct has courses be such that an outcome of a node's operation keeps that of its cell, and reports whether it did not.
func (a *modular) correct(known *courses, t *thread, n *node, e *edge, in *ir.Instr) (corrected bool) {
	c := &known.of[a.cells[n.cell].object]
	for ; !a.keepsCourse(t, n, e, in, *c); *c = known.next(*c) {
		corrected = true
	}
	return corrected
}

// findCourses returns the courses by what has been found; nil if no cell that work-items change has one that has not been counted.
func (a *modular) findCourses() *courses {
	found, some := a.m.unknown(true), false
	counted := func(o int) bool { return a.courses != nil && a.courses.of[o] != wavers }
	for again := true; again; {
		again, some = false, false
		a.eachOutcome(func(t *thread, n *node, e *edge, in *ir.Instr) {
			again = a.correct(found, t, n, e, in) || again
			o := a.cells[n.cell].object
			some = some || !t.unit.Place.Host && found.of[o] != wavers && !counted(o) && e.changes()
		})
	}
	if !some {
		return nil
	}
	return found
}

// someRestore reports whether some read-modify-write of a work-item leaves a cell as it is.
func (a *modular) someRestore() (some bool) {
	a.eachOutcome(func(t *thread, _ *node, e *edge, _ *ir.Instr) {
		some = some || !t.unit.Place.Host && e.writes && !e.changes()
	})
	return some
}

// eachOutcome calls visit with the outcomes of all accesses.
func (a *modular) eachOutcome(visit func(t *thread, n *node, e *edge, in *ir.Instr)) {
	for _, t := range a.threads {
		for _, n := range t.nodes {
			for k := range n.edges {
				if n.cell != nowhere {
					visit(t, n, &n.edges[k], &a.m.Program.Funcs[t.unit.Func].Code[n.pc])
				}
			}
		}
	}
}
