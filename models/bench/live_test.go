package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state/ir"
)

// waiting are programs whose end depends on the scheduler.
var waiting = []struct{ name, size, text string }{
	{"ticketlock", "n=5", ""},
	{"xfbarrier", "g=3 w=2", ""},
	{"ring of 3, twice round", "", `
var turn cl.AtomicInt
var data int

func k() {
	me := int32(cl.GetGroupID(0))
	for range 2 {
		for cl.AtomicLoadExplicit(&turn, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != me {
		}
		data++
		cl.AtomicStoreExplicit(&turn, (me+1)%3, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	}
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(3, 1)); cl.Finish() }
`},
	{"look-back of 4", "", `
var flag [4]cl.AtomicInt
var sum [4]int

func k() {
	me := cl.GetGroupID(0)
	if me > 0 {
		for cl.AtomicLoadExplicit(&flag[me-1], cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
		}
		sum[me] = sum[me-1] + me
	}
	cl.AtomicStoreExplicit(&flag[me], 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 1)); cl.Finish() }
`},
}

// liveCost returns what a search takes, in CPU time: the least of a few.
func liveCost(t *testing.T, p *ir.Program, ask *explore.Liveness) (least time.Duration, r *explore.Result) {
	for range 5 {
		began, _ := cputime.Spent()
		r = explore.Run(context.Background(), p, explore.Options{Liveness: ask})
		ended, _ := cputime.Spent()
		if took := ended - began; least == 0 || took < least {
			least = took
		}
	}
	if r.Verdict == explore.Inconclusive {
		t.Errorf("%q", r.Incomplete)
	}
	return least, r
}

// TestLivenessCosts compares what it takes to ask about all models with a search for violations. With -table it prints that.
func TestLivenessCosts(t *testing.T) {
	for _, w := range waiting {
		var p *ir.Program
		var err error
		if w.text == "" {
			p, err = family{name: w.name}.program(w.size)
		} else {
			p, err = load.Source("main.go", []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n"+w.text), load.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		safe, r := liveCost(t, p, nil)
		all, l := liveCost(t, p, explore.AboutAll(liveness.Weak))
		if *table {
			fmt.Printf("| %s | %s | %d | %.1f | %d | %.1f | %.1f |\n", w.name, w.size, r.Stats.States, safe.Seconds()*1e3, l.Live.States, all.Seconds()*1e3, float64(all)/float64(safe))
		}
		if all > 20*safe {
			t.Errorf("%s: %v for all models, more than twenty times %v", w.name, all, safe)
		}
	}
}
