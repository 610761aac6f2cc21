package trace

import "slices"

// relate completes the trace: the relations between its steps, and what is
// only known once all steps are.
func (r *replay) relate() {
	t := r.t
	r.distinguish()
	t.Lanes, t.Memory = r.lanes, append(t.Memory, r.locs...)
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.ReadsFrom != nil {
			r.edge(Edge{Relation: ReadsFrom, From: *s.ReadsFrom, To: s.ID, Location: s.Location})
		}
		for _, q := range s.Sync {
			r.edge(Edge{Relation: SynchronisesWith, From: q.From, To: s.ID, Global: q.Global, Local: q.Local})
		}
		r.keepUseful(s)
	}
	for i := range t.Memory {
		l := &t.Memory[i]
		for k := 1; k < len(l.Order); k++ {
			r.edge(Edge{Relation: ModificationOrder, From: l.Order[k-1], To: l.Order[k], Location: l.Name})
		}
	}
}

// keepUseful drops what a step has come to see unless its lane looks there
// later: that is when it matters.
func (r *replay) keepUseful(s *Step) {
	s.Sees = slices.DeleteFunc(s.Sees, func(v Seen) bool {
		for i := s.ID; i < len(r.t.Steps); i++ {
			if q := &r.t.Steps[i]; q.Lane == s.Lane && q.loc == v.loc {
				return false
			}
		}
		return true
	})
}
