package report

import "github.com/clmc/clmc/explore/trace"

// maxLanes is how many lanes are shown without asking whether they matter.
const maxLanes = 8

// cast returns the lanes to show. These are all lanes with a step that is needed. If there are more than maxLanes, they are the host and the
// lanes of the violation, and also the lanes that these synchronise with, unless that is too many.
func cast(t *trace.Trace) map[int]bool {
	all := map[int]bool{}
	for i := range t.Steps {
		if t.Needed(t.Steps[i].ID) {
			all[t.Steps[i].Lane] = true
		}
	}
	if len(all) <= maxLanes {
		return all
	}
	main := protagonists(t)
	wider := map[int]bool{}
	for l := range main {
		wider[l] = true
	}
	for _, e := range t.Edges {
		if e.Relation == trace.SynchronisesWith && t.Needed(e.From) && main[t.Step(e.To).Lane] {
			wider[t.Step(e.From).Lane] = true
		}
	}
	if len(wider) <= maxLanes {
		return wider
	}
	return main
}

// protagonists are the lanes that the violation is about, and the host's.
func protagonists(t *trace.Trace) map[int]bool {
	main := map[int]bool{}
	for l := range t.Lanes {
		if t.Lanes[l].Host {
			main[l] = true
		}
	}
	for i, w := range t.Waits {
		if i < maxLanes/2 {
			main[w.Lane] = true
		}
	}
	steps := append([]int{len(t.Steps)}, t.Accesses...)
	for _, why := range t.Why {
		steps = append(steps, why.Steps...)
	}
	for _, id := range steps {
		main[t.Step(id).Lane] = true
	}
	return main
}

// aside returns how many steps from index i on are of lanes that are not
// shown. The passage of a barrier is always shown.
func (v *view) aside(i int) int {
	n := 0
	for i+n < len(v.steps) {
		s := v.steps[i+n]
		if v.lanes[s.Lane] || v.barriers[s.ID] != nil {
			break
		}
		n++
	}
	return n
}

// lanesOf lists the lanes to show, in their order.
func lanesOf(t *trace.Trace) []int {
	shown := cast(t)
	var lanes []int
	for l := range t.Lanes {
		if shown[l] {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// Lanes lists the lanes of a trace to show unless somebody asks for all, in their order.
func Lanes(t *trace.Trace) []int { return lanesOf(t) }
