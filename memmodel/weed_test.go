package memmodel

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A memory that is weeded after each operation stays the one that is not: the same answers, and in the end, weeded too, the same text.
func TestWeed(t *testing.T) {
	everybody := []uint64{1<<3 - 1}
	x := Location{Region: Global, Atomic: true, Initialised: true, Storers: everybody, Peekers: everybody}
	weeded := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 0))
		l := NewLayout(Specs[rng.IntN(len(Specs))], Traits{SeqCst: seed%2 == 0, Interleaved: seed%2 == 1, Gaps: true, Fences: true},
			[]Place{{Kernel: 1}, {Kernel: 1}, {Kernel: 1, Group: 1}}, []Location{x, x})
		var plain, often Memory
		plain.Reset(l)
		often.Reset(l)
		orders := [...]Order{Relaxed, Acquire, Release, AcqRel, SeqCst}
		for range 1 + rng.IntN(40) {
			u, loc, val, o, s := Unit(rng.IntN(3)), Loc(rng.IntN(2)), rng.Int64N(3), orders[rng.IntN(5)], ScopeDevice
			if rng.IntN(4) == 0 {
				s = ScopeWorkGroup
			}
			fence := o
			if l.Traits.Interleaved && fence == SeqCst { // the order in which all is performed is S
				fence = AcqRel
			}
			deed, back := rng.IntN(5), rng.Int()
			both := func(do func(m *Memory) (int64, bool)) bool {
				v, ok := do(&plain)
				w, fine := do(&often)
				if v != w || ok != fine {
					t.Fatalf("seed %d: %d, %v and, weeded, %d, %v", seed, v, ok, w, fine)
				}
				return ok
			}
			ok := both(func(m *Memory) (int64, bool) {
				at := Msg(back % int(m.Readable(u, loc)))
				switch {
				case deed == 0 && (o == Relaxed || o == Acquire || o == SeqCst):
					return m.Load(u, loc, at, 0, o, s)
				case deed <= 2 && o != Acquire && o != AcqRel:
					return 0, m.Store(u, loc, 0, val, o, s)
				case deed == 3 && m.Modifiable(loc, at):
					return 0, m.Modify(u, loc, at, 0, val, o, s)
				}
				return 0, m.Fence(u, GlobalFence, fence, s)
			})
			if !ok {
				break
			}
			before := len(often.snaps)
			often.gcViews()
			if len(often.snaps) < before {
				weeded++
			}
		}
		plain.gcViews()
		if a, b := plain.Append(nil), often.Append(nil); !bytes.Equal(a, b) {
			t.Fatalf("seed %d:\n%v\nand, weeded,\n%v", seed, a, b)
		}
	}
	if weeded < 400 {
		t.Errorf("vectors went %d times", weeded)
	}
}

// A long run of writes that supersede each other keeps few vectors.
func TestWeedInTime(t *testing.T) {
	everybody := []uint64{1<<2 - 1}
	l := NewLayout(Specs[0], Traits{Interleaved: true}, []Place{{Kernel: 1}, {Kernel: 1}},
		[]Location{{Region: Global, Atomic: true, Initialised: true, Storers: everybody, Peekers: everybody}})
	var m Memory
	m.Reset(l)
	for range 20 * weedFrom {
		if !m.Modify(0, 0, 0, 0, 1, SeqCst, ScopeDevice) {
			t.Fatal("inconsistent")
		}
	}
	if n := len(m.snaps) / l.width; n > 2*weedFrom {
		t.Errorf("%d vectors are kept", n)
	}
}

// So does a long run of release fences, of which each stands for those before it.
func TestWeedFences(t *testing.T) {
	l := NewLayout(Specs[0], Traits{Fences: true}, []Place{{Kernel: 1}, {Kernel: 1}}, []Location{{Region: Global, Atomic: true, Initialised: true}})
	var m Memory
	m.Reset(l)
	for range 20 * weedFrom {
		m.Fence(0, GlobalFence, Release, ScopeDevice)
	}
	if n := len(m.snaps) / l.width; n > 2*weedFrom {
		t.Errorf("%d vectors are kept", n)
	}
}
