package device

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/litmus/gen"
	"github.com/clmc/clmc/models/litmus/opencl"
	"github.com/clmc/clmc/models/shipped"
)

// startReal starts a child in this process that talks to the OpenCL of the computer.
func startReal() (Process, error) {
	in, toChild := io.Pipe()
	lines, out := io.Pipe()
	go func() {
		Serve(in, out, Open)
		out.Close()
	}()
	return &piped{WriteCloser: toChild, lines: lines}, nil
}

// pocl opens PoCL, whose device is the processor. Without it a test is skipped.
func pocl(t testing.TB) (*Client, *Info) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	c := &Client{Start: startReal}
	list, why, err := c.Devices(t.Context(), false, -1)
	for _, d := range list {
		if strings.Contains(d.Platform, "Portable Computing Language") {
			if list, _, err = c.Devices(t.Context(), true, d.Number); err == nil {
				err = c.Open(t.Context(), d.Number)
			}
			if err != nil {
				t.Fatal(err)
			}
			return c, list[d.Number]
		}
	}
	t.Skipf("PoCL is not installed (Debian: pocl-opencl-icd): %v %s %v", list, why, err)
	return nil, nil
}

// poclSuite is a suite of litmus tests on PoCL.
func poclSuite(t testing.TB, each time.Duration) *Suite {
	c, d := pocl(t)
	return &Suite{Client: c, Info: d, Time: each, Seed: 1, Settings: Settings(d)}
}

// TestPoclLitmus: of the litmus tests in the repository none shows what is forbidden.
func TestPoclLitmus(t *testing.T) {
	s := poclSuite(t, 20*time.Millisecond)
	files, err := filepath.Glob("../../../../models/*/testdata/*.litmus")
	more, _ := filepath.Glob("../../../../models/litmus/testdata/*/*.litmus")
	if files = append(files, more...); err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	ran := 0
	tell := func(r *Result) {
		switch {
		case r.Skipped != "":
			t.Logf("%s: skipped: %s", r.Test.Name, r.Skipped)
		case r.Failure != nil || len(r.Forbidden()) > 0:
			t.Errorf("%s: %v %+v", r.Test.Name, r.Failure, r.Forbidden())
		default:
			ran++
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := decided(t, file, string(text))
		if c == nil {
			continue
		}
		if err := s.Add(t.Context(), c, tell); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{storeSB, message, fenced} {
		if err := s.Add(t.Context(), caseOf(t, text), tell); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context(), tell); err != nil || ran < 5 {
		t.Errorf("%d tests ran: %v", ran, err)
	}
}

// decided is a test with what the memory model allows; nil of one that is undefined.
func decided(t *testing.T, file, text string) *Case {
	test, err := litmus.Parse(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(t.Context(), test.Program, explore.Options{Spec: memmodel.Specs[0]})
	if len(r.Violations) > 0 || !r.Complete {
		t.Logf("%s: skipped: undefined", test.Name)
		return nil
	}
	c := &Case{File: file, Test: test}
	for _, o := range r.Outcomes {
		var values []int32
		for _, v := range test.Vars {
			values = append(values, int32(o[v]))
		}
		c.Allowed = append(c.Allowed, values)
	}
	return c
}

// TestPoclBuffering: store buffering is seen, unless the computer has too much else to do.
func TestPoclBuffering(t *testing.T) {
	s := poclSuite(t, time.Second)
	for range 8 {
		r := runOn(t, s, storeSB)[0]
		if _, _, forbidden, _ := counts(r); r.Failure != nil || r.Skipped != "" || forbidden > 0 {
			t.Fatalf("%+v", r)
		}
		for _, o := range r.Outcomes {
			if o.Values[0] == 0 && o.Values[1] == 0 && o.Count > 0 {
				return
			}
		}
	}
	t.Skip("store buffering was not seen in 8 s: the processors are busy with something else, or there is only one")
}

// TestPoclWrong: an expectation that is wrong on purpose is caught, of a litmus test and of a kernel.
func TestPoclWrong(t *testing.T) {
	s := poclSuite(t, 50*time.Millisecond)
	most := &Seen{}
	for _, o := range runOn(t, s, message)[0].Outcomes {
		if o.Count > most.Count {
			most = &o
		}
	}
	caught := false
	for range 8 { // what came most often before comes again, if not at once
		c := caseOf(t, message)
		c.Allowed = slices.DeleteFunc(c.Allowed, func(o []int32) bool { return slices.Equal(o, most.Values) })
		var results []*Result
		tell := func(r *Result) { results = append(results, r) }
		if err := s.Add(t.Context(), c, tell); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context(), tell); err != nil || len(results) != 1 {
			t.Fatalf("%v %+v", err, results)
		}
		if caught = len(results[0].Forbidden()) == 1; caught {
			break
		}
	}
	if !caught {
		t.Errorf("%+v came most often, is no longer allowed, and is not caught", most)
	}
	h, why, err := clc.Host("k.cl", []byte(handOver), clc.Options{})
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	k := &Kernel{Host: h, Ends: explore.Run(t.Context(), h.Program, explore.Options{}), Runs: 20, Time: time.Second}
	if e, err := k.Run(t.Context(), s.Client, s.Info, nil); err != nil || e.Forbidden() > 0 || e.Unknown != "" {
		t.Errorf("%+v %v", e, err)
	}
	for _, o := range k.Ends.Outcomes { // as if out[1] were 9 in the end
		for name := range o {
			if strings.Contains(name, "out@4") {
				o[name] = 9
			}
		}
	}
	if e, err := k.Run(t.Context(), s.Client, s.Info, nil); err != nil || e.Forbidden() != 20 {
		t.Errorf("%+v %v", e, err)
	}
}

// unfit are the shipped kernels that do not run on PoCL, and why.
var unfit = map[string]string{
	"device_quicksort": "enqueues", "softmax": "sub-groups", "subgroup_scan": "sub-groups", "radix_step": "work_group_scan_exclusive_add", "collective_broadcast": "work_group",
	"divergence_conditional": "hang", "divergence_early_return": "hang", "look_back_scan": "hang", "persistent_queue": "hang",
	"progress_barrier_twice": "hang", "progress_local": "hang", "progress_lock": "hang", "progress_lookback_ids": "hang", // docs/liveness.md: under opencl they need not end
}

// TestPoclKernels: shipped kernels leave what their executions do, as far as PoCL has what they use; why others do not run is known.
func TestPoclKernels(t *testing.T) {
	c, d := pocl(t)
	ran := 0
	for _, m := range shipped.All() {
		if !m.IsKernel() {
			continue
		}
		name := strings.TrimSuffix(m.Name, ".cl")
		if unfit[name] == "hang" || strings.HasPrefix(name, "progress_") { // which risk tells: the latter are models of waiting
			continue
		}
		why := poclKernel(t, c, d, m)
		switch want := unfit[name]; {
		case why == "":
			ran++
		case want != "" && strings.Contains(why, want), strings.Contains(why, "program scope variable"), strings.Contains(why, "no launch"):
			t.Logf("%s: skipped: %.100s", name, why)
		default:
			t.Errorf("%s: %s", name, why)
		}
	}
	if t.Logf("%d kernels ran", ran); ran < 12 {
		t.Errorf("only %d kernels ran", ran)
	}
}

// poclKernel runs a kernel on PoCL, or says why not.
func poclKernel(t *testing.T, c *Client, d *Info, m shipped.Model) string {
	if !clc.HasLaunch([]byte(m.Source)) {
		return "no launch"
	}
	h, why, err := clc.Host(m.Path, []byte(m.Source), clc.Options{})
	if err != nil {
		t.Errorf("%s: %v", m.Name, err)
	}
	if h == nil {
		return why
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	k := &Kernel{Host: h, Ends: explore.Run(ctx, h.Program, explore.Options{MaxStates: 5000}), Runs: 50, Time: time.Second}
	e, err := k.Run(ctx, c, d, nil)
	if err != nil {
		return err.Error()
	}
	if e.Forbidden() > 0 || e.Unknown == "" && e.Seen == 0 {
		t.Errorf("%s: %+v", m.Name, e)
	}
	if e.Unknown != "" {
		t.Logf("%s: not compared: %s", m.Name, e.Unknown)
	}
	return ""
}

// BenchmarkPocl is what it takes to play, clear and count instances of store buffering: of all, and beside the launches that play.
func BenchmarkPocl(b *testing.B) {
	s := poclSuite(b, 500*time.Millisecond)
	var instances int64
	var played, all time.Duration
	for b.Loop() {
		begun := time.Now()
		r := runOn(b, s, storeSB)[0]
		instances, played, all = instances+r.Instances, played+r.Time, all+time.Since(begun)
	}
	b.ReportMetric(float64(instances)/all.Seconds(), "instances/s")
	b.ReportMetric(float64((all-played).Nanoseconds())/float64(instances), "ns/instance-beside")
}

// BenchmarkPoclCompile is what PoCL takes to compile fifty random tests, all kernels launched once: with kernels that play many, as clmc does, and with
// one for each.
func BenchmarkPoclCompile(b *testing.B) {
	s := poclSuite(b, time.Second)
	var list []*Result
	for r := range gen.Random(51, 1000) {
		test, err := litmus.Parse(r.Name, []byte(r.Text))
		if err != nil {
			b.Fatal(err)
		}
		s.pending = list // for the names
		one := &Result{Case: &Case{Test: test}}
		if s.choose(one); one.Kernel != nil && one.Kernel.Mapping == opencl.C11 && len(list) < batch {
			list = append(list, one)
		}
	}
	var kernels []*opencl.Kernel
	var single []opencl.Entry
	for _, r := range list {
		kernels, single = append(kernels, r.Kernel), append(single, opencl.Entry{Kernel: r.Kernel.Name})
	}
	merged, entries := opencl.Merged(kernels)
	for name, p := range map[string]struct {
		source  string
		entries []opencl.Entry
	}{"merged": {merged, entries}, "single": {opencl.Source(kernels), single}} {
		b.Run(name, func(b *testing.B) {
			before, _ := cputime.Spent()
			for b.Loop() { // PoCL keeps what it has compiled
				source := fmt.Sprintf("%s\nint salt%d(void) { return 0; }\n", p.source, rand.Uint32())
				if err := s.compile(b.Context(), s.Client, list, source, p.entries); err != nil {
					b.Fatal(err)
				}
				if err := s.Client.warm(b.Context(), warmUps(list)); err != nil {
					b.Fatal(err)
				}
			}
			after, _ := cputime.Spent()
			b.ReportMetric(float64((after-before).Milliseconds())/float64(b.N*len(list)), "CPU-ms/test")
		})
	}
}
