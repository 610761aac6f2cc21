package html

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/testkit/foreign"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/models/shipped"
	"github.com/clmc/clmc/state/ir"
)

// saysNothingForeign makes the reports on a program, as text, JSON and page, and sees that they name what is the user's
// and OpenCL's alone. It returns how many violations they tell.
func saysNothingForeign(t *testing.T, name string, p *ir.Program, opt explore.Options) int {
	t.Helper()
	opt.All, opt.MaxStates = true, 20_000
	rep, err := report.New(name, p, explore.Run(context.Background(), p, opt))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(rep.Traces) == 0 {
		return 0
	}
	var sources []string
	wide := false
	for _, s := range p.Sources {
		sources = append(sources, s.Text)
		wide = wide || strings.Contains(s.Text, "int64") || strings.Contains(s.Text, "long")
	}
	w := foreign.Of(wide, sources...).Know(name, p.Name, "hsa_obe")
	for _, s := range p.Sources {
		w.Know(s.Name)
	}
	var text, data bytes.Buffer
	if err := rep.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := rep.JSON(&data); err != nil {
		t.Fatal(err)
	}
	inJSON, err := w.InJSON(data.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	inHTML, err := w.InHTML(written(t, rep))
	if err != nil {
		t.Fatal(err)
	}
	for form, found := range map[string][]string{"text": w.In(text.String()), "JSON": inJSON, "page": inHTML} {
		if len(found) > 0 {
			t.Errorf("%s: the %s names what is not the user's: %s", name, form, strings.Join(found, " | "))
		}
	}
	if t.Failed() {
		t.Log(text.String())
	}
	return len(rep.Traces)
}

// Reports on all shipped models that go wrong, and on the programs of commands, say nothing of clmc's own names and numbers.
func TestReportsNameWhatIsTheUsers(t *testing.T) {
	told := 0
	for _, m := range shipped.All() {
		for _, e := range m.Expectations {
			if len(e.Violations) > 0 {
				p := loaded(t, &m, e)
				t.Run(m.Name, func(t *testing.T) {
					told += saysNothingForeign(t, m.Name, p, explore.Options{Promises: e.Promises, Liveness: e.Liveness})
				})
			}
		}
	}
	paths, err := filepath.Glob("../../../models/shipped/testdata/commands/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := load.Source(filepath.Base(path), text, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) { told += saysNothingForeign(t, filepath.Base(path), p, explore.Options{}) })
	}
	for name, p := range kept(t) {
		t.Run(name, func(t *testing.T) {
			n := saysNothingForeign(t, name, p, explore.Options{})
			if told += n; n == 0 {
				t.Error("nothing goes wrong")
			}
		})
	}
	if told < 100 {
		t.Errorf("only %d violations were told", told)
	}
}

// kept are the programs of testdata/words.txtar.
func kept(t *testing.T) map[string]*ir.Program {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/words.txtar")
	if err != nil {
		t.Fatal(err)
	}
	all, text := map[string]*ir.Program{}, map[string]string{}
	for _, f := range archive.Files {
		text[f.Name] = string(f.Data)
	}
	for name, source := range text {
		kernels, hosted := text[strings.TrimSuffix(name, ".go")+".cl"]
		var p *ir.Program
		switch {
		case strings.HasSuffix(name, ".go") && hosted:
			p, err = load.Sources("main", []ir.Source{{Name: name, Text: source}, {Name: strings.TrimSuffix(name, ".go") + ".cl", Text: kernels}}, load.Options{})
		case strings.HasSuffix(name, ".go"):
			p, err = load.Source(name, []byte(source), load.Options{})
		case text[strings.TrimSuffix(name, ".cl")+".go"] != "":
			continue
		default:
			p, err = clc.Source(name, []byte(source), clc.Options{})
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = p
	}
	return all
}

// loaded is a shipped model as an expectation has it.
func loaded(t *testing.T, m *shipped.Model, e shipped.Expectation) *ir.Program {
	t.Helper()
	var p *ir.Program
	var err error
	if m.IsKernel() {
		var macros []string
		for name, value := range e.Defines {
			macros = append(macros, name+"="+value)
		}
		p, err = clc.Source(m.Path, []byte(m.Source), clc.Options{Defines: macros, LegacyWorkGroup: e.LegacyWorkGroup})
	} else {
		texts := []ir.Source{{Name: m.Path, Text: m.Source}}
		if m.Kernels != "" {
			texts = append(texts, ir.Source{Name: m.KernelPath(), Text: m.Kernels})
		}
		p, err = load.Sources("main", texts, load.Options{Defines: e.Defines, LegacyWorkGroup: e.LegacyWorkGroup})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}
