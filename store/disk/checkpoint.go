package disk

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/store"
)

// commit is the record that makes a checkpoint valid. It is written last.
type commit struct {
	Epoch  uint64 // the number of the checkpoint, and the version of what it wrote last
	States int    // on the disk
	Sum    uint64 // of the hashes of all entries
	Head   uint64 // hash of the blob of kind headBlob
}

// headBlob is the kind of the blob that stands for the search as a whole.
const headBlob = 0

// pieceBytes is the size of the pieces in which blobs are stored: small enough
// for any transaction and for the LSM tree.
const pieceBytes = 16 << 10

// job is what is written beside the search: entries that the disk does not know
// and, of a checkpoint, all else that has changed. Each has a version of its own.
type job struct {
	version uint64                       // of what it writes
	entries []slot                       // of states
	texts   map[store.Fingerprint]string // whole states, with Audit
	blobs   []store.Blob                 // of a checkpoint
	commit  *commit                      // of a checkpoint
	took    time.Duration                // the time for it
	err     error                        // what went wrong
}

// Checkpoint implements store.Store.
func (d *Store) Checkpoint(head []byte, blobs []store.Blob) error {
	if err := d.Wait(); err != nil {
		return err
	}
	began := time.Now()
	j := d.set.changed(math.MaxInt)
	j.blobs = append(blobs, store.Blob{Kind: headBlob, Data: head})
	j.commit = &commit{Epoch: j.version, States: d.set.states, Sum: d.set.sum, Head: xxh3.Hash(head)}
	d.begin(j)
	d.pace.Paused += time.Since(began)
	return nil
}

// The sizes of what is written between checkpoints.
const (
	minSlack  = 1 << 12 // entries that may wait in any case
	minChunk  = 1 << 11
	maxChunk  = 1 << 16 // entries that are handed over at once
	slackPart = 128     // part of all states that may wait
)

// slack is the number of entries that may wait to be written: few enough for
// the next checkpoint to have little left to write and for the front to have room,
// enough for an entry that changes twice to be written once.
func (d *Store) slack() int {
	return min(max(d.set.states/slackPart, minSlack), d.set.front.max/8)
}

// Drain implements store.Store.
func (d *Store) Drain() error {
	if err := d.Poll(); err != nil || d.Writing() || d.fresh <= d.slack() || d.Room(1, 0) != nil {
		return err
	}
	began := time.Now()
	d.drain()
	d.pace.Paused += time.Since(began)
	return nil
}

func (d *Store) drain() { d.begin(d.set.changed(min(max(d.slack()/4, minChunk), maxChunk))) }

// Relieve implements store.Store.
func (d *Store) Relieve() error {
	for d.Wait() == nil && d.set.Full(0) {
		if err := d.Room(1, 0); err != nil {
			return err
		}
		d.drain()
	}
	return d.set.err
}

// begin begins to write.
func (d *Store) begin(j *job) {
	done := make(chan *job, 1)
	d.running = done
	guard.Go("writer", func() {
		began := time.Now()
		j.err = d.write(j)
		j.took = time.Since(began)
		done <- j
	})
}

// Poll implements store.Store.
func (d *Store) Poll() error {
	if !d.Writing() {
		return d.set.err
	}
	select {
	case j := <-d.running:
		return d.takeOver(j)
	case <-d.ills.over:
		return d.Wait()
	default:
		return d.set.err
	}
}

// Writing implements store.Store.
func (d *Store) Writing() bool { return d.running != nil }

// Wait implements store.Store.
func (d *Store) Wait() error {
	if !d.Writing() {
		return d.set.err
	}
	began := time.Now()
	defer func() { d.pace.Paused += time.Since(began) }()
	select {
	case j := <-d.running:
		return d.takeOver(j)
	case <-d.ills.over: // who writes waits for ever
		d.running = nil
		if d.set.err == nil {
			d.set.err = d.illness(d.ills.met())
		}
		return d.set.err
	}
}

// takeOver takes over what was written.
func (d *Store) takeOver(j *job) error {
	began := time.Now()
	s := d.set
	d.running = nil
	if j.err != nil {
		if s.err == nil {
			s.err = d.illness(j.err)
		}
		return s.err
	}
	s.done(j.entries)
	if s.audit != nil {
		s.audit.done()
	}
	if j.commit != nil {
		d.last = *j.commit
		d.db.SetDiscardTs(d.last.Epoch) // what this checkpoint has replaced may go
		d.pace.Checkpoints++
	}
	if cap(j.entries) <= maxChunk {
		d.spare = j.entries
	}
	d.pace.Entries += len(j.entries)
	d.pace.Writing += j.took
	d.pace.Paused += time.Since(began)
	return s.err
}

// write writes a job. It runs beside the search.
func (d *Store) write(j *job) error {
	// Keys in order are cheaper to insert.
	slices.SortFunc(j.entries, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.fp.Lo, b.fp.Lo), cmp.Compare(a.fp.Hi, b.fp.Hi))
	})
	b := d.batch(j.version)
	defer b.cancel()
	for i := range j.entries {
		e := &j.entries[i]
		b.set(appendKey(b.space(keyBytes), stateKey, e.fp), appendEntry(b.space(16), e.entry))
	}
	for fp, text := range j.texts {
		b.set(appendKey(b.space(keyBytes), textKey, fp), []byte(text))
	}
	for i := range j.blobs {
		b.blob(&j.blobs[i])
	}
	if err := b.flush(); err != nil || j.commit == nil {
		return err
	}
	return d.commit(*j.commit)
}

// commit makes a checkpoint valid, all of whose contents are on the disk.
func (d *Store) commit(c commit) error {
	record, err := seal(&c)
	if err != nil {
		return err
	}
	txn := d.db.NewTransactionAt(c.Epoch, true)
	defer txn.Discard()
	if err := txn.Set([]byte{commitKey}, record); err != nil {
		return err
	}
	return txn.CommitAt(c.Epoch, nil)
}

// Encode writes what Decode reads, for a head or a blob.
func Encode(v any) ([]byte, error) { return msgpack.Marshal(v) }

// Encode implements store.Store.
func (d *Store) Encode(v any) ([]byte, error) { return Encode(v) }

// Decode implements store.Store.
func (d *Store) Decode(data []byte, v any) error {
	if err := msgpack.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	return nil
}

// seal encodes a record of the store, with a checksum.
func seal(v any) ([]byte, error) {
	b, err := msgpack.Marshal(v)
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b)), err
}

// unseal is the inverse of seal.
func unseal(b []byte, v any) error {
	n := len(b) - 8
	if n < 0 || binary.LittleEndian.Uint64(b[n:]) != xxh3.Hash(b[:n]) {
		return fmt.Errorf("%w: the checksum of a record is wrong", store.ErrDamaged)
	}
	return msgpack.Unmarshal(b[:n], v)
}

// batch writes many keys of one version in few transactions. An error sticks.
type batch struct {
	wb   *badger.WriteBatch // Badger's own
	slab []byte             // room for keys and values
	err  error              // the first
}

func (d *Store) batch(version uint64) *batch { return &batch{wb: d.db.NewWriteBatchAt(version)} }

// space returns an empty slice of that capacity, which stays the batch's own.
func (b *batch) space(n int) []byte {
	if len(b.slab) < n {
		b.slab = make([]byte, 64<<10)
	}
	s := b.slab[:0:n]
	b.slab = b.slab[n:]
	return s
}

func (b *batch) set(key, value []byte) {
	if b.err == nil {
		b.err = b.wb.Set(key, value)
	}
}

func (b *batch) delete(key []byte) {
	if b.err == nil {
		b.err = b.wb.Delete(key)
	}
}

// blob writes a blob in pieces, its length and hash before the first.
func (b *batch) blob(blob *store.Blob) {
	data := binary.LittleEndian.AppendUint64(make([]byte, 0, 16+len(blob.Data)), uint64(len(blob.Data)))
	data = binary.LittleEndian.AppendUint64(data, blobHash(blob))
	data = append(data, blob.Data...)
	for piece := 0; len(data) > 0; piece++ {
		n := min(len(data), pieceBytes)
		b.set(pieceKey(blob.Kind, blob.Index, piece), data[:n:n])
		data = data[n:]
	}
}

// blobHash covers the blob's name too, lest one be taken for another.
func blobHash(b *store.Blob) uint64 {
	return xxh3.HashSeed(b.Data, uint64(b.Index)<<8|uint64(b.Kind))
}

func pieceKey(kind byte, index, piece int) []byte {
	b := append(make([]byte, 0, 14), blobKey, kind)
	b = binary.BigEndian.AppendUint64(b, uint64(index))
	return binary.BigEndian.AppendUint32(b, uint32(piece))
}

// flush waits until everything is on the disk.
func (b *batch) flush() error {
	if b.err == nil {
		b.err = b.wb.Flush()
	}
	return b.err
}

func (b *batch) cancel() { b.wb.Cancel() }

// Blob implements store.Store.
func (d *Store) Blob(kind byte, index int) ([]byte, error) {
	var data []byte
	for piece := 0; piece == 0 || uint64(len(data)) < 16+binary.LittleEndian.Uint64(data); piece++ {
		item, err := d.read.Get(pieceKey(kind, index, piece))
		if err != nil {
			return nil, fmt.Errorf("%w: blob %d.%d: %w", store.ErrDamaged, kind, index, err)
		}
		if data, err = appendValue(data, item); err != nil {
			return nil, err
		}
		if len(data) < 16 {
			return nil, fmt.Errorf("%w: blob %d.%d is cut short", store.ErrDamaged, kind, index)
		}
	}
	blob := store.Blob{Kind: kind, Index: index, Data: data[16:]}
	if n := binary.LittleEndian.Uint64(data); n != uint64(len(blob.Data)) || blobHash(&blob) != binary.LittleEndian.Uint64(data[8:]) {
		return nil, fmt.Errorf("%w: blob %d.%d has a wrong checksum", store.ErrDamaged, kind, index)
	}
	return blob.Data, nil
}

func appendValue(b []byte, item *badger.Item) ([]byte, error) {
	err := item.Value(func(v []byte) error {
		b = append(b, v...)
		return nil
	})
	return b, err
}

// Head implements store.Store.
func (d *Store) Head() ([]byte, error) {
	head, err := d.Blob(headBlob, 0)
	if err == nil && xxh3.Hash(head) != d.last.Head {
		err = fmt.Errorf("%w: the head is not that of checkpoint %d", store.ErrDamaged, d.last.Epoch)
	}
	return head, err
}

// Epoch returns the number of the last checkpoint.
func (d *Store) Epoch() uint64 { return d.last.Epoch }
