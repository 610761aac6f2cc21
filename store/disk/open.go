package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/store"
)

// Format is the version of what a store's files look like.
const Format = 2

// The files of a store.
const (
	markName   = "clmc-store"  // says what the directory is, once it is one
	lockName   = "lock"        // held while a process uses it
	statusName = "status.json" // how far the search is, for people and programs
	dbName     = "db"          // Badger's
)

// markText is the first line of the mark file, before the format's number.
const markText = "clmc store, format "

// maxMark bounds what is read of the mark file.
const maxMark = 1 << 10

// markMem is the second line, before Options.Mem of the first run.
const markMem = "memory "

// Options say how a store is used; they may differ from one time to the next.
type Options struct {
	// Mem is the memory that the set and the database should stay within, in
	// bytes. For Open, 0 means what it was for Create, but no more than MaxMem
	// unless that is 0.
	Mem, MaxMem int
}

// budget divides the memory.
type budget struct {
	slots    int // of the front
	filter   int // bytes
	texts    int // bytes, of audit
	memtable int // bytes
}

// budget gives two fifths to the front, of which up to half is copied to be
// written, three twentieths to the filter, a tenth to whole states if there are
// any, and what is left to Badger, whose files are mapped besides.
func (o Options) budget() budget {
	b := budget{
		slots:    o.Mem / 5 * 2 / slotBytes,
		filter:   o.Mem / 20 * 3,
		texts:    o.Mem / 10,
		memtable: max(1<<20, min(o.Mem/32, 16<<20)), // larger ones are slower for random keys
	}
	return b
}

// Exists reports whether a directory holds a store.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, markName))
	return err == nil
}

// Create makes a directory a store with a first checkpoint of these blobs. The
// directory must be empty, missing, or what an interrupted Create left.
func Create(dir string, opt Options, head []byte, blobs []store.Blob) (_ *Store, err error) {
	if err := vacant(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, plain(dir, err)
	}
	d, err := prepare(dir, opt)
	if err != nil {
		return nil, err
	}
	defer d.closeIf(&err)
	if Exists(dir) {
		return nil, store.Classed(store.ErrInUse, fmt.Errorf("%s: another process has just made it a store", dir))
	}
	for _, name := range []string{dbName, statusName, givenUpName} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return nil, plain(dir, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, dbName), 0o777); err != nil {
		return nil, plain(dir, err)
	}
	if err := d.Room(1, int64(len(head))); err != nil {
		return nil, err
	}
	if err := d.roomToOpen(); err != nil {
		return nil, err
	}
	if err := d.open(); err != nil {
		return nil, d.judge(err)
	}
	d.readAt(math.MaxUint64)
	d.set.filter = newFilter(1<<16, d.budget.filter)
	if err := errors.Join(d.Checkpoint(head, blobs), d.Wait()); err != nil {
		return nil, d.judge(err)
	}
	return d, replaceFile(dir, markName, fmt.Appendf(nil, "%s%d\n%s%d\n", markText, Format, markMem, opt.Mem))
}

// vacant reports why a directory cannot become a store, if it cannot.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return plain(dir, err)
	}
	own := false
	for _, e := range entries {
		own = own || e.Name() == lockName
	}
	for _, e := range entries {
		switch e.Name() {
		case lockName, dbName, statusName, givenUpName, markName + ".new", statusName + ".new", givenUpName + ".new":
			if own {
				continue
			}
		}
		return store.Classed(store.ErrNone, fmt.Errorf("%s: the directory is not empty and holds no store: %s is there", dir, e.Name()))
	}
	return nil
}

// Open opens a store at its last checkpoint. Whatever was written after it is
// taken back, and everything else is checked.
func Open(dir string, opt Options) (_ *Store, err error) {
	mem, err := readMark(dir)
	if err != nil {
		return nil, err
	}
	if opt.Mem == 0 {
		opt.Mem = mem
		if opt.MaxMem > 0 {
			opt.Mem = min(mem, opt.MaxMem)
		}
	}
	d, err := prepare(dir, opt)
	if err != nil {
		return nil, err
	}
	defer d.closeIf(&err)
	if err := d.roomToOpen(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{d.bounded, d.mend, d.verify, d.sweep, d.open, d.recover} {
		if err := step(); err != nil {
			return nil, d.judge(err)
		}
	}
	return d, nil
}

// readMark reads the mark file: the memory of the first run, or why the
// directory is not a store of this format.
func readMark(dir string) (mem int, err error) {
	text, err := regular.Read(filepath.Join(dir, markName), maxMark)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return 0, plain(dir, err)
		}
		return 0, fmt.Errorf("%s: %w in this directory", dir, store.ErrNone)
	}
	if errors.Is(err, regular.ErrKind) {
		return 0, fmt.Errorf("%s: %w: %s: %w", dir, store.ErrDamaged, markName, err)
	}
	if err != nil {
		return 0, plain(dir, err)
	}
	first, second, _ := strings.Cut(string(text), "\n")
	switch format, ours := strings.CutPrefix(first, markText); {
	case !ours:
		return 0, fmt.Errorf("%s: %w: %s does not say that this is a store", dir, store.ErrDamaged, markName)
	case format != fmt.Sprint(Format):
		return 0, fmt.Errorf("%s: %w: %s, and this clmc reads and writes format %d", dir, store.ErrFormat, format, Format)
	}
	if _, err := fmt.Sscanf(second, markMem+"%d\n", &mem); err != nil || mem < 0 {
		return 0, fmt.Errorf("%s: %w: %s is incomplete", dir, store.ErrDamaged, markName)
	}
	return mem, nil
}

// prepare locks the directory. From now on nothing ends the process through
// package log.
func prepare(dir string, opt Options) (*Store, error) {
	log.SetOutput(fatal{})
	l, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	d := &Store{dir: dir, lock: l, mem: opt.Mem, budget: opt.budget()}
	d.set = &set{front: newFront(d.slots), disk: d, spilt: map[store.Fingerprint]store.Entry{}}
	return d, nil
}

// closeIf closes the store on an error.
func (d *Store) closeIf(err *error) {
	if *err != nil {
		d.Close()
	}
}

// roomToOpen reports whether the database can be opened: whether files can be
// created, and whether there is room for what Badger writes meanwhile, into
// mapped memory, where a full disk would end the process.
func (d *Store) roomToOpen() error {
	need := openMemtables*int64(d.memtable) + d.compactions()
	if err := d.roomFor(need, "opening the store"); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Join(d.dir, dbName), "try")
	if err != nil {
		return d.judge(err)
	}
	err = reserve(f, need)
	if err = errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return plain(d.dir, err)
	}
	return nil
}

// replaceFile replaces a file of a directory, all or nothing.
func replaceFile(dir, name string, text []byte) error {
	f, err := os.Create(filepath.Join(dir, name+".new"))
	if err != nil {
		return plain(dir, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return plain(dir, err)
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return plain(dir, err)
	}
	return syncDir(dir)
}

// syncDir makes the names in a directory survive a power failure.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return plain(dir, err)
	}
	f.Sync() // not every system can; Badger's own files do not depend on it
	return f.Close()
}

// recover goes back to the last checkpoint and checks what it holds.
func (d *Store) recover() error {
	if err := d.readCommit(); err != nil {
		return err
	}
	d.readAt(d.last.Epoch)
	d.db.SetDiscardTs(d.last.Epoch)
	if err := d.rollBack(); err != nil {
		return err
	}
	d.readAt(math.MaxUint64) // of what is written from now on, memory knows what is not on the disk yet
	return d.scan()
}

// readCommit finds the last valid checkpoint.
func (d *Store) readCommit() error {
	txn := d.db.NewTransactionAt(math.MaxUint64, false)
	defer txn.Discard()
	item, err := txn.Get([]byte{commitKey})
	if err != nil {
		return fmt.Errorf("%w: there is no checkpoint in it (%w)", store.ErrDamaged, err)
	}
	record, err := item.ValueCopy(nil)
	if err != nil {
		return err
	}
	if err := unseal(record, &d.last); err != nil {
		return err
	}
	if d.last.Epoch != item.Version() {
		return fmt.Errorf("%w: checkpoint %d has the number %d", store.ErrDamaged, item.Version(), d.last.Epoch)
	}
	return nil
}

// rollBack undoes what was written after the last checkpoint: it has a later
// version than that, and is written once more, with one later than all, as it was
// at that checkpoint. A crash in between does no harm, since the commit record
// comes last and another attempt writes the same.
func (d *Store) rollBack() error {
	it := d.newest(badger.IteratorOptions{SinceTs: d.last.Epoch})
	defer it.Close()
	d.version = d.db.MaxVersion()
	to := d.version + 1
	b := d.batch(to)
	defer b.cancel()
	torn := false
	for it.Rewind(); it.Valid(); it.Next() {
		torn = true
		k := it.Item().KeyCopy(nil)
		item, err := d.read.Get(k)
		switch {
		case errors.Is(err, badger.ErrKeyNotFound):
			b.delete(k)
		case err != nil:
			return err
		default:
			v, err := item.ValueCopy(nil)
			if err != nil {
				return err
			}
			b.set(k, v)
		}
	}
	if !torn {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	d.version, d.last.Epoch = to, to
	if err := d.commit(d.last); err != nil {
		return err
	}
	d.db.SetDiscardTs(to)
	return nil
}

// newest iterates over the newest versions of all keys.
func (d *Store) newest(opt badger.IteratorOptions) *iterator {
	txn := d.db.NewTransactionAt(math.MaxUint64, false)
	return &iterator{txn.NewIterator(opt), txn}
}

type iterator struct {
	*badger.Iterator
	txn *badger.Txn // which it reads, and ends with it
}

func (it *iterator) Close() {
	it.Iterator.Close()
	it.txn.Discard()
}

// scan reads all states: the filter needs them, and together they must be what
// the checkpoint says. Each processor reads those of one part of the filter.
func (d *Store) scan() error {
	s := d.set
	s.filter = newFilter(max(1<<16, 2*d.last.States), d.budget.filter)
	l := &s.filter.layers[0]
	parts := make([]part, runtime.GOMAXPROCS(0))
	errs := make([]error, len(parts))
	var wg guard.Group
	for i := range parts {
		p := &parts[i]
		p.from, p.to = i*len(l.blocks)/len(parts), (i+1)*len(l.blocks)/len(parts)
		wg.Go("scan", func() { errs[i] = d.scanPart(p, l) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, p := range parts {
		s.states += p.states
		s.sum += p.sum
	}
	l.room -= s.states
	if s.states != d.last.States || s.sum != d.last.Sum {
		return fmt.Errorf("%w: it has %d states that are not the %d of checkpoint %d", store.ErrDamaged, s.states, d.last.States, d.last.Epoch)
	}
	return nil
}

// part is a part of the states on the disk.
type part struct {
	from, to int    // blocks of the filter
	states   int    // counted
	sum      uint64 // of the hashes of the entries
}

// scanPart reads the states of a part and adds them to the filter.
func (d *Store) scanPart(p *part, l *layer) error {
	if p.from == p.to {
		return nil
	}
	it := d.read.NewIterator(badger.IteratorOptions{Prefix: []byte{stateKey}})
	defer it.Close()
	for it.Seek(appendKey(nil, stateKey, l.first(p.from))); it.Valid(); it.Next() {
		item := it.Item()
		k := item.Key()
		if len(k) != keyBytes {
			return fmt.Errorf("%w: a key of %d bytes", store.ErrDamaged, len(k))
		}
		fp := parseKey(k)
		at := l.at(fp)
		if at >= p.to {
			break
		}
		err := item.Value(func(v []byte) error {
			if len(v) != 16 {
				return fmt.Errorf("%w: an entry has %d bytes", store.ErrDamaged, len(v))
			}
			p.sum += hash(fp, parseEntry(v))
			return nil
		})
		if err != nil {
			return err
		}
		l.blocks[at].add(fp)
		p.states++
	}
	return nil
}

// Remove removes a store, or what is left of one, that no process uses.
func Remove(dir string) error {
	l, err := acquire(dir)
	if err != nil {
		return err
	}
	defer l.release()
	if err := os.RemoveAll(dir); err != nil {
		return plain(dir, err)
	}
	return nil
}

// Move gives a store, or what is left of one, that no process uses another name,
// which must be free.
func Move(dir, to string) error {
	l, err := acquire(dir)
	if err != nil {
		return err
	}
	defer l.release()
	if err := os.Rename(dir, to); err != nil { // also if the name is another directory's
		return plain(dir, err)
	}
	return nil
}

// Used returns when a process has last written to a store.
func Used(dir string) (time.Time, error) {
	last := time.Time{}
	for _, name := range []string{".", lockName, markName, statusName} {
		info, err := os.Stat(filepath.Join(dir, name))
		switch {
		case err == nil && info.ModTime().After(last):
			last = info.ModTime()
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return last, plain(dir, err)
		}
	}
	return last, nil
}
