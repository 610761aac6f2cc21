package checks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
)

const racy = `package main

import "github.com/clmc/clmc/models/cl"

var x [2]int32

func k() { x[cl.GetLocalID(0)/2] = 1 }

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
`

// kept explores a model and saves the result.
func kept(t *testing.T) (r *Results, key string, doc *report.Document) {
	t.Helper()
	p, err := load.Source("racy.go", []byte(racy), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Explore: explore.Options{Spec: memmodel.Specs[0]}}
	if key, err = Key(p, o); err != nil {
		t.Fatal(err)
	}
	rep, err := report.New("racy.go", p, explore.Run(context.Background(), p, o.Explore))
	if err != nil {
		t.Fatal(err)
	}
	doc = rep.Document()
	if len(doc.Violations) != 1 {
		t.Fatalf("%d violations, want a race", len(doc.Violations))
	}
	if r, err = OpenResults(filepath.Join(t.TempDir(), "store")); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(key, doc); err != nil {
		t.Fatal(err)
	}
	return r, key, doc
}

func TestResults(t *testing.T) {
	r, key, doc := kept(t)
	got, err := r.Load(key)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(doc)
	b, _ := json.Marshal(got)
	if string(a) != string(b) {
		t.Errorf("saved\n%s\nloaded\n%s", a, b)
	}
	if got, err := r.Load(digest(nil)); got != nil || err != nil {
		t.Errorf("an unknown key: %v, %v", got, err)
	}
}

// TestDamage flips a bit of each byte of a file in turn, and cuts it short everywhere:
// what is loaded must be what was saved, or an error.
func TestDamage(t *testing.T) {
	r, key, doc := kept(t)
	want, _ := json.Marshal(doc)
	whole, err := os.ReadFile(r.path(key))
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, at int, data []byte) {
		got, err := decode(key, data)
		if err != nil {
			return
		}
		if text, _ := json.Marshal(got); string(text) != string(want) {
			t.Fatalf("%s at byte %d: a wrong result is believed: %s", what, at, text)
		}
	}
	step := 1
	if testing.Short() {
		step = 11
	}
	for i := 0; i < len(whole); i += step {
		try("cut", i, whole[:i])
		damaged := append([]byte{}, whole...)
		damaged[i] ^= 1 << (i % 8)
		try("flip", i, damaged)
	}
	for _, text := range []string{"", "null", "{}", "[]", `{"schema":"clmc.remembered/2"}`} {
		if _, err := decode(key, []byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if _, err := decode(digest(nil), whole); err == nil {
		t.Error("the result of another check is accepted")
	}
}

// TestKey checks that all that a result depends on is in the key, and that
// bounds, which it does not depend on, are not.
func TestKey(t *testing.T) {
	p, err := load.Source("racy.go", []byte(racy), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	moved, err := load.Source("racy.go", []byte("\n"+racy), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	base := func() *Options { return &Options{Explore: explore.Options{Spec: memmodel.Specs[0]}} }
	keyOf := func(o *Options) string {
		k, err := Key(p, o)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	same := base()
	same.Explore.MaxStates, same.TimeLimit = 10, 5
	if keyOf(same) != keyOf(base()) {
		t.Error("a bound changes the key")
	}
	seen := map[string]string{keyOf(base()): "nothing"}
	for what, change := range map[string]func(*Options){
		"spec":     func(o *Options) { o.Explore.Spec = memmodel.Specs[1] },
		"por":      func(o *Options) { o.Explore.POR++ },
		"promises": func(o *Options) { o.Explore.Promises = 3 },
		"all":      func(o *Options) { o.Explore.All = true },
		"beyond":   func(o *Options) { o.Explore.Beyond = true },
		"known":    func(o *Options) { o.Known = []string{"CL1001 racy.go:9 so be it"} },
		"without":  func(o *Options) { o.Explore.Without = explore.AllAnalyses },
		"live":     func(o *Options) { o.Explore.Liveness, _ = explore.ParseLiveness("obe", "weak") },
		"lobe":     func(o *Options) { o.Explore.Liveness, _ = explore.ParseLiveness("lobe", "weak") },
		"by level": func(o *Options) { o.Explore.Liveness, _ = explore.ParseLiveness("device=obe,group=obe", "weak") },
		"fairness": func(o *Options) { o.Explore.Liveness, _ = explore.ParseLiveness("obe", "strong") },
		"models":   func(o *Options) { o.Explore.Liveness, _ = explore.ParseLiveness("all", "") },
		"exact":    func(o *Options) { o.Explore.Exact = true },
		"define":   func(o *Options) { o.Defines = map[string]string{"n": "4"} },
	} {
		o := base()
		change(o)
		if other, twice := seen[keyOf(o)]; twice {
			t.Errorf("%s and %s have the same key", what, other)
		}
		seen[keyOf(o)] = what
	}
	if k, _ := Key(moved, base()); seen[k] != "" {
		t.Error("the text of the model does not change the key")
	}
}

// TestKeyIsWhole fails when the search gets an option of which nobody has said
// whether results depend on it: add it to keyed, or below if they do not, or no list can ask for it, as for NoAwaits.
func TestKeyIsWhole(t *testing.T) {
	without := []string{"MaxStates", "Mem", "DiskLimit", "CheckpointEvery", "Store", "Progress", "KeepSchedule", "NoCache", "NoSymmetry", "Keep", "Workers", "Links", "Wanted", "Witnesses", "Depends", "PromisesTime", "First", "Facts", "NoAwaits"}
	key := reflect.TypeFor[keyed]()
	for f := range reflect.TypeFor[explore.Options]().Fields() {
		if _, has := key.FieldByName(f.Name); f.IsExported() && !has && !slices.Contains(without, f.Name) {
			t.Errorf("explore.Options.%s is not in the key of remembered results", f.Name)
		}
	}
}

// TestUndecidedIsNoAnswer has a check that accepts that load buffering was not decided: that says nothing of the end of executions.
func TestUndecidedIsNoAnswer(t *testing.T) {
	for asked, want := range map[string]report.Status{"": report.Expected, "gpu": report.Unfinished} {
		c := &Check{Options: Options{UndecidedOK: true, Expect: Expectation{word: verified}}}
		if asked != "" {
			c.Explore.Liveness, _ = explore.ParseLiveness(asked, "")
		}
		j := &Job{Check: c, Out: &report.Check{}}
		j.judge(&model.Model{}, &report.Document{Verdict: explore.Inconclusive.String(), Incomplete: []string{"its time was over"}, Promises: report.Promises{FirstAll: true, Undecided: 1}})
		if j.Out.Status != want {
			t.Errorf("liveness %q: %v, want %v", asked, j.Out.Status, want)
		}
	}
}
