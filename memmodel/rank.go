package memmodel

import (
	"cmp"
	"slices"
)

// rank renumbers each unit's events by their rank among those that something
// still refers to. A clock keeps the newest event that it can be compared with.
func (c *Canon) rank(m *Memory) {
	n := len(m.L.Units)
	if len(m.recs) == 0 && !m.L.Traits.SeqCst { // nobody asks what happens before what
		clear(m.count)
		clear(m.committed)
		for _, vectors := range [...][]uint32{m.rows, m.snaps} {
			for from := 0; from < len(vectors); from += m.L.width {
				for _, at := range c.noted {
					vectors[from+int(at)] = 0
				}
			}
		}
		return
	}
	for len(c.refs) < n {
		c.refs = append(c.refs, nil)
	}
	for u := range n {
		c.refs[u] = c.refs[u][:0]
	}
	m.eachEvent(func(u int32, e *uint32, comps compSet) {
		c.refs[u] = append(c.refs[u], ref{*e, comps})
	})
	for u := range n {
		c.refs[u] = mergeRefs(c.refs[u])
		m.count[u] = uint32(len(c.refs[u]))
	}
	m.eachEvent(func(u int32, e *uint32, _ compSet) {
		*e = rankOf(c.refs[u], *e)
	})
	for k := m.L.first; k < m.L.ncomps; k++ {
		lo, hi := m.L.clock[k], m.L.bound[k+1]
		for _, at := range c.noted {
			if lo <= at && at < hi {
				c.rankEntry(m, at, c.refs[at-lo], 1<<k)
			}
		}
	}
	for u, v := range m.committed {
		m.committed[u] = rankBefore(c.refs[u], v, imageComps)
	}
	for i, v := range m.sc.clocks {
		if v != 0 {
			m.sc.clocks[i] = rankBefore(c.refs[i%n], v, allComps)
		}
	}
}

// rankEntry renumbers an entry of all vectors, which tells of a unit with these references in a component.
func (c *Canon) rankEntry(m *Memory, at int32, refs []ref, comp compSet) {
	for _, vectors := range [...][]uint32{m.rows, m.snaps} {
		for i := int(at); i < len(vectors); i += m.L.width {
			if v := vectors[i]; v != 0 {
				vectors[i] = rankBefore(refs, v, comp)
			}
		}
	}
}

// ref is an event that something refers to, and the components in which
// clocks are compared with it.
type ref struct {
	event uint32  // a unit's event that something compares with
	comps compSet // in which components
}

// mergeRefs sorts references and merges those to one event.
func mergeRefs(refs []ref) []ref {
	if len(refs) < 2 {
		return refs
	}
	slices.SortFunc(refs, func(a, b ref) int { return cmp.Compare(a.event, b.event) })
	kept := refs[:1]
	for _, r := range refs[1:] {
		if last := &kept[len(kept)-1]; last.event == r.event {
			last.comps |= r.comps
		} else {
			kept = append(kept, r)
		}
	}
	return kept
}

// rankOf returns the number of a referenced event.
func rankOf(refs []ref, event uint32) uint32 {
	i, _ := slices.BinarySearchFunc(refs, event, func(r ref, e uint32) int { return cmp.Compare(r.event, e) })
	return uint32(i + 1)
}

// rankBefore returns the number of the newest referenced event, up to event v, that is compared in one of the given
// components; 0 if there is none.
func rankBefore(refs []ref, v uint32, comps compSet) uint32 {
	i := len(refs)
	for i > 0 && (refs[i-1].event > v || refs[i-1].comps&comps == 0) {
		i--
	}
	return uint32(i)
}

// eachEvent calls f with every event number that the state refers to, its
// unit, and the components in which clocks are compared with it.
func (m *Memory) eachEvent(f func(u int32, e *uint32, comps compSet)) {
	for i := range m.recs {
		r := &m.recs[i]
		f(int32(r.unit), &r.event, 1<<m.L.comp[r.loc])
	}
	if !m.L.Traits.SeqCst {
		return
	}
	known := m.L.Spec.SC == SCPartial || m.L.Traits.Gaps
	for a, x := range m.L.atomics {
		var comps compSet
		if known {
			comps = 1 << m.L.comp[x]
		}
		for i := m.start[a]; i < m.start[a+1]; i++ {
			if q := &m.msgs[i]; q.writer != initial && q.event != ahead {
				f(q.writer, &q.event, comps)
			}
		}
	}
	for i := range m.sc.events {
		f(m.sc.events[i].unit, &m.sc.events[i].event, 0)
	}
	n := len(m.L.Units)
	for i := range m.sc.thresholds {
		if m.sc.thresholds[i] != never {
			f(int32(i%n), &m.sc.thresholds[i], 1<<(i/n%m.L.ncomps))
		}
	}
}
