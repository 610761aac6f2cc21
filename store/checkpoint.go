package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/clmc/clmc/internal/guard"
	"github.com/dgraph-io/badger/v4"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/zeebo/xxh3"
)

// Blob is something of the search's own in a checkpoint. A blob stays until a
// later checkpoint has one of the same kind and index.
type Blob struct {
	Kind  byte
	Index int
	Data  []byte
}

// commit is the record that makes a checkpoint valid. It is written last.
type commit struct {
	Epoch  uint64 // the number of the checkpoint, and the version of what it wrote last
	States int
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
	version uint64
	entries []slot
	texts   map[Fingerprint]string
	blobs   []Blob
	commit  *commit // of a checkpoint
	took    time.Duration
	err     error
}

// Checkpoint begins to write everything that has changed since the last one
// began: states, blobs, and the head, which stands for the search as a whole.
// The search may go on meanwhile; what it changes belongs to the next
// checkpoint. What is still being written is waited for.
func (s *Set) Checkpoint(head []byte, blobs []Blob) error {
	if err := s.Wait(); err != nil {
		return err
	}
	began := time.Now()
	j := s.changed(math.MaxInt)
	j.blobs = append(blobs, Blob{Kind: headBlob, Data: head})
	j.commit = &commit{Epoch: j.version, States: s.states, Sum: s.sum, Head: xxh3.Hash(head)}
	s.disk.begin(j)
	s.disk.pace.Paused += time.Since(began)
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
func (s *Set) slack() int {
	return min(max(s.states/slackPart, minSlack), s.front.max/8)
}

// Drain notes the end of what was being written, and begins to write entries that
// the disk does not know if many have gathered and there is room for them. They
// belong to the next checkpoint: until then, opening the store would take them back.
func (s *Set) Drain() error {
	if err := s.Poll(); err != nil || s.Writing() || s.disk.fresh <= s.slack() || s.disk.Room(1, 0) != nil {
		return err
	}
	began := time.Now()
	s.drain()
	s.disk.pace.Paused += time.Since(began)
	return nil
}

func (s *Set) drain() { s.disk.begin(s.changed(min(max(s.slack()/4, minChunk), maxChunk))) }

// Relieve waits until the set is not Full any more. It returns an ErrFull if the
// disk has no room.
func (s *Set) Relieve() error {
	for s.Wait() == nil && s.Full() {
		if err := s.disk.Room(1, 0); err != nil {
			return err
		}
		s.drain()
	}
	return s.err
}

// begin begins to write.
func (d *Disk) begin(j *job) {
	done := make(chan *job, 1)
	d.running = done
	guard.Go("writer", func() {
		began := time.Now()
		j.err = d.write(j)
		j.took = time.Since(began)
		done <- j
	})
}

// Poll notes the end of what was being written, if it has ended.
func (s *Set) Poll() error {
	if !s.Writing() {
		return s.err
	}
	select {
	case j := <-s.disk.running:
		return s.settle(j)
	default:
		return s.err
	}
}

// Writing reports whether something is being written, as far as Poll knows.
func (s *Set) Writing() bool { return s.disk != nil && s.disk.running != nil }

// Wait waits until everything handed over is safe on the disk.
func (s *Set) Wait() error {
	if !s.Writing() {
		return s.err
	}
	began := time.Now()
	j := <-s.disk.running
	s.disk.pace.Paused += time.Since(began)
	return s.settle(j)
}

// settle takes over what was written.
func (s *Set) settle(j *job) error {
	began := time.Now()
	d := s.disk
	d.running = nil
	if j.err != nil {
		if s.err == nil {
			s.err = d.judge(j.err)
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
func (d *Disk) write(j *job) error {
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
func (d *Disk) commit(c commit) error {
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

// seal encodes a record of the store, with a checksum.
func seal(v any) ([]byte, error) {
	b, err := msgpack.Marshal(v)
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b)), err
}

// unseal is the inverse of seal.
func unseal(b []byte, v any) error {
	n := len(b) - 8
	if n < 0 || binary.LittleEndian.Uint64(b[n:]) != xxh3.Hash(b[:n]) {
		return fmt.Errorf("%w: the checksum of a record is wrong", ErrDamaged)
	}
	return msgpack.Unmarshal(b[:n], v)
}

// batch writes many keys of one version in few transactions. An error sticks.
type batch struct {
	wb   *badger.WriteBatch
	slab []byte
	err  error
}

func (d *Disk) batch(version uint64) *batch { return &batch{wb: d.db.NewWriteBatchAt(version)} }

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
func (b *batch) blob(blob *Blob) {
	data := binary.LittleEndian.AppendUint64(make([]byte, 0, 16+len(blob.Data)), uint64(len(blob.Data)))
	data = binary.LittleEndian.AppendUint64(data, blob.hash())
	data = append(data, blob.Data...)
	for piece := 0; len(data) > 0; piece++ {
		n := min(len(data), pieceBytes)
		b.set(pieceKey(blob.Kind, blob.Index, piece), data[:n:n])
		data = data[n:]
	}
}

// hash covers the blob's name too, lest one be taken for another.
func (b *Blob) hash() uint64 {
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

// Blob returns a blob as of the last checkpoint.
func (d *Disk) Blob(kind byte, index int) ([]byte, error) {
	var data []byte
	for piece := 0; piece == 0 || uint64(len(data)) < 16+binary.LittleEndian.Uint64(data); piece++ {
		item, err := d.read.Get(pieceKey(kind, index, piece))
		if err != nil {
			return nil, fmt.Errorf("%w: blob %d.%d: %w", ErrDamaged, kind, index, err)
		}
		if data, err = appendValue(data, item); err != nil {
			return nil, err
		}
		if len(data) < 16 {
			return nil, fmt.Errorf("%w: blob %d.%d is cut short", ErrDamaged, kind, index)
		}
	}
	blob := Blob{kind, index, data[16:]}
	if n := binary.LittleEndian.Uint64(data); n != uint64(len(blob.Data)) || blob.hash() != binary.LittleEndian.Uint64(data[8:]) {
		return nil, fmt.Errorf("%w: blob %d.%d has a wrong checksum", ErrDamaged, kind, index)
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

// Head returns the head of the last checkpoint.
func (d *Disk) Head() ([]byte, error) {
	head, err := d.Blob(headBlob, 0)
	if err == nil && xxh3.Hash(head) != d.last.Head {
		err = fmt.Errorf("%w: the head is not that of checkpoint %d", ErrDamaged, d.last.Epoch)
	}
	return head, err
}

// Epoch returns the number of the last checkpoint.
func (d *Disk) Epoch() uint64 { return d.last.Epoch }
