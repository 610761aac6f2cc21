package device

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/litmus/opencl"
)

// piped is a child that runs in this process.
type piped struct {
	io.WriteCloser
	lines *io.PipeReader
}

func (p *piped) Lines() io.Reader { return p.lines }
func (p *piped) End() string {
	p.Close()
	p.lines.Close()
	return "it was ended"
}

// startFake starts children that talk to a fake; a new child has a new one.
func startFake(f func() API) func() (Process, error) {
	return func() (Process, error) {
		in, toChild := io.Pipe()
		lines, out := io.Pipe()
		go func() {
			Serve(in, out, func(string) ([]API, error) { return []API{f()}, nil })
			out.Close()
		}()
		return &piped{WriteCloser: toChild, lines: lines}, nil
	}
}

// suiteOf is a suite on a fake.
func suiteOf(t testing.TB, f func() API) *Suite {
	c := &Client{Start: startFake(f)}
	list, why, err := c.Devices(t.Context(), true, 0)
	if err != nil || len(list) != 1 {
		t.Fatal(list, why, err)
	}
	if err := c.Open(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	settings := []Setting{{Turn: 2, Spin: 4}, {Own: true, Twist: 2, Pair: true, Stress: 3, Extra: 4}, {Mixed: true}}
	return &Suite{Client: c, Info: list[0], Time: time.Millisecond, Instances: 20000, Seed: 1, Settings: settings}
}

const (
	two     = "scopeTree (device (work_group P0) (work_group P1))\n"
	storeSB = `OpenCL SB
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) { atomic_store_explicit(x,1,memory_order_relaxed); int r0 = atomic_load_explicit(y,memory_order_relaxed); }
P1 (global atomic_int* x, global atomic_int* y) { atomic_store_explicit(y,1,memory_order_relaxed); int r0 = atomic_load_explicit(x,memory_order_relaxed); }
` + two + "locations [0:r0; 1:r0; x;]\nexists (true)"
	message = `OpenCL MP
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) { atomic_store_explicit(x,1,memory_order_relaxed); atomic_store_explicit(y,1,memory_order_release); }
P1 (global atomic_int* x, global atomic_int* y) { int r0 = atomic_load_explicit(y,memory_order_acquire); int r1 = atomic_load_explicit(x,memory_order_relaxed); }
` + two + "exists (1:r0=1 /\\ 1:r1=0)"
	inLocal = `OpenCL local
{ [x]=0; [y]=5; [f]=3; }
P0 (local int* x, local atomic_int* y, global_fga atomic_int* f) { *x = 1; atomic_store_explicit(y,1,memory_order_release,memory_scope_work_group); atomic_fetch_add_explicit(f,1,memory_order_relaxed,memory_scope_all_svm_devices); }
P1 (local int* x, local atomic_int* y) { int r1; int r0 = atomic_load_explicit(y,memory_order_acquire,memory_scope_work_group); if (r0 == 1) { r1 = *x; } }
scopeTree (device (work_group P0 P1))
exists (1:r0=1 /\ 1:r1=0 /\ y=1 /\ f=4)`
	fenced = `OpenCL fenced
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) { atomic_store_explicit(x,1,memory_order_relaxed); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,memory_order_seq_cst,memory_scope_device); int r0 = atomic_load_explicit(y,memory_order_relaxed); }
P1 (global atomic_int* x, global atomic_int* y) { atomic_store_explicit(y,1,memory_order_relaxed); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,memory_order_seq_cst,memory_scope_device); int r0 = atomic_load_explicit(x,memory_order_relaxed); }
` + two + "exists (0:r0=0 /\\ 1:r0=0)"
)

// caseOf is a test with the outcomes that the memory model allows.
func caseOf(t testing.TB, text string) *Case {
	test, err := litmus.Parse("t.litmus", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(t.Context(), test.Program, explore.Options{Spec: memmodel.Specs[0]})
	if len(r.Violations) > 0 || !r.Complete {
		t.Fatal(r.Violations)
	}
	c := &Case{File: "t.litmus", Test: test}
	for _, o := range r.Outcomes {
		var values []int32
		for _, v := range test.Vars {
			values = append(values, int32(o[v]))
		}
		c.Allowed = append(c.Allowed, values)
	}
	return c
}

// runOn runs tests on a suite.
func runOn(t testing.TB, s *Suite, texts ...string) (list []*Result) {
	tell := func(r *Result) { list = append(list, r) }
	for _, text := range texts {
		if err := s.Add(t.Context(), caseOf(t, text), tell); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context(), tell); err != nil {
		t.Fatal(err)
	}
	if len(list) != len(texts) {
		t.Fatalf("%d results of %d tests", len(list), len(texts))
	}
	return list
}

// counts sums a result up: outcomes allowed and seen, allowed and not seen, and forbidden.
func counts(r *Result) (seen, unseen, forbidden int, instances int64) {
	for _, o := range r.Outcomes {
		switch {
		case !o.Allowed && o.Count > 0:
			forbidden++
		case o.Count > 0:
			seen++
		default:
			unseen++
		}
		instances += o.Count
	}
	return seen, unseen, forbidden, instances
}

func blind(t testing.TB, s *Suite) bool {
	sights, err := s.Sights(t.Context())
	if err != nil || len(sights) == 0 {
		t.Fatal(sights, err)
	}
	return sights[0].Blind()
}

// TestRightDevice: a device that does all that OpenCL 3.0 allows shows all of it in the end, and nothing else.
func TestRightDevice(t *testing.T) {
	s := suiteOf(t, func() API { return newFake(t) })
	for _, r := range runOn(t, s, storeSB, message, inLocal, fenced) {
		seen, unseen, forbidden, n := counts(r)
		if r.Skipped != "" || r.Failure != nil || unseen > 0 || forbidden > 0 || seen == 0 || n != r.Instances || n < s.Instances {
			t.Errorf("%s: %q %v: %d seen, %d not, %d forbidden, %d of %d instances", r.Test.Name, r.Skipped, r.Failure, seen, unseen, forbidden, n, r.Instances)
		}
	}
	if blind(t, s) {
		t.Error("store buffering was not seen")
	}
}

// TestSequentialDevice: a sequentially consistent device shows nothing that is forbidden, and is known to be blind.
func TestSequentialDevice(t *testing.T) {
	s := suiteOf(t, func() API {
		f := newFake(t)
		f.rewrite = strings.NewReplacer("memory_order_relaxed", "memory_order_seq_cst", "memory_order_acquire", "memory_order_seq_cst", "memory_order_release", "memory_order_seq_cst")
		return f
	})
	for _, r := range runOn(t, s, storeSB, message) {
		seen, unseen, forbidden, _ := counts(r)
		if forbidden > 0 || seen != 3 || r.Test.Name == "SB" && unseen != 1 {
			t.Errorf("%s: %d seen, %d not, %d forbidden", r.Test.Name, seen, unseen, forbidden)
		}
	}
	if !blind(t, s) {
		t.Error("the run was not blind")
	}
}

// TestWrongDevice: a device without releases shows what is forbidden, with how often.
func TestWrongDevice(t *testing.T) {
	s := suiteOf(t, func() API {
		f := newFake(t)
		f.rewrite = strings.NewReplacer("memory_order_release", "memory_order_relaxed")
		return f
	})
	results := runOn(t, s, storeSB, message)
	if _, _, forbidden, _ := counts(results[0]); forbidden > 0 {
		t.Errorf("store buffering has no releases: %+v", results[0].Outcomes)
	}
	bad := results[1].Forbidden()
	if len(bad) != 1 || bad[0].Values[0] != 1 || bad[0].Values[1] != 0 || bad[0].Count < 1000 || bad[0].Shape == nil || bad[0].Shape.N == 0 {
		t.Errorf("%+v", bad)
	}
	if _, _, _, n := counts(results[1]); n != results[1].Instances {
		t.Errorf("%d of %d instances counted", n, results[1].Instances)
	}
}

// TestPromises: what a device does not promise is not run, unless that is asked for, and then it is said.
func TestPromises(t *testing.T) {
	weak := func() API {
		f := newFake(t)
		f.answers = map[uint32][]byte{deviceAtomics: {1 | capWorkGroup | capDevice, 0, 0, 0}, deviceFences: {1 | capAcqRel | capWorkGroup, 0, 0, 0}, deviceSVM: {1, 0, 0, 0}}
		return f
	}
	s := suiteOf(t, weak)
	for _, r := range runOn(t, s, storeSB, message, fenced, inLocal) {
		want := map[string]string{"SB": "", "MP": "atomics of memory_order_", "fenced": "fences of memory_order_seq_cst", "local": "fine-grained"}[r.Test.Name]
		if (r.Skipped == "") != (want == "") || !strings.Contains(r.Skipped, want) {
			t.Errorf("%s: %q", r.Test.Name, r.Skipped)
		}
	}
	s = suiteOf(t, weak)
	s.Unpromised = true
	for _, r := range runOn(t, s, message, fenced, inLocal) { // there is no fine-grained memory, whatever is asked for
		if none := r.Test.Name == "local"; (r.Skipped != "") != none || !none && len(r.Lacks) != 2 {
			t.Errorf("%s: %q %q", r.Test.Name, r.Skipped, r.Lacks)
		}
	}
}

// TestCompilerFails: a test that the compiler does not take is told by name with the log; the others of its program run.
func TestCompilerFails(t *testing.T) {
	s := suiteOf(t, func() API {
		f := newFake(t)
		f.refuses = []string{"// MP"}
		return f
	})
	results := runOn(t, s, storeSB, message, fenced)
	for _, r := range results {
		failed := r.Test.Name == "MP"
		if (r.Failure != nil) != failed || (r.Skipped != "") != failed || failed && !strings.Contains(r.Failure.Text, "what is // MP?") {
			t.Errorf("%s: %q %v", r.Test.Name, r.Skipped, r.Failure)
		}
	}
}

// TestManyFail: of many tests those that the compiler takes run, and few programs are built to find out which.
func TestManyFail(t *testing.T) {
	built := 0
	s := suiteOf(t, func() API {
		f := newFake(t)
		f.refuses, f.built = []string{"// MP"}, &built
		return f
	})
	s.Instances, built = 100, 0
	texts := slices.Repeat([]string{storeSB}, 31)
	texts = slices.Insert(texts, 17, message)
	for i, r := range runOn(t, s, texts...) {
		if failed := r.Failure != nil; failed != (i == 17) || !failed && r.Instances < 100 {
			t.Errorf("%d: %s: %v", i, r.Test.Name, r.Failure)
		}
	}
	if built > 15 {
		t.Errorf("%d programs were built", built)
	}
}

// TestRefusedScope: what the compiler is known not to take is not given to it.
func TestRefusedScope(t *testing.T) {
	s := suiteOf(t, func() API {
		f := newFake(t)
		f.refuses = []string{"memory_scope_all_svm_devices"}
		return f
	})
	for _, r := range runOn(t, s, inLocal, message) {
		if local := r.Test.Name == "local"; local != strings.Contains(r.Skipped, "does not take memory_scope_all_svm_devices") || r.Failure != nil {
			t.Errorf("%s: %q %v", r.Test.Name, r.Skipped, r.Failure)
		}
	}
}

// A test whose outcomes do not fit into the table in which a device counts them is skipped with that reason: it is no failure of the device.
func TestManyOutcomes(t *testing.T) {
	s := suiteOf(t, func() API { return newFake(t) })
	for _, c := range []struct {
		times int // how many values the outcomes have, in relation to what fits
		skip  string
	}{{1, ""}, {2, "more than 4096 values"}} {
		one := caseOf(t, message)
		one.Allowed = slices.Repeat(one.Allowed[:1], c.times*maxWanted/len(one.Allowed[0]))
		r := &Result{Case: one}
		if s.choose(r); r.Kernel == nil {
			t.Fatal(r.Skipped)
		}
		if r.countable(); (r.Kernel == nil) != (c.skip != "") || !strings.Contains(r.Skipped, c.skip) {
			t.Errorf("%d outcomes: it is skipped: %q", len(one.Allowed), r.Skipped)
		}
	}
}

// TestDeviceLost: a device that is lost in the middle fails the test that it was running. Others run on a new child.
func TestDeviceLost(t *testing.T) {
	starts := 0
	s := suiteOf(t, func() API {
		f := newFake(t)
		if starts++; starts == 1 {
			f.lost = 2
		}
		return f
	})
	results := runOn(t, s, storeSB, message)
	if f := results[0].Failure; f == nil || f.Kind != DeviceFault || !strings.Contains(f.Text, "CL_OUT_OF_RESOURCES") {
		t.Errorf("%v", f)
	}
	if r := results[1]; r.Failure != nil || r.Instances < s.Instances || starts != 2 {
		t.Errorf("%v after %d starts", r.Failure, starts)
	}
}

// TestHang: a launch that does not end is ended, and told; the next test runs.
func TestHang(t *testing.T) {
	starts := 0
	c := &Client{Start: startFake(func() API {
		f := newFake(t)
		if starts++; starts == 1 {
			f.hang = 1
		}
		return f
	})}
	if _, _, err := c.Devices(t.Context(), false, -1); err != nil {
		t.Fatal(err)
	}
	if err := c.Open(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	k, err := opencl.Emit(caseOf(t, storeSB).Test.Tree(), "t0", opencl.C11)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Build(t.Context(), opencl.Source([]*opencl.Kernel{k}), "", []string{"t0"}); err != nil {
		t.Fatal(err)
	}
	s := &Suite{Client: c, Info: &Info{Units: 1, Type: "gpu"}, Settings: []Setting{{}}, Time: time.Millisecond}
	job := s.job(&Result{Case: caseOf(t, storeSB), Kernel: k, entry: opencl.Entry{Kernel: "t0"}})
	_, err = c.ask(t.Context(), &request{Run: job}, 100*time.Millisecond)
	var f *Failure
	if !errors.As(err, &f) || f.Kind != Hung {
		t.Fatalf("%v", err)
	}
	if tally, err := c.Run(t.Context(), job); err != nil || tally.Instances == 0 || starts != 2 {
		t.Errorf("%v, %v, %d starts", tally, err, starts)
	}
}

// TestIdle: a device that does not run what it is given is not taken for one that does something forbidden.
func TestIdle(t *testing.T) {
	s := suiteOf(t, func() API {
		f := newFake(t)
		f.idle = true
		return f
	})
	if r := runOn(t, s, storeSB)[0]; r.Failure == nil || len(r.Forbidden()) > 0 || !strings.Contains(r.Failure.Text, "has not run") {
		t.Errorf("%+v", r)
	}
}

// TestFrequency: an outcome that comes with probability p is counted as often as that, to five standard deviations.
func TestFrequency(t *testing.T) {
	for _, p := range []float64{0.5, 0.01, 0.0005} {
		s := suiteOf(t, func() API {
			f := newFake(t)
			f.choose = func(r *rand.Rand, outcomes []map[string]int64) int {
				for i, o := range outcomes {
					if weak := o["out[0]"] == 0 && o["out[1]"] == 0; weak == (r.Float64() < p) {
						return i
					}
				}
				return len(outcomes) - 1
			}
			return f
		})
		s.Instances = 100000
		r := runOn(t, s, storeSB)[0]
		n, want := float64(r.Outcomes[0].Count), p*float64(r.Instances)
		if r.Outcomes[0].Values[0] != 0 || r.Outcomes[0].Values[1] != 0 {
			t.Fatal(r.Outcomes[0])
		}
		if p < 0.5 && math.Abs(n-want) > 5*math.Sqrt(want) || n == 0 {
			t.Errorf("p = %v: seen %v times, want about %v", p, n, want)
		}
	}
}

// TestInterrupt: whoever interrupts a run does not wait for the device.
func TestInterrupt(t *testing.T) {
	s := suiteOf(t, func() API {
		f := newFake(t)
		f.hang = 1
		return f
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	tell := func(*Result) { t.Error("a result") }
	if err := s.Add(ctx, caseOf(t, storeSB), tell); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(ctx, tell); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// processor is a fake whose processors are the device.
func processor(t testing.TB) *fake {
	f := newFake(t)
	f.answers = map[uint32][]byte{deviceType: {2, 0, 0, 0}}
	return f
}

// TestProcessor: on a processor few kernels play many tests, several programs are compiled at a time, and results come in the order of the
// tests: each with its own outcomes, all of them.
func TestProcessor(t *testing.T) {
	s := suiteOf(t, func() API { return processor(t) })
	s.Instances = 300
	s.Parallel(2)
	defer s.Close()
	four := []string{storeSB, message, inLocal, fenced}
	texts := slices.Repeat(four, 13) // two programs
	for i, r := range runOn(t, s, texts...) {
		if want := caseOf(t, four[i%4]).Test.Name; r.Test.Name != want {
			t.Fatalf("%d: %s comes when %s should", i, r.Test.Name, want)
		}
		seen, unseen, forbidden, n := counts(r)
		own := r.entry.Kernel == r.Kernel.Name // a test with local memory
		if r.Skipped != "" || r.Failure != nil || unseen > 0 || forbidden > 0 || seen == 0 || n != r.Instances || own != (r.Test.Name == "local") {
			t.Errorf("%d, %s: %q %v: %d seen, %d not, %d forbidden, %d of %d instances by %s", i, r.Test.Name, r.Skipped, r.Failure, seen, unseen, forbidden, n, r.Instances, r.entry.Kernel)
		}
	}
	if s.begun != 2 {
		t.Errorf("%d programs", s.begun)
	}
}

// TestProcessorPlaysBeside: one child plays its tests while another does.
func TestProcessorPlaysBeside(t *testing.T) {
	const patience = 10 * time.Second // far more than the other child takes
	meet := make(chan bool)
	s := suiteOf(t, func() API {
		f := processor(t)
		f.plays = sync.OnceFunc(func() {
			select {
			case meet <- true:
			case <-meet:
			case <-time.After(patience):
				t.Error("no other child plays")
			}
		})
		return f
	})
	s.Instances = 1
	s.Parallel(2)
	defer s.Close()
	runOn(t, s, slices.Repeat([]string{storeSB}, batch+1)...)
}

// TestProcessorFails: what does not run together is compiled with a kernel for each test, and what is not taken is told of one test alone.
func TestProcessorFails(t *testing.T) {
	s := suiteOf(t, func() API {
		f := processor(t)
		f.cold, f.refuses = true, []string{"// MP"}
		return f
	})
	s.Instances = 100
	for _, r := range runOn(t, s, storeSB, message, fenced, storeSB) {
		failed := r.Test.Name == "MP"
		if (r.Failure != nil) != failed || !failed && (r.Instances < 100 || r.entry.Kernel != r.Kernel.Name) {
			t.Errorf("%s: %v, %d instances by %s", r.Test.Name, r.Failure, r.Instances, r.entry.Kernel)
		}
	}
}

// TestLeft: whoever leaves while programs are compiled and played waits for no device.
func TestLeft(t *testing.T) {
	playing := make(chan bool)
	begun := sync.OnceFunc(func() { close(playing) })
	s := suiteOf(t, func() API {
		f := processor(t)
		f.plays = begun
		return f
	})
	s.Parallel(2)
	for range batch + 1 {
		if err := s.Add(t.Context(), caseOf(t, storeSB), func(*Result) {}); err != nil {
			t.Fatal(err)
		}
	}
	<-playing // a child that plays goes on after the test has ended
	s.Close()
	if len(s.running) > 0 {
		t.Error("something still runs")
	}
}
