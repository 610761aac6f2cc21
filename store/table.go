package store

import "math/bits"

// Table is a Set in memory: a hash table with open addressing and linear probing,
// which grows.
type Table struct {
	slots  []slot // by where fingerprints belong
	states int    // slots that are not empty
	limit  int    // bytes that the table may take, 0 for no bound

	last probe // of the last Lookup or Put
	undo undo  // of the last Put

	texts map[Fingerprint]string // whole states, to compare; nil without Audit
	added Fingerprint            // by the last Same
	bytes int                    // of the texts
}

type slot struct {
	fp    Fingerprint // the state's key, or empty
	entry Entry       // what is kept of the state
}

const slotBytes = 32

// firstSlots is the size of a new table.
const firstSlots = 1 << 10

// empty marks slots: it is no key.
var empty Fingerprint

// probe is a state that was looked up.
type probe struct {
	fp    Fingerprint // the state's key
	entry Entry       // what was kept of it
	at    int         // its slot, or the empty one where it belongs
	seen  bool        // there was something
}

// undo is what the last Put replaced. No slot moves until the next one.
type undo struct {
	at  int  // the slot
	was slot // what was in it
}

// NewTable returns an empty table. It is Full before it would grow beyond limit
// bytes (0: no bound); it does grow if that is not heeded.
func NewTable(limit int) *Table {
	return &Table{slots: make([]slot, firstSlots), limit: limit}
}

// Len implements Set.
func (t *Table) Len() int { return t.states }

// Bytes implements Set.
func (t *Table) Bytes() int { return len(t.slots)*slotBytes + t.bytes }

// Err implements Set: nothing can go wrong with memory.
func (t *Table) Err() error { return nil }

// Full implements Set: what there is takes more, or with the old slots there is no room for
// twice as many.
func (t *Table) Full(beside int) bool {
	return t.limit > 0 && (t.Bytes()+beside > t.limit || t.brimming() && 3*len(t.slots)*slotBytes+beside > t.limit)
}

// crowded reports that the table must grow before the next entry is added.
func (t *Table) crowded() bool { return t.states*4 >= len(t.slots)*3 }

// brimming reports that the table will soon be crowded: a sixteenth of it before,
// for whoever adds entries does not ask about each.
func (t *Table) brimming() bool { return t.states*16 >= len(t.slots)*11 }

// find returns the slot of fp, or else the empty one where it belongs.
func (t *Table) find(fp Fingerprint) (at int, found bool) {
	home, _ := bits.Mul64(fp.Lo, uint64(len(t.slots)))
	for at = int(home); ; {
		switch t.slots[at].fp {
		case fp:
			return at, true
		case empty:
			return at, false
		}
		if at++; at == len(t.slots) {
			at = 0
		}
	}
}

// Has implements Set.
func (t *Table) Has(fp Fingerprint) bool {
	_, seen := t.Lookup(fp)
	return seen
}

// Lookup implements Set.
func (t *Table) Lookup(fp Fingerprint) (Entry, bool) {
	fp = fp.Key()
	at, seen := t.find(fp)
	t.last = probe{fp: fp, at: at, seen: seen}
	if seen {
		t.last.entry = t.slots[at].entry
	}
	return t.last.entry, seen
}

// Put implements Set.
func (t *Table) Put(fp Fingerprint, e Entry) {
	fp = fp.Key()
	l := &t.last
	if l.fp != fp {
		t.Lookup(fp)
	}
	if !l.seen {
		if t.crowded() {
			t.grow()
			l.at, _ = t.find(fp)
		}
		t.states++
	}
	t.undo = undo{l.at, t.slots[l.at]}
	t.slots[l.at] = slot{fp, e}
	l.entry, l.seen = e, true
}

// Undo implements Set.
func (t *Table) Undo() {
	u := &t.undo
	fp := t.slots[u.at].fp
	if u.was.fp == empty {
		t.states--
	}
	t.slots[u.at] = u.was
	if t.texts != nil && t.added == fp {
		t.bytes -= len(t.texts[fp]) + TextOverhead
		delete(t.texts, fp)
		t.added = empty
	}
	t.last = probe{}
}

// Each hands on all entries, in no order.
func (t *Table) Each(each func(Fingerprint, Entry)) {
	for i := range t.slots {
		if s := &t.slots[i]; s.fp != empty {
			each(s.fp, s.entry)
		}
	}
}

// grow doubles the table.
func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	for i := range old {
		if s := &old[i]; s.fp != empty {
			at, _ := t.find(s.fp)
			t.slots[at] = *s
		}
	}
}

// TextOverhead is what the text of a whole state costs beside its bytes, roughly.
const TextOverhead = 64

// Audit implements Set.
func (t *Table) Audit() { t.texts = map[Fingerprint]string{} }

// Same implements Set.
func (t *Table) Same(fp Fingerprint, text []byte) bool {
	if t.texts == nil {
		return true
	}
	fp = fp.Key()
	t.added = empty
	if old, ok := t.texts[fp]; ok {
		return old == string(text)
	}
	t.texts[fp] = string(text)
	t.bytes += len(text) + TextOverhead
	t.added = fp
	return true
}
