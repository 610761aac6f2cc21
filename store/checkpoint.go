package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

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
	Epoch  uint64 // the number of the checkpoint, and the version of what it wrote
	States int
	Sum    uint64 // of the hashes of all entries
	Head   uint64 // hash of the blob of kind headBlob
}

// headBlob is the kind of the blob that stands for the search as a whole.
const headBlob = 0

// pieceBytes is the size of the pieces in which blobs are stored: small enough
// for any transaction and for the LSM tree.
const pieceBytes = 16 << 10

// written is what became of a checkpoint.
type written struct {
	commit  commit
	entries []slot
	took    time.Duration
	err     error
}

// Checkpoint begins to write everything that has changed since the last one
// began: states, blobs, and the head, which stands for the search as a whole.
// The search may go on meanwhile; what it changes belongs to the next
// checkpoint. An earlier checkpoint that is still being written is waited for.
func (s *Set) Checkpoint(head []byte, blobs []Blob) error {
	if err := s.Wait(); err != nil {
		return err
	}
	began := time.Now()
	d := s.disk
	w := written{commit: commit{Epoch: d.last.Epoch + 1, States: s.states, Sum: s.sum, Head: xxh3.Hash(head)}}
	w.entries = make([]slot, 0, d.fresh)
	s.entries(func(e slot) { w.entries = append(w.entries, e) })
	s.begun()
	d.fresh = 0
	var texts map[Fingerprint]string
	if s.audit != nil {
		s.audit.begun()
		texts = s.audit.moving
	}
	blobs = append(blobs, Blob{Kind: headBlob, Data: head})
	done := make(chan written, 1)
	d.running = done
	go func() {
		began := time.Now()
		w.err = d.write(&w, texts, blobs)
		w.took = time.Since(began)
		done <- w
	}()
	d.pace.Paused += time.Since(began)
	return nil
}

// Poll notes the end of a checkpoint under way, if it has ended.
func (s *Set) Poll() error {
	if s.disk == nil || s.disk.running == nil {
		return s.err
	}
	select {
	case w := <-s.disk.running:
		return s.settle(w)
	default:
		return s.err
	}
}

// Writing reports whether a checkpoint is being written, as far as Poll knows.
func (s *Set) Writing() bool { return s.disk != nil && s.disk.running != nil }

// Wait waits until the last checkpoint is safe on the disk.
func (s *Set) Wait() error {
	if s.disk == nil || s.disk.running == nil {
		return s.err
	}
	began := time.Now()
	w := <-s.disk.running
	s.disk.pace.Paused += time.Since(began)
	return s.settle(w)
}

// settle takes over the result of a checkpoint.
func (s *Set) settle(w written) error {
	began := time.Now()
	d := s.disk
	d.running = nil
	if w.err != nil {
		if s.err == nil {
			s.err = w.err
		}
		return s.err
	}
	d.last = w.commit
	d.readAt(w.commit.Epoch)
	s.done(w.entries)
	if s.audit != nil {
		s.audit.done()
	}
	d.pace.Checkpoints++
	d.pace.Entries += len(w.entries)
	d.pace.Writing += w.took
	d.pace.Paused += time.Since(began)
	return s.err
}

// write writes a checkpoint. It runs beside the search.
func (d *Disk) write(w *written, texts map[Fingerprint]string, blobs []Blob) error {
	// Keys in order are cheaper to insert.
	slices.SortFunc(w.entries, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.fp.Hi, b.fp.Hi), cmp.Compare(a.fp.Lo, b.fp.Lo))
	})
	b := d.batch(w.commit.Epoch)
	defer b.cancel()
	for i := range w.entries {
		e := &w.entries[i]
		b.set(appendKey(b.space(keyBytes), stateKey, e.fp), appendEntry(b.space(16), e.entry))
	}
	for fp, text := range texts {
		b.set(appendKey(b.space(keyBytes), textKey, fp), []byte(text))
	}
	for i := range blobs {
		b.blob(&blobs[i])
	}
	if err := b.flush(); err != nil {
		return err
	}
	return d.commit(w.commit)
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
