package store

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clmc/clmc/internal/testkit/daily"
)

// numbered returns a fingerprint that depends on n alone.
func numbered(n int) Fingerprint {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	return Fingerprint{rng.Uint64(), rng.Uint64()}
}

// TestFull fills tables that are asked only now and then whether they
// are full, as a search does. They must say so before they are larger than they may be.
func TestFull(t *testing.T) {
	const limit, every = 1 << 17, 251
	for first := range every {
		s := NewTable(limit)
		for n := 1; ; n++ {
			s.Put(Fingerprint{Lo: uint64(n) * 0x9e3779b97f4a7c15, Hi: uint64(n)}, Entry{})
			if s.Bytes() > limit {
				t.Fatalf("asked at %d and every %d: %d bytes for %d states, and not full", first, every, s.Bytes(), n)
			}
			if n%every == first && s.Full(0) {
				if s.Bytes() < limit/4 {
					t.Fatalf("asked at %d: full with %d bytes", first, s.Bytes())
				}
				break
			}
		}
	}
}

// TestTable performs random operations on a table and on a map, over fingerprints
// that share slots, some of them such as mark slots.
func TestTable(t *testing.T) {
	seed := daily.Seed()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	const universe = 3000
	all := make([]Fingerprint, universe)
	for n := range all {
		all[n] = numbered(n)
		switch n % 3 {
		case 0:
			all[n].Lo = uint64(n%7) << 61
		case 1:
			all[n].Hi, all[n].Lo = 0, uint64(n)
		}
	}
	table, want := NewTable(0), map[Fingerprint]Entry{}
	for range 100_000 {
		fp := all[rng.IntN(universe)]
		switch op := rng.IntN(10); {
		case op < 4:
			e := Entry{rng.Uint64N(4), rng.Uint64()}
			table.Put(fp, e)
			want[fp] = e
		case op < 6: // a visit that is taken back
			table.Put(fp, Entry{9, 9})
			for range rng.IntN(5) {
				table.Has(all[rng.IntN(universe)])
			}
			table.Undo()
		default:
			got, seen := table.Lookup(fp)
			if e, ok := want[fp]; seen != ok || got != e {
				t.Fatalf("%v: %v, %v, want %v, %v", fp, got, seen, e, ok)
			}
		}
		if table.Len() != len(want) {
			t.Fatalf("%d states, want %d", table.Len(), len(want))
		}
	}
}

// TestAudit has two states share a fingerprint, and one that is taken back leave it
// to another.
func TestAudit(t *testing.T) {
	table := NewTable(0)
	if table.Same(numbered(0), []byte("a")); !table.Same(numbered(0), []byte("b")) {
		t.Error("told from another without an audit")
	}
	table.Audit()
	for n := range 50 {
		if !table.Same(numbered(n), []byte{byte(n)}) {
			t.Fatal("a new state is taken for another")
		}
		table.Put(numbered(n), Entry{})
	}
	for n := range 50 {
		if !table.Same(numbered(n), []byte{byte(n)}) || table.Same(numbered(n), []byte{byte(n), 0}) {
			t.Fatalf("state %d is not told from another", n)
		}
	}
	bytes := table.Bytes()
	table.Same(numbered(99), []byte("a"))
	table.Put(numbered(99), Entry{})
	if table.Same(numbered(99), []byte("b")) {
		t.Error("not told from another")
	}
	table.Same(numbered(98), []byte("a"))
	table.Put(numbered(98), Entry{})
	table.Undo()
	if !table.Same(numbered(98), []byte("b")) || table.Bytes() <= bytes {
		t.Error("what was taken back is still known")
	}
}

func TestCollision(t *testing.T) {
	if p := Collision(1_000_000_000); math.Abs(p/1.47e-21-1) > 0.01 {
		t.Errorf("%g", p)
	}
}
