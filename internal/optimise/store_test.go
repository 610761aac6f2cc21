package optimise

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xeipuuv/gojsonschema"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/model"
)

// TestResume goes on with a search that was killed: what it has written until then is a part of the file from its beginning, also in the middle of a line.
func TestResume(t *testing.T) {
	for _, name := range []string{"seqlock.go", "red.cl", "n3.litmus"} {
		dir := t.TempDir()
		store := func(dir string) func(*Options) {
			return func(o *Options) { o.Strongest, o.Store, o.RemoveBarriers = true, dir, true }
		}
		want := find(t, name, store(dir)).Text(true)
		files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if len(files) != 1 {
			t.Fatal(files)
		}
		whole, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(whole, []byte("\n")); n < 3 {
			t.Fatalf("%s: %d lines", name, n)
		}
		ends := []int{0, len(whole), len(whole) - 1}
		for i, b := range whole {
			if b == '\n' {
				ends = append(ends, i, i+1, i+7)
			}
		}
		for _, end := range ends {
			again := t.TempDir()
			if err := os.WriteFile(filepath.Join(again, filepath.Base(files[0])), whole[:min(end, len(whole))], 0o666); err != nil {
				t.Fatal(err)
			}
			if got := find(t, name, store(again)).Text(true); got != want {
				t.Errorf("%s, killed after %d bytes:\n%s\nwithout:\n%s", name, end, got, want)
			}
			text, _ := os.ReadFile(filepath.Join(again, filepath.Base(files[0])))
			if got := find(t, name, store(again)).Text(true); got != want {
				t.Errorf("%s, killed after %d bytes, the third time:\n%s\nwithout:\n%s", name, end, got, want)
			}
			if now, _ := os.ReadFile(filepath.Join(again, filepath.Base(files[0]))); !bytes.Equal(now, text) {
				t.Errorf("%s, killed after %d bytes: when all is known something is written", name, end)
			}
		}
	}
}

// TestStoreOfOthers: what another search has left is not taken for one's own, whatever differs.
func TestStoreOfOthers(t *testing.T) {
	dir := t.TempDir()
	n := 0
	for _, change := range []func(*Options){
		func(*Options) {}, func(o *Options) { o.Strongest = true }, func(o *Options) { o.Specs = o.Specs[:1] }, func(o *Options) { o.Version = "2" },
		func(o *Options) { o.Configs = []Config{{Options: model.Options{Defines: map[string]string{"n": "2"}}}} }, func(o *Options) { o.RemoveBarriers = true },
		func(o *Options) { o.Cost = &Table{} }, func(o *Options) { o.Liveness, _ = explore.ParseLiveness("fair", "") },
	} {
		find(t, "ticket.go", func(o *Options) { o.Store = dir }, change)
		n++
		if files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")); len(files) != n {
			t.Errorf("change %d: %d stores", n, len(files))
		}
	}
	// A line that another one has damaged counts for nothing, and a store that cannot be kept is told.
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, f := range files {
		os.WriteFile(f, []byte(`{"schema":"other"}`+"\n"), 0o666)
	}
	opt := options(func(o *Options) { o.Store = dir })
	if _, err := Run(t.Context(), "testdata/ticket.go", opt); err == nil || !strings.Contains(err.Error(), "of another search") {
		t.Errorf("a store of something else: %v", err)
	}
	full := func(o *Options) { o.Store = t.TempDir() }
	p, err := newProblem(t.Context(), "testdata/ticket.go", &opt)
	if err != nil {
		t.Fatal(err)
	}
	full(&opt)
	l, err := openLog(p)
	if err != nil {
		t.Fatal(err)
	}
	l.file.Close() // nothing can be written
	l.add(nil, nil, &answer{verdict: verified})
	if l.err == nil {
		t.Error("a store that is not written to says nothing")
	}
}

// TestWorkers: how many search at a time makes no difference to what is found, nor from time to time.
func TestWorkers(t *testing.T) {
	for _, name := range []string{"mp_local.go", "seqlock.go", "red.cl", "n3.litmus"} {
		one := find(t, name, strongest)
		var first string
		for range 3 {
			many := find(t, name, strongest, func(o *Options) { o.Workers = 3 })
			if many.Cost != one.Cost || many.Verdict != one.Verdict || !slices.Equal(changed(many), changed(one)) {
				t.Errorf("%s: with three workers\n%s\nwith one\n%s", name, many.Text(false), one.Text(false))
			}
			if first == "" {
				first = many.Text(true)
			} else if first != many.Text(true) {
				t.Errorf("%s: another time\n%s\n%s", name, many.Text(true), first)
			}
		}
	}
}

// TestTraces: each single weakening that goes wrong has an execution, which can be repeated with the model beside it.
func TestTraces(t *testing.T) {
	for _, name := range []string{"lastblock.go", "mp.cl", "n3.litmus"} {
		dir := filepath.Join(t.TempDir(), "traces")
		r := find(t, name, strongest, func(o *Options) { o.Traces = dir })
		n := 0
		for _, w := range r.Singles {
			if w.verdict != violated {
				continue
			}
			n++
			if w.trace != n || !strings.Contains(w.outcome(), "(trace ") {
				t.Errorf("%s: %s has trace %d, and %d come before", name, w.outcome(), w.trace, n-1)
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, strings.Fields(strings.TrimSuffix(w.outcome(), ")"))[len(strings.Fields(w.outcome()))-1]+".json"))
			if err != nil {
				t.Fatal(err)
			}
			file, err := report.LoadTrace(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			m, err := model.Target(file.Model).Load(model.Options{Defines: file.Defines})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Repeat(file); err != nil {
				t.Errorf("%s, trace %d: %v", name, n, err)
			}
			whole, err := model.Target("testdata/" + name).Load(model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := whole.Repeat(file); err == nil && r.Verdict == Nothing {
				t.Errorf("%s, trace %d is one of the model, too", name, n)
			}
		}
		if n == 0 {
			t.Errorf("%s: no trace\n%s", name, r.Text(false))
		}
	}
}

// TestDocument: what is printed as JSON is as the schema says.
func TestDocument(t *testing.T) {
	for _, name := range []string{"lastblock.go", "n3.litmus", "mp.cl"} {
		validate(t, SchemaText, find(t, name).Document())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		name string
	}{{ctx, "testdata/seqlock.go"}, {t.Context(), "testdata/n1.go"}} {
		opt := options(func(o *Options) {
			o.Configs = []Config{{Options: model.Options{Defines: map[string]string{"wide": "true"}}}}
		})
		if strings.Contains(c.name, "seqlock") {
			opt.Configs = []Config{{}}
		}
		r, err := Run(c.ctx, model.Target(c.name), opt)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, SchemaText, r.Document())
	}
	for name, text := range map[string]string{"sb.cl": buffering, "plain.cl": plain} {
		validate(t, RepairSchemaText, mendText(t, name, text).Document())
	}
}

// validate holds a document against a JSON Schema.
func validate(t *testing.T, schema string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	schema = strings.Replace(schema, `"$schema"`, `"$comment"`, 1) // of its keywords none is newer than the library
	r, err := gojsonschema.Validate(gojsonschema.NewStringLoader(schema), gojsonschema.NewBytesLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Errors() {
		t.Errorf("%v\n%s", e, text)
	}
}

// TestAsk: a search that comes before one that goes wrong is answered all the same, and one behind it is not waited for.
func TestAsk(t *testing.T) {
	c := &checker{turns: make(chan struct{}, 3)}
	wrong := make(chan struct{})
	answers := c.ask(t.Context(), 3, func(ctx context.Context, i int) answer {
		switch i {
		case 0:
			<-wrong
			select {
			case <-ctx.Done():
				return answer{undecided, nil, i}
			case <-time.After(50 * time.Millisecond):
			}
		case 1:
			defer close(wrong)
		case 2:
			<-ctx.Done()
			return answer{undecided, nil, i}
		}
		return answer{violated, nil, i}
	})
	if answers[0].verdict != violated || answers[1].verdict != violated || answers[2].verdict != undecided {
		t.Errorf("%v", answers)
	}
}
