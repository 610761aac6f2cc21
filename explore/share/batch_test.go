package share

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/store"
)

const semantics = 7

// random returns a batch with a bit of everything.
func random(rng *rand.Rand) *Batch {
	b := &Batch{Semantics: semantics, Worker: rng.Uint64(), Number: rng.Uint64N(1 << 20), Over: rng.IntN(2) == 0}
	text := func() []byte {
		data := make([]byte, 1+rng.IntN(50))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		return data
	}
	b.Found, b.Summaries, b.Facts = make([][]byte, 0), make([]Summary, 0), make([]Fact, 0)
	for range rng.IntN(4) {
		b.Found = append(b.Found, text())
	}
	for range rng.IntN(4) {
		t := text()
		s := Summary{Digest: DigestOf(t)}
		if rng.IntN(2) == 0 {
			s.Text = t
		}
		b.Summaries = append(b.Summaries, s)
	}
	for range rng.IntN(50) {
		if n := len(b.Summaries); n > 0 {
			b.Facts = append(b.Facts, Fact{
				State: store.Fingerprint{Hi: rng.Uint64(), Lo: rng.Uint64()}, Sleep: rng.Uint64() >> rng.IntN(64),
				Summary: rng.IntN(n), Ends: rng.IntN(2) == 0, Round: rng.IntN(2) == 0,
			})
		}
	}
	return b
}

func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 1000 {
		want := random(rng)
		got, err := Decode(want.Append(nil), semantics)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%+v, want\n%+v", err, got, want)
		}
	}
}

// What has been changed on the way is noticed by its checksum; what has a checksum that is right,
// and is wrong otherwise, by what it says.
func TestHostileBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	decoded := 0
	for range 100_000 {
		data := random(rng).Append(nil)
		switch rng.IntN(3) {
		case 0:
			data = data[:rng.IntN(len(data))]
		case 1:
			data = append(data, byte(rng.Uint32()))
		default:
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		if _, err := Decode(data, semantics); !errors.Is(err, ErrBatch) {
			t.Fatalf("damaged, and read: %v", err)
		}
		if len(data) < sumBytes {
			continue
		}
		body := data[:len(data)-sumBytes]
		b, err := Decode(binary.LittleEndian.AppendUint64(body, xxh3.Hash(body)), semantics)
		if err != nil {
			continue
		}
		decoded++
		for _, f := range b.Facts {
			if f.Summary < 0 || f.Summary >= len(b.Summaries) {
				t.Fatalf("a fact names summary %d of %d", f.Summary, len(b.Summaries))
			}
		}
		for _, s := range b.Summaries {
			if s.Text != nil && DigestOf(s.Text) != s.Digest {
				t.Fatal("a summary has another's name")
			}
		}
	}
	if decoded < 1000 {
		t.Errorf("only %d were read", decoded)
	}
}

// A worker of other semantics has no part in the job.
func TestOtherSemantics(t *testing.T) {
	if _, err := Decode((&Batch{Semantics: semantics + 1}).Append(nil), semantics); !errors.Is(err, ErrBatch) {
		t.Error(err)
	}
}

// A fact takes little more than its fingerprint.
func TestFactBytes(t *testing.T) {
	b := &Batch{Summaries: make([]Summary, 30)}
	empty := len(b.Append(nil))
	for n := range 1000 {
		b.Facts = append(b.Facts, Fact{State: store.Fingerprint{Hi: 1 << 63, Lo: uint64(n)}, Sleep: 5, Summary: n % 30, Ends: true})
	}
	if size := float64(len(b.Append(nil))-empty) / 1000; size > 18.1 {
		t.Errorf("%.2f bytes a fact", size)
	}
}

// Each link of a log in memory reads what all have published, in one order.
func TestLocal(t *testing.T) {
	log := NewLocal()
	a, b := log.Link(0), log.Link(1)
	a.Publish(1, []byte("a1"))
	b.Publish(1, []byte("b1"))
	a.Publish(2, []byte("a2"))
	if n, m, k := a.Acknowledged(), a.Acknowledged(), a.Acknowledged(); n != 1 || m != 2 || k != 0 {
		t.Errorf("acknowledged: %d, %d, %d", n, m, k)
	}
	for _, l := range []Link{a, b, log.Link(2)} {
		var all string
		for {
			batch, err := l.Next()
			if err != nil {
				t.Fatal(err)
			}
			if batch == nil {
				break
			}
			all += string(batch) + " "
		}
		if all != "a1 b1 a2 " {
			t.Errorf("worker %d reads %s", l.Self().Order, all)
		}
	}
}
