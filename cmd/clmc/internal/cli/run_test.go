package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore/report"
)

// TestExampleList runs the list that docs/nightly.md shows as an example.
func TestExampleList(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"run", "../../../../models/shipped/checks.yaml"}, &stdout, &stderr); code != exitVerified || stderr.String() != "clmc: found: 5 models in Go, 3 kernel files\n" {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}

// counters has some thousand states.
const counters = `package main

import "github.com/clmc/clmc/models/cl"

const n = 3
const rounds = 3

var x, y cl.AtomicInt

func kernel() {
	i := cl.GetGlobalID(0)
	sum := int32(0)
	for j := range rounds {
		sum = 2*sum + cl.AtomicFetchAddExplicit(&x, int32(i+1), cl.MemoryOrderRelaxed)
		if sum%3 == int32(j) {
			cl.AtomicStoreExplicit(&y, sum%5, cl.MemoryOrderRelaxed)
		}
	}
	cl.Observe("sum", sum%7)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, 1))
	cl.Finish()
}
`

// TestNightsGoOn runs a list night after night with too little time for its
// check, until it is finished: the result must be that of a single run.
func TestNightsGoOn(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	night := func(list string) (int, *report.Check) {
		var stdout, stderr bytes.Buffer
		code := run([]string{"run", "--format", "json", "--progress", "never", list}, &stdout, &stderr, time.Millisecond)
		var s report.Summary
		if err := json.Unmarshal(stdout.Bytes(), &s); err != nil || len(s.Checks) != 1 {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, &stdout, &stderr)
		}
		return code, s.Checks[0]
	}
	write("model.go", counters)
	_, whole := night(write("whole.yaml", "checks: [{model: model.go, define: {rounds: 4}}]"))
	limit := time.Duration(whole.Statistics.Seconds * float64(time.Second) / 4).Round(time.Millisecond)
	store := 0
	begin := func() string {
		store++
		return write("night.yaml", fmt.Sprintf("store: kept%d\nchecks: [{model: model.go, define: {rounds: 4}, time-limit: %v}]", store, limit))
	}
	list := begin()
	// On a busy machine most of a night may pass before the search goes on.
	patience := time.Now().Add(2 * time.Minute)
	for n := 1; ; n++ {
		code, c := night(list)
		if code == exitInconclusive && time.Now().Before(patience) {
			continue
		}
		if c.Statistics == nil {
			t.Fatalf("night %d: exit code %d, there was no search: %s", n, code, c.Reason)
		}
		if code != exitVerified || c.Verdict != whole.Verdict || c.Statistics.States != whole.Statistics.States || c.Statistics.Executions != whole.Statistics.Executions ||
			c.Statistics.Steps != whole.Statistics.Steps || c.Statistics.Saved != whole.Statistics.Saved {
			t.Errorf("night %d: exit code %d, %s, %+v; in a single run %+v", n, code, c.Verdict, c.Statistics, whole.Statistics)
		}
		if n == 1 && limit > 2*time.Millisecond { // the machine was busier when the time was measured
			limit, n = limit/4, 0
			list = begin()
			continue
		}
		if n == 1 {
			t.Error("it took one night only")
		}
		t.Logf("%d states after %d nights", c.Statistics.States, n)
		break
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "kept*", "searches", "*")); len(left) > 0 {
		t.Errorf("a finished search is still kept in %v", left)
	}
	if _, c := night(list); !c.Remembered {
		t.Error("the result is not remembered")
	}
}

// TestResultInTheWay has a search end whose result cannot be written: it is kept,
// so that the next night finds the result in it.
func TestResultInTheWay(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	list := filepath.Join(dir, "night.yaml")
	for name, text := range map[string]string{
		"model.go": counters, "night.yaml": "store: kept\nchecks: [{model: model.go, define: {rounds: 4}}]",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	night := func(list string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := run([]string{"run", "--progress", "never", list}, &stdout, &stderr, time.Millisecond)
		return code, stdout.String() + stderr.String()
	}
	searches := func() []string {
		names, _ := filepath.Glob(filepath.Join(kept, "searches", "*"))
		return names
	}
	for limit := 60 * time.Millisecond; len(searches()) != 1; limit *= 2 { // on a busy machine the time may be over before the search begins
		short := fmt.Sprintf("store: kept\nchecks: [{model: model.go, define: {rounds: 4}, time-limit: %v}]", limit)
		if err := os.WriteFile(filepath.Join(dir, "short.yaml"), []byte(short), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, out := night(filepath.Join(dir, "short.yaml")); code == exitVerified || limit > time.Minute {
			t.Fatalf("the search has ended before it was kept: %d, %s", code, out)
		}
	}
	inTheWay := filepath.Join(kept, "results", filepath.Base(searches()[0])+".json")
	if err := os.MkdirAll(filepath.Join(inTheWay, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		code, out := night(list)
		if code != exitVerified || !strings.Contains(out, "cannot be remembered") || len(searches()) != 1 {
			t.Errorf("exit code %d, kept %v: %s", code, searches(), out)
		}
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	if code, out := night(list); code != exitVerified || !strings.Contains(out, "continuing the search in the store") || len(searches()) != 0 {
		t.Errorf("exit code %d, kept %v: %s", code, searches(), out)
	}
	if _, out := night(list); !strings.Contains(out, "remembered") {
		t.Errorf("%s", out)
	}
}

// TestNightsTidyUp has a run remove the results of a model that is no longer
// asked for, and keep its own, all of them old.
func TestNightsTidyUp(t *testing.T) {
	dir := t.TempDir()
	run := func(list string) string {
		var stdout, stderr bytes.Buffer
		path := filepath.Join(dir, "list.yaml")
		if err := os.WriteFile(path, []byte("store: kept\nkeep: 1h\n"+list), 0o666); err != nil {
			t.Fatal(err)
		}
		if code := Main([]string{"run", "--progress", "never", path}, &stdout, &stderr); code != exitVerified {
			t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
		}
		return stderr.String()
	}
	results := func() (files []string) {
		files, _ = filepath.Glob(filepath.Join(dir, "kept", "results", "*"))
		return files
	}
	run("checks: [{model: '@mp_release_acquire'}, {model: '@mp_release_acquire', exact: true, name: exact}]")
	if n := len(results()); n != 2 {
		t.Fatalf("%d results, want 2", n)
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, file := range results() {
		if err := os.Chtimes(file, long, long); err != nil {
			t.Fatal(err)
		}
	}
	said := run("checks: [{model: '@mp_release_acquire'}]")
	if n := len(results()); n != 1 || !strings.Contains(said, "removed 1 results and searches") {
		t.Errorf("%d results, want 1: %q", n, said)
	}
	if said := run("checks: [{model: '@mp_release_acquire'}]"); said != "" {
		t.Errorf("the second time: %q", said)
	}
}

// TestSeeAgain checks that the command which a summary suggests is one that a shell reads as
// it is meant, and that asks the same question.
func TestSeeAgain(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a b.go": counters, "list.yaml": "checks: [{model: a b.go, define: {rounds: 1}, legacy-atomics: work_group, por: sleep, expect: CL1001}]",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"run", "--progress", "never", filepath.Join(dir, "list.yaml")}, &stdout, &stderr); code != exitViolation {
		t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
	want := "see: clmc explore '" + filepath.Join(dir, "a b.go") + "' -D rounds=1 --por sleep --legacy-atomics work_group"
	if !strings.Contains(stdout.String(), want) {
		t.Errorf("want %q in\n%s", want, &stdout)
	}
}
