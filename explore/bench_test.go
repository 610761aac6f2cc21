package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store"
)

func place(group int) memmodel.Place { return memmodel.Place{Kernel: 1, Group: uint16(group)} }

// ainc: n items add 1 to one counter.
func ainc(n int) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprintf("ainc(%d)", n))
	x := b.Atomic("x")
	for i := range n {
		t := b.Thread(place(i))
		t.RMW(ir.Add, x, t.Int(1), memmodel.Relaxed, memmodel.ScopeDevice)
	}
	return b.Program()
}

// sbring: n items store to their own location and load their neighbour's.
func sbring(n int, o, l memmodel.Order) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprintf("sbring(%d)", n))
	var xs []*randprog.Var
	for i := range n {
		xs = append(xs, b.Atomic(fmt.Sprintf("x%d", i)))
	}
	for i := range n {
		t := b.Thread(place(i))
		t.Store(xs[i], t.Int(1), o, memmodel.ScopeDevice)
		t.Load(xs[(i+1)%n], l, memmodel.ScopeDevice)
	}
	return b.Program()
}

func BenchmarkExplore(b *testing.B) {
	for _, p := range []*ir.Program{ainc(6), sbring(6, memmodel.Relaxed, memmodel.Relaxed), sbring(6, memmodel.SeqCst, memmodel.SeqCst)} {
		for _, mode := range por.Modes() {
			b.Run(p.Name+"/"+mode.String(), func(b *testing.B) {
				b.ReportAllocs()
				var states, steps int
				for b.Loop() {
					r := Run(context.Background(), p, Options{POR: mode})
					states += r.Stats.States
					steps += r.Stats.Steps
				}
				b.ReportMetric(float64(states)/float64(b.N), "states")
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
			})
		}
	}
}

// BenchmarkStore searches the same states in memory, and on disk behind tables
// that fit all of them and a tenth.
func BenchmarkStore(b *testing.B) {
	p := ainc(8)
	want := Run(context.Background(), p, Options{POR: por.Sleep})
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			Run(context.Background(), p, Options{POR: por.Sleep})
		}
		b.ReportMetric(float64(want.Stats.States*b.N)/b.Elapsed().Seconds(), "states/s")
		b.ReportMetric(float64(want.Stats.PeakBytes)/float64(want.Stats.States), "B/state")
	})
	for name, mem := range map[string]int{"disk, front fits all": 32 << 20, "disk, front fits a tenth": want.Stats.States / 10 * 33 * 5 / 2} {
		b.Run(name, func(b *testing.B) {
			var bytes, reopened float64
			var paused time.Duration
			for b.Loop() {
				dir := filepath.Join(b.TempDir(), "store")
				d, err := store.Create(dir, store.Options{Mem: mem}, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				r := Run(context.Background(), p, Options{POR: por.Sleep, Store: d})
				paused += d.Pace().Paused
				if err := d.Close(); err != nil || r.Err != nil || r.Stats.States != want.Stats.States {
					b.Fatal(err, r.Err, r.Stats.States)
				}
				bytes += float64(d.Bytes())
				b.StopTimer()
				began := time.Now()
				if d, err = store.Open(dir, store.Options{}); err != nil {
					b.Fatal(err)
				}
				reopened += time.Since(began).Seconds()
				d.Close()
				b.StartTimer()
			}
			n := float64(want.Stats.States * b.N)
			b.ReportMetric(n/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(bytes/n, "B/state")
			b.ReportMetric(100*paused.Seconds()/b.Elapsed().Seconds(), "%paused")
			b.ReportMetric(reopened*1000/float64(b.N), "ms-to-open")
		})
	}
}
