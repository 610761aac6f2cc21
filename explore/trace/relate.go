package trace

import "slices"

// relate completes the trace: the relations between its steps, and what is
// only known once all steps are.
func (r *viewLog) relate() {
	t := r.t
	r.distinguish()
	t.Lanes, t.Memory = r.lanes, append(t.Memory, r.locs...)
	more := 0
	for i := range t.Steps {
		more += 1 + len(t.Steps[i].Sync)
	}
	for i := range t.Memory {
		more += len(t.Memory[i].Order)
		t.number(&t.Memory[i])
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
		r.keepUseful(s, looks)
	}
	for i := range t.Memory {
		l := &t.Memory[i]
		for k := 1; k < len(l.Order); k++ {
			r.edge(Edge{Relation: ModificationOrder, From: l.Order[k-1], To: l.Order[k], Location: l.Name})
		}
	}
}

// number notes where each write of a location is in its modification order, and where the next one is that another lane does.
func (t *Trace) number(l *Location) {
	l.place = make(map[int]int, len(l.Order))
	l.others = make([]int, len(l.Order))
	for k, id := range slices.Backward(l.Order) {
		l.place[id] = k
		l.others[k] = k + 1
		if k+1 < len(l.Order) && t.laneOf(l.Order[k+1]) == t.laneOf(id) {
			l.others[k] = l.others[k+1]
		}
	}
}

// laneOf returns the lane of a step, -1 for the initial values.
func (t *Trace) laneOf(id int) int {
	if s := t.Step(id); s != nil {
		return s.Lane
	}
	return -1
}

// looking is what a lane accesses.
type looking struct{ lane, loc int }

// keepUseful says what a step has come to see where its lane looks later, by the last step that does: that is when it
// matters.
func (r *viewLog) keepUseful(s *Step, looks map[looking]int) {
	for _, v := range r.news[s.ID] {
		if looks[looking{s.Lane, int(v.loc)}] <= s.ID {
			continue
		}
		l := &r.t.Memory[v.loc]
		val := l.cells[l.place[int(v.step)]]
		number := val
		if l.pipe != nil {
			number = l.pipe.number(val)
		}
		s.Sees = append(s.Sees, Seen{l.Name, number, l.text(r.p, val), int(v.step)})
	}
	delete(r.news, s.ID)
}
