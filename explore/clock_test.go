package explore

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store/disk"
)

// set returns what time.Now would have returned if the clock, but not the
// monotonic one, had been set so many seconds forth. The layout of a Time is that of
// package time: whether there is a monotonic reading in the highest bit, 33 bits
// of seconds, 30 of nanoseconds. TestSetClock sees whether it still is.
func set(t time.Time, seconds int64) time.Time {
	wall := (*uint64)(unsafe.Pointer(&t))
	*wall = uint64(int64(*wall) + seconds<<30)
	return t
}

const year = 365 * 24 * 3600

func TestSetClock(t *testing.T) {
	for _, years := range []int64{-30, 30} {
		was := time.Now()
		is := set(was, years*year)
		if d := is.Sub(was); d != 0 {
			t.Errorf("%v by the monotonic clock", d)
		}
		if d := is.Round(0).Sub(was.Round(0)); d != time.Duration(years*year)*time.Second {
			t.Errorf("%d years: set by %v", years, d)
		}
	}
}

// TestJumpingClock sets the clock by hours each time that a search asks for the
// time, in one run back, and forth in another one: checkpoints are written when they
// are due and at no other time, and the times that are reported are right.
func TestJumpingClock(t *testing.T) {
	var jumped, by int64
	at := usual()
	at.now = func() time.Time {
		jumped += by
		return set(time.Now(), jumped)
	}
	p := counters()
	opt := Options{POR: por.Sleep, All: true, MaxStates: 20_000, pace: &at}
	want := Run(context.Background(), p, opt)
	dir := filepath.Join(t.TempDir(), "store")
	d, err := disk.Create(dir, disk.Options{Mem: 1 << 20}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	by = -3600
	opt.Store, opt.MaxStates, opt.CheckpointEvery = d, want.Stats.States/2, time.Millisecond
	began := time.Now()
	half := Run(context.Background(), p, opt)
	took := time.Since(began)
	if err := errors.Join(half.Err, d.Close()); err != nil {
		t.Fatal(err)
	}
	// The last one is written in any case.
	if half.Stats.Checkpoints < 2 {
		t.Errorf("back: %d checkpoints in %v, of which one every %v is due", half.Stats.Checkpoints, took, opt.CheckpointEvery)
	}
	if d, err = disk.Open(dir, disk.Options{}); err != nil {
		t.Fatal(err)
	}
	by = 3 * 3600
	opt.Store, opt.MaxStates, opt.CheckpointEvery = d, want.Stats.States, time.Hour
	began = time.Now()
	all := Run(context.Background(), p, opt)
	took += time.Since(began)
	if err := errors.Join(all.Err, d.Close()); err != nil {
		t.Fatal(err)
	}
	if n := all.Stats.Checkpoints - half.Stats.Checkpoints; n != 1 {
		t.Errorf("forth: %d checkpoints in %v, where only the last one is due", n, took)
	}
	for _, r := range []*Result{half, all} {
		if s := &r.Stats; s.Elapsed <= 0 || s.Elapsed > took || s.Standstill <= 0 || s.Standstill > took {
			t.Errorf("%v, and %v at a stop, in %v", s.Elapsed, s.Standstill, took)
		}
	}
	if !sameResult(all, want) {
		t.Errorf("%v %v, want %v %v", all.Verdict, all.Stats.work(), want.Verdict, want.Stats.work())
	}
}

// counters has more states than the search visits.
func counters() *ir.Program {
	b := randprog.NewBuilder("counters")
	x := b.Atomic("x")
	for i := range 3 {
		p := b.Thread(place(i))
		for range 4 {
			p.RMW(ir.Add, x, p.Int(int64(i+1)), memmodel.Relaxed, memmodel.ScopeDevice)
		}
	}
	return b.Program()
}
