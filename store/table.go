package store

// Fingerprint is a 128-bit hash of a canonical state. Two of n states collide
// with a probability of about n*n/2^129.
type Fingerprint struct{ Hi, Lo uint64 }

// Table is a set of visited states in memory, each with a word of the
// search's own (the sleep set that it was explored with). It is an
// open-addressing hash table of 24 bytes a slot, not safe for concurrent use.
type Table struct {
	slots []slot
	used  int
	zero  slot // the entry of the zero fingerprint, which marks empty slots
	has0  bool
}

type slot struct {
	fp   Fingerprint
	word uint64
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
func (t *Table) Bytes() int { return len(t.slots) * 24 }

// Entry returns the word kept for a state and whether the state was there;
// if not, it is added with a zero word. The pointer is valid until the next call.
func (t *Table) Entry(fp Fingerprint) (word *uint64, seen bool) {
	if fp == (Fingerprint{}) {
		seen, t.has0 = t.has0, true
		return &t.zero.word, seen
	}
	if t.used*4 >= len(t.slots)*3 {
		t.grow()
	}
	s := t.find(fp)
	if s.fp == fp {
		return &s.word, true
	}
	s.fp = fp
	t.used++
	return &s.word, false
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
