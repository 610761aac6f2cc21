package disk

import (
	"math/bits"
	"slices"

	"github.com/clmc/clmc/store"
)

// set is a set of visited states in memory and on a disk behind it.
type set struct {
	front  front // what memory has
	states int   // visited, in memory or on the disk

	last probe // of the last Lookup or Put
	undo undo  // of the last Put

	disk   *Store                            // whose set it is
	filter filter                            // of all states
	spilt  map[store.Fingerprint]store.Entry // dirty, and without room in the front
	moving map[store.Fingerprint]store.Entry // spilt, and being written
	sum    uint64                            // of the hashes of all entries
	err    error                             // of the disk, the first
	audit  *audit                            // whole states, to compare
}

// probe is a state that was looked up.
type probe struct {
	fp    store.Fingerprint // the state's key
	entry store.Entry       // what was kept of it
	at    int               // its slot, or the empty one where it belongs, or -1
	seen  bool              // there was something
}

// undo is what the last Put replaced.
type undo struct {
	before probe  // what was known of the state
	slot   slot   // what was in the slot written, if one was
	mark   mark   // the slot's
	spilt  bool   // before the Put
	states int    // as many as there were
	sum    uint64 // the set's
}

// Len implements store.Set.
func (s *set) Len() int { return s.states }

// Bytes implements store.Set.
func (s *set) Bytes() int {
	n := s.front.bytes() + s.filter.bytes() + (len(s.spilt)+len(s.moving))*2*slotBytes
	if s.audit != nil {
		n += s.audit.bytes
	}
	return n
}

// Err implements store.Set: the error is the disk's.
func (s *set) Err() error { return s.err }

// spiltPart is the part of the front that entries without room in it may be.
const spiltPart = 256

// Full implements store.Set. Relieve helps.
func (s *set) Full(int) bool {
	f := &s.front
	if s.audit != nil && s.audit.full() {
		return true
	}
	return f.full() && (s.disk.fresh > len(f.slots)/2 || len(s.spilt) > len(f.slots)/spiltPart)
}

// Has implements store.Set.
func (s *set) Has(fp store.Fingerprint) bool {
	_, seen := s.Lookup(fp)
	return seen
}

// Lookup implements store.Set.
func (s *set) Lookup(fp store.Fingerprint) (store.Entry, bool) {
	fp = fp.Key()
	at, found := s.front.find(fp)
	s.last = probe{fp: fp, at: at, seen: found}
	if found {
		s.last.entry = s.front.slots[at].entry
	} else {
		s.lookBehind()
	}
	return s.last.entry, s.last.seen
}

// lookBehind completes s.last from what is not in the front.
func (s *set) lookBehind() {
	l := &s.last
	for _, m := range [...]map[store.Fingerprint]store.Entry{s.spilt, s.moving} {
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
func (s *set) place(fp store.Fingerprint, w store.Entry, m mark, at int) (int, slot) {
	f := &s.front
	if f.crowded() {
		f.grow(s.spill)
		at, _ = f.find(fp)
	}
	if at < 0 {
		at = f.victim(fp)
	}
	if at < 0 {
		return -1, slot{}
	}
	old := f.slots[at]
	if old.fp == empty {
		f.used++
	}
	f.slots[at], f.marks[at] = slot{fp, w}, m
	return at, old
}

// spill keeps an entry that the disk does not know and that has no place in
// the front.
func (s *set) spill(e slot, m mark) {
	switch {
	case m&dirty != 0:
		s.spilt[e.fp] = e.entry
	case s.moving == nil: // nothing was spilt when the writing began
		s.moving = map[store.Fingerprint]store.Entry{e.fp: e.entry}
	default:
		s.moving[e.fp] = e.entry
	}
}

// Put implements store.Set.
func (s *set) Put(fp store.Fingerprint, w store.Entry) {
	fp = fp.Key()
	if s.last.fp != fp {
		s.Lookup(fp)
	}
	l := &s.last
	s.undo = undo{before: *l, states: s.states, sum: s.sum}
	if l.seen {
		s.sum -= hash(fp, l.entry)
	} else {
		s.states++
		s.filter.add(fp) // here, where Lookup has just asked for it
	}
	s.sum += hash(fp, w)
	switch _, s.undo.spilt = s.spilt[fp]; {
	case s.undo.spilt:
		s.spilt[fp] = w
	case l.seen && l.at >= 0:
		s.undo.slot = s.front.slots[l.at]
		s.front.slots[l.at].entry = w
		m := &s.front.marks[l.at]
		s.undo.mark = *m
		s.fresh(*m)
		*m |= dirty
	default:
		if l.at, s.undo.slot = s.place(fp, w, dirty, l.at); l.at < 0 {
			s.spilt[fp] = w
		}
		s.fresh(0)
	}
	l.entry, l.seen = w, true
}

// fresh counts an entry that becomes dirty.
func (s *set) fresh(before mark) {
	if before&dirty == 0 {
		s.disk.fresh++
	}
}

// Undo implements store.Set. What has been looked up since may have moved entries.
func (s *set) Undo() {
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
		s.front.slots[at], s.front.marks[at] = u.slot, u.mark
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
func (s *set) changed(n int) *job {
	d, f := s.disk, &s.front
	d.version++
	j := &job{version: d.version, entries: d.spare[:0]}
	d.spare = nil
	if len(s.spilt) > 0 {
		s.moving, s.spilt = s.spilt, map[store.Fingerprint]store.Entry{}
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
func (s *set) done(written []slot) {
	f := &s.front
	for i := range written {
		if at, found := f.find(written[i].fp); found {
			f.marks[at] &^= moving
		}
	}
	s.moving = nil
}

// hash mixes an entry into one word. The sum of all entries' hashes tells sets
// of entries apart.
func hash(fp store.Fingerprint, e store.Entry) uint64 {
	hi, lo := bits.Mul64(fp.Lo^e.Sleep^0x9e3779b97f4a7c15, fp.Hi|1)
	h := hi ^ lo
	hi, lo = bits.Mul64(h^e.Note^0xd1b54a32d192ed03, fp.Lo|1)
	hi2, lo2 := bits.Mul64(hi^lo^fp.Hi^bits.RotateLeft64(e.Sleep, 31), 0xbf58476d1ce4e5b9)
	return hi2 ^ lo2 ^ bits.RotateLeft64(h, 17)
}
