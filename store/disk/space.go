package disk

import (
	"fmt"

	"github.com/clmc/clmc/store"
)

// What a checkpoint may take on the disk: its entries, once in the log and once
// in a table, the log's new files, and the room that compactions need until
// they have removed what they replace. Badger writes to mapped memory, so that
// a disk that is really full would end the process: we stop before.
const (
	entryDiskBytes = 2 * (keyBytes + 16 + 24)
	spareMemtables = 8
)

// openMemtables bounds what opening the database writes: what its logs hold into
// tables, a new log, and once more what comes after the last checkpoint.
const openMemtables = 8

// Need implements store.Store.
func (d *Store) Need() int64 {
	n := int64(d.fresh)*entryDiskBytes + spareMemtables*2*int64(d.memtable)
	if a := d.set.audit; a != nil {
		n += 2 * int64(a.bytes)
	}
	return n
}

// Room implements store.Store.
func (d *Store) Room(checkpoints, blobs int64) error {
	return d.roomFor(checkpoints*(d.Need()+2*blobs), "a checkpoint")
}

// roomFor reports, by an ErrFull, that the disk has less left than something may
// need.
func (d *Store) roomFor(need int64, what string) error {
	left, known := Free(d.dir)
	if known && left < need {
		return fmt.Errorf("%s: %w: %s may need %d MiB, and %d MiB are left", d.dir, store.ErrFull, what, need>>20+1, left>>20)
	}
	return nil
}

// Left returns the space that is left on the disk, if that can be told.
func (d *Store) Left() (int64, bool) { return Free(d.dir) }
