package memmodel

// weedFrom is how many published vectors may pile up before those that nothing names any more are dropped. The
// canonical form drops them as well; but a unit may run for long, or an execution be repeated, without it, and where every
// write supersedes those before it each write looks at all vectors.
const weedFrom = 1 << 10

// mayWeed reports whether it is time to weed: many vectors have been published, and there is no room for one more
// without making it, so that the work is a part of that of growing.
func (m *Memory) mayWeed() bool {
	return len(m.snaps) >= weedFrom*m.L.width && len(m.snaps)+m.L.width > cap(m.snaps)
}

// gcViews drops the sources and published vectors that nothing names any more. Everything else stays as it is.
func (m *Memory) gcViews() {
	w := weeding{m: m, to: map[int32]int32{}}
	var srcs, relf, pend []messageView
	for i := range m.msgs {
		srcs = w.list(srcs, m.srcs, &m.msgs[i].src)
	}
	for u := range m.relfHead {
		relf = w.list(relf, m.relf, &m.relfHead[u])
		pend = w.list(pend, m.pend, &m.pendHead[u])
	}
	m.srcs, m.relf, m.pend = srcs, relf, pend
	m.snaps = append(make([]uint32, 0, max(2*len(w.snaps), weedFrom*m.L.width)), w.snaps...)
}

// weeding is the state of one weed.
type weeding struct {
	m     *Memory         // what is weeded
	snaps []uint32        // the vectors that are named
	to    map[int32]int32 // what becomes of a vector's index
}

// list adds a list of pool to another pool, and sets its head there.
func (w *weeding) list(to, pool []messageView, head *int32) []messageView {
	i := *head
	for last := head; i != none; last = &to[len(to)-1].next {
		s := pool[i]
		i, *last = s.next, int32(len(to))
		s.snap, s.next = w.vector(s.snap), none
		to = append(to, s)
	}
	return to
}

// vector returns the index of a vector among those that are named.
func (w *weeding) vector(snap int32) int32 {
	n, ok := w.to[snap]
	if !ok {
		n = int32(len(w.snaps) / w.m.L.width)
		w.to[snap] = n
		w.snaps = append(w.snaps, w.m.snap(snap)...)
	}
	return n
}
