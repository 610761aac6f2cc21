package disk

import (
	"encoding/binary"
	"math/bits"

	"github.com/clmc/clmc/store"
)

// front is a hash table of entries in memory, with open addressing and linear
// probing, before a disk. It grows up to a bound, and is then a cache: an entry
// lies within window slots of where it belongs, or not here. An occupied slot
// never becomes empty.
type front struct {
	slots []slot // by where fingerprints belong
	marks []mark // by slot
	used  int    // slots that are not empty
	hand  int    // the slot where take goes on
	max   int    // bound on the slots
}

type slot struct {
	fp    store.Fingerprint // the state's key, or empty
	entry store.Entry       // what is kept of the state
}

// slotBytes is what a slot takes, with its mark.
const slotBytes = 32 + 1

// Fingerprints that are no key mark slots.
var (
	empty   store.Fingerprint
	removed = store.Fingerprint{Lo: 1}
)

// mark says what the disk does not know of a slot yet.
type mark = uint8

const (
	dirty  mark = 1 << iota // not handed over to be written
	moving                  // being written
)

const allDirty = 0x0101010101010101 * uint64(dirty)

// firstSlots is the size of a new table.
const firstSlots = 1 << 10

// window is the number of slots in which a full table keeps an entry.
const window = 24

// newFront returns an empty table of at most bound slots.
func newFront(bound int) front {
	bound = max(bound, window)
	n := min(firstSlots, bound)
	return front{slots: make([]slot, n), marks: make([]mark, n), max: bound}
}

// bytes returns the memory that the table occupies.
func (f *front) bytes() int { return len(f.slots) * slotBytes }

// full reports whether the table is a cache by now.
func (f *front) full() bool { return len(f.slots) == f.max }

// find returns the slot of fp, or else the empty one where it belongs, or else
// -1: the table is full and fp is not within its window.
func (f *front) find(fp store.Fingerprint) (at int, found bool) {
	home, _ := bits.Mul64(fp.Lo, uint64(len(f.slots)))
	at = int(home)
	for range f.probes() {
		switch s := &f.slots[at]; s.fp {
		case fp:
			return at, true
		case empty:
			return at, false
		}
		if at++; at == len(f.slots) {
			at = 0
		}
	}
	return -1, false
}

// probes is the number of slots that an entry may be away from home.
func (f *front) probes() int {
	if f.full() {
		return window
	}
	return len(f.slots)
}

// victim returns a slot within the window of fp whose entry the disk knows, or
// -1. It starts at a place that the fingerprint chooses.
func (f *front) victim(fp store.Fingerprint) int {
	home, _ := bits.Mul64(fp.Lo, uint64(len(f.slots)))
	from := int(fp.Hi % window)
	for i := range window {
		at := int(home) + (from+i)%window
		if at >= len(f.slots) {
			at -= len(f.slots)
		}
		if f.marks[at] == 0 {
			return at
		}
	}
	return -1
}

// take appends dirty entries to list, until it has n or there are no more, and
// marks them as moving. It goes on where it has ended before.
func (f *front) take(list []slot, n int) []slot {
	for left := len(f.marks); left > 0 && len(list) < n; {
		if f.hand >= len(f.marks) {
			f.hand = 0
		}
		if rest := f.marks[f.hand:]; left >= 8 && len(rest) >= 8 && binary.LittleEndian.Uint64(rest)&allDirty == 0 {
			f.hand, left = f.hand+8, left-8
			continue
		}
		if m := &f.marks[f.hand]; *m&dirty != 0 {
			list = append(list, f.slots[f.hand])
			*m = moving
		}
		f.hand, left = f.hand+1, left-1
	}
	return list
}

// crowded reports that the table must grow before the next entry is added.
func (f *front) crowded() bool { return f.used*4 >= len(f.slots)*3 && !f.full() }

// grow doubles the table, but not beyond its bound. Entries that do not fit
// into the windows of a full table are handed to spill if they are marked.
func (f *front) grow(spill func(slot, mark)) {
	old, marks := f.slots, f.marks
	n := min(2*len(old), f.max)
	f.slots, f.marks, f.used, f.hand = make([]slot, n), make([]mark, n), 0, 0
	for i := range old {
		s := &old[i]
		if s.fp == empty || s.fp == removed {
			continue
		}
		at, _ := f.find(s.fp)
		if at < 0 {
			if marks[i] != 0 {
				spill(*s, marks[i])
			}
			continue
		}
		f.slots[at], f.marks[at] = *s, marks[i]
		f.used++
	}
}
