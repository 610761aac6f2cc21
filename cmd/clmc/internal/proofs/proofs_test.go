package proofs

import (
	"encoding/json"
	"flag"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/internal/model"
)

// TestIdioms goes through kernels whose verdicts are derived beside them.
func TestIdioms(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			for line := range strings.Lines(string(f.Data)) {
				if what, ok := strings.CutPrefix(line, "//: "); ok {
					t.Run(f.Name+" "+strings.TrimSpace(what), func(t *testing.T) { idiom(t, f, strings.TrimSpace(what)) })
				}
			}
		}
	}
}

// idiom proves one kernel as a line says.
func idiom(t *testing.T, f txtar.File, what string) {
	flags, verdict, about := what, "", ""
	for _, v := range []string{NotProved, Proved, Violated} {
		if before, after, ok := strings.Cut(" "+what+" ", " "+v+" "); ok {
			flags, verdict, about = strings.TrimSpace(before), v, strings.TrimSpace(after)
			break
		}
	}
	opt := Options{Query: 5 * time.Second, AnySize: true, Model: model.Options{Defines: map[string]string{}}}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Func("D", "", func(s string) error {
		name, value, _ := strings.Cut(s, "=")
		opt.Model.Defines[name] = value
		return nil
	})
	set.StringVar(&opt.Groups, "groups", "", "")
	set.StringVar(&opt.Model.Kernels.Local, "local", "", "")
	set.Func("arg", "", func(s string) error { opt.Model.Kernels.Args = append(opt.Model.Kernels.Args, s); return nil })
	set.Func("assume", "", func(s string) error { opt.Assume = append(opt.Assume, s); return nil })
	if err := set.Parse(strings.Fields(flags)); err != nil || verdict == "" || set.NArg() > 0 {
		t.Fatalf("what is %q? %v", what, err)
	}
	opt.AnySize = opt.Model.Kernels.Local == ""
	if verdict != Proved { // what the solver cannot find out then, smaller sizes tell
		opt.Query = 500 * time.Millisecond
	}
	list, err := Source(t.Context(), f.Name, f.Data, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.Verdict != verdict {
			t.Errorf("%s, want %s\n%s", p.Verdict, verdict, p.Text(120))
		}
		if p.Found != nil && !strings.Contains(p.Found.Verdict(), about) || p.Verdict == NotProved && !strings.Contains(strings.Join(p.Open, "\n"), about) {
			t.Errorf("%s, want %s", p.Text(120), about)
		}
		document(t, p)
	}
}

// document sees that the stored form has what the schema says.
func document(t *testing.T, p *Proof) {
	text, err := json.Marshal(p.Document(nil))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if json.Unmarshal(text, &doc) != nil || json.Unmarshal([]byte(SchemaText), &schema) != nil {
		t.Fatalf("no JSON: %s", text)
	}
	for name := range doc {
		if schema.Properties[name] == nil {
			t.Errorf("the schema has no %s", name)
		}
	}
	for _, name := range schema.Required {
		if _, ok := doc[name]; !ok {
			t.Errorf("the document has no %s", name)
		}
	}
}
