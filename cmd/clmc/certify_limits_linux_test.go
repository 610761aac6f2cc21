package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/thorough"
)

// Models on which what comes before and beside the search takes long: the analysis that
// tells whether promises can matter, and certifying them.
var slowToCertify = map[string]string{
	"analysis": `
const slots = 128

var table [slots]cl.AtomicInt

func kernel() {
	for i := 1; i <= 4; i++ {
		w := i*11 + cl.GetGlobalID(0)
		for h := w * 7 % slots; ; h = (h + 1) % slots {
			expected := int32(0)
			cl.AtomicCompareExchangeStrongExplicit(&table[h], &expected, int32(w), cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 1))
	cl.Finish()
}
`,
	"certifying": `
const n = 4

var lock, x, y cl.AtomicInt

func kernel() {
	cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) // without the lock
	cl.AtomicFetchAddExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	e := int32(0)
	for !cl.AtomicCompareExchangeStrongExplicit(&lock, &e, 1, cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) {
		e = 0
	}
	for range 3 {
		cl.AtomicStoreExplicit(&x, cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)+1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&y, cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)+1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, 1))
	cl.Finish()
}
`,
	"endless": `
var x, y cl.AtomicInt

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed)
	case 1:
		cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
		for i := int32(0); ; i++ { // never where it was
			cl.AtomicStoreExplicit(&x, i, cl.MemoryOrderRelaxed)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
`,
}

// Certifying heeds limits on time and memory and an interrupt as searching does.
func TestLimitsWhileCertifying(t *testing.T) {
	const (
		slack = 2 * time.Second // processes start late on a busy machine
		most  = 256 << 20       // bytes in all, with --mem 64MiB
	)
	for i, name := range slices.Sorted(maps.Keys(slowToCertify)) {
		text := slowToCertify[name]
		for _, interrupted := range []bool{false, true} {
			if !thorough.Asked() && interrupted != (i%2 == 0) {
				continue
			}
			model := filepath.Join(t.TempDir(), name+".go")
			if err := os.WriteFile(model, []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n"+text), 0o666); err != nil {
				t.Fatal(err)
			}
			limit := "1s"
			if interrupted {
				limit = "1m"
			}
			cmd := clmc("explore", "-q", "--progress", "never", "--time-limit", limit, "--mem", "64MiB", model)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			memory := measured(t, cmd)
			began := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if interrupted {
				time.Sleep(time.Second)
				cmd.Process.Signal(syscall.SIGINT)
			}
			cmd.Wait()
			took, peak := time.Since(began), memory()
			t.Logf("%s, interrupted %v: %v, %d KB, %s", name, interrupted, took, peak>>10, &out)
			if code := cmd.ProcessState.ExitCode(); code != 3 || overran(cmd, took, time.Second+slack) || peak > most {
				t.Errorf("%s, interrupted %v: exit %d after %v with %d KB:\n%s", name, interrupted, code, took, peak>>10, &out)
			}
		}
	}
}
