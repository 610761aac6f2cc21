package trace

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// link is a way in which one step may have come before another.
type link struct {
	from, to int
	cost     int
	kind     linkKind
	barrier  *Barrier
}

// linkKind says what connects two steps.
type linkKind uint8

const (
	ordered   linkKind = iota // happens-before, in the region in question
	otherSync                 // synchronises, but only in the other region
	passed                    // a barrier that does not order the region
	handed                    // a read of the other's atomic write, or of its release sequence, that does not synchronise
	coarse                    // an enqueue by a kernel, which orders fine-grained memory only
	aside                     // synchronises by a seq_cst operation that is no action of the region (rule 6.8)
	unmet                     // a barrier of a group that is not there
	grained                   // synchronises, but between devices, or host and device, for coarse-grained memory
	cut                       // a read of a later store: the release sequence is broken
)

// costs of links: ordered ones are free, and what nearly orders is preferred
// to what would not do so.
var costs = [...]int{ordered: 0, otherSync: 1e5, passed: 9e4, handed: 1e5, coarse: 5e4, aside: 95e3, unmet: 15e4, grained: 8e4, cut: 3e5}

// links lists the connections between steps that matter for one location.
func (r *execution) links(l *Location) []link {
	most := len(r.t.Edges)
	for i := range r.t.Barriers {
		most += len(r.t.Barriers[i].Arrivals) * len(r.t.Barriers[i].Departures)
	}
	out := make([]link, 0, most)
	add := func(from, to int, k linkKind, b *Barrier) {
		out = append(out, link{from, to, costs[k], k, b})
	}
	for _, e := range r.t.Edges {
		switch e.Relation {
		case SequencedBefore:
			add(e.From, e.To, ordered, nil)
		case CommandOrder, SynchronisesWith:
			add(e.From, e.To, r.linkOf(e, l), nil)
		case ReadsFrom:
			r.rfLinks(e, add)
		}
	}
	for i := range r.t.Barriers {
		b := &r.t.Barriers[i]
		k := r.passing(b, l)
		for _, from := range b.Arrivals {
			for _, to := range b.Departures {
				if r.t.Step(from).Lane != r.t.Step(to).Lane {
					add(from, to, k, b)
				}
			}
		}
	}
	return out
}

// linkOf says how an edge of commands or of synchronisation connects two steps.
func (r *execution) linkOf(e Edge, l *Location) linkKind {
	local := l.region == memmodel.Local
	if e.Relation == CommandOrder {
		if e.Fine && !local && !l.kind.Fine() {
			return coarse
		}
		return region(!local, otherSync)
	}
	switch from, to := r.t.Step(e.From), r.t.Step(e.To); {
	case !(local && e.Local || !local && e.Global):
		return otherSync
	case !local && !l.kind.Fine() && !r.lanes[from.Lane].place.SameDevice(r.lanes[to.Lane].place):
		return grained
	case !(acts(r.m.Spec, from, l) && acts(r.m.Spec, to, l)):
		return aside
	}
	return ordered
}

// passing says how a barrier connects those who pass it.
func (r *execution) passing(b *Barrier, l *Location) linkKind {
	local := l.region == memmodel.Local
	return region(local && b.Local || !local && b.Global, passed)
}

// acts reports whether a step that synchronises is an action of the memory of a location:
// only with such does program order compose (rules 5.5 and 6.8).
func acts(spec memmodel.Spec, s *Step, l *Location) bool {
	switch {
	case s.order != memmodel.SeqCst || spec.SCBoth:
		return true
	case s.Kind == Fence:
		return s.instr.Flags&flagOf(l.region) != 0
	}
	return (s.Region == memmodel.Local.String()) == (l.region == memmodel.Local)
}

func region(ok bool, otherwise linkKind) linkKind {
	if ok {
		return ordered
	}
	return otherwise
}

// rfLinks adds the links that an atomic read from another lane's atomic write
// could have been: to that write, and to earlier releases of the location.
func (r *execution) rfLinks(e Edge, add func(int, int, linkKind, *Barrier)) {
	w, read := r.t.Step(e.From), r.t.Step(e.To)
	if w == nil || !w.Atomic || !read.Atomic {
		return
	}
	order := r.locs[read.loc].Order
	owner, broken := -1, false // whose plain stores lie between, and whether there are others' besides
	for i := slices.Index(order, w.ID); i >= 0 && order[i] > 0; i-- {
		q := r.t.Step(order[i])
		goes := !broken && (owner < 0 || memmodel.Continues(q.Lane, owner, false)) // the release sequence that it heads, to what is read
		if q.Atomic && q.Lane != read.Lane && q.ID < read.ID {
			add(q.ID, read.ID, map[bool]linkKind{true: handed, false: cut}[goes], nil)
		}
		if !q.Atomic || q.ReadsFrom == nil {
			broken = broken || owner >= 0 && !memmodel.Continues(owner, q.Lane, false)
			owner = q.Lane
		}
	}
}

// path finds the cheapest chain of links from one step to another, by
// relaxation: no link but those from the first step leads to an earlier one, so one pass
// over the steps in their order is enough.
func path(links []link, n, from, to int) []link {
	const far = 1 << 30
	cost := make([]int, n+1)
	via := make([]*link, n+1)
	for i := range cost {
		cost[i] = far
	}
	cost[from] = 0
	byFrom := make([][]*link, n+1)
	for i := range links {
		l := &links[i]
		byFrom[l.from] = append(byFrom[l.from], l)
	}
	relax := func(i int) {
		for _, l := range byFrom[i] {
			if c := cost[i] + l.cost + 1; c < cost[l.to] {
				cost[l.to], via[l.to] = c, l
			}
		}
	}
	relax(from)
	for i := 1; i < to; i++ {
		if cost[i] < far {
			relax(i)
		}
	}
	var chain []link
	for at := to; via[at] != nil; at = via[at].from {
		chain = append(chain, *via[at])
	}
	slices.Reverse(chain)
	return chain
}
