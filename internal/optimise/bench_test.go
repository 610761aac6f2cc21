package optimise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/model"
)

// BenchmarkOptimise searches from the strongest orders: what a user waits for.
func BenchmarkOptimise(b *testing.B) {
	for _, name := range []string{"mp_global.go", "spin.go", "ticket.go", "mp_local.go", "seqlock.go", "lastblock.go", "deque.go"} {
		b.Run(name, func(b *testing.B) {
			before, _ := cputime.Spent()
			defer func() {
				after, _ := cputime.Spent()
				b.ReportMetric((after-before).Seconds()/float64(b.N), "CPU-s/op")
			}()
			for b.Loop() {
				r, err := Run(b.Context(), model.Target("testdata/"+name), options(strongest))
				if err != nil || r.Verdict != Optimised {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// long is a model whose schedule has about fifty moves: each exchange reads what another one has written.
const long = `package main

import "github.com/clmc/clmc/models/cl"

var turns, flag cl.AtomicInt
var data, sum int32

func k() {
	if cl.GetGroupID(0) == 0 {
		for i := int32(1); i <= 15; i++ {
			sum += cl.AtomicExchangeExplicit(&turns, i, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) //clmc:fixed
		}
		data = 1
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	} else if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
		data = 2
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// hundred is a kernel of a hundred lines, most of which can be weakened: two work-items hand 24 numbers over.
func hundred() string {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar flag [24]cl.AtomicInt\nvar data [24]int32\n\nfunc k() {\n\tif cl.GetGroupID(0) == 0 {\n")
	for i := range 24 {
		fmt.Fprintf(&b, "\t\tdata[%d] = 1\n\t\tcl.AtomicStore(&flag[%d], 1)\n", i, i)
	}
	b.WriteString("\t\treturn\n\t}\n")
	for i := range 16 {
		fmt.Fprintf(&b, "\tif cl.AtomicLoad(&flag[%d]) == 1 {\n\t\tdata[%d] = 2\n\t}\n", i, i)
	}
	b.WriteString("}\n\nfunc main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)); cl.Finish() }\n")
	return b.String()
}

// BenchmarkReplay repeats a schedule that goes wrong on the assignment that it is of. The first metric is for 50 of its steps; short ones
// have little to share the cost of a beginning.
func BenchmarkReplay(b *testing.B) {
	for _, name := range []string{"long.go", "ticket.go", "lastblock.go", "deque.go"} {
		b.Run(name, func(b *testing.B) {
			f, bad := wrongAt(b, name)
			x := f.strengths(f.ends(false))
			before, _ := cputime.Spent()
			for b.Loop() {
				if !f.goesWrong(bad, x) {
					b.Fatal("it goes right")
				}
			}
			after, _ := cputime.Spent()
			each := float64((after - before).Microseconds()) / float64(b.N)
			b.ReportMetric(each*50/float64(len(bad.moves)), "CPU-µs/50-steps")
			b.ReportMetric(each, "CPU-µs/replay")
			b.ReportMetric(float64(len(bad.moves)), "steps")
		})
	}
}

// BenchmarkStart begins a check, and ends it at once: what is worked out again of a program with other strengths.
func BenchmarkStart(b *testing.B) {
	for _, name := range []string{"ticket.go", "deque.go", "hundred.go"} {
		b.Run(name, func(b *testing.B) {
			f, bad := wrongAt(b, name)
			x := f.strengths(f.ends(false))
			over, cancel := context.WithCancel(b.Context())
			cancel()
			before, _ := cputime.Spent()
			defer func() {
				after, _ := cputime.Spent()
				b.ReportMetric(float64((after-before).Microseconds())/float64(b.N), "CPU-µs/start")
			}()
			for b.Loop() {
				f.search(over, bad.q, f.base(bad.q), x, explore.Options{Promises: explore.NoPromises})
			}
		})
	}
}

// wrongAt returns how the weakest assignment of a model goes wrong.
func wrongAt(b *testing.B, name string) (*finder, *failing) {
	opt := options(strongest)
	file := "testdata/" + name
	if text := map[string]string{"long.go": long, "hundred.go": hundred()}[name]; text != "" {
		file = filepath.Join(b.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	p, err := newProblem(b.Context(), model.Target(file), &opt)
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
