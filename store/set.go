package store

import "slices"

// Set is the set of visited states, each with an Entry.
// It is kept in memory, or in memory and on a disk behind it. It is not safe
// for concurrent use.
type Set struct {
	front  front
	states int
	limit  int // bytes that the front may take, or with a disk whole states; 0 for no bound

	last probe // of the last Lookup or Put
	undo undo

	disk   *Disk
	filter filter                // of all states, with a disk
	spilt  map[Fingerprint]Entry // dirty, and without room in the front
	moving map[Fingerprint]Entry // spilt, and being written
	sum    uint64                // of the hashes of all entries, with a disk
	err    error                 // of the disk, the first
	audit  *audit                // whole states, to compare
}

// probe is a state that was looked up.
type probe struct {
	fp    Fingerprint
	entry Entry
	at    int // its slot, or the empty one where it belongs, or -1
	seen  bool
}

// undo is what the last Put replaced.
type undo struct {
	before probe
	slot   slot // what was in the slot written, if one was
	mark   mark
	spilt  bool // before the Put
	states int
	sum    uint64
}

// NewSet returns an empty set in memory. It is Full before it would grow beyond
// limit bytes (0: no bound); it does grow if that is not heeded.
func NewSet(limit int) *Set { return &Set{front: newFront(0, false), limit: limit} }

// Len returns the number of states.
func (s *Set) Len() int { return s.states }

// Bytes returns the memory that the set occupies.
func (s *Set) Bytes() int {
	n := s.front.bytes(len(s.front.slots)) + s.filter.bytes() + (len(s.spilt)+len(s.moving))*2*slotBytes
	if s.audit != nil {
		n += s.audit.bytes
	}
	return n
}

// Err returns the first error of the disk. After one, answers mean nothing.
func (s *Set) Err() error { return s.err }

// spiltPart is the part of the front that entries without room in it may be.
const spiltPart = 256

// Full reports that the memory is used up, or will be within the next few
// hundred states. With a disk, Relieve helps.
func (s *Set) Full() bool {
	f := &s.front
	switch {
	case s.audit != nil && s.audit.full():
		return true
	case s.disk == nil:
		return s.limit > 0 && f.brimming() && f.bytes(3*len(f.slots)) > s.limit // old and new
	}
	return f.full() && (s.disk.fresh > len(f.slots)/2 || len(s.spilt) > len(f.slots)/spiltPart)
}

// Has reports whether a state is in the set.
func (s *Set) Has(fp Fingerprint) bool {
	_, seen := s.Lookup(fp)
	return seen
}

// Lookup returns the entry of a state, and whether it is in the set.
func (s *Set) Lookup(fp Fingerprint) (Entry, bool) {
	fp = key(fp)
	at, found := s.front.find(fp)
	s.last = probe{fp: fp, at: at, seen: found}
	if found {
		s.last.entry = s.front.slots[at].entry
	} else if s.disk != nil {
		s.lookBehind()
	}
	return s.last.entry, s.last.seen
}

// lookBehind completes s.last from what is not in the front.
func (s *Set) lookBehind() {
	l := &s.last
	for _, m := range [...]map[Fingerprint]Entry{s.spilt, s.moving} {
		if w, ok := m[l.fp]; ok {
			l.entry, l.seen, l.at = w, true, -1
			return
		}
	}
	if !s.filter.has(l.fp) {
		return
	}
	w, ok, err := s.disk.get(l.fp)
	if err != nil && s.err == nil {
		s.err = s.disk.judge(err)
	}
	if ok {
		l.entry, l.seen = w, true
		l.at, _ = s.place(l.fp, w, 0, l.at)
	}
}

// place puts an entry that is not in the front into the empty slot at, or where
// there is room. It returns the slot, or -1, and what it held.
func (s *Set) place(fp Fingerprint, w Entry, m mark, at int) (int, slot) {
	f := &s.front
	if f.crowded() {
		f.grow(s.spill)
		at, _ = f.find(fp)
	}
	if at < 0 && f.marks != nil {
		at = f.victim(fp)
	}
	if at < 0 {
		return -1, slot{}
	}
	old := f.slots[at]
	if old.fp == empty {
		f.used++
	}
	f.slots[at] = slot{fp, w}
	if f.marks != nil {
		f.marks[at] = m
	}
	return at, old
}

// spill keeps an entry that the disk does not know and that has no place in
// the front.
func (s *Set) spill(e slot, m mark) {
	switch {
	case m&dirty != 0:
		s.spilt[e.fp] = e.entry
	case s.moving == nil: // nothing was spilt when the writing began
		s.moving = map[Fingerprint]Entry{e.fp: e.entry}
	default:
		s.moving[e.fp] = e.entry
	}
}

// Put adds a state to the set, or replaces its entry.
func (s *Set) Put(fp Fingerprint, w Entry) {
	fp = key(fp)
	if s.last.fp != fp {
		s.Lookup(fp)
	}
	l := &s.last
	s.undo = undo{before: *l, states: s.states, sum: s.sum}
	if s.disk != nil {
		if l.seen {
			s.sum -= hash(fp, l.entry)
		}
		s.sum += hash(fp, w)
	}
	if !l.seen {
		s.states++
		if s.disk != nil {
			s.filter.add(fp) // here, where Lookup has just asked for it
		}
	}
	switch _, s.undo.spilt = s.spilt[fp]; {
	case s.undo.spilt:
		s.spilt[fp] = w
	case l.seen && l.at >= 0:
		s.undo.slot = s.front.slots[l.at]
		s.front.slots[l.at].entry = w
		if m := s.front.marks; m != nil {
			s.undo.mark = m[l.at]
			s.fresh(m[l.at])
			m[l.at] |= dirty
		}
	default:
		if l.at, s.undo.slot = s.place(fp, w, dirty, l.at); l.at < 0 {
			s.spilt[fp] = w
		}
		s.fresh(0)
	}
	l.entry, l.seen = w, true
}

// fresh counts an entry that becomes dirty.
func (s *Set) fresh(before mark) {
	if s.disk != nil && before&dirty == 0 {
		s.disk.fresh++
	}
}

// Undo takes back the last Put. Nothing but Lookup, Has and Same may have been
// called since; they may have moved entries.
func (s *Set) Undo() {
	u := &s.undo
	fp := u.before.fp
	s.states, s.sum = u.states, u.sum
	at, found := s.front.find(fp)
	switch inFront := u.slot.fp == fp; {
	case u.spilt, !found && inFront:
		s.spilt[fp] = u.before.entry
	case !found:
		delete(s.spilt, fp)
	case u.slot.fp != empty:
		s.front.slots[at] = u.slot
		if s.front.marks != nil {
			s.front.marks[at] = u.mark
		}
	case s.disk == nil:
		s.front.slots[at] = slot{}
		s.front.used--
	default: // entries read from the disk since may lie behind
		s.front.slots[at] = slot{fp: removed}
		s.front.marks[at] = 0
	}
	if s.audit != nil {
		s.audit.undo(fp)
	}
	s.last = probe{}
}

// changed takes up to n entries that the disk does not know, and all texts, to
// be written. It goes round the front, so that neighbours are written together,
// and each entry is left to change for as long as any other.
func (s *Set) changed(n int) *job {
	d, f := s.disk, &s.front
	d.version++
	j := &job{version: d.version, entries: d.spare[:0]}
	d.spare = nil
	if len(s.spilt) > 0 {
		s.moving, s.spilt = s.spilt, map[Fingerprint]Entry{}
		for fp, w := range s.moving {
			j.entries = append(j.entries, slot{fp, w})
		}
	}
	j.entries = f.take(slices.Grow(j.entries, min(n, d.fresh)), n)
	d.fresh = max(0, d.fresh-len(j.entries))
	if len(j.entries) < n {
		d.fresh = 0 // all of them: what was counted beside was taken back
	}
	if s.audit != nil {
		s.audit.begun()
		j.texts = s.audit.moving
	}
	return j
}

// done notes that the disk knows what was being written.
func (s *Set) done(written []slot) {
	f := &s.front
	for i := range written {
		if at, found := f.find(written[i].fp); found {
			f.marks[at] &^= moving
		}
	}
	s.moving = nil
}
