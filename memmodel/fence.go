package memmodel

// synchronise makes a release source synchronise with what unit `to.unit` is
// doing, through atomic location x, where the rules say so.
func (m *Memory) synchronise(from messageView, to key, x Loc) {
	comps := m.syncs(from.key, to, x)
	if comps == 0 {
		return
	}
	own := comps & m.actionComps(to, x)
	m.absorb(Unit(to.unit), m.snap(from.snap), own)
	if own != comps {
		m.passOn(m.snap(from.snap), comps&^own)
	}
	m.observe(Unit(from.key.unit), from.event, Unit(to.unit), comps)
}

func (m *Memory) observe(u Unit, event uint32, t Unit, comps compSet) {
	if m.Observer != nil {
		m.Observer.Synchronises(u, event, t, comps&globalComps != 0, comps&localComps != 0)
	}
}

// syncs returns the components in which a release synchronises with an
// acquire that meets it through atomic location x (rules 6.1 to 6.8). It is
// decided for each pair: what a fence of one scope publishes must not reach
// those who share only a wider scope with a later fence. The region is that of the
// object, however it was named (rule 1.3). A fence orders the memory of its flags
// (rule 4.4), and each region has a happens-before of its own (rule 5.5).
func (m *Memory) syncs(from, to key, x Loc) compSet {
	region := m.L.Locs[x].Region
	between := m.L.between(Unit(from.unit), Unit(to.unit))
	switch {
	case from.unit == to.unit, region == Pipe: // rule 14.6
		return 0
	case from.fence && flagComps(from.flags)&regionComps(region) == 0,
		to.fence && flagComps(to.flags)&regionComps(region) == 0:
		return 0 // rule 6.6
	case !m.L.inclusive(Unit(from.unit), from.scope, Unit(to.unit), to.scope, x):
		return 0
	case from.sc && to.sc:
		return between // rule 6.8
	case from.fence && to.fence && from.twoFlag() && to.twoFlag():
		return between // rule 6.7
	}
	return regionComps(region) & between
}

func (k key) twoFlag() bool { return k.flags&(LocalFence|GlobalFence) == LocalFence|GlobalFence }

// actionComps returns the components of which an acquire or release is an action: an operation on atomic
// location x, or a fence. Two seq_cst operations are ordered in the other components, too (rule 6.8): what happens
// before the first of them happens before the second. But there it does not
// order the accesses before and after them in program order (rule 5.5).
func (m *Memory) actionComps(k key, x Loc) compSet {
	switch {
	case !k.sc || m.L.Spec.SCBoth:
		return allComps
	case k.fence:
		return flagComps(k.flags)
	}
	return regionComps(m.L.Locs[x].Region)
}

// passOn notes what the seq_cst operation that is being performed comes after in
// components that it is no action of.
func (m *Memory) passOn(from []uint32, comps compSet) {
	if len(m.through) == 0 {
		m.through = resize(m.through, m.L.width)
	}
	m.joinComps(m.through, from, comps)
}

// publishAs stores what a release of unit u publishes: the unit's view and, in
// components that the release is no action of, what it came after itself.
func (m *Memory) publishAs(u Unit, k key, x Loc) int32 {
	i, own := m.publish(u), m.actionComps(k, x)
	if own&allComps == allComps {
		return i
	}
	v := m.snap(i)
	for c := m.L.first; c < m.L.ncomps; c++ {
		if own&(1<<c) == 0 {
			clear(v[m.L.bound[c]:m.L.bound[c+1]])
		}
	}
	if len(m.through) > 0 {
		m.joinComps(v, m.through, allComps&^own)
	}
	return i
}

// postpone remembers a source that unit u has read without synchronising with
// it, for an acquire fence to come (rules 6.3, 6.5).
func (m *Memory) postpone(u Unit, x Loc, s messageView) {
	if !m.L.Traits.Fences {
		return
	}
	for i := m.pendHead[u]; i != none; i = m.pend[i].next {
		if p := &m.pend[i]; p.key == s.key && p.loc == x {
			// Later sources of one key publish more than earlier ones, but they
			// may be read in the other order.
			if p.snap != s.snap {
				p.snap = m.joined(p.snap, s.snap)
				p.event = max(p.event, s.event)
			}
			return
		}
	}
	s.loc, s.next = x, m.pendHead[u]
	m.pend = append(m.pend, s)
	m.pendHead[u] = int32(len(m.pend) - 1)
}

// joined stores the join of two published vectors.
func (m *Memory) joined(a, b int32) int32 {
	i := int32(len(m.snaps) / m.L.width)
	m.snaps = append(m.snaps, m.snap(a)...)
	joinMax(m.snap(i), m.snap(b))
	return i
}

// Fence performs atomic_work_item_fence, whose scope and flags count in place of
// those of the accesses before and behind it (rule 6.3). With the image flag, the unit's
// own reads of images find what it has written (rule 6.10). The result is false when
// the execution is inconsistent.
func (m *Memory) Fence(u Unit, f Flags, o Order, s Scope) bool {
	if o == Relaxed {
		return true // rule 6.9
	}
	m.tick(u)
	if f&ImageFence != 0 {
		m.commit(u)
	}
	k := key{unit: int32(u), scope: s, flags: f, fence: true, sc: o == SeqCst}
	if o.Acquires() {
		m.acquire(u, k)
	}
	if o.Releases() {
		m.release(u, k)
	}
	if o == SeqCst {
		return m.scFence(u, f, s)
	}
	return true
}

// acquire takes what unit u has read and may now synchronise with.
func (m *Memory) acquire(u Unit, k key) {
	for i := m.pendHead[u]; i != none; i = m.pend[i].next {
		m.synchronise(m.pend[i], k, m.pend[i].loc)
	}
}

// release makes unit u's later atomic writes publish what it has done so far.
// Fences that differ in anything stay apart; of equal ones the last counts.
func (m *Memory) release(u Unit, k key) {
	if !m.L.Traits.Fences {
		return
	}
	if m.mayWeed() { // a thousand work-items that meet again and again publish megabytes each time
		m.gcViews()
	}
	s := messageView{key: k, event: m.count[u], snap: m.publishAs(u, k, -1)}
	for i := m.relfHead[u]; i != none; i = m.relf[i].next {
		if m.relf[i].key == k {
			if own := m.actionComps(k, -1); own&allComps != allComps { // the first has not come before the second there
				m.joinComps(m.snap(s.snap), m.snap(m.relf[i].snap), allComps&^own)
			}
			m.relf[i].snap, m.relf[i].event = s.snap, s.event
			return
		}
	}
	s.next = m.relfHead[u]
	m.relf = append(m.relf, s)
	m.relfHead[u] = int32(len(m.relf) - 1)
}

// Arrive performs the entry fence of a barrier (rule 11.2). Who will write nothing atomically, and so publishes nothing
// that it has done before a fence but at barriers, need not remember it: of a thousand work-items each would remember what a thousand have done.
func (m *Memory) Arrive(u Unit, f Flags, s Scope, publishes bool) {
	m.tick(u)
	if f&ImageFence != 0 {
		m.commit(u)
	}
	if !publishes {
		return
	}
	m.release(u, key{unit: int32(u), scope: s, flags: f, fence: true})
}

// Depart performs the exit fences of a barrier for all the units that have
// arrived at it (rules 11.2, 11.3), in the memory of its flags only (rule 11.4).
func (m *Memory) Depart(units []Unit, f Flags, s Scope) {
	if comps := flagComps(f); len(units) > 1 && comps != 0 {
		m.join(units, comps)
	}
	for _, u := range units {
		m.tick(u)
		m.acquire(u, key{unit: int32(u), scope: s, flags: f, fence: true})
	}
}

// join has units know, in the given components, what each of them knows (rule 11.3).
func (m *Memory) join(units []Unit, comps compSet) {
	at := len(m.snaps)
	m.snaps = append(m.snaps, m.view(units[0])...)
	joint := m.snaps[at:]
	for i, u := range units {
		if i == 0 || m.row[u] != m.row[units[i-1]] {
			m.joinComps(joint, m.view(u), comps)
		}
		m.addOwnEvents(joint, u, comps)
	}
	if m.Observer != nil {
		for _, u := range units {
			for _, t := range units {
				if t != u {
					m.observe(t, m.count[t], u, comps)
				}
			}
		}
	}
	m.amend(units, func(v []uint32) {
		for c := m.L.first; c < m.L.ncomps; c++ {
			if comps&(1<<c) != 0 {
				copy(v[m.L.bound[c]:m.L.bound[c+1]], joint[m.L.bound[c]:])
			}
		}
	})
	for _, u := range units[1:] {
		m.merge(u, units[0])
	}
	m.snaps = m.snaps[:at]
}

// End marks unit u as having ended.
func (m *Memory) End(u Unit) {
	m.alive[u>>6] &^= 1 << (u & 63)
	m.relfHead[u], m.pendHead[u] = none, none
}

// Start lets unit u, which has ended or done nothing yet, act again, knowing what
// all the units given know: what it does comes after what they all come after (rule 11.7, of copies).
func (m *Memory) Start(u Unit, units []Unit) {
	m.alive[u>>6] |= 1 << (u & 63)
	at := len(m.snaps)
	m.publish(units[0])
	for _, t := range units[1:] {
		m.publish(t)
		joinMin(m.snaps[at:at+m.L.width], m.snaps[at+m.L.width:])
		m.snaps = m.snaps[:at+m.L.width]
	}
	copy(m.change(u), m.snaps[at:])
	if m.L.images {
		m.committed[u] = m.snaps[at+int(m.L.clock[compImage])+int(u)]
	}
	m.whole(m.change(u), u)
	m.snaps = m.snaps[:at]
}

// Await makes all that unit t, which has ended, has done itself happen before
// what the units given do next, in all memory (rule 11.7, of copies).
func (m *Memory) Await(units []Unit, t Unit) {
	m.amend(units, func(v []uint32) {
		for c := m.L.first; c < m.L.ncomps; c++ {
			m.L.know(v, c, t, m.count[t])
		}
	})
	for _, u := range units {
		m.observe(t, m.count[t], u, allComps)
	}
}

// JoinFineView makes what unit t has done in fine-grained global memory happen
// before what unit u does next: all that a device-side enqueue orders (rule 12.1).
func (m *Memory) JoinFineView(u, t Unit) {
	comps := compSet(1 << compFine)
	if m.L.Spec.Kindless {
		comps = globalComps
	}
	m.joinView(m.change(u), t, comps)
}

// JoinView makes all that unit t has done, in global memory and to images, happen
// before what unit u does next (rules 12.2 to 12.9, where commands order whole units).
func (m *Memory) JoinView(u, t Unit) {
	m.joinView(m.change(u), t, globalComps|imageComps)
	m.orderImages(u, t)
}

// JoinViews is JoinView for each of several units.
func (m *Memory) JoinViews(units []Unit, t Unit) {
	at := len(m.snaps)
	m.publish(t)
	m.amend(units, func(v []uint32) {
		m.joinComps(v, m.snaps[at:], globalComps|imageComps)
		if m.L.images {
			v[m.L.clock[compImage]+int32(t)] = m.count[t]
		}
	})
	m.snaps = m.snaps[:at]
}

// WouldTell reports whether some release fence that unit t has executed, with
// one of these flags, would tell unit u, which acquired it by a fence, anything.
func (m *Memory) WouldTell(t, u Unit, flags Flags) bool {
	v := m.view(u)
	for i := m.relfHead[t]; i != none; i = m.relf[i].next {
		s := &m.relf[i]
		if s.key.flags&flags == 0 {
			continue
		}
		comps := flagComps(flags)
		if s.key.twoFlag() || s.key.sc {
			comps = allComps
		}
		for c := range m.L.ncomps {
			if comps&(1<<c) == 0 {
				continue
			}
			for at := m.L.bound[c]; at < m.L.bound[c+1]; at++ {
				if m.snap(s.snap)[at] > v[at] && !m.L.own(u, c, at) {
					return true
				}
			}
		}
	}
	return false
}
