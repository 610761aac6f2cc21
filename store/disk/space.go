package disk

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"

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

// compactAt is the number of tables in level 0 from which on Badger compacts them.
const compactAt = 5

// maxLevels is the number of Badger's levels.
const maxLevels = 7

// level is what a level of the database holds.
type level struct {
	tables  int   // how many it has
	bytes   int64 // how large they are together
	largest int64 // and the largest of them
}

// levels tells what each level of the database holds, as far as its manifest and its tables can be read: what is wrong with them is found later.
func (d *Store) levels() map[uint32]level {
	db := filepath.Join(d.dir, dbName)
	_, all, err := readManifest(filepath.Join(db, badger.ManifestFilename))
	if err != nil {
		return nil
	}
	at := map[uint64]uint32{}
	for i := range all {
		for _, c := range all[i].sets {
			if c.Op == pb.ManifestChange_CREATE {
				at[c.Id] = c.Level
			} else {
				delete(at, c.Id)
			}
		}
	}
	levels := map[uint32]level{}
	for id, n := range at {
		if info, err := os.Stat(table.NewFilename(id, db)); err == nil {
			l := levels[n]
			levels[n] = level{l.tables + 1, l.bytes + info.Size(), max(l.largest, info.Size())}
		}
	}
	return levels
}

// compactions bounds what compactions write that begin when the database is opened, and what they replace stays, too, until nobody reads it. A run that was
// killed, or whose machine was slow, leaves many tables in level 0: with what its logs still hold they all go into the first level below, whose tables all overlap
// them, for fingerprints are random. As much may then go further down, each byte into ten of the next level or so, but no table that is there is written twice.
// Otherwise one table of a level moves into its share of the next. What is in the logs is in openMemtables.
func (d *Store) compactions() int64 {
	logs, _ := filepath.Glob(filepath.Join(escapeGlob(d.dir), dbName, "*.mem")) // the pattern is well formed
	levels := d.levels()
	total, moving, further := levels[0].bytes, int64(0), int64(0)
	for n := uint32(1); n < maxLevels; n++ {
		l, next := levels[n], levels[n+1]
		if l.tables == 0 {
			continue
		}
		if moving == 0 {
			moving = levels[0].bytes + l.bytes
		}
		total += l.bytes
		further = max(further, l.largest+min(2*next.bytes/int64(l.tables), next.bytes)) // twice: shares are not all the same
	}
	if levels[0].tables+len(logs) < compactAt {
		return further
	}
	moving = max(moving, levels[0].bytes)
	return moving + min(total, deeper*moving)
}

// deeper is the most that compactions write further down for what goes into the first level.
const deeper = 12

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
