package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
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
