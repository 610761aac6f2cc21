package store

// Fingerprint is a 128-bit hash of a canonical state. Two of n states collide
// with a probability of about n*n/2^129.
type Fingerprint struct{ Hi, Lo uint64 }

// Entry is what a search keeps with a visited state. The store does not look
// into it.
type Entry struct {
	Sleep uint64 // the sleep set that the state was explored with
	Note  uint64 // what is known of the subtree below it
}

// Table is a set of visited states in memory, each with its Entry. It is an
// open-addressing hash table of 32 bytes a slot, not safe for concurrent use.
type Table struct {
	slots []slot
	used  int
	zero  slot // the entry of the zero fingerprint, which marks empty slots
	has0  bool
}

type slot struct {
	fp    Fingerprint
	entry Entry
}

// NewTable returns an empty table.
func NewTable() *Table { return &Table{slots: make([]slot, 1<<10)} }

// Len returns the number of states.
func (t *Table) Len() int {
	if t.has0 {
		return t.used + 1
	}
	return t.used
}

// Bytes returns the memory that the table occupies.
func (t *Table) Bytes() int { return len(t.slots) * 32 }

// Entry returns the entry of a state and whether the state was there; if not,
// it is added with a zero entry. The pointer is valid until the next call.
func (t *Table) Entry(fp Fingerprint) (e *Entry, seen bool) {
	if fp == (Fingerprint{}) {
		seen, t.has0 = t.has0, true
		return &t.zero.entry, seen
	}
	if t.used*4 >= len(t.slots)*3 {
		t.grow()
	}
	s := t.find(fp)
	if s.fp == fp {
		return &s.entry, true
	}
	s.fp = fp
	t.used++
	return &s.entry, false
}

// Has reports whether a state is in the table.
func (t *Table) Has(fp Fingerprint) bool {
	if fp == (Fingerprint{}) {
		return t.has0
	}
	return t.find(fp).fp == fp
}

// find returns the slot of fp, or the empty one where it belongs.
func (t *Table) find(fp Fingerprint) *slot {
	mask := uint64(len(t.slots) - 1)
	for i := fp.Lo & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.fp == fp || s.fp == (Fingerprint{}) {
			return s
		}
	}
}

func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	for i := range old {
		if old[i].fp != (Fingerprint{}) {
			*t.find(old[i].fp) = old[i]
		}
	}
}
