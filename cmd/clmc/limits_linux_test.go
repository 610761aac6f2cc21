package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Limits on time and memory hold in every phase of a search, not only between its steps. Each
// model made one phase go on for seconds to minutes, or take hundreds of megabytes to gigabytes.
func TestLimitsHold(t *testing.T) {
	const header = "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n"
	for _, c := range []struct {
		phase, source string
		args          []string
		exits         []int
		time          time.Duration // beside what the machine's other work takes
		memory        int64         // bytes, resident
	}{
		{"one expansion for a shorter schedule, of states of a megabyte", `
var a [4]int32

func k() {
	i := cl.GetGlobalID(0)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	a[i%4+4*(i/(1000-1))] = 1
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1000, 1))
	cl.Finish()
}
`, []string{"--time-limit", "3s", "--mem", "64MiB"}, []int{1}, 4 * time.Second, 256 << 20},
		{"telling what 512 work-items see at a barrier", `
var a, b [512]int32

func k() {
	l := cl.Local[[512]int32]()
	i := cl.GetLocalID(0)
	l[i] = a[i]
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	b[i] = l[(i+1)%512]
}

func main() {
	for i := range 512 {
		a[i] = int32(i)
	}
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(512, 512))
	cl.Finish()
}
`, nil, []int{1}, 6 * time.Second, 512 << 20},
		{"listing the outcomes of a choice", `
func main() {
	cl.Assert(cl.Choose(1<<31 + cl.Choose(2)) >= 0, "any")
}
`, []string{"--time-limit", "1s", "--mem", "64MiB"}, []int{1}, 3 * time.Second, 256 << 20},
		{"private computation of work-items that are launched at once", `
var a [256]int32

func k() {
	x := 0
	for x < 2000000000 {
		x++
	}
	a[cl.GetGlobalID(0)] = int32(x)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(256, 1))
	cl.Finish()
}
`, []string{"--time-limit", "1s", "--mem", "64MiB"}, []int{3}, 3 * time.Second, 256 << 20},
	} {
		t.Run(c.phase, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "model.go")
			if err := os.WriteFile(model, []byte(header+c.source), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], append(append([]string{"explore", "-q", "--progress", "never"}, c.args...), model)...)
			cmd.Env = append(os.Environ(), asCommand+"=1")
			most := measured(t, cmd)
			began := time.Now()
			out, _ := cmd.CombinedOutput()
			took, peak := time.Since(began), most()
			if code := cmd.ProcessState.ExitCode(); !slices.Contains(c.exits, code) {
				t.Errorf("exit code %d, want one of %v\n%s", code, c.exits, out)
			}
			if took > c.time {
				t.Errorf("took %v, at most %v are allowed", took, c.time)
			}
			if peak > c.memory {
				t.Errorf("took %d MiB, at most %d are allowed", peak>>20, c.memory>>20)
			}
			t.Logf("%v, %d MiB", took, peak>>20)
		})
	}
}
