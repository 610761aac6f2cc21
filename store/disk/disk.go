package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/clmc/clmc/store"
)

// Store is a store.Store in a directory. docs/store.md describes what is in it and
// why it survives a crash.
type Store struct {
	dir  string      // where it is
	mem  int         // as in Options
	lock *lock       // that keeps others out
	db   *badger.DB  // the database
	ills *trouble    // what it cannot write
	read *badger.Txn // in which entries are looked up, at one version
	last commit      // the last checkpoint
	budget
	set     *set      // of the states
	version uint64    // of what was handed over last
	fresh   int       // dirty entries, or a few more
	running chan *job // what is being written, if anything is
	spare   []slot    // room for the entries of the next job
	pace    Pace      // of this run
}

// The keys in Badger are a letter followed by what it says.
const (
	stateKey  = 's' // fingerprint: Entry
	textKey   = 'x' // fingerprint: the encoded state
	blobKey   = 'b' // kind, index, piece: a piece of a blob
	commitKey = 'c' // nothing: commit, of the last checkpoint
)

// keyBytes is the size of the key of a state. The lower half of the fingerprint
// comes first, so that the order is that of the table in memory and of the filter.
const keyBytes = 1 + 16

func appendKey(b []byte, letter byte, fp store.Fingerprint) []byte {
	b = append(b, letter)
	b = binary.BigEndian.AppendUint64(b, fp.Lo)
	return binary.BigEndian.AppendUint64(b, fp.Hi)
}

func parseKey(b []byte) store.Fingerprint {
	return store.Fingerprint{Lo: binary.BigEndian.Uint64(b[1:]), Hi: binary.BigEndian.Uint64(b[9:])}
}

func appendEntry(b []byte, e store.Entry) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, e.Sleep), e.Note)
}

func parseEntry(b []byte) store.Entry {
	return store.Entry{Sleep: binary.LittleEndian.Uint64(b), Note: binary.LittleEndian.Uint64(b[8:])}
}

// open opens the database. The directory is locked.
func (d *Store) open() (err error) {
	d.ills = newTrouble(d.dir)
	opt := badger.DefaultOptions(filepath.Join(d.dir, dbName)).
		WithLogger(d.ills).
		WithSyncWrites(true).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithNumGoroutines(2).
		WithNumCompactors(2).
		WithNumMemtables(3).
		WithMemTableSize(int64(d.memtable)).
		WithValueThreshold(min(1<<20, int64(d.memtable)/10)).
		WithValueLogFileSize(64 << 20).
		WithCompression(options.None). // fingerprints are as random as can be
		WithBlockCacheSize(0).         // without compression, the system's page cache serves
		WithChecksumVerificationMode(options.OnBlockRead)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer undecodable(opt.Dir, &err)
	db, err := badger.OpenManaged(opt)
	if err == nil {
		d.db = db
	}
	return err
}

// closeMemtables bounds what closing the database writes.
const closeMemtables = 4

// Close waits for a checkpoint under way and releases the directory. It does
// not write another one.
func (d *Store) Close() error {
	err := d.Wait()
	if d.read != nil {
		d.read.Discard()
	}
	if left, known := Free(d.dir); known && left < closeMemtables*int64(d.memtable) {
		d.db = nil // it would write to the last; its log has everything already
	}
	if d.db != nil {
		if ill := d.ills.close(d.db); err == nil && ill != nil {
			err = d.illness(ill)
		}
	}
	d.lock.release()
	return err
}

// Set implements store.Store.
func (d *Store) Set() store.Set { return d.set }

// Mem returns the bytes of memory that the set and the database should stay
// within.
func (d *Store) Mem() int { return d.mem }

// Dir implements store.Store.
func (d *Store) Dir() string { return d.dir }

// get looks a state up.
func (d *Store) get(fp store.Fingerprint) (w store.Entry, ok bool, err error) {
	defer d.caught(&err)
	var buf [keyBytes]byte
	item, err := d.read.Get(appendKey(buf[:0], stateKey, fp))
	if err != nil {
		return w, false, absent(err)
	}
	err = item.Value(func(b []byte) error {
		if len(b) != 16 {
			return fmt.Errorf("%w: an entry has %d bytes", store.ErrDamaged, len(b))
		}
		w = parseEntry(b)
		return nil
	})
	return w, err == nil, err
}

// text returns the encoding of a state.
func (d *Store) text(fp store.Fingerprint) (text string, ok bool, err error) {
	defer d.caught(&err)
	var buf [keyBytes]byte
	item, err := d.read.Get(appendKey(buf[:0], textKey, fp))
	if err != nil {
		return "", false, absent(err)
	}
	b, err := item.ValueCopy(nil)
	return string(b), err == nil, err
}

// absent drops the error that says that a key does not exist.
func absent(err error) error {
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil
	}
	return err
}

// readAt makes reads see what has this version or an older one.
func (d *Store) readAt(version uint64) {
	if d.read != nil {
		d.read.Discard()
	}
	d.read = d.db.NewTransactionAt(version, false)
}

// Bytes implements store.Store.
func (d *Store) Bytes() int64 {
	var n int64
	filepath.WalkDir(d.dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				n += allocated(info)
			}
		}
		return nil // a file that a compaction has just removed
	})
	return n
}

// Pace is what checkpoints have cost.
type Pace struct {
	Checkpoints int           // written
	Entries     int           // written, by checkpoints and between them
	Paused      time.Duration // the search stood still
	Writing     time.Duration // while the search went on, and else
}

// Pace returns what checkpoints have cost since the store was opened.
func (d *Store) Pace() Pace { return d.pace }
