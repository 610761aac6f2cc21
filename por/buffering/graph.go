package buffering

import "slices"

// spot is what hops lead from and to: an object or, if that is known, a cell
// with a value; or, as what one unit does may come before what another does though nothing
// is written, a barrier or collective, or that of commands.
type spot struct {
	object int // -1: none
	cell   int // -1: any of several
}

// graph is what hops make of a program.
type graph struct {
	m     *program // whose program it is
	spots []spot   // what it leads over
	hops  [][]hop  // by the spot that is read
	once  []bool   // by unit: whether there is only one
	// guarded tells of cells whether what is read of them across units happens before; nil
	// where spots are objects.
	guarded []bool
	chained []bool          // by cell; nil likewise
	work    int             // done by closes
	ends    map[start][]end // what closes has found
}

// maxCloses bounds the work of closes on one graph; beyond, everything closes.
const maxCloses = 1 << 19

// closes reports whether hops lead from what h wrote, which was promised, back to what it
// read, in a way that coherence and happens-before do not forbid.
//
// All reads-from edges of a cycle but those through one cell must not
// synchronise alone: if they do, each read of that cell happens before the
// next write of it on the cycle, and none of them can read it (rules 7.2 to
// 7.6). So there must be edges that do not synchronise, called loose here,
// through two cells. One of them is h's: what synchronises is not promised, nor is what comes
// after it in a chained cell.
//
// Hops from one value of a chained cell to the next make one edge of many, from who wrote it first to
// who reads it last: what came between belongs to the release sequence of the first. None of them
// is h: a promised read-modify-write is put behind something that is there, and so is all that
// comes before it in the chain, what h read included.
func (g *graph) closes(h hop) bool {
	if to := g.spots[h.to]; h.write.releases && g.m.allInclusive(h.write.scope, to.object) && !g.m.regions() || g.guards(to) || g.onChain(h.from, h.to) {
		return false
	}
	from := start{h.to, h.unit, h.write}
	ends, ok := g.ends[from]
	if !ok {
		ends = g.walk(from)
		g.ends[from] = ends
	}
	return g.spent() || slices.ContainsFunc(ends, func(at end) bool {
		return at.spot == h.from && h.read.canRead(at.write) && g.past(at, h.read, h.to).loose
	})
}

// start is a write that hops are walked from.
type start struct {
	to, unit int   // which spot it writes, and whose it is
	write    order // and how
}

// end is a write that hops have led to.
type end struct {
	spot  int   // that is written
	write order // how
	loose bool  // some edge on the way, through another cell than the start's, is loose
}

// past returns what is known past the edge from a write to who reads it, on the way from a start at a spot.
func (g *graph) past(at end, r order, from int) end {
	cell := g.spots[from].cell
	at.loose = at.loose || (cell < 0 || g.spots[at.spot].cell != cell) && g.loose(at.write, r, at.spot)
	return at
}

// walk returns the writes that hops lead to from a start.
func (g *graph) walk(from start) (ends []end) {
	type step struct {
		end
		unit int // whose write it is
	}
	// A cycle comes to a unit once, or there is a shorter one; that it is not the one before is
	// asked. So it is enough to go on from two units.
	units := map[end][]int{}
	todo := []step{{end{spot: from.to, write: from.write}, from.unit}}
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
		for i := range g.hops[at.spot] {
			k := &g.hops[at.spot][i]
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
			if next.write.value = k.write.value; !g.onChain(at.spot, k.to) {
				next = g.past(at.end, k.read, from.to)
				next.write = k.write
			}
			next.spot = k.to
			arrive(next, k.unit)
		}
	}
	return ends
}

// spent reports whether there is no more time for cycles.
func (g *graph) spent() bool { return g.work > maxCloses || g.m.Halted() }

// onChain reports whether two spots are values of one chained cell.
func (g *graph) onChain(from, to int) bool {
	cell := g.spots[from].cell
	return g.chained != nil && cell >= 0 && g.chained[cell] && g.spots[to].cell == cell
}

// loose reports whether a read of a spot that reads what a write wrote there need not
// happen after it.
func (g *graph) loose(w, r order, at int) bool {
	s := g.spots[at]
	if s.object < 0 {
		return !w.releases || !r.acquires
	}
	return !g.guards(s) && !g.m.synchronise(w, r, s.object)
}

// guards reports whether a spot's cell is guarded by a lock.
func (g *graph) guards(s spot) bool { return g.guarded != nil && s.cell >= 0 && g.guarded[s.cell] }
