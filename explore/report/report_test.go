package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state/ir"
)

// models are those of testdata, one for each thing that a report can show.
var models = []string{"buffering", "race", "barrier", "assertion", "consequence", "divergence", "deadlock", "unreachable", "verified", "wide", "values", "divisor"}

func loaded(t *testing.T, name string) *ir.Program {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name+".go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := load.Source(name+".go", src, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reported explores a model; what is not the same in every run is made so.
func reported(t *testing.T, name string, p *ir.Program, opt explore.Options) *Report {
	t.Helper()
	r := explore.Run(context.Background(), p, opt)
	r.Stats = explore.Stats{States: 1234, Steps: 5678, Ends: 12, Elapsed: 1500 * time.Millisecond}
	rep, err := New(name+".go", p, r)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// written is what a writer writes, which must be the same each time.
func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var a, b bytes.Buffer
	if err := errors.Join(write(&a), write(&b)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two runs write different things")
	}
	return a.String()
}

func TestText(t *testing.T) {
	for _, name := range models {
		t.Run(name, func(t *testing.T) {
			rep := reported(t, name, loaded(t, name), explore.Options{})
			rep.Full = name == "wide"
			text := written(t, rep.Text)
			golden.File(t, "testdata/"+name+".golden", text)
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if last := lines[len(lines)-1]; last != rep.Verdict() {
				t.Errorf("the last line is %q", last)
			}
			for _, l := range lines {
				if width(l) > rep.Width {
					t.Errorf("a line of %d characters: %s", width(l), l)
				}
			}
		})
	}
}

func TestInconclusive(t *testing.T) {
	rep := reported(t, "verified", loaded(t, "verified"), explore.Options{MaxStates: 1})
	if v := rep.Verdict(); !strings.HasPrefix(v, "verdict: inconclusive: the bound of 1 states") {
		t.Error(v)
	}
	if text := written(t, rep.Text); !strings.Contains(text, "Not everything was explored") {
		t.Error(text)
	}
}

func TestOutcomesAreLimited(t *testing.T) {
	rep := reported(t, "verified", loaded(t, "verified"), explore.Options{})
	rep.Outcomes = 1
	if text := written(t, rep.Text); !strings.Contains(text, "... and 3 more") {
		t.Error(text)
	}
}

func TestJSON(t *testing.T) {
	for _, name := range models {
		t.Run(name, func(t *testing.T) {
			rep := reported(t, name, loaded(t, name), explore.Options{All: true})
			validate(t, ResultSchema, written(t, rep.JSON))
		})
	}
}

// TestRandomJSON validates documents of programs that no one has thought of,
// and draws them.
func TestRandomJSON(t *testing.T) {
	t.Parallel()
	for _, style := range randprog.Styles() {
		for seed := range uint64(thorough.Of(3, 10)) {
			p := style.Program(seed)
			rep := reported(t, p.Name, p, explore.Options{All: true, MaxStates: 3000})
			validate(t, ResultSchema, written(t, rep.JSON))
			for _, tr := range rep.Traces {
				draw(t, tr)
			}
		}
	}
}

func TestDrawings(t *testing.T) {
	for _, name := range models[:6] {
		tr := reported(t, name, loaded(t, name), explore.Options{}).Traces[0]
		svg, dot := draw(t, tr)
		golden.File(t, "testdata/"+name+".svg", svg)
		golden.File(t, "testdata/"+name+".dot", dot)
	}
}

// draw draws a trace both ways and checks that the results are well-formed
// and that nothing lies on top of anything else.
func draw(t *testing.T, tr *trace.Trace) (svg, dot string) {
	t.Helper()
	svg = written(t, func(w io.Writer) error { return SVG(w, tr) })
	dot = written(t, func(w io.Writer) error { return DOT(w, tr) })
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	if strings.Count(dot, "{") != strings.Count(dot, "}") {
		t.Errorf("unbalanced braces in\n%s", dot)
	}
	uncovered(t, layOut(tr))
	return svg, dot
}

// uncovered checks that no two boxes overlap, that text stays in its box, and
// that arrows run along gutters only.
func uncovered(t *testing.T, d *drawing) {
	t.Helper()
	for i, b := range d.boxes {
		if i > 0 && b.y < d.boxes[i-1].y+d.boxes[i-1].h {
			t.Errorf("row %d overlaps the one above", i)
		}
		for _, l := range b.lines {
			if b.lane >= 0 && width(l) > boxChars {
				t.Errorf("%q does not fit into a box", l)
			}
		}
	}
	for _, p := range d.routes {
		x := d.trackX(p)
		for _, left := range d.left {
			if x >= left && x <= left+boxWidth {
				t.Errorf("%s from step %d to step %d runs through a column", p.label, p.from, p.to)
			}
		}
		if x < 0 || x > d.width {
			t.Errorf("%s from step %d to step %d leaves the drawing", p.label, p.from, p.to)
		}
	}
}

func TestReplay(t *testing.T) {
	p := loaded(t, "race")
	rep := reported(t, "race", p, explore.Options{})
	f, err := NewTraceFile("race.go", p, memmodel.Specs[0], map[string]string{"n": "2"}, rep.Traces[0])
	if err != nil {
		t.Fatal(err)
	}
	stored := written(t, f.Save)
	validate(t, TraceSchema, stored)
	back, err := LoadTrace(strings.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.Replay(p)
	if err != nil {
		t.Fatal(err)
	}
	a, b := written(t, func(w io.Writer) error { return WriteJSON(w, rep.Traces[0]) }), written(t, func(w io.Writer) error { return WriteJSON(w, got) })
	if a != b {
		t.Errorf("the replay differs:\n%s\n%s", a, b)
	}
	if _, err := back.Replay(loaded(t, "verified")); !errors.Is(err, trace.ErrUnfit) || !strings.Contains(err.Error(), "race.go") {
		t.Errorf("with another model: %v", err)
	}
}

func TestLoadTraceRejects(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "not a trace file",
		"package main":        "not a trace file",
		`{"schema":"clmc/9"}`: `its schema is "clmc/9"`,
		`{"schema":"clmc.trace/1","id":"CL1","schedule":[]}`:      "unknown kind",
		`{"schema":"clmc.trace/1","id":"CL1012","schedule":[]}`:   "unknown kind",
		`{"schema":"clmc.trace/1","id":"CL1001","schedule":"no"}`: "damaged",
		`{"schema":"clmc.trace/1","id":"CL1001","colour":"red"}`:  "damaged",
	} {
		if _, err := LoadTrace(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// validate checks a document against its schema.
func validate(t *testing.T, name, text string) {
	t.Helper()
	var schema, doc any
	if err := errors.Join(json.Unmarshal([]byte(Schemas()[name]), &schema), json.Unmarshal([]byte(text), &doc)); err != nil {
		t.Fatal(err)
	}
	v := &validator{root: schema.(map[string]any)}
	v.check("", v.root, doc)
	for _, p := range v.problems {
		t.Errorf("%s: %s", name, p)
	}
}

// What is not told says why: no limit is blamed that nobody has set.
func TestUntoldSaysWhy(t *testing.T) {
	untold := &trace.Trace{Untold: true}
	for _, c := range []struct {
		result explore.Result
		want   string
		not    string
	}{
		{explore.Result{Interrupted: true, Until: time.Now()}, "clmc was interrupted before", "limit"},
		{explore.Result{}, "takes more than 1m0s", "limit was met"},
		{explore.Result{Stats: explore.Stats{Elapsed: time.Hour}}, "takes more than 4h0m0s", "limit was met"},
		{explore.Result{Until: time.Now()}, "The time limit was met", "interrupted"},
	} {
		r := &Report{Result: &c.result}
		if got := r.Cut(untold); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%+v: %q, want %q and not %q", c.result, got, c.want, c.not)
		}
		by, least := r.tellBy(), time.Now()
		if c.result.Until.IsZero() {
			least = least.Add(maxTelling - time.Second)
		}
		if by.Before(least) {
			t.Errorf("%+v: it is told until %v, want not before %v", c.result, by, least)
		}
	}
}
