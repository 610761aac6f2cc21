package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/litmus/opencl"
)

const reported = `OpenCL MP
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) { atomic_store_explicit(x,1,memory_order_relaxed); atomic_store_explicit(y,1,memory_order_release); }
P1 (global atomic_int* x, global atomic_int* y) { int r0 = atomic_load_explicit(y,memory_order_acquire); int r1 = atomic_load_explicit(x,memory_order_relaxed); }
scopeTree (device (work_group P0) (work_group P1))
exists (1:r0=1 /\ 1:r1=0)
`

// reportOf writes the report on a device that has shown what is forbidden, and returns its folder.
func reportOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "mp.litmus")
	if err := os.WriteFile(file, []byte(reported), 0o666); err != nil {
		t.Fatal(err)
	}
	test, err := litmus.Parse(file, []byte(reported))
	if err != nil {
		t.Fatal(err)
	}
	k, err := opencl.Emit(test.Tree(), "t0", opencl.C11)
	if err != nil {
		t.Fatal(err)
	}
	info := &device.Info{Name: "Wrong device", Vendor: "Nobody", Platform: "Fake", PlatformVersion: "OpenCL 3.0", Version: "OpenCL 3.0 x", Driver: "1.2.3", Type: "gpu", Units: 4}
	s := &device.Suite{Info: info, Settings: device.Settings(info)}
	shape := device.Shapes(info, k, s.Settings)[0].Shape
	r := &device.Result{Case: &device.Case{File: file, Test: test, Allowed: [][]int32{{0, 0}, {0, 1}, {1, 1}}}, Kernel: k, Instances: 1000,
		Outcomes: []device.Seen{{Values: []int32{0, 0}, Allowed: true, Count: 900}, {Values: []int32{1, 0}, Count: 100, Shape: &shape}}}
	l := &litmusFlags{jobs: 1}
	l.spec.Spec, l.symmetry, l.device.report = memmodel.Specs[0], true, filepath.Join(dir, "report")
	a := &app{out: bufio.NewWriter(io.Discard), err: io.Discard}
	d := &deviceRun{app: a, litmusFlags: l, suite: s, seed: 42, hide: func() {}, skipped: map[string]int{}}
	if d.count(r); a.code != exitDevice {
		t.Fatalf("exit code %d", a.code)
	}
	return filepath.Join(l.device.report, "MP")
}

// TestDeviceReport: the folder has all that a vendor needs: which device and driver, what was seen and which rule forbids it, the seed, the test, and programs.
func TestDeviceReport(t *testing.T) {
	dir := reportOf(t)
	for file, want := range map[string][]string{
		"README.txt":  {"Wrong device, of Nobody", "driver 1.2.3", "Seed: 42", `forbids: 1:r0=1 /\ 1:r1=0`, "seen 100 times in 1000 instances", "rule", "cc host.c -lOpenCL"},
		"test.litmus": {"OpenCL MP"}, "program.cl": {"atomic_store_explicit"}, "harness.cl": {"clmc_clear"}, "host.c": {"#include <CL/cl.h>", "int main("},
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %q:\n%s", file, w, text)
			}
		}
		if n := strings.Count(string(text), "\n"); file == "host.c" && n > 120 {
			t.Errorf("host.c has %d lines", n)
		}
	}
}

// headerStub is what host.c needs of CL/cl.h, for compilers that have none.
const headerStub = "testdata/stub"

// TestDeviceReportHost: the host program compiles, without a warning, and where there is PoCL it runs and finds nothing forbidden.
func TestDeviceReportHost(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	dir := reportOf(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	build := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, cc, append([]string{"-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", "host.c"}, args...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	stub, err := filepath.Abs(headerStub)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := build("-fsyntax-only", "-I", stub); err != nil {
		t.Errorf("with a header of the test: %v\n%s", err, out)
	}
	if out, err := build("-fsyntax-only"); err != nil {
		if strings.Contains(out, "CL/cl.h") {
			t.Skip("there is no CL/cl.h: the header of the test was used alone")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	lib := "-lOpenCL"
	if out, err := build(lib, "-o", "host"); err != nil {
		found, _ := filepath.Glob("/usr/lib/*/libOpenCL.so.1")
		if len(found) == 0 {
			t.Skipf("it compiles, and cannot be linked here: %s", out)
		}
		if out, err := build(found[0], "-o", "host"); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run := exec.CommandContext(ctx, "./host", "0", "0", "2")
	run.Dir = dir
	out, err := run.CombinedOutput()
	if strings.Contains(string(out), "-1001") || strings.Contains(string(out), "no platform") {
		t.Skipf("it compiles and links, and there is no device: %s", out)
	}
	if err != nil || !strings.Contains(string(out), "allowed") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestDeviceStopped: a run that a signal or a lost device ends is summed up with what was run.
func TestDeviceStopped(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for what, c := range map[string]struct {
		ctx  context.Context
		err  error
		want string
	}{
		"signal": {done, context.Canceled, "stopped: interrupted; 3 tests were not run\n"},
		"lost":   {t.Context(), &device.Failure{Kind: device.DeviceFault, Text: "clFinish: CL_OUT_OF_RESOURCES (-5)"}, "stopped: clFinish: CL_OUT_OF_RESOURCES (-5); 3 tests were not run\n"},
	} {
		var b strings.Builder
		a := &app{out: bufio.NewWriter(&b), err: io.Discard}
		l := &litmusFlags{}
		l.spec.Spec = memmodel.Specs[0]
		d := &deviceRun{app: a, litmusFlags: l, suite: &device.Suite{Info: &device.Info{Name: "X"}}, hide: func() {}, skipped: map[string]int{"why": 2}, left: 3, ran: 4, total: 1000, seen: 5, allowed: 6}
		if err := d.over(c.ctx, c.err); err != nil {
			t.Fatal(err)
		}
		d.summary()
		a.out.Flush()
		for _, want := range []string{c.want, "4 tests run, 1,000 instances", "5 of 6 allowed outcomes seen", "2 skipped: why", "verdict: nothing forbidden was seen; not all was run"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is not in\n%s", what, want, b.String())
			}
		}
		if a.code != exitInconclusive {
			t.Errorf("%s: exit code %d", what, a.code)
		}
	}
}
