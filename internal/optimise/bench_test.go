package optimise

import (
	"context"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/model"
)

// BenchmarkOptimise searches from the strongest orders: what a user waits for.
func BenchmarkOptimise(b *testing.B) {
	for _, name := range []string{"mp_global.go", "spin.go", "ticket.go", "mp_local.go", "seqlock.go", "lastblock.go", "deque.go"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := Run(b.Context(), model.Target("testdata/"+name), options(strongest))
				if err != nil || r.Verdict != Optimised {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// BenchmarkReplay repeats a schedule that goes wrong on the assignment that it is of; the metric is for a schedule of 50 steps.
func BenchmarkReplay(b *testing.B) {
	for _, name := range []string{"ticket.go", "lastblock.go", "deque.go"} {
		b.Run(name, func(b *testing.B) {
			f, bad := wrongAt(b, name)
			x := f.strengths(f.ends(false))
			for b.Loop() {
				if !f.goesWrong(bad, x) {
					b.Fatal("it goes right")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)*50/float64(len(bad.moves)), "µs/50-steps")
		})
	}
}

// BenchmarkStart begins a check, and ends it at once: what is worked out again of a program with other strengths.
func BenchmarkStart(b *testing.B) {
	for _, name := range []string{"ticket.go", "deque.go"} {
		b.Run(name, func(b *testing.B) {
			f, bad := wrongAt(b, name)
			x := f.strengths(f.ends(false))
			over, cancel := context.WithCancel(b.Context())
			cancel()
			for b.Loop() {
				f.search(over, bad.q, f.base(bad.q), x, explore.Options{Promises: explore.NoPromises})
			}
		})
	}
}

// wrongAt returns how the weakest assignment of a model goes wrong.
func wrongAt(b *testing.B, name string) (*finder, *failing) {
	opt := options(strongest)
	p, err := newProblem(b.Context(), model.Target("testdata/"+name), &opt)
	if err != nil {
		b.Fatal(err)
	}
	f := &finder{problem: p, checker: newChecker(p), ctx: b.Context(), r: &Result{p: p}}
	v, bad := f.check(b.Context(), f.strengths(f.ends(false)))
	if v != violated || bad.moves == nil {
		b.Fatal("the weakest assignment does not go wrong")
	}
	return f, bad
}
