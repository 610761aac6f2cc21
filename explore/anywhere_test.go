package explore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/ramdir"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store/disk"
)

// TestResumeAnywhere stops searches at every point, one after the other, at which
// they can be stopped, among them those in the middle of a visit and in the
// middle of a unit's turn, and goes on with each to its end.
func TestResumeAnywhere(t *testing.T) {
	t.Parallel()
	for _, p := range []*ir.Program{crossed(), ignoring()} {
		opt := Options{POR: por.DPOR, All: true, pace: looking(time.Hour)}
		points := 0
		opt.Progress = func(Stats) { points++ }
		want := Run(context.Background(), p, opt)
		step := 1
		if testing.Short() {
			step = 3
		}
		for at := 1; at <= points; at += step {
			if got := stoppedAt(t, p, opt, at); !sameResult(got, want) {
				t.Errorf("%s, stopped at point %d of %d:\ngot  %v %v %v, %v\nwant %v %v %v, %v", p.Name, at, points,
					got.Verdict, kinds(got), got.Stats.work(), got.Outcomes,
					want.Verdict, kinds(want), want.Stats.work(), want.Outcomes)
			}
		}
		t.Logf("%s: %d points", p.Name, points)
	}
}

// stoppedAt explores a program on disk, in two runs, the first of which ends at
// the given one of the points at which it can.
func stoppedAt(t *testing.T, p *ir.Program, opt Options, at int) *Result {
	t.Helper()
	dir := filepath.Join(ramdir.New(t), "store")
	defer os.RemoveAll(dir) // many are made
	d, err := disk.Create(dir, disk.Options{Mem: 1 << 18}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt.Store = d
	// The context is looked at before the progress is told.
	opt.Progress = func(Stats) {
		if at--; at <= 1 {
			cancel()
		}
	}
	if at == 1 {
		cancel()
	}
	r := Run(ctx, p, opt)
	if err := errors.Join(r.Err, d.Close()); err != nil {
		t.Fatal(err)
	}
	if d, err = disk.Open(dir, disk.Options{}); err != nil {
		t.Fatal(err)
	}
	opt.Store, opt.Progress = d, nil
	r = Run(context.Background(), p, opt)
	if err := errors.Join(r.Err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return r
}

// crossed has two units each of which reads what the other one writes after that.
// Whichever has the first turn, below it the other one writes what it has read, and
// must therefore have a turn, too, for no other reason than that.
func crossed() *ir.Program {
	b := randprog.NewBuilder("crossed")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(place(0))
	p.Load(x, rlx, dev)
	p.Store(y, p.Int(1), rlx, dev)
	q := b.Thread(place(1))
	q.Load(y, rlx, dev)
	q.Store(x, q.Int(1), rlx, dev)
	return b.Program()
}
