package share

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/store"
)

// Digest names a summary, by its content.
type Digest [16]byte

// DigestOf returns the name of the summary with a text.
func DigestOf(text []byte) Digest { return xxh3.Hash128(text).Bytes() }

// Fact says that a state and everything below it has been explored.
type Fact struct {
	State   store.Fingerprint // which one
	Sleep   uint64            // the units that slept
	Summary int               // of what is below: its place in Batch.Summaries
	Ends    bool              // something below comes to an end
	Round   bool              // something below leads back further up
}

// Summary is what facts say of what is below a state.
type Summary struct {
	Digest Digest // its name
	Text   []byte // nil if the log has it already
}

// Batch is what a worker publishes at a time. Whoever has read it has read all that was
// found below its facts: in Found, or in batches that are before it in the log.
type Batch struct {
	Semantics uint32    // of what facts mean: explore.Semantics
	Worker    uint64    // Member.ID
	Number    uint64    // counted by the worker
	Over      bool      // the job has come to its end
	Found     [][]byte  // what was found: a text each, of package explore's making
	Summaries []Summary // that its facts name
	Facts     []Fact    // states that are done
}

// MaxBatch bounds the bytes of a batch, and Cut is where one ends that could be longer.
const (
	MaxBatch = 512 << 10
	Cut      = 64 << 10
)

// magic begins each batch, with the version of the format.
const magic = "clmc\x01"

const sumBytes = 8

// The bits of a fact beside the place of its summary.
const (
	endsBit = 1 << iota
	roundBit
	factBits = iota
)

// ErrBatch is wrapped by each error about a batch that cannot be read.
var ErrBatch = errors.New("a batch that no worker of this job can have written")

// Append appends the batch in the form in which it is in the log.
func (b *Batch) Append(to []byte) []byte {
	from := len(to)
	to = append(to, magic...)
	to = binary.LittleEndian.AppendUint32(to, b.Semantics)
	to = binary.LittleEndian.AppendUint64(to, b.Worker)
	to = binary.AppendUvarint(to, b.Number)
	to = append(to, flag(b.Over))
	to = binary.AppendUvarint(to, uint64(len(b.Found)))
	for _, f := range b.Found {
		to = appendBytes(to, f)
	}
	to = binary.AppendUvarint(to, uint64(len(b.Summaries)))
	for i := range b.Summaries {
		s := &b.Summaries[i]
		to = appendBytes(append(to, s.Digest[:]...), s.Text)
	}
	to = binary.AppendUvarint(to, uint64(len(b.Facts)))
	for i := range b.Facts {
		f := &b.Facts[i]
		to = binary.LittleEndian.AppendUint64(to, f.State.Hi)
		to = binary.LittleEndian.AppendUint64(to, f.State.Lo)
		to = binary.AppendUvarint(to, f.Sleep)
		to = binary.AppendUvarint(to, f.note())
	}
	return binary.LittleEndian.AppendUint64(to, xxh3.Hash(to[from:]))
}

// note is what a fact says beside which state it is about.
func (f *Fact) note() uint64 {
	return uint64(f.Summary)<<factBits | uint64(flag(f.Ends))*endsBit | uint64(flag(f.Round))*roundBit
}

// factOf returns a fact that says this of some state.
func factOf(note uint64) Fact {
	return Fact{Summary: int(note >> factBits), Ends: note&endsBit != 0, Round: note&roundBit != 0}
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendBytes(to, data []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(data))), data...)
}

// AuthorOf returns the Member.ID that a batch names, 0 if it is none that a worker has made, of whatever semantics.
func AuthorOf(data []byte) uint64 {
	body := len(data) - sumBytes
	if body < len(magic)+12 || string(data[:len(magic)]) != magic || binary.LittleEndian.Uint64(data[body:]) != xxh3.Hash(data[:body]) {
		return 0
	}
	return binary.LittleEndian.Uint64(data[len(magic)+4:])
}

// Decode reads a batch of searches with these semantics. What it returns shares the
// bytes of data.
func Decode(data []byte, semantics uint32) (*Batch, error) {
	body := len(data) - sumBytes
	switch {
	case body < len(magic) || string(data[:len(magic)]) != magic:
		return nil, fmt.Errorf("%w: it does not begin like one", ErrBatch)
	case binary.LittleEndian.Uint64(data[body:]) != xxh3.Hash(data[:body]):
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrBatch)
	}
	r := reader{rest: data[len(magic):body]}
	b := &Batch{Semantics: r.uint32()}
	if !r.bad && b.Semantics != semantics {
		return nil, fmt.Errorf("%w: another version of clmc, of semantics %d, works on this job, and this one has semantics %d", ErrBatch, b.Semantics, semantics)
	}
	b.Worker, b.Number, b.Over = r.uint64(), r.uvarint(), r.flag()
	b.Found = list(&r, 1, (*reader).bytes)
	b.Summaries = list(&r, len(Digest{})+1, (*reader).summary)
	b.Facts = list(&r, 18, func(r *reader) Fact { return r.fact(len(b.Summaries)) })
	if r.bad || len(r.rest) > 0 {
		return nil, fmt.Errorf("%w: it has other parts than it says", ErrBatch)
	}
	return b, nil
}

// reader takes a batch apart. Once something is wrong it has nothing left, and says so.
type reader struct {
	rest []byte // what is still to be read
	bad  bool   // something was wrong
}

func (r *reader) fail() {
	r.rest, r.bad = nil, true
}

// take returns the next n bytes, nil if there are fewer.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	data := r.rest[:n:n]
	r.rest = r.rest[n:]
	return data
}

func (r *reader) uint32() uint32 {
	if data := r.take(4); data != nil {
		return binary.LittleEndian.Uint32(data)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if data := r.take(8); data != nil {
		return binary.LittleEndian.Uint64(data)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) flag() bool {
	n := r.uvarint()
	if n > 1 {
		r.fail()
	}
	return n == 1
}

func (r *reader) bytes() []byte { return r.take(r.uvarint()) }

func (r *reader) summary() (s Summary) {
	copy(s.Digest[:], r.take(uint64(len(s.Digest))))
	if s.Text = r.bytes(); len(s.Text) == 0 {
		s.Text = nil
	} else if DigestOf(s.Text) != s.Digest {
		r.fail()
	}
	return s
}

func (r *reader) fact(summaries int) Fact {
	state, sleep, note := store.Fingerprint{Hi: r.uint64(), Lo: r.uint64()}, r.uvarint(), r.uvarint()
	if note>>factBits >= uint64(summaries) {
		r.fail()
		return Fact{}
	}
	f := factOf(note)
	f.State, f.Sleep = state, sleep
	return f
}

// list reads as many elements as come first, each of at least size bytes.
func list[T any](r *reader, size int, element func(*reader) T) []T {
	n := r.uvarint()
	if n > math.MaxInt32 || n*uint64(size) > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	all := make([]T, 0, n)
	for range n {
		all = append(all, element(r))
	}
	return all
}
