package disk

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/clmc/clmc/store"
)

var (
	loadStates = flag.Int("states", 200_000, "states of TestLoad")
	loadMem    = flag.Int("mem", 8, "memory of TestLoad, in MiB")
	loadOld    = flag.Int("old", 50, "percent of the visits of TestLoad that go to any earlier state")
	loadDir    = flag.String("dir", "", "directory of TestLoad (default: a temporary one)")
)

// mixed returns a fingerprint that depends on n alone, fast.
func mixed(n int) store.Fingerprint {
	x := uint64(n) + 0x9e3779b97f4a7c15
	next := func() uint64 {
		x += 0x9e3779b97f4a7c15
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	return store.Fingerprint{Hi: next(), Lo: next()}
}

// visits does to a set what a search does with n states, but nothing else: each
// new state is looked up, added, met again soon, noted when it is left, and
// now and then some state from any time before is met again. Each call of
// between lets checkpoints happen.
func visits(s store.Set, n, old int, between func()) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		fp := mixed(i)
		s.Lookup(fp)
		s.Put(fp, store.Entry{Sleep: uint64(i)})
		s.Has(mixed(max(0, i-rng.IntN(100))))
		if left := i - 20; left >= 0 {
			s.Put(mixed(left), store.Entry{Sleep: uint64(left), Note: 1})
		}
		if rng.IntN(100) < old {
			s.Has(mixed(rng.IntN(i + 1)))
		}
		if i%256 == 0 {
			between()
		}
	}
}

// TestLoad keeps many states on disk within little memory, reopens the store,
// and checks that all are there. With -states 100000000 -mem 2048 it is a
// benchmark of the store alone: no search runs.
func TestLoad(t *testing.T) {
	dir := *loadDir
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "store")
	}
	d, err := Create(dir, Options{Mem: *loadMem << 20}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *loadStates > 10_000_000 {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(*loadMem) << 20))
	}
	s := d.set
	began, last := time.Now(), time.Now()
	visits(s, *loadStates, *loadOld, func() {
		err := d.Drain()
		if err == nil && s.Full(0) {
			err = d.Relieve()
		}
		if err == nil && time.Since(last) > time.Minute {
			err, last = d.Checkpoint(nil, nil), time.Now()
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if err := errors.Join(d.Checkpoint(nil, nil), d.Wait()); err != nil {
		t.Fatal(err)
	}
	took, pace, inMemory := time.Since(began), d.Pace(), s.Bytes()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	n := float64(*loadStates)
	t.Logf("%d states in %v: %.0f a second; front %d slots, %.0f MiB in memory; %.1f bytes a state on disk; resident at most %d MiB",
		*loadStates, took.Round(time.Second/10), n/took.Seconds(), s.front.max, float64(inMemory)/(1<<20), float64(d.Bytes())/n, peakMiB())
	t.Logf("%d checkpoints of %d entries, written beside in %v; the search stood still for %v, %.1f %%",
		pace.Checkpoints, pace.Entries, pace.Writing.Round(time.Second/10), pace.Paused.Round(time.Second/100), 100*pace.Paused.Seconds()/took.Seconds())
	runtime.GC()
	began = time.Now()
	if d, err = Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	t.Logf("opened and checked in %v", time.Since(began).Round(time.Millisecond))
	s = d.set
	for i := 0; i < *loadStates; i += 1 + *loadStates/10_000 {
		want := store.Entry{Sleep: uint64(i), Note: 1}
		if i+20 >= *loadStates {
			want.Note = 0
		}
		if e, seen := s.Lookup(mixed(i)); !seen || e != want {
			t.Fatalf("state %d: %v, %v", i, e, seen)
		}
		if s.Has(mixed(-1 - i)) {
			t.Fatalf("state %d is not there", -1-i)
		}
	}
}

// peakMiB is the largest resident size of the process so far, where that is known.
func peakMiB() int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, text, _ = bytes.Cut(text, []byte("VmHWM:"))
	var kib int
	fmt.Sscanf(string(text), "%d", &kib)
	return kib >> 10
}

// BenchmarkSet compares a set in memory with one on disk whose front fits a
// tenth of the states. An operation is all that happens to one state.
func BenchmarkSet(b *testing.B) {
	for _, bench := range []struct {
		name string
		old  int
	}{{"", 10}, {", revisits of any age", 50}} {
		b.Run("memory"+bench.name, func(b *testing.B) {
			visits(store.NewTable(0), b.N, bench.old, func() {})
		})
		b.Run("disk"+bench.name, func(b *testing.B) {
			slots := max(float64(b.N)/10, 1000)
			d, err := Create(filepath.Join(b.TempDir(), "store"), Options{Mem: int(slots * slotBytes * 5 / 2)}, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			b.ResetTimer()
			visits(d.Set(), b.N, bench.old, func() {
				d.Drain()
				if d.Set().Full(0) {
					d.Relieve()
				}
			})
			if err := d.Wait(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
