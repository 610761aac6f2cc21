package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/thorough"
)

// knownRace is a model with a finding that is known.
const knownRace = `package main

import "github.com/clmc/clmc/models/cl"

var data int32

func main() {
	cl.EnqueueNDRangeKernel(func() {
		data = 1
	}, cl.NDRange1D(2, 1))
	cl.Finish()
}

//clmc:known CL1001 known.go:9 both write the same value
`

// fencedSum is a kernel whose barrier has the fence that a file which it includes says.
const fencedSum = `#include "fence.h"
//clmc:launch sum global=4 local=2 in=int[4]{1,2,3,4} out=zero[2]
__kernel void sum(__global const int *in, __global int *out) {
  __local int tmp[WG];
  int l = get_local_id(0);
  tmp[l] = in[get_global_id(0)];
  barrier(FENCE);
  if (l == 0)
    out[get_group_id(0)] = tmp[0] + tmp[1];
}
`

const fence = `#ifdef WRONG
#define FENCE CLK_GLOBAL_MEM_FENCE
#else
#define FENCE CLK_LOCAL_MEM_FENCE
#endif
`

// fencedHost is a host program for fencedSum.
const fencedHost = `package main

import "github.com/clmc/clmc/models/cl"

//cl:program sum.cl -DWG=2 -DWRONG -I inc
var kernels struct {
	Sum func(in, out []int32)
}

var in = [4]int32{1, 2, 3, 4}
var out [2]int32

func main() {
	cl.EnqueueNDRangeKernel(func() { kernels.Sum(in[:], out[:]) }, cl.NDRange1D(4, 2))
	cl.Finish()
}
`

// TestClusterReports holds what is reported of a search that others have performed against what a search
// alone reports: verdict, exit code, kinds of violation, outcomes, lines that are never executed, and all that the document says beside.
func TestClusterReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"known.go": knownRace, "sum.cl": fencedSum, "inc/fence.h": fence, "sum.go": fencedHost, "many.go": manyOutcomes} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	n := newTroupe(t, rand.New(rand.NewPCG(6, 1)))
	n.startWorker()
	var verdicts []string
	few := []string{"DIR/known.go", "@lb_update_chain --promises 0", "DIR/sum.cl -I DIR/inc -D WG=2 -D WRONG=1 --all", "../../models/litmus/testdata/pitfalls/scopes.litmus"}
	for line, code := range map[string]int{
		"DIR/known.go":                                        0,
		"@kernel_dot_nobarrier --all":                         1, // an assertion fails beyond the race
		"@barrier_ragged":                                     0, // a line is never executed
		"@lb_relaxed --promises 1":                            0,
		"@lb_update_chain --promises 0":                       1, // a point is not reached
		"@sb_relaxed --spec 2.0 --por none":                   0,
		"DIR/sum.cl -I DIR/inc -D WG=2":                       0,
		"DIR/sum.cl -I DIR/inc -D WG=2 -D WRONG=1 --all":      1,
		"DIR/sum.go":                                          1,
		"DIR/many.go --symmetry=false":                        0,
		"../../models/litmus/testdata/pitfalls/mp.litmus":     0,
		"../../models/litmus/testdata/pitfalls/scopes.litmus": 1,
	} {
		if !thorough.Asked() && !slices.Contains(few, line) {
			continue
		}
		args := append([]string{"explore", "--format", "json", "--progress", "never"}, strings.Fields(strings.ReplaceAll(line, "DIR", dir))...)
		alone := run(t, args...)
		if alone.code != code {
			t.Errorf("%s: exit code %d alone, want %d\n%s", line, alone.code, code, alone.stderr)
		}
		verdicts = append(verdicts, alone.verdict(t))
		for _, more := range [][]string{{"--no-work"}, nil} {
			o := run(t, append(append(args, "--cluster", n.direct()), more...)...)
			if got, want := told(t, &o), told(t, &alone); o.code != code || !reflect.DeepEqual(got, want) {
				t.Errorf("%s %q: exit code %d, want %d%s\n%s", line, more, o.code, code, apart(got, want), o.stderr)
			}
		}
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m): done: (.*)$`).FindAllStringSubmatch(n.look(), -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(verdicts)
	if slices.Sort(listed); !slices.Equal(listed, verdicts) {
		t.Errorf("the jobs are listed as %q, want %q", listed, verdicts)
	}
}

// verdict is that of a document.
func (o *outcome) verdict(t *testing.T) string {
	var doc struct{ Verdict string }
	if err := json.Unmarshal([]byte(o.stdout), &doc); err != nil {
		t.Fatalf("%v\n%s", err, o.stderr)
	}
	return doc.Verdict
}

// told is what a document tells that does not depend on the order of the search.
func told(t *testing.T, o *outcome) map[string]any {
	var doc map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &doc); err != nil {
		t.Fatalf("%v\n%s", err, o.stderr)
	}
	doc["violations"] = fmt.Sprint(o.ids())
	delete(doc, "statistics")
	for _, here := range []string{"first_states", "first_verified"} { // of the search without promises
		delete(doc["promises"].(map[string]any), here)
	}
	if doc["complete"] != true { // how far it came before it stopped
		delete(doc, "outcomes")
	}
	return doc
}

// apart says in which fields two documents differ, and how these begin to.
func apart(got, want map[string]any) string {
	var b strings.Builder
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if g, w := got[key], want[key]; !reflect.DeepEqual(g, w) {
			g, w := asJSON(g), asJSON(w)
			n := 0
			for n < min(len(g), len(w)) && g[n] == w[n] {
				n++
			}
			fmt.Fprintf(&b, "\n%s, from byte %d on: %.200q, alone %.200q", key, n, g[n:], w[n:])
		}
	}
	return b.String()
}

func asJSON(v any) string {
	text, _ := json.Marshal(v) // it was read from JSON
	return string(text)
}

// twoRaces is a model with two data races and, beyond them, an assertion that fails: whoever comes second has been preceded.
const twoRaces = `package main

import "github.com/clmc/clmc/models/cl"

var data, other int32
var count cl.Atomic[int32]

func main() {
	cl.EnqueueNDRangeKernel(func() {
		data = 1
		other = 2
		n := cl.AtomicFetchAddExplicit(&count, 1, cl.MemoryOrderRelaxed)
		cl.Assert(n < 1, "nobody came before")
	}, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// listOfKnown is a list with checks of which more or less is known. By the model's comment these are, in its
// order: verified but for known; the same with something that no longer occurs; violated by what is not known, twice; violated.
const listOfKnown = `checks:
  - {model: two.go, name: all, known: ["CL1001 two.go:10 both write it", "CL1001 two.go:11 so here", "CL1004 two.go:13 it comes second"]}
  - {model: two.go, name: stale, known: ["CL1001 two.go:10 both write it", "CL1001 two.go:11 so here", "CL1004 two.go:13 it comes second", "CL1001 two.go:12 none here"]}
  - {model: two.go, name: one, known: ["CL1001 two.go:10 both write it"]}
  - {model: two.go, name: races, known: ["CL1001 two.go:10 both write it", "CL1001 two.go:11 so here"], expect: CL1004}
  - {model: two.go, name: none, expect: CL1001}
`

// TestClusterKnown has workers search for a list of checks that says what is known: what the list ends with, whoever has searched, is
// what it ends with alone, and so are the verdicts that are listed with the jobs.
func TestClusterKnown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.yaml")
	for name, text := range map[string]string{"two.go": twoRaces, "list.yaml": listOfKnown} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"run", "--format", "json", "--progress", "never", list}
	alone := run(t, args...)
	want := summed(t, &alone)
	verdicts := []string{"verified but for known", "verified but for known", "violated", "violated", "violated"}
	for i, c := range want {
		if c.Verdict != verdicts[i] {
			t.Errorf("%s: %s alone, want %s", c.Name, c.Verdict, verdicts[i])
		}
	}
	if alone.code != 1 {
		t.Errorf("exit code %d alone, want 1", alone.code)
	}
	listed := func(n *troupe) (all []string) {
		for _, m := range regexp.MustCompile(`(?m): done: (.*)$`).FindAllStringSubmatch(n.look(), -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return all
	}
	n := newTroupe(t, rand.New(rand.NewPCG(11, 1)))
	if o := run(t, append(args, "--cluster", n.direct())...); o.code != alone.code || !slices.Equal(listed(n), verdicts) {
		t.Errorf("without workers: exit code %d, want %d, the jobs are listed as %q, want %q\n%s", o.code, alone.code, listed(n), verdicts, o.stderr)
	}
	n = newTroupe(t, rand.New(rand.NewPCG(8, 1)))
	at := []string{"--cluster", n.direct()}
	// This one has no time for any of them itself.
	if o := run(t, append(append(args, at...), "--budget", "1ns")...); o.code != 3 {
		t.Fatalf("exit code %d without time, want 3\n%s%s", o.code, o.stdout, o.stderr)
	}
	n.startWorker()
	for began := time.Now(); !slices.Equal(listed(n), verdicts); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("the jobs are listed as %q, want %q\n%s", listed(n), verdicts, n.look())
		}
	}
	for range 2 {
		o := run(t, append(args, at...)...)
		if got := summed(t, &o); o.code != alone.code || !reflect.DeepEqual(got, want) {
			t.Errorf("exit code %d, want %d\n%+v, want\n%+v\n%s", o.code, alone.code, got, want, o.stderr)
		}
		if got := listed(n); !slices.Equal(got, verdicts) {
			t.Errorf("the jobs are listed as %q, want %q", got, verdicts)
		}
		for _, w := range n.workers { // the second time nobody is there but what was found
			kill(w)
		}
		n.workers = nil
	}
}

// summedCheck is what a summary says of a check, but for what depends on the order of the search.
type summedCheck struct {
	Name, Status, Verdict, Reason string
	Known                         []struct {
		ID    string
		Line  int
		Found []string
		Lost  bool `json:"no_longer_occurs"`
	}
	Violations []struct{ ID string }
}

func summed(t *testing.T, o *outcome) []summedCheck {
	t.Helper()
	var doc struct{ Checks []summedCheck }
	if err := json.Unmarshal([]byte(o.stdout), &doc); err != nil {
		t.Fatalf("%v\n%s", err, o.stderr)
	}
	for _, c := range doc.Checks {
		for i := range c.Known { // who is named first depends on the order
			c.Known[i].Found = slices.Repeat([]string{"found"}, len(c.Known[i].Found))
		}
		slices.SortFunc(c.Violations, func(a, b struct{ ID string }) int { return strings.Compare(a.ID, b.ID) })
		c.Violations = slices.Compact(c.Violations)
	}
	return doc.Checks
}
