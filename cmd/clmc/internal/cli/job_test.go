package cli

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/state/ir"
)

// someJob describes a search.
func someJob(t *testing.T) *job {
	t.Helper()
	m, err := model.Target("@kernel_dot").Load(model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := &exploreFlags{searchFlags: searchFlags{workers: 1, symmetry: true}}
	if err := x.spec.Set("3.0"); err != nil {
		t.Fatal(err)
	}
	j, err := newJob(m, x)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func idOf(t *testing.T, j *job) string {
	t.Helper()
	id, err := j.id()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// changed sets a field to something else.
func changed(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Uint32:
		v.SetUint(v.Uint() + 1)
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"n": "3"}).Convert(v.Type()))
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem()))
	default:
		t.Fatalf("a field of kind %v", v.Kind())
	}
}

// The same question has the same id, whatever the model was called; whatever else may have a part in what is found makes another one,
// the build that searches among it.
func TestJobIDIsWhole(t *testing.T) {
	id := idOf(t, someJob(t))
	if again := idOf(t, someJob(t)); again != id {
		t.Errorf("the same question has the ids %s and %s", id, again)
	}
	names := 0
	for _, part := range []func(*job) reflect.Value{
		func(j *job) reflect.Value { return reflect.ValueOf(j).Elem() },
		func(j *job) reflect.Value { return reflect.ValueOf(&j.Record).Elem() },
	} {
		for i := range part(&job{}).NumField() {
			j := someJob(t)
			field := part(j).Type().Field(i).Name
			if field == "Record" {
				continue
			}
			changed(t, part(j).Field(i))
			same := field == "Model" || field == "Version" // for people
			if same {
				names++
			}
			if got := idOf(t, j); (got == id) != same {
				t.Errorf("with another %s: the same id: %v, want %v", field, got == id, same)
			}
		}
	}
	if names != 2 {
		t.Errorf("%d fields have no part in the id", names)
	}
}

// A worker takes a description if it is the one that the id names, of its own build, and can be shared.
func TestReadJob(t *testing.T) {
	text := func(j *job) []byte {
		b, err := j.text()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := someJob(t)
	if j, x, m, err := readJob(idOf(t, good), text(good)); err != nil || j.Record.Name != good.Record.Name || !x.symmetry || len(m.Program.Funcs) == 0 {
		t.Fatalf("%+v, %v", j, err)
	}
	for want, change := range map[string]func(*job){
		"description has format":       func(j *job) { j.Format++ },
		"may explore different states": func(j *job) { j.Semantics++ },
		"may explore different state":  func(j *job) { j.Build += "x" },
		"may explore different stat":   func(j *job) { j.Record.Format++ },
		"whole states":                 func(j *job) { j.Record.Exact = true },
		"visited states forgets":       func(j *job) { j.Record.NoCache = true },
		"no model":                     func(j *job) { j.Record.Sources = nil },
		"translates the model":         func(j *job) { j.Record.Program += "x" },
		"a.go:":                        func(j *job) { j.Record.Sources = []ir.Source{{Name: "a.go", Text: "package main\nfunc"}} },
		"1.9":                          func(j *job) { j.Record.Spec = "1.9" },
		"not the id of a violation":    func(j *job) { j.Record.Known = []string{"CL9999 a.go:1 none"} },
	} {
		j := someJob(t)
		change(j)
		if _, _, _, err := readJob(idOf(t, j), text(j)); !errors.Is(err, errForeign) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "store") {
			t.Errorf("want %q: %v", want, err)
		}
	}
	other := someJob(t)
	other.Record.All = !other.Record.All
	if _, _, _, err := readJob(idOf(t, good), text(other)); !errors.Is(err, errForeign) || !strings.Contains(err.Error(), "another job") {
		t.Errorf("of another job: %v", err)
	}
	for _, bad := range []string{"", "{", "null", "[]", `{"Format":"x"}`, strings.Repeat("[", 100_000)} {
		if _, _, _, err := readJob(idOf(t, good), []byte(bad)); !errors.Is(err, errForeign) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

// FuzzReadJob: descriptions may hold anything.
func FuzzReadJob(f *testing.F) {
	f.Add([]byte(`{"Format":2,"Semantics":2,"Record":{"Format":1,"Sources":[{"Name":"a.go","Text":"package main"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		j := &job{}
		if json.Unmarshal(text, j) != nil {
			return
		}
		j.Format, j.Semantics, j.Record.Format, j.Record.Fingerprint = jobFormat, explore.Semantics, recordFormat, fingerprints
		var err error
		if j.Build, err = build(); err != nil {
			t.Fatal(err)
		}
		if text, err = j.text(); err == nil {
			readJob(idOf(t, j), text)
		}
	})
}

// Whatever comes of a search can be said of its job.
func TestVerdictsOfJobs(t *testing.T) {
	for v := explore.Verified; v <= explore.ButForKnown; v++ {
		if !slices.Contains(cluster.Verdicts, v.String()) {
			t.Errorf("of a job it cannot be said that it is %s", v)
		}
	}
}

// A hub takes the description that the id names, and no other: not another job's, and none of another format.
func TestCheckJob(t *testing.T) {
	good := someJob(t)
	id := idOf(t, good)
	text := func(change func(*job)) []byte {
		j := someJob(t)
		change(j)
		b, err := j.text()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, same := range []func(*job){func(*job) {}, func(j *job) { j.Record.Model = "elsewhere/x.go" }} {
		if err := checkJob(id, text(same)); err != nil {
			t.Error(err)
		}
	}
	for want, bad := range map[string][]byte{
		"another job": text(func(j *job) { j.Record.All = !j.Record.All }), "belongs to another": text(func(j *job) { j.Build += "x" }),
		"reads others": text(func(j *job) { j.Format++ }), "cannot read": []byte("{"), "unknown field": []byte(`{"Formatt":2}`), "hub, of clmc": []byte(strings.Repeat("[", 100_000)),
	} {
		if err := checkJob(id, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
