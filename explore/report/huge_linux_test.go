package report

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
)

// huge are models whose executions, or names, are larger than any that people read.
var huge = map[string]string{
	"steps": `
var n cl.AtomicInt
var d [4]int32

func k() {
	for i := 0; i < 25_000; i++ {
		cl.AtomicFetchAddExplicit(&n, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		d[i%4] = int32(i)
		d[(i+1)%4] = d[i%4]
	}
	cl.Assert(cl.AtomicLoadExplicit(&n, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 0, "never")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	cl.Finish()
}
`,
	"items": `
var in [1000]int32

func k() {
	i := cl.GetGlobalID(0)
	in[i] = int32(i)
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	x := in[(i+1)%1000]
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	cl.Assert(x != 7, "not seven")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1000, 1000))
	cl.Finish()
}
`,
	"names": strings.ReplaceAll(`
var NAME int32

func kNAME() {
	NAME = 1
	cl.Assert(NAME > 1, "NAME")
}

func main() {
	cl.EnqueueNDRangeKernel(kNAME, cl.NDRange1D(2, 1))
	cl.Finish()
}
`, "NAME", strings.Repeat("x", 10_000)),
}

// An execution of 100,000 steps, of 1,000 work-items, or with names of 10,000 characters is found, made
// shorter and reported in about two seconds and not much memory, and what is shown of it can be read. (The
// bound of time is ten times that, for slow machines; what grows with the square of the size does not fit.)
func TestHuge(t *testing.T) {
	for name, code := range huge {
		t.Run(name, func(t *testing.T) {
			p, err := load.Source(name+".go", []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n"+code), load.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			used := processor()
			r := explore.Run(context.Background(), p, explore.Options{})
			if len(r.Violations) != 1 {
				t.Fatal(r.Incomplete)
			}
			found := processor() - used
			rep, err := New(name+".go", p, r)
			if err != nil {
				t.Fatal(err)
			}
			built := processor() - used
			var b bytes.Buffer
			for _, full := range []bool{false, true} {
				rep.Full = full
				if err := rep.Text(&b); err != nil {
					t.Fatal(err)
				}
			}
			spent := processor() - used
			runtime.ReadMemStats(&after)
			t.Logf("%d steps: found in %v, built in %v, %v of processor time in all, %d MB allocated", len(rep.Traces[0].Steps), found, built-found, spent, (after.TotalAlloc-before.TotalAlloc)>>20)
			if spent > 20*time.Second {
				t.Errorf("it takes %v", spent)
			}
			if all := (after.TotalAlloc - before.TotalAlloc) >> 20; all > 900 {
				t.Errorf("it allocates %d MB", all)
			}
			if heap := (after.HeapAlloc - before.HeapAlloc) >> 20; heap > 400 && after.HeapAlloc > before.HeapAlloc {
				t.Errorf("it takes %d MB", heap)
			}
			if n := strings.Count(b.String(), "\n"); n < 20 || n > 3*maxRows || !strings.Contains(b.String(), "Schedule (") {
				t.Errorf("%d lines:\n%.2000s", n, b.String())
			}
		})
	}
}

// processor is the time that processors have spent on the test so far.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
