package capture

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/testkit/thorough"
)

// hosts builds the layer and a host program, or skips the test where that cannot be done.
type hosts struct{ dir, layer string }

// newHosts builds the layer. It skips where there is no C compiler, or no OpenCL to link with.
func newHosts(t *testing.T) *hosts {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler: the layer of clmc capture is not tried")
	}
	t.Setenv("POCL_CACHE_DIR", t.TempDir())
	for _, header := range []string{"/usr/include/CL/cl.h", "/usr/include/CL/cl_layer.h"} {
		if _, err := os.Stat(header); err != nil {
			t.Skip("no OpenCL headers: the layer of clmc capture is not tried")
		}
	}
	h := &hosts{dir: t.TempDir()}
	h.layer = filepath.Join(h.dir, Layer)
	source, err := filepath.Abs("../../../clmc-layer/layer.c")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden", "-o", h.layer, source, "-ldl", "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("cc", "-o", filepath.Join(h.dir, "vecadd"), "testdata/hosts/vecadd.c", "-lOpenCL").CombinedOutput(); err != nil {
		t.Skipf("no OpenCL library to link with: %s", out)
	}
	if err := exec.Command(filepath.Join(h.dir, "vecadd")).Run(); err != nil {
		t.Skipf("no OpenCL device that runs the first program of every tutorial: %v", err)
	}
	h.bare(t)
	return h
}

// bare adds a platform without a device to those that the loader finds.
func (h *hosts) bare(t *testing.T) {
	vendors := filepath.Join(h.dir, "vendors")
	list, _ := filepath.Glob("/etc/OpenCL/vendors/*.icd")
	if err := os.Mkdir(vendors, 0o755); err != nil || len(list) == 0 || os.Getenv("OCL_ICD_VENDORS") != "" {
		return
	}
	for _, name := range list {
		if text, err := os.ReadFile(name); err != nil || os.WriteFile(filepath.Join(vendors, filepath.Base(name)), text, 0o644) != nil {
			t.Fatal(name, err)
		}
	}
	lib := filepath.Join(h.dir, "libbare.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", lib, "testdata/hosts/bare.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(vendors, "zz-bare.icd"), []byte(lib+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OCL_ICD_VENDORS", vendors)
}

// result is what a process writes, and how it ends.
type result struct {
	out  string
	code int
}

// run runs a host program, with the environment that Run gives it if there is a folder for logs.
func (h *hosts) run(t *testing.T, env []string, command ...string) result {
	t.Helper()
	binary := filepath.Join(h.dir, command[0])
	if _, err := os.Stat(binary); err != nil {
		if out, err := exec.Command("cc", "-o", binary, "testdata/hosts/"+command[0]+".c", "-lOpenCL").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return result{string(out), exitCode(cmd.ProcessState)}
}

// The ways in which the layer can be there: as one of the loader, before OpenCL, and both as clmc capture asks for.
func (h *hosts) ways(dir string) map[string][]string {
	common := []string{"CLMC_CAPTURE_DIR=" + dir, "CLMC_CAPTURE_CONTENTS=4096", "CLMC_CAPTURE_LAUNCHES=8"}
	return map[string][]string{
		"layer":  append([]string{"OPENCL_LAYERS=" + h.layer}, common...),
		"before": append([]string{"LD_PRELOAD=" + h.layer}, common...),
		"both":   append([]string{"OPENCL_LAYERS=" + h.layer, "LD_PRELOAD=" + h.layer}, common...),
	}
}

// hostCase is a host program, and what its launches come to. The verdicts follow from the kernels: those of matrix bug and of histogram_early have the mistake
// that their comments name; reduce, join and the others give each work-item elements of its own, or barriers between the rounds.
type hostCase struct {
	command  []string
	verdicts map[string]explore.Verdict // by kernel
	launches int
	said     []string // parts of what could not be seen
	always   bool     // it is tried in make test, too
}

var hostCases = []hostCase{
	{[]string{"vecadd"}, map[string]explore.Verdict{"vecadd": explore.Verified}, 1, nil, true},
	{[]string{"matrix"}, map[string]explore.Verdict{"product": explore.Verified}, 1, nil, false},
	{[]string{"matrix", "bug"}, map[string]explore.Verdict{"product": explore.Violated}, 1, nil, true},
	{[]string{"reduce"}, map[string]explore.Verdict{"reduce": explore.Verified}, 2, nil, false},
	{[]string{"histogram"}, map[string]explore.Verdict{"histogram": explore.Verified, "histogram_early": explore.Violated}, 2, nil, false},
	{[]string{"queues"}, map[string]explore.Verdict{"scale": explore.Verified, "join": explore.Verified, "shift": explore.Verified}, 4,
		[]string{"from and to share part of a buffer", "several queues"}, true},
	// a permutation: each work-item writes an element of its own; twice reads and writes one element
	{[]string{"gather"}, map[string]explore.Verdict{"scatter": explore.Verified, "twice": explore.Verified}, 2, nil, false},
	{[]string{"linked"}, map[string]explore.Verdict{"doubled": explore.Verified, "blur": explore.Verified}, 3, []string{"made from a binary", "shared virtual memory"}, true},
	{[]string{"platforms"}, map[string]explore.Verdict{"fill": explore.Verified}, 2, []string{"several queues"}, true},
	{[]string{"platforms", "crash"}, map[string]explore.Verdict{"fill": explore.Verified}, 2, []string{"several queues"}, true},
	{[]string{"badly"}, map[string]explore.Verdict{"set": explore.Verified}, 8, []string{"set: more launches"}, true},
	{[]string{"badly", "6"}, map[string]explore.Verdict{"set": explore.Verified}, 8, []string{"set: more launches"}, false},
}

// A host program runs as it does alone, however the layer is there, and its launches come to what its kernels are.
func TestHosts(t *testing.T) {
	h := newHosts(t)
	for i, c := range hostCases {
		if !c.always && !thorough.Asked() {
			continue
		}
		alone := h.run(t, nil, c.command...)
		dir := t.TempDir()
		for way, env := range h.ways(dir) {
			if way != []string{"layer", "before", "both"}[i%3] && !thorough.Asked() {
				continue
			}
			for _, old := range must(filepath.Glob(dir + "/*")) {
				os.Remove(old)
			}
			if got := h.run(t, env, c.command...); got != alone {
				t.Errorf("%v, %s: it ends with %d after %d bytes, and alone with %d after %d", c.command, way, got.code, len(got.out), alone.code, len(alone.out))
			}
			log, err := Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(strings.Join(c.command, " ")+" "+way, func(t *testing.T) { c.check(t, log) })
		}
	}
}

func must(list []string, err error) []string { return list }

// check explores the launches of a log, scaled down.
func (c *hostCase) check(t *testing.T, log *Log) {
	w, err := Write(log, filepath.Join(t.TempDir(), "out"), 8)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Launches) != c.launches {
		t.Errorf("%d launches, want %d: %v", len(w.Launches), c.launches, w.Said)
	}
	for _, want := range c.said {
		if !strings.Contains(strings.Join(w.Said, "\n"), want) {
			t.Errorf("want %q in %q", want, w.Said)
		}
	}
	if c.said == nil && len(w.Said) > 0 {
		t.Errorf("said: %q", w.Said)
	}
	for _, f := range w.Launches {
		kernel, _, _ := strings.Cut(f.What, ",")
		m, err := model.Target(f.Name).Load(model.Options{Kernels: f.read})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		rep, err := m.Explore(t.Context(), explore.Options{MaxStates: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := rep.Result.Verdict, c.verdicts[kernel]; got != want {
			t.Errorf("%s: %v, want %v", f.Next, got, want)
		}
	}
}

// Run returns the exit code of an application, also of one that a signal ends; one that is not there is an error, and what it writes is its own.
func TestRun(t *testing.T) {
	opt := Options{Layer: "/nowhere/" + Layer, Launches: 8} // the loader of shared libraries says that it is missing, and goes on
	for script, want := range map[string]int{"exit 5": 5, "kill -9 $$": 137, "exit 0": 0} {
		notes, code, err := Run(t.Context(), opt, []string{"sh", "-c", script + " 2>/dev/null"})
		if err != nil || code != want {
			t.Errorf("%s: %d, %v", script, code, err)
		}
		if log, err := Read(notes); err != nil || len(log.launches) != 0 {
			t.Errorf("%s: %v", script, err)
		}
		if err := os.RemoveAll(notes); err != nil {
			t.Error(err)
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
	if _, _, err := Run(t.Context(), opt, []string{"/nowhere/at/all"}); err == nil {
		t.Error("an application that is not there is no error")
	}
	if left := must(filepath.Glob(os.TempDir() + "/*")); len(left) > 0 {
		t.Errorf("%v is left of an application that is not there", left)
	}
}

// A process that does much is bounded: its log, and those of its children.
func TestBounds(t *testing.T) {
	h := newHosts(t)
	dir := t.TempDir()
	h.run(t, append(h.ways(dir)["both"], "CLMC_CAPTURE_LAUNCHES=1000000"), "badly")
	files := must(filepath.Glob(dir + "/*.log"))
	size := 0
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			size += int(info.Size())
		}
	}
	log, err := Read(dir)
	if err != nil || len(log.launches) < 2000 || size > 1<<20 || len(files) != 1 {
		t.Errorf("%d launches in %d files of %d bytes, %v", len(log.launches), len(files), size, err)
	}
}
