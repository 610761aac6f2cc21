package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNaturalModels explores models that anybody may write and that have made clmc fail: each ends as
// the rules have it, with a schedule where something goes wrong, in little time and memory.
func TestNaturalModels(t *testing.T) {
	const (
		slack = 15 * time.Second // on a busy machine
		most  = 256 << 20
	)
	for _, c := range []struct {
		what, source string
		args         []string
		code         int
		says         []string
	}{
		// Atomic operations do not race with each other (rule 9.1), whatever orders their commands.
		{"a kernel that is launched again before it has ended", `
const n, launches = 2, 2

var x cl.AtomicInt

func k() {
	cl.Observe("r", cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed))
}

func main() {
	for range launches {
		cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	}
	cl.Finish()
}
`, nil, 0, []string{"verdict: verified"}},
		// The queue is in order (rule 12.5), so that only work-items of one launch can race: with two, both write a.
		{"one that races in its second launch", `
const n, launches = 2, 3

var x cl.AtomicInt
var a int32

func k() {
	if cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed) >= n {
		a = 1
	}
}

func main() {
	for range launches {
		cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	}
	cl.Finish()
}
`, nil, 1, []string{"CL1001", "Schedule"}},
		// Nobody writes x, so that r is 0.
		{"many seq_cst operations of one work-item before an assertion fails", `
const rounds = 40

var x, y cl.AtomicInt
var r int32

func k() {
	for range rounds {
		cl.AtomicStore(&y, 1)
		r = cl.AtomicLoad(&x)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Assert(r == 1, "never")
}
`, []string{"-D", "rounds=300"}, 1, []string{"CL1004", "Schedule"}},
		// Each of the n*rounds additions is seen in the end (rule 5.2): the sum is not 0.
		{"many of several work-items, and two violations", `
const n, rounds = 3, 30

var x cl.AtomicInt
var a int32

func k() {
	for range rounds {
		cl.AtomicFetchAdd(&x, 1)
	}
	a = 1
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(cl.AtomicLoad(&x) == 0, "nobody adds")
}
`, []string{"--all", "--max-states", "2000"}, 1, []string{"CL1001", "CL1004", "Schedule"}},
		// Work-items of two work-groups lock at work-group scope, which is not inclusive (rule 9.1).
		{"a lock of the wrong scope that nobody frees", `
const n = 2

var lock cl.AtomicInt

func k() {
	for {
		expected := int32(0)
		cl.AtomicCompareExchangeWeakExplicit(&lock, &expected, 1, cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	cl.Finish()
}
`, []string{"--all", "--time-limit", "3s"}, 1, []string{"CL1001", "Schedule"}},
		// Work-items i and i+4 write a[i], and nothing orders them (rule 9.1); the last is beyond the array.
		{"a race among two thousand work-items", `
const n = 2000

var a [4]int32

func k() {
	i := cl.GetGlobalID(0)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	a[i%4+4*(i/(n-1))] = 1
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	cl.Finish()
}
`, []string{"--time-limit", "10s", "--mem", "64MiB"}, 1, []string{"CL10"}},
		// Nobody stores to x, for which all but none of them wait: there is no way on.
		{"a thousand work-items that wait for ever", `
const n = 1000

var x cl.AtomicInt

func k() {
	for cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) != int32(1+cl.GetGlobalID(0)) {
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1))
	cl.Finish()
}
`, []string{"--time-limit", "10s", "--mem", "64MiB"}, 1, []string{"CL1011"}},
	} {
		for _, reduction := range []string{"dpor", "none"} {
			if reduction == "none" && slices.Contains(c.args, "--mem") {
				continue // no machine need come to the violation by then
			}
			model := write(t, "model.go", "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n"+c.source)
			cmd := clmc(append([]string{"explore", "--progress", "never", "--por", reduction, model}, c.args...)...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			memory := measured(t, cmd)
			began := time.Now()
			err := cmd.Run()
			took, peak := time.Since(began), memory()
			t.Logf("%v, %d MiB: %s, --por %s", took.Round(time.Millisecond), peak>>20, c.what, reduction)
			if exitOf(err) != c.code || overran(cmd, took, slack) || peak > most {
				t.Errorf("%s, --por %s: exit code %d, want %d, after %v with %d MiB:\n%.3000s", c.what, reduction, exitOf(err), c.code, took, peak>>20, &out)
			}
			for _, say := range c.says {
				if !strings.Contains(out.String(), say) {
					t.Errorf("%s, --por %s: no %q in\n%.3000s", c.what, reduction, say, &out)
				}
			}
		}
	}
}
