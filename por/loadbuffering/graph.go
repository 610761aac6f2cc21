package loadbuffering

import "slices"

// vertex is a node of the graph of cycles. It is an object or, if the analysis knows it, a cell with a value. A
// barrier, a collective operation and the order of commands are vertices too: they order units although nothing is
// written.
type vertex struct {
	object int // -1: none
	cell   int // -1: any of several
}

// graph has the edges of program order of all units between what they read and write.
type graph struct {
	m        *program   // whose program it is
	vertices []vertex   // what it leads over
	edges    [][]poEdge // by the vertex that is read
	once     []bool     // by unit: whether there is only one
	// guarded tells of cells whether what is read of them across units happens before; nil
	// where vertices are objects.
	guarded []bool
	chained []bool          // by cell; nil likewise
	work    int             // done by closes
	ends    map[start][]end // what closes has found
}

// maxCloses bounds the work of closes on one graph; beyond it closes answers true.
const maxCloses = 1 << 19

// closes reports whether edges lead from what h wrote, as a promise, back to what it read, in a way that coherence
// and happens-before do not forbid.
//
// A reads-from edge is loose if the read need not synchronise with the write. A cycle needs loose edges through
// two cells. Otherwise, if all edges through other cells than one synchronise, each read of that cell happens
// before the next write of it on the cycle, so none of the reads can read it (rules 7.2 to 7.6). One of the loose
// edges is h's: a write that synchronises is not promised, nor is one that follows it in a chained cell.
//
// Edges from one value of a chained cell to the next count as one edge, from the first writer to the last reader:
// the writes between belong to the release sequence of the first. None of them is h: a promised read-modify-write
// is appended behind a message that is there, and so is all that precedes it in the chain, what h read included.
func (g *graph) closes(h poEdge) bool {
	if to := g.vertices[h.to]; h.write.releases && g.m.allInclusive(h.write.scope, to.object) && !g.m.regions() || g.guards(to) || g.onChain(h.from, h.to) {
		return false
	}
	from := start{h.to, h.unit, h.write}
	ends, ok := g.ends[from]
	if !ok {
		ends = g.walk(from)
		g.ends[from] = ends
	}
	return g.spent() || slices.ContainsFunc(ends, func(at end) bool {
		return at.vertex == h.from && h.read.canRead(at.write) && g.past(at, h.read, h.to).loose
	})
}

// start is the write at which a walk along edges begins.
type start struct {
	to, unit int   // which vertex it writes, and whose it is
	write    order // and how
}

// end is a write to which edges have led.
type end struct {
	vertex int   // that is written
	write  order // how
	loose  bool  // some edge on the way, through another cell than the start's, is loose
}

// past returns an end of a walk after a read with order r has read from it. The walk began at the vertex from.
func (g *graph) past(at end, r order, from int) end {
	cell := g.vertices[from].cell
	at.loose = at.loose || (cell < 0 || g.vertices[at.vertex].cell != cell) && g.loose(at.write, r, at.vertex)
	return at
}

// walk returns the writes to which edges lead from a start.
func (g *graph) walk(from start) (ends []end) {
	type step struct {
		end
		unit int // whose write it is
	}
	// A cycle comes to a unit once, or there is a shorter one; that it is not the one before is
	// asked. So it is enough to go on from two units.
	units := map[end][]int{}
	todo := []step{{end{vertex: from.to, write: from.write}, from.unit}}
	arrive := func(at end, unit int) {
		by := units[at]
		if len(by) == 0 {
			ends = append(ends, at)
		}
		if len(by) < 2 && !slices.Contains(by, unit) {
			units[at] = append(by, unit)
			todo = append(todo, step{at, unit})
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := range g.edges[at.vertex] {
			k := &g.edges[at.vertex][i]
			if g.work++; g.spent() {
				return ends
			}
			if k.update { // another value in the same cell
				changed := at.end
				changed.write.value = literal{}
				arrive(changed, at.unit)
				continue
			}
			if g.once[k.unit] && (k.unit == from.unit || k.unit == at.unit) || !k.read.canRead(at.write) {
				continue
			}
			next := at.end
			if next.write.value = k.write.value; !g.onChain(at.vertex, k.to) {
				next = g.past(at.end, k.read, from.to)
				next.write = k.write
			}
			next.vertex = k.to
			arrive(next, k.unit)
		}
	}
	return ends
}

// spent reports whether the work that the graph may do is done.
func (g *graph) spent() bool { return g.work > maxCloses || g.m.Halted() }

// onChain reports whether two vertices are values of one chained cell.
func (g *graph) onChain(from, to int) bool {
	cell := g.vertices[from].cell
	return g.chained != nil && cell >= 0 && g.chained[cell] && g.vertices[to].cell == cell
}

// loose reports whether a read of a vertex that reads from a write there need not happen after it.
func (g *graph) loose(w, r order, at int) bool {
	s := g.vertices[at]
	if s.object < 0 {
		return !w.releases || !r.acquires
	}
	return !g.guards(s) && !g.m.synchronise(w, r, s.object)
}

// guards reports whether a vertex's cell is guarded by a lock.
func (g *graph) guards(s vertex) bool { return g.guarded != nil && s.cell >= 0 && g.guarded[s.cell] }
