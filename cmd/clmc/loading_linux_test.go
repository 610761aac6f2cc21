package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/testkit/thorough"
)

// slowToLoad writes a model as large as models may be, of functions that call none of the others: seconds
// pass until it is refused.
func slowToLoad(t *testing.T) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n//clmc:expect verified\nvar a [64]int32\nvar x cl.AtomicInt\n")
	n := 0
	for ; b.Len() < 950_000; n++ {
		fmt.Fprintf(&b, "\nfunc f%d(s int32) int32 {\n", n)
		for k := range 40 {
			fmt.Fprintf(&b, "\ts = s*%d + a[(s+%d)&63]\n", k+3, k)
		}
		b.WriteString("\treturn s\n}\n")
	}
	b.WriteString("\nfunc k() {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tcl.AtomicFetchAdd(&x, f%d(1))\n", i)
	}
	b.WriteString("}\n\nfunc main() {\n\tcl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))\n\tcl.Finish()\n}\n")
	return write(t, "model.go", b.String())
}

// TestInterruptWhileLoading interrupts commands while they load a model: nothing is to be waited for.
func TestInterruptWhileLoading(t *testing.T) {
	model := slowToLoad(t)
	list := write(t, "list.yaml", fmt.Sprintf("checks:\n  - model: %s\n", model))
	for i, args := range [][]string{
		{"explore", model, model},
		{"simulate", model},
		{"run", list},
		{"test", model},
	} {
		for j, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			if !thorough.Asked() && j != i%2 {
				continue
			}
			cmd := clmc(args...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for begun := time.Now(); resident(cmd.Process.Pid) < 100<<20; time.Sleep(time.Millisecond) {
				if time.Since(begun) > time.Minute {
					cmd.Process.Kill()
					t.Fatalf("%v: it does not load", args)
				}
			}
			sent := time.Now()
			cmd.Process.Signal(signal)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(out.String(), "interrupted") {
				t.Errorf("%v, %v: exit code %d after %v, want 3 at once\n%s", args, signal, code, time.Since(sent), &out)
			}
		}
	}
}

// TestLimitWhileLoading limits the time of commands that cannot load a model within it, or not even begin to.
func TestLimitWhileLoading(t *testing.T) {
	model := slowToLoad(t)
	list := write(t, "list.yaml", fmt.Sprintf("checks:\n  - {model: %s, time-limit: 400ms}\n", model))
	test := write(t, "t.litmus", "OpenCL t\n{ [x]=0; }\nP0 (global atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n")
	const limit = "400ms" // too short for it
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"explore", "--time-limit", limit, "--mem", "64MiB", model}, model + ": not explored: the time limit of 400ms was met while it was loaded"},
		{[]string{"simulate", "--time-limit", limit, model}, "the time limit of 400ms was met while it was loaded"},
		{[]string{"run", list}, "the time limit of 400ms was met while the model was loaded"},
		{[]string{"test", "--time-limit", limit, model}, "the time limit of 400ms was met while the model was loaded"},
		{[]string{"run", "--budget", "300ms", list}, "the time budget was used up before this check"},
		{[]string{"litmus", "--time-limit", "1ns", test, test}, test + ": not explored: the time limit of 1ns was met while it was loaded"},
	} {
		cmd := clmc(c.args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		memory := measured(t, cmd)
		began := time.Now()
		err := cmd.Run()
		took, peak := time.Since(began), memory()
		if exitOf(err) != 3 || !strings.Contains(out.String(), c.says) || overran(cmd, took, 3*time.Second) || peak > 256<<20 {
			t.Errorf("%v: exit code %d after %v with %d MiB, want %q:\n%s", c.args, exitOf(err), took, peak>>20, c.says, &out)
		}
		t.Logf("%v, %d MiB: clmc %s", took, peak>>20, strings.ReplaceAll(strings.Join(c.args, " "), filepath.Dir(model), "DIR"))
	}
}

// TestDocumentOfUnloaded limits the time of an exploration of two models so that none can be loaded: each has a document all the same.
func TestDocumentOfUnloaded(t *testing.T) {
	test := write(t, "t.litmus", "OpenCL t\n{ [x]=0; }\nP0 (global atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n")
	cmd := clmc("explore", "--format", "json", "--time-limit", "1ns", test, test)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	documents := json.NewDecoder(&out)
	for range 2 {
		var d report.Document
		if fault := documents.Decode(&d); fault != nil || d.Model != test || d.Verdict != "inconclusive" || d.Complete || d.Spec == "" ||
			!slices.Equal(d.Incomplete, []string{"the time limit of 1ns was met while it was loaded"}) || d.Violations == nil || d.Outcomes == nil {
			t.Errorf("%v, %+v\n%s", fault, d, &out)
		}
	}
	if documents.More() || exitOf(err) != 3 || !strings.Contains(errs.String(), "not explored: the time limit of 1ns was met") {
		t.Errorf("exit code %d, want 3 and two documents\n%s", exitOf(err), &errs)
	}
}

// resident is how much memory a process has, 0 if it has ended.
func resident(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	kilobytes := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(status)
	if kilobytes == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(kilobytes[1]), 10, 64)
	return n << 10
}
