package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/busy"
	"github.com/clmc/clmc/internal/testkit/daily"
	"github.com/clmc/clmc/models/check"
	"github.com/clmc/clmc/models/shipped"
)

// recorder is a test whose failures are looked at.
type recorder struct {
	ctx                  context.Context
	end                  time.Time
	logged, failed, dead []string
}

func (r *recorder) Helper()                     {}
func (r *recorder) Context() context.Context    { return r.ctx }
func (r *recorder) Deadline() (time.Time, bool) { return r.end, !r.end.IsZero() }
func (r *recorder) Logf(f string, a ...any)     { r.logged = append(r.logged, fmt.Sprintf(f, a...)) }
func (r *recorder) Errorf(f string, a ...any)   { r.failed = append(r.failed, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatalf(f string, a ...any)   { r.dead = append(r.dead, fmt.Sprintf(f, a...)) }
func newRecorder(ctx context.Context) *recorder { return &recorder{ctx: ctx} }

// wrong is the option under which testdata/reduce.go has a data race, by its derivation.
var wrong = check.Define("barrier", "false")

// litmusTest has a condition that holds or not; a data race if accesses are not atomic.
const litmusTest = `OpenCL T
{ [x]=0; }
P0 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
P1 (global atomic_int* x) { int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); }
%s
`

const racyTest = `OpenCL R
{ [x]=0; }
P0 (global int* x) { *x = 1; }
P1 (global int* x) { int r0 = *x; }
exists (1:r0=1)
`

// TestVerify has tests pass and fail. What each must do follows from the models: see their
// derivations, and rule 9.1 for the litmus tests.
func TestVerify(t *testing.T) {
	text, err := os.ReadFile("testdata/reduce.go")
	if err != nil {
		t.Fatal(err)
	}
	single := t.TempDir()
	if err := os.WriteFile(filepath.Join(single, "reduce.go"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	source := check.Source(string(text))
	for _, c := range []struct {
		name    string
		options []check.Option
		fails   string // what the failure says, "" for none
		fatal   bool
	}{
		{"testdata/reduce.go", nil, "", false},
		{"testdata/reduce.go", []check.Option{check.Size("n", 3), check.Spec("2.0"), check.Workers(2), check.All()}, "", false},
		{"testdata/reduce.go", []check.Option{wrong}, "CL1001", false},
		{"testdata/reduce.go", []check.Option{wrong, check.Size("n", 1)}, "", false},
		{"nowhere/r.go", []check.Option{source, wrong}, "CL1001", false},
		{"nowhere/r.go", []check.Option{source}, "", false},
		{"@ticketlock", []check.Option{check.MaxStates(3)}, "inconclusive: the bound of 3 states", false},
		{"@mp_release_acquire", nil, "", false},
		{"@mp_relaxed", nil, "CL1001", false},
		{"testdata/sb.litmus", nil, "", false},
		{"t.litmus", []check.Option{check.Source(fmt.Sprintf(litmusTest, "exists (1:r0=1)"))}, "", false},
		{"t.litmus", []check.Option{check.Source(fmt.Sprintf(litmusTest, "forall (1:r0=1)"))}, "the condition does not hold: forall", false},
		{"r.litmus", []check.Option{check.Source(racyTest)}, "CL1001", false},

		{"testdata/none.go", nil, "no such file", true},
		{"@no_such_model", nil, "no model called", true},
		{single, nil, "", false},                             // the folder of one model
		{"testdata", nil, "the folder holds 2 models", true}, // none of them is left out without a word
		{"..", nil, "the folder holds", true},
		{"testdata/reduce.go", []check.Option{check.Size("m", 4)}, "m", true},
		{"testdata/reduce.go", []check.Option{check.Size("n", 4), check.Size("n", 4)}, "set twice", true},
		{"testdata/reduce.go", []check.Option{check.Spec("1.2")}, "1.2", true},
		{"testdata/reduce.go", []check.Option{check.MaxStates(0)}, "at least 1", true},
		{"testdata/reduce.go", []check.Option{check.Workers(-1)}, "at least 1", true},
		{"testdata/reduce.go", []check.Option{check.TimeLimit(0)}, "positive", true},
		{"testdata/sb.litmus", []check.Option{check.Size("n", 4)}, "no constants", true},
		{"x.go", []check.Option{check.Source("package main\nfunc main() { go f() }")}, "x.go:2:", true},
		{"x.litmus", []check.Option{check.Source("OpenCL X\n{")}, "x.litmus:", true},
		{"x.cu", nil, "no such file", true},
	} {
		r := newRecorder(context.Background())
		found := check.Verify(r, c.name, c.options...)
		said, want := strings.Join(r.failed, "\n"), c.fails != "" && !c.fatal
		if c.fatal {
			said = strings.Join(r.dead, "\n")
		}
		if !strings.Contains(said, c.fails) || (len(r.failed) > 0) != want || (len(r.dead) > 0) != c.fatal {
			t.Errorf("%s, want %q: failed %q, fatally %q", c.name, c.fails, r.failed, r.dead)
		}
		if c.fatal {
			continue
		}
		if found == nil {
			t.Fatalf("%s: no result", c.name)
		}
		if len(r.logged) != 1 || !strings.Contains(r.logged[0], "verdict: "+found.Verdict.String()) {
			t.Errorf("%s: logged %q", c.name, r.logged)
		}
		if (found.Err() == nil) != (c.fails == "") {
			t.Errorf("%s: %v", c.name, found.Err())
		}
	}
}

// TestShipped checks that the verdict of each shipped model is the one that it derives, by
// the options that its expectations name; and that each violation can be repeated from its string.
func TestShipped(t *testing.T) {
	tried := 0
	for _, m := range shipped.All() {
		for _, e := range m.Expectations {
			if len(e.Defines) > 0 && testing.Short() {
				continue
			}
			var options []check.Option
			for name, value := range e.Defines {
				options = append(options, check.Define(name, value))
			}
			if e.Spec != "" {
				options = append(options, check.Spec(e.Spec))
			}
			if e.Promises != 0 { // none, if it is negative
				options = append(options, check.Promises(max(e.Promises, 0)))
			}
			if model, fairness := e.Liveness.Words(); model != "" {
				options = append(options, check.Liveness(model), check.Fairness(fairness))
			}
			if e.LegacyWorkGroup {
				options = append(options, check.LegacyWorkGroup())
			}
			r, err := check.Run(t.Context(), "@"+m.Name, options...)
			if err != nil {
				t.Fatal(err)
			}
			want := check.Verified
			if len(e.Violations) > 0 {
				want = check.Violated
			}
			if r.Verdict != want || want == check.Violated && !slices.Contains(e.Violations, r.Violations[0].ID) {
				t.Errorf("@%s, %+v: %v", m.Name, e, r.Err())
				continue
			}
			tried++
			for _, v := range r.Violations {
				repeated(t, m.Name, v, options)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d were tried", tried)
	}
}

// repeated checks that a violation can be repeated, if it is one of an execution.
func repeated(t *testing.T, name string, v check.Violation, options []check.Option) {
	t.Helper()
	if v.Replay == "" {
		if v.ID != "CL1012" {
			t.Errorf("@%s: %s cannot be repeated", name, v.ID)
		}
		return
	}
	again, err := check.Run(t.Context(), "@"+name, append(slices.Clone(options), check.Replay(v.Replay))...)
	if err != nil {
		t.Errorf("@%s: %v", name, err)
		return
	}
	w := again.Violations[0]
	if v.Replay = w.Replay; v != w || again.Verdict != check.Violated || len(again.Violations) != 1 || again.Err() == nil {
		t.Errorf("@%s: %+v, and again %v, %+v", name, v, again.Verdict, w)
	}
	if !strings.HasPrefix(w.Replay, v.ID+".") {
		t.Errorf("@%s: %q", name, w.Replay)
	}
}

// TestReplayUnfit has an execution repeated where it is none: that verifies nothing.
func TestReplayUnfit(t *testing.T) {
	r, err := check.Run(t.Context(), "testdata/reduce.go", wrong)
	if err != nil {
		t.Fatal(err)
	}
	replay := check.Replay(r.Violations[0].Replay)
	for _, options := range [][]check.Option{
		{replay}, // mended
		{replay, wrong, check.Spec("2.0")},
		{check.Replay(""), wrong, check.Replay("CL1001")},
		{check.Replay("CL1003." + strings.TrimPrefix(r.Violations[0].Replay, "CL1001.")), wrong},
	} {
		rec := newRecorder(t.Context())
		if got := check.Verify(rec, "testdata/reduce.go", options...); got != nil || len(rec.dead) != 1 || !strings.Contains(rec.dead[0], "check.Replay") {
			t.Errorf("%v, %q, %q", got, rec.failed, rec.dead)
		}
	}
	rec := newRecorder(t.Context())
	check.Verify(rec, "testdata/reduce.go", wrong, replay)
	if len(rec.failed) != 1 || !strings.Contains(rec.failed[0], "CL1001") {
		t.Errorf("%q, %q", rec.failed, rec.dead)
	}
}

// TestDamagedReplay damages strings. Each is refused, or repeats something that goes wrong.
func TestDamagedReplay(t *testing.T) {
	r, err := check.Run(t.Context(), "testdata/reduce.go", wrong)
	if err != nil {
		t.Fatal(err)
	}
	seed := daily.Seed()
	rng := rand.New(rand.NewPCG(seed, 0))
	refused := 0
	for range 300 {
		s := []byte(r.Violations[0].Replay)
		for n := 1 + rng.IntN(3); n > 0 && len(s) > 0; n-- {
			switch at := rng.IntN(len(s)); rng.IntN(3) {
			case 0:
				s[at] = byte(rng.IntN(256))
			case 1:
				s = append(s[:at:at], s[at+1:]...)
			default:
				s = s[:at+1]
			}
		}
		if s := string(s); s == r.Violations[0].Replay {
			continue
		}
		got, err := check.Run(t.Context(), "testdata/reduce.go", wrong, check.Replay(string(s)))
		switch {
		case err != nil:
			refused++
		case got.Verdict != check.Violated || got.Err() == nil:
			t.Fatalf("seed %d, %q: %v", seed, s, got.Verdict)
		}
	}
	if refused < 100 {
		t.Errorf("seed %d: only %d strings were refused", seed, refused)
	}
}

// endless is a model with more states than anybody waits for: the order of the additions
// makes a difference to every sum.
const endless = `package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func kernel() {
	sum := int32(0)
	for range 12 {
		sum = 2*sum + cl.AtomicFetchAddExplicit(&x, int32(cl.GetGlobalID(0)+1), cl.MemoryOrderRelaxed)
	}
	cl.Observe("sum", sum)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 1))
	cl.Finish()
}
`

// TestTimeIsUp ends searches in four ways. Each is inconclusive, says so, and ends soon.
func TestTimeIsUp(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		end     time.Duration // of the test
		options []check.Option
		says    string
	}{
		"a limit":        {t.Context(), 0, []check.Option{check.TimeLimit(200 * time.Millisecond)}, "time limit of 200ms"},
		"the deadline":   {t.Context(), 500 * time.Millisecond, nil, "-timeout"},
		"a context":      {cancelled, 0, nil, "interrupted"},
		"too few states": {t.Context(), 0, []check.Option{check.MaxStates(100)}, "100 states"},
		"little memory":  {t.Context(), 0, []check.Option{check.Memory(1 << 20)}, "memory limit"},
	} {
		rec := newRecorder(c.ctx)
		took, began := busy.Start(), time.Now()
		if c.end > 0 {
			rec.end = began.Add(c.end)
		}
		r := check.Verify(rec, "endless.go", append(c.options, check.Source(endless))...)
		if r.Verdict != check.Inconclusive || len(rec.failed) != 1 || !strings.Contains(rec.failed[0], c.says) {
			t.Errorf("%s: %v, %q", name, r.Verdict, rec.failed)
		}
		if took.Over(20 * time.Second) {
			t.Errorf("%s: %v", name, took)
		}
	}
}

// TestResult checks what else a result says: the zero one concludes nothing.
func TestResult(t *testing.T) {
	if (&check.Result{}).Err() == nil {
		t.Error("the zero result concludes something")
	}
	r, err := check.Run(t.Context(), "testdata/sb.litmus")
	if err != nil {
		t.Fatal(err)
	}
	if r.Spec != "3.0" || r.Condition != check.ConditionHolds || r.States == 0 || r.Steps == 0 || r.Executions == 0 || r.Model != "testdata/sb.litmus" {
		t.Errorf("%+v", r)
	}
	var b bytes.Buffer
	var doc struct{ Schema, Verdict, Model string }
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || doc.Schema != "clmc.result/1" || doc.Verdict != "verified" || doc.Model != r.Model {
		t.Errorf("%+v, %v", doc, err)
	}
	if r, err = check.Run(t.Context(), "testdata/reduce.go", wrong); err != nil {
		t.Fatal(err)
	}
	if v := r.Violations[0]; v.File != "testdata/reduce.go" || v.Line == 0 || v.Variable != "numbers[1]" {
		t.Errorf("%+v", v)
	}
}

// TestAtOnce repeats an execution that goes wrong before anybody takes a step, and has a place
// that no execution reaches, of which there is none to repeat.
func TestAtOnce(t *testing.T) {
	const text = `package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func main() { %s }
`
	for body, replays := range map[string]bool{`cl.Assert(1+1 == 3, "it is not")`: true, `if cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed) == 3 { cl.Reachable("here") }`: false} {
		source := check.Source(fmt.Sprintf(text, body))
		r, err := check.Run(t.Context(), "m.go", source)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Violations) != 1 || (r.Violations[0].Replay != "") != replays || r.Err() == nil {
			t.Errorf("%s: %+v", body, r.Violations)
		}
		for _, v := range r.Violations {
			if again, err := check.Run(t.Context(), "m.go", source, check.Replay(v.Replay)); replays && (err != nil || again.Violations[0].ID != v.ID) {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
}
