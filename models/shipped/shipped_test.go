package shipped

import (
	"context"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// Bounds on each search: the shipped models are small.
const (
	maxStates = 200_000
	patience  = 5 * time.Minute
)

func TestExpectations(t *testing.T) {
	for _, m := range All() {
		t.Run(m.Name, func(t *testing.T) {
			for _, e := range m.Expectations {
				if err := check(m, e, por.DPOR); err != nil {
					t.Errorf("%s: %v", e, err)
				}
			}
		})
	}
}

// TestExpectationsUnreduced checks that the verdicts do not come from the
// reduction.
func TestExpectationsUnreduced(t *testing.T) {
	for _, m := range All() {
		t.Run(m.Name, func(t *testing.T) {
			if e := m.Expectations[0]; !slices.Contains(unreducible, m.folder()) {
				if err := check(m, e, por.None); err != nil {
					t.Errorf("%s: %v", e, err)
				}
			}
		})
	}
}

// unreducible models have too many interleavings, with eight work-items and more, or a
// spin loop that writes.
var unreducible = []string{"reduce_tree", "reduce_tree_lockstep", "spinlock_flag", "progress_after_you", "radix_step", "softmax", "tiled_product", "tree_sum"}

func check(m Model, e Expectation, mode por.Mode) error {
	return checkBy(m, e, explore.Options{POR: mode})
}

// checkBy compares what a search with these options finds with what is expected.
func checkBy(m Model, e Expectation, opt explore.Options) error {
	p, err := m.load(e)
	if err != nil {
		return err
	}
	opt.All, opt.MaxStates, opt.Promises, opt.Liveness = true, maxStates, e.Promises, e.Liveness
	if e.Spec != "" {
		if opt.Spec, err = memmodel.ParseSpec(e.Spec); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r := explore.Run(ctx, p, opt)
	if !r.Complete {
		return fmt.Errorf("incomplete: %s", strings.Join(r.Incomplete, "; "))
	}
	found := map[string]string{}
	for _, v := range r.Violations {
		found[v.Kind.ID()] = fmt.Sprintf("%s %s: %s %s", v.Kind.ID(), v.Kind, v.Line, v.Location)
	}
	for id, text := range found {
		if !slices.Contains(e.Violations, id) {
			return fmt.Errorf("found %s", text)
		}
	}
	if len(e.Violations) > 0 && found[e.Violations[0]] == "" {
		return fmt.Errorf("found %v instead", slices.Sorted(maps.Keys(found)))
	}
	if i := slices.IndexFunc(p.Data, func(d ir.Datum) bool { return d.Decides }); e.AllData && (!p.HasData || i >= 0) {
		return fmt.Errorf("not for all data: %+v", p.Data)
	}
	if e.Outcomes == nil {
		return nil
	}
	var got []string
	for _, o := range r.Outcomes {
		got = append(got, explore.OutcomeKey(o))
	}
	want := slices.Sorted(slices.Values(e.Outcomes))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("the outcomes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return nil
}

// load loads the model as an expectation has it.
func (m *Model) load(e Expectation) (*ir.Program, error) {
	if !m.IsKernel() {
		texts := []ir.Source{{Name: m.Path, Text: m.Source}}
		if m.Kernels != "" {
			texts = append(texts, ir.Source{Name: m.KernelPath(), Text: m.Kernels})
		}
		return load.Sources("main", texts, load.Options{Defines: e.Defines, LegacyWorkGroup: e.LegacyWorkGroup})
	}
	var macros []string
	for name, value := range e.Defines {
		macros = append(macros, name+"="+value)
	}
	return clc.Source(m.Path, []byte(m.Source), clc.Options{Defines: macros, LegacyWorkGroup: e.LegacyWorkGroup})
}

// String returns the expectation as its line has it.
func (e Expectation) String() string {
	s := ""
	if model, fairness := e.Liveness.Words(); model != "" {
		s += "liveness=" + model + " fairness=" + fairness + " "
	}
	if e.LegacyWorkGroup {
		s += "legacy=work_group "
	}
	for _, name := range slices.Sorted(maps.Keys(e.Defines)) {
		s += "-D " + name + "=" + e.Defines[name] + " "
	}
	if e.Spec != "" {
		s += "spec=" + e.Spec + " "
	}
	if e.Promises != 0 {
		s += "promises=" + explore.FormatPromises(e.Promises) + " "
	}
	if len(e.Violations) == 0 && e.AllData {
		return s + "verified " + AllData
	}
	if len(e.Violations) == 0 {
		return s + "verified"
	}
	return s + "violated " + strings.Join(e.Violations, " ")
}

// TestFolders checks that every folder holds a model or is known not to.
func TestFolders(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]int{}
	for _, m := range All() {
		files[m.folder()]++
		if m.Kernels != "" {
			files[m.folder()]++
		}
		if text, err := format.Source([]byte(m.Source)); !m.IsKernel() && (err != nil || string(text) != m.Source) {
			t.Errorf("%s is not formatted: %v", m.Path, err)
		}
		parts := []string{"Derivation:", "rule", "Source:"}
		if m.IsKernel() && twin(m) != nil {
			parts = []string{"main.go"}
		}
		for _, part := range parts {
			if !strings.Contains(m.Source, part) {
				t.Errorf("%s: the comment lacks %q", m.Path, part)
			}
		}
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "testdata" {
			continue
		}
		if all, _ := filepath.Glob(filepath.Join(e.Name(), "*")); files[e.Name()] == 0 || len(all) > files[e.Name()] {
			t.Errorf("%s holds %d models, and these files: %v", e.Name(), files[e.Name()], all)
		}
	}
}

func TestParse(t *testing.T) {
	const head = "// Command m does it.\n//\n"
	for _, c := range []struct{ source, want string }{
		{"package main\n", "does not begin"},
		{head + "package main\n", "no //clmc:expect line"},
		{head + "//clmc:expect\npackage main\n", "no verdict"},
		{head + "//clmc:expect violated\npackage main\n", "unexpected \"violated\""},
		{head + "//clmc:expect verified CL1001\npackage main\n", "unexpected \"verified\""},
		{head + "//clmc:expect -D n verified\npackage main\n", "name=value"},
		{head + "//clmc:expect maybe\npackage main\n", "unexpected \"maybe\""},
		{head + "//clmc:outcomes r0=0\npackage main\n", "no expectation above"},
		{head + "//clmc:demand verified\npackage main\n", "unknown directive"},
	} {
		if _, err := parse("m", c.source); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want an error with %q", c.source, err, c.want)
		}
	}
	m, err := parse("m", head+"//clmc:expect -D n=3 spec=3.1 violated CL1001 CL1002\n//clmc:outcomes b=1 a=2 | a=0\npackage main\n")
	if err != nil {
		t.Fatal(err)
	}
	e := m.Expectations[0]
	if m.Description != "does it." || e.String() != "-D n=3 spec=3.1 violated CL1001 CL1002" ||
		!slices.Equal(e.Outcomes, []string{"a=2 b=1", "a=0"}) {
		t.Errorf("parsed %+v", m)
	}
}
