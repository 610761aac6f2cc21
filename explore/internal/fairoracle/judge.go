package fairoracle

import (
	"fmt"
	"maps"
	"slices"

	"github.com/clmc/clmc/explore/liveness"
)

// judge decides whether an execution that comes again and again to all states of a part, and makes all its steps, keeps what is promised.
type judge struct {
	o     *Oracle
	nodes []int
	walks map[uint64]bool // who makes steps
	l     liveness.Levels
}

// owes reports whether some unit always owes a write.
func (j *judge) owes() bool {
	for u := range j.o.worlds[j.nodes[0]].owing {
		if !slices.ContainsFunc(j.nodes, func(n int) bool { return !j.o.worlds[n].owing[u] }) {
			return true
		}
	}
	return false
}

// unit is a unit and where it hangs in the tree of the device: the names of the nodes above it, and its own.
type unit struct {
	id   uint64
	path []string
}

// members returns all units in the order of their numbers.
func (j *judge) members() (all []unit) {
	seen := map[uint64]bool{}
	for _, n := range j.nodes {
		w := j.o.worlds[n]
		for at, r := range w.s.Cast.Units {
			if seen[r.ID] {
				continue
			}
			seen[r.ID] = true
			u := unit{id: r.ID, path: []string{fmt.Sprint("unit ", r.ID)}}
			if p, item := w.places[r.ID]; item {
				it := &r.Item
				number := it.LocalID[0] + it.LocalSize[0]*(it.LocalID[1]+it.LocalSize[1]*it.LocalID[2])
				u.path = []string{fmt.Sprint("device ", p.Device), fmt.Sprintf("%6d %6d", p.Kernel, p.Group)}
				if j.l.SubGroups {
					u.path = append(u.path, fmt.Sprintf("%6d", p.Sub))
				}
				u.path = append(u.path, fmt.Sprintf("%6d %6d", number, at)) // threads have no numbers
			}
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b unit) int { return slices.Compare(a.path, b.path) })
	return all
}

// can reports whether some unit can make a step in a state.
func (j *judge) can(some []unit, n int) bool {
	return slices.ContainsFunc(some, func(u unit) bool { return j.o.worlds[n].enabled[u.id] })
}

// model is what is promised to those that hang below a node of some depth.
func (j *judge) model(depth int) liveness.Model {
	switch {
	case depth == 0:
		return liveness.Fair
	case depth == 1:
		return j.l.Device
	case depth == 2:
		return j.l.Group
	}
	return j.l.Sub
}

// keeps reports whether a node, of which some units are, gets what it is promised.
func (j *judge) keeps(some []unit, depth int) bool {
	if slices.ContainsFunc(j.nodes, func(n int) bool { return !j.can(some, n) }) {
		return true
	}
	if len(some) == 1 && len(some[0].path) == depth {
		return j.walks[some[0].id]
	}
	children := map[string][]unit{}
	for _, u := range some {
		children[u.path[depth]] = append(children[u.path[depth]], u)
	}
	served := false
	names := slices.Sorted(maps.Keys(children))
	for i, name := range names {
		good := j.keeps(children[name], depth+1)
		if !good && j.owed(children, names, i, j.model(depth)) {
			return false
		}
		served = served || good && slices.ContainsFunc(children[name], func(u unit) bool { return j.walks[u.id] })
	}
	return served
}

// owed reports whether a child is not to be neglected for ever.
func (j *judge) owed(children map[string][]unit, names []string, i int, x liveness.Model) bool {
	started := func(name string) bool {
		return slices.ContainsFunc(children[name], func(u unit) bool { return j.o.worlds[j.nodes[0]].started[u.id] })
	}
	lowest := !slices.ContainsFunc(names[:i], func(name string) bool {
		return slices.ContainsFunc(j.nodes, func(n int) bool { return j.can(children[name], n) })
	})
	switch x {
	case liveness.Fair:
		return true
	case liveness.OBE:
		return started(names[i])
	case liveness.HSA:
		return lowest
	case liveness.HSAOBE:
		return lowest || started(names[i])
	case liveness.LOBE:
		return slices.ContainsFunc(names[i:], started)
	}
	return false
}
