package trace

// Why one step of the slice comes before another, in whose lane it is not, is a part of
// the slice: the steps at which the order passes from lane to lane, and, where it does so by
// fences, the atomic operations through which they meet.

// arrows are the edges by which order passes, by where they lead to.
type arrows struct {
	edges    [][]Edge // sw and command
	barriers []*Barrier
	previous []int // step of the same lane
}

func arrowsOf(t *Trace) *arrows {
	n := len(t.Steps) + 1
	a := &arrows{edges: make([][]Edge, n), barriers: make([]*Barrier, n), previous: make([]int, n)}
	for _, e := range t.Edges {
		switch e.Relation {
		case SequencedBefore:
			a.previous[e.To] = e.From
		case SynchronisesWith, CommandOrder:
			a.edges[e.To] = append(a.edges[e.To], e)
		}
	}
	for i := range t.Barriers {
		for _, id := range t.Barriers[i].Departures {
			a.barriers[id] = &t.Barriers[i]
		}
	}
	return a
}

// ordered accounts for a step's coming before another. It looks backwards, lane by lane,
// for a way that changes lanes as seldom as can be.
func (q *slicing) ordered(from, to *Step) {
	l := &q.locs[to.loc]
	next := map[int]int{to.ID: 0} // by step that comes before `to`: the one after it on the way
	passed := map[*Barrier]bool{}
	layer := []int{to.ID}
	for len(layer) > 0 {
		var later []int
		take := func(id, at int) {
			if _, ok := next[id]; !ok && id >= from.ID {
				next[id] = at
				later = append(later, id)
			}
		}
		for i := 0; i < len(layer); i++ {
			at := layer[i]
			if q.looked++; q.looked > maxLooked {
				return
			}
			if at == from.ID {
				q.along(next, at)
				return
			}
			if p := q.arrows.previous[at]; p >= from.ID {
				if _, ok := next[p]; !ok {
					next[p] = at
					layer = append(layer, p)
				}
			}
			for _, e := range q.arrows.edges[at] {
				if q.linkOf(e, l) == ordered {
					take(e.From, at)
				}
			}
			if b := q.arrows.barriers[at]; b != nil && !passed[b] && q.passing(b, l) == ordered {
				passed[b] = true
				for _, id := range b.Arrivals {
					take(id, at)
				}
			}
		}
		layer = later
	}
}

// along puts the steps of a way into the slice at which the lane changes.
func (q *slicing) along(next map[int]int, at int) {
	for to := next[at]; to > 0; at, to = to, next[to] {
		from := q.t.Step(at)
		if s := q.t.Step(to); s.Lane != from.Lane {
			q.add(at)
			q.add(to)
			q.meets(from, s)
		}
	}
}

// meets puts the operations into the slice through which a release and an acquire meet: the
// last read of the one's lane, up to the acquire, of what the other's has written from the
// release on, and what hands that over.
func (q *slicing) meets(release, acquire *Step) {
	for id := acquire.ID; id > release.ID; id = q.arrows.previous[id] {
		for s := q.t.Step(id); s != nil && s.Atomic && s.ReadsFrom != nil; {
			if s = q.t.Step(*s.ReadsFrom); s != nil && s.Lane == release.Lane && s.ID >= release.ID {
				q.add(id)
				q.chain(id)
				return
			}
		}
	}
}
