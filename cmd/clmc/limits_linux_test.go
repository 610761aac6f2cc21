package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/thorough"
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
`, []string{"--time-limit", "1s", "--mem", "64MiB"}, []int{3}, 3 * time.Second, 256 << 20}, // more than clmc explores, which is no violation
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
			if code := cmd.ProcessState.ExitCode(); !slices.Contains(c.exits, code) && !(code == 3 && starved(cmd, took)) {
				t.Errorf("exit code %d, want one of %v\n%s", code, c.exits, out)
			}
			if overran(cmd, took, c.time) {
				t.Errorf("took %v, at most %v are allowed", took, c.time)
			}
			if peak > c.memory {
				t.Errorf("took %d MiB, at most %d are allowed", peak>>20, c.memory>>20)
			}
			t.Logf("%v, %d MiB", took, peak>>20)
		})
	}
}

// A path of many states of a large model takes more than the visited states, and counts.
func TestLimitOnThePath(t *testing.T) {
	model := write(t, "model.go", `package main

import "github.com/clmc/clmc/models/cl"

const slots = 128

var table [slots]cl.AtomicInt

func kernel() { // each work-item writes itself into all slots in turn, for ever
	w := int32(1 + cl.GetGlobalID(0))
	for h := 7 * w % slots; ; h = (h + 1) % slots {
		if cl.AtomicLoadExplicit(&table[h], cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 0 {
			cl.AtomicStoreExplicit(&table[h], w, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(8, 1))
	cl.Finish()
}
`)
	const most = 224 << 20 // beside the path there are the program itself, and garbage
	ways := [][]string{{"--workers", "2"}, {"--store", filepath.Join(t.TempDir(), "kept")}, nil, {"--por", "none"}}
	for _, args := range ways[:thorough.Of(2, len(ways))] {
		cmd := clmc(append([]string{"explore", "-q", "--progress", "never", "--promises", "0", "--time-limit", "1m", "--mem", "32MiB", model}, args...)...)
		memory := measured(t, cmd)
		began := time.Now()
		out, _ := cmd.CombinedOutput()
		took, peak := time.Since(began), memory()
		t.Logf("%v, %d MiB: %q", took, peak>>20, args)
		if code := cmd.ProcessState.ExitCode(); code != 3 || !bytes.Contains(out, []byte("the memory limit of 32 MiB was met")) || peak > most {
			t.Errorf("%q: exit code %d with %d MiB, want the memory limit and no more than %d MiB\n%s", args, code, peak>>20, most>>20, out)
		}
	}
}

// Sixteen thousand work-items: who may access what takes 10^8 steps to find out where each of them names all of an
// array, a state in which each has seen what no other has takes a gigabyte, and which step can be taken at once is asked of all
// pairs. Two of the programs race, which may be found in time: the barrier of "arrays" does not order local memory (rule 11.4), and
// nothing orders what the work-items of "clocks" write, four of them to the same.
func TestLimitsOfManyWorkItems(t *testing.T) {
	const (
		slack = 3 * time.Second // beside what the machine's other work takes
		most  = 256 << 20
	)
	for name, code := range map[string]string{
		"arrays": `
var in, out [n]int32

func k() {
	l := cl.Local[[n]int32]()
	i := cl.GetLocalID(0)
	l[i] = in[i]
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	out[i] = l[(i+1)%n]
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, n)) }
`,
		"clocks": `
var a [4]int32

func k() {
	i := cl.GetGlobalID(0)
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	a[i%4+4*(i/(n-1))] = 1
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 1)) }
`,
		"views": `
var x cl.AtomicInt
var a [n]int32

func k() {
	i := cl.GetGlobalID(0)
	a[i] = 1
	if cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice) == n-1 {
		a[n-1-i] = 2
	}
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 64)) }
`,
		"additions": `
var x cl.AtomicInt

func k() {
	cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed)
	cl.Observe("r", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed))
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, 64)) }
`,
	} {
		model := write(t, name+".go", "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nconst n = 16384\n"+code)
		commands := [][]string{{"explore", "-q"}, {"explore", "-q", "--por", "none"}, {"simulate"}}
		if !thorough.Asked() {
			one := map[string]int{"arrays": 0, "clocks": 1, "views": 2, "additions": 0}[name]
			commands = commands[one : one+1]
		}
		for _, command := range commands {
			args := append(command, "--progress", "never", "--time-limit", "1s", model)
			if command[0] == "explore" {
				args = append(args, "--mem", "64MiB")
			}
			cmd := clmc(args...)
			memory := measured(t, cmd)
			began := time.Now()
			out, _ := cmd.CombinedOutput()
			took, peak := time.Since(began), memory()
			t.Logf("%v, %d MiB: %s, %q", took, peak>>20, name, command)
			code := cmd.ProcessState.ExitCode()
			if raced := bytes.Contains(out, []byte("data race")) && (name == "arrays" || name == "clocks"); code != 3 && !(raced && code == 1) || overran(cmd, took, time.Second+slack) || command[0] == "explore" && peak > most {
				t.Errorf("%s, %q: exit code %d after %v with %d MiB\n%s", name, command, code, took, peak>>20, out)
			}
		}
	}
}

// What thousands of work-items have seen of one cell to which each has added takes one vector between them, not one each: 4,096 of them
// fit into 64 MiB.
func TestMemoryOfReductions(t *testing.T) {
	model := write(t, "sum.go", `package main

import "github.com/clmc/clmc/models/cl"

const n = 4096

var sum cl.AtomicInt

func add() {
	cl.AtomicFetchAddExplicit(&sum, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	if cl.GetLocalID(0) == 0 {
		cl.Assert(cl.AtomicLoadExplicit(&sum, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == n, "all have added")
	}
}

func main() { cl.EnqueueNDRangeKernel(add, cl.NDRange1D(n, n)) }
`)
	out, err := clmc("explore", "-q", "--progress", "never", "--mem", "64MiB", model).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
