package trace

import "slices"

// relate completes the trace: the relations between its steps, and what is
// only known once all steps are.
func (r *replay) relate() {
	t := r.t
	r.distinguish()
	t.Lanes, t.Memory = r.lanes, append(t.Memory, r.locs...)
	more := 0
	for i := range t.Steps {
		more += 1 + len(t.Steps[i].Sync)
	}
	for i := range t.Memory {
		more += len(t.Memory[i].Order)
	}
	t.Edges = slices.Grow(t.Edges, more)
	looks := map[looking]int{}
	for i := range t.Steps {
		looks[looking{t.Steps[i].Lane, t.Steps[i].loc}] = i + 1
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.ReadsFrom != nil {
			r.edge(Edge{Relation: ReadsFrom, From: *s.ReadsFrom, To: s.ID, Location: s.Location})
		}
		for _, q := range s.Sync {
			r.edge(Edge{Relation: SynchronisesWith, From: q.From, To: s.ID, Global: q.Global, Local: q.Local})
		}
		s.keepUseful(looks)
	}
	for i := range t.Memory {
		l := &t.Memory[i]
		l.place = make(map[int]int, len(l.Order))
		for k, id := range l.Order {
			l.place[id] = k
		}
		for k := 1; k < len(l.Order); k++ {
			r.edge(Edge{Relation: ModificationOrder, From: l.Order[k-1], To: l.Order[k], Location: l.Name})
		}
	}
}

// looking is what a lane accesses.
type looking struct{ lane, loc int }

// keepUseful drops what a step has come to see unless its lane looks there
// later, by the last step that does: that is when it matters.
func (s *Step) keepUseful(looks map[looking]int) {
	s.Sees = slices.DeleteFunc(s.Sees, func(v Seen) bool { return looks[looking{s.Lane, v.loc}] <= s.ID })
}
