package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/thorough"
)

// hugeModels are violated, by executions or with names that are larger than any that people read.
var hugeModels = map[string]string{
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

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1)) }
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

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1000, 1000)) }
`,
	"names": strings.ReplaceAll(`
var NAME int32

func kNAME() {
	NAME = 1
	cl.Assert(NAME > 1, "NAME")
}

func main() { cl.EnqueueNDRangeKernel(kNAME, cl.NDRange1D(2, 1)) }
`, "NAME", strings.Repeat("x", 10_000)),
}

// maxPeak bounds the memory of a process that reports something huge, in bytes.
const maxPeak = 210 << 20

// TestHuge checks how much memory it takes to find, tell, draw and keep what is huge: in each form.
func TestHuge(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("it measures memory, for a quarter of a minute")
	}
	for tried, name := range slices.Sorted(maps.Keys(hugeModels)) {
		code := hugeModels[name]
		model := filepath.Join(t.TempDir(), name+".go")
		if err := os.WriteFile(model, []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n"+code), 0o666); err != nil {
			t.Fatal(err)
		}
		forms := []string{"--format=json", "--html=x.html", "--trace=x.json"}
		if !thorough.Asked() { // models in turn
			forms = forms[tried%3 : tried%3+1]
		}
		for _, form := range forms {
			least := int64(1 << 62)
			for again := range 3 { // a machine that does much else may collect garbage late
				args := []string{"explore", "--progress=never", form, model}
				cmd := clmc(args...)
				cmd.Dir = t.TempDir()
				if again == 2 { // and what is not garbage has room in less
					cmd.Env = append(cmd.Environ(), "GOMEMLIMIT=190MiB")
				}
				peak := measured(t, cmd)
				out, err := cmd.Output()
				if exitOf(err) != 1 || len(out) < 500 {
					t.Fatalf("%s %s: %v: %.500s", name, form, err, out)
				}
				if least = min(least, peak()); least <= maxPeak {
					break
				}
			}
			t.Logf("%s %s: %d MB", name, form, least>>20)
			if least > maxPeak {
				t.Errorf("%s %s: it takes %d MB", name, form, least>>20)
			}
		}
	}
}
