package mend

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/shipped"
)

// which is one model that is tried alone, and shown.
var which = flag.String("model", "", "try the repairs of models whose names have this in them, and show them")

// A model is tried with the constants that make it go wrong.
type subject struct {
	name, text string
	options    model.Options
	spec       string
	all        bool // all that goes wrong is looked for, behind races, too
}

// TestRepairs makes the repair of each violation of a corpus in the source, as its changes say, and explores again: the violation
// that it was printed for is no longer there, and nothing has come in its place that the repair has brought about: no divergence, and nothing that does not load.
func TestRepairs(t *testing.T) {
	tried, verified, ideas := 0, 0, 0
	for _, s := range subjects(t) {
		if !strings.Contains(s.name, *which) {
			continue
		}
		before, m := s.explore(t, s.text)
		if before == nil || len(before.Traces) == 0 {
			continue
		}
		for _, tr := range before.Traces[:1] {
			if !tr.Mechanical() {
				if ideas++; *which != "" {
					t.Logf("%s: an idea: %+v", s.name, tr.Why)
				}
				continue
			}
			tried++
			if s.mended(t, m, tr) {
				verified++
			}
		}
	}
	t.Logf("%d repairs were made, of which %d leave nothing; %d are ideas", tried, verified, ideas)
	if *which == "" && tried < 100 {
		t.Errorf("only %d repairs were made", tried)
	}
}

// behindRace is a hand-over that lacks both orders and scopes: the flag races for want of scopes, and behind that race the data do.
const behindRace = `//clmc:launch mp global=2 local=1 data=zero[1] flag=atomic_int[1]{0} out=zero[1]
kernel void mp(global int *data, global atomic_int *flag, global int *out) {
    if (get_group_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group) == 1) {
        *out = *data;
    }
}
`

// TestRepairBehindRace makes the repair of a race that is told behind another one: it mends both, for an order of a scope that does not
// reach orders nothing (rules 3.5, 6.1).
func TestRepairBehindRace(t *testing.T) {
	s := subject{name: "behind.cl", text: behindRace, all: true}
	before, m := s.explore(t, s.text)
	if before == nil || len(before.Traces) != 2 || before.Traces[1].ID != "CL1001" || !before.Traces[1].Mechanical() {
		t.Fatalf("want the race on flag and behind that the one on data: %+v", before)
	}
	if !s.mended(t, m, before.Traces[1]) {
		t.Error("mended, it is not verified")
	}
}

// mended makes the repair of one violation, and reports whether nothing is left.
func (s *subject) mended(t *testing.T, m *model.Model, tr *trace.Trace) bool {
	texts := map[string]string{}
	for _, src := range m.Program.Sources {
		texts[src.Name] = src.Text
	}
	var changes []trace.Change
	words := ""
	for _, why := range tr.Why {
		changes = append(changes, why.Changes...)
		words += why.Repair + " "
	}
	texts, err := Apply(texts, changes)
	if err != nil {
		t.Errorf("%s: %v\n%s", s.name, err, words)
		return false
	}
	for name, text := range texts {
		if *which != "" {
			t.Logf("%s: %s\n%s", name, words, text)
		}
		if !strings.HasSuffix(s.name, filepath.Ext(name)) || len(texts) > 1 && !strings.HasSuffix(name, filepath.Base(s.name)) {
			continue
		}
		after, _ := s.explore(t, text)
		if after == nil {
			t.Errorf("%s: mended, it is no model: %s\n%s", s.name, words, text)
			return false
		}
		for i, v := range after.Result.Violations {
			u := after.Traces[i]
			if u.ID == tr.ID && u.At.Line == tr.At.Line && same(tr, u) || u.ID == "CL1003" && tr.ID != "CL1003" {
				t.Errorf("%s: %s\nis repaired by\n%s\nand leaves %s %s\n%s", s.name, tr.Message, words, v.Kind.ID(), u.Message, text)
				return false
			}
		}
		if *which != "" {
			t.Logf("%s", after.Verdict())
		}
		return after.Result.Verdict == explore.Verified
	}
	t.Errorf("%s: no text of its own among %d", s.name, len(texts))
	return false
}

// same reports whether two traces are about accesses in the same two lines.
func same(a, b *trace.Trace) bool {
	lines := func(t *trace.Trace) string {
		var out []int
		for _, id := range t.Accesses {
			out = append(out, t.Step(id).Line)
		}
		slices.Sort(out)
		return fmt.Sprint(out)
	}
	return lines(a) == lines(b)
}

func (s *subject) explore(t *testing.T, text string) (*report.Report, *model.Model) {
	m, err := model.Target(s.name).Parse([]byte(text), s.options)
	if err != nil {
		if *which != "" {
			t.Log(err)
		}
		return nil, nil
	}
	o := explore.Options{MaxStates: 30000, All: s.all, Aside: s.all, Beyond: s.all}
	if s.spec != "" {
		if o.Spec, err = memmodel.ParseSpec(s.spec); err != nil {
			t.Fatal(err)
		}
	}
	r, err := m.Explore(t.Context(), o)
	if err != nil {
		t.Fatal(s.name, err)
	}
	return r, m
}

// broken takes what mends a kernel out of its text, where the preprocessor would: a change must not meet its lines.
func broken(text string) string {
	lines, fixed := strings.Split(text, "\n"), false
	for i, l := range lines {
		switch word := strings.TrimSpace(l); {
		case strings.HasPrefix(word, "#ifdef FIX"):
			fixed, lines[i] = true, ""
		case strings.HasPrefix(word, "#ifndef FIX"):
			lines[i] = ""
		case word == "#else":
			fixed, lines[i] = !fixed, ""
		case word == "#endif":
			fixed, lines[i] = false, ""
		case fixed:
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// subjects are the models of first screens, those that are shipped, and those that are here.
func subjects(t *testing.T) (out []subject) {
	for _, pattern := range []string{"../model/testdata/first/*.txt", "../model/testdata/first/*.cl", "testdata/*.txt", "testdata/*.cl", os.Getenv("CLMC_MEND")} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, subject{name: strings.TrimSuffix(filepath.Base(name), ".txt"), text: broken(string(text))})
		}
	}
	for _, m := range shipped.All() {
		for _, e := range m.Expectations {
			if len(e.Violations) == 0 || m.Kernels != "" || e.Promises > 0 || e.Liveness != nil {
				continue
			}
			name := m.Name + ".go"
			if strings.HasSuffix(m.Name, ".cl") {
				name = m.Name
			}
			out = append(out, subject{name: name, text: m.Source, options: model.Options{Defines: e.Defines, LegacyWorkGroup: e.LegacyWorkGroup}, spec: e.Spec})
		}
	}
	return out
}
