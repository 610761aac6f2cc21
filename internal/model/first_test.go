package model

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/state"
)

// The first screen is that of a small terminal: what of a report fits on it, under the command and its prompt.
const (
	firstLines   = 22
	firstColumns = 80
)

// told are the comments by which a model says what its report has to name.
var told = regexp.MustCompile(`(?m)^//first:(cause|repair) (.*)$`)

// TestFirstScreen goes through models as users write them, each with one mistake. The first screen of
// the report names the cause and the repair, and the model is verified when it is mended so: with the
// constant fix, or the macro FIX. What has to be named is written in the models, by somebody who knows
// the mistake.
func TestFirstScreen(t *testing.T) {
	names, err := filepath.Glob("testdata/first/*.*")
	if err != nil || len(names) < 200 {
		t.Fatal(len(names), err)
	}
	for _, name := range names {
		base, text := strings.TrimSuffix(filepath.Base(name), ".txt"), readFile(t, name)
		if filepath.Ext(name) == ".golden" {
			continue
		}
		t.Run(base, func(t *testing.T) {
			fix := map[string]string{"FIX": ""}
			if strings.HasSuffix(base, ".go") {
				fix = map[string]string{"fix": "true"}
			}
			path := "project/src/opencl/kernels/" + base // a path as long as those of users
			if r := exploreText(t, path, text, fix); r.Result.Verdict != explore.Verified {
				t.Errorf("mended, it is %v", r.Result.Verdict)
			}
			r := exploreText(t, path, text, nil)
			r.Width, r.Outcomes = firstColumns, 20
			var b bytes.Buffer
			if err := r.Text(&b); err != nil {
				t.Fatal(err)
			}
			screen, _, _ := strings.Cut(b.String(), "\nclmc explain ")
			if lines := strings.SplitAfter(screen, "\n"); len(lines) > firstLines {
				screen = strings.Join(lines[:firstLines], "")
			}
			flat := strings.Join(strings.Fields(screen), " ")
			_, repair, ok := strings.Cut(flat, "Repair: ")
			if !ok { // what nobody can follow without thinking
				_, repair, _ = strings.Cut(flat, "Idea: ")
			}
			where := map[string]string{"cause": flat, "repair": repair}
			wanted := told.FindAllStringSubmatch(text, -1)
			for _, m := range wanted {
				if !strings.Contains(where[m[1]], m[2]) {
					t.Errorf("the first screen does not name the %s, %q:\n%s", m[1], m[2], screen)
				}
			}
			placeShown(t, r.Traces[0])
			if len(wanted) < 2 || r.Result.Verdict != explore.Violated {
				t.Errorf("%v, and %d things to be named", r.Result.Verdict, len(wanted))
			}
			golden.File(t, "testdata/first/"+base+".golden", screen)
		})
	}
}

// placeShown checks that the schedule has the place where it goes wrong, and of barriers that some come to and others do not, where those are: also if no
// operation that others notice is there, but an index, an assertion or the end of the kernel.
func placeShown(t *testing.T, tr *trace.Trace) {
	t.Helper()
	shown := func(at trace.Pos, lane int) bool {
		return slices.ContainsFunc(tr.Steps, func(s trace.Step) bool {
			return s.File == at.File && s.Line == at.Line && (lane < 0 || s.Lane == lane) && tr.Needed(s.ID)
		})
	}
	switch tr.ViolationKind() {
	case state.Deadlock, state.NoWayOut: // who waits has not done what it waits for
	case state.BarrierDivergence:
		for _, w := range tr.Waits {
			if !shown(w.Pos, w.Lane) {
				t.Errorf("the schedule does not show lane %d at line %d, which %s", w.Lane, w.Line, w.Text)
			}
		}
	default:
		if !shown(tr.At, -1) || tr.Steps[len(tr.Steps)-1].Line != tr.At.Line {
			t.Errorf("the schedule does not end in line %d, where it goes wrong", tr.At.Line)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exploreText(t *testing.T, name, text string, defines map[string]string) *report.Report {
	t.Helper()
	m, err := Target(name).Parse([]byte(text), Options{Defines: defines})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Explore(t.Context(), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestValuesInKernels checks that the report of a kernel in OpenCL C tells its private variables, those of
// helpers too, out of scope ones not, and the calls that lead to where it goes wrong.
func TestValuesInKernels(t *testing.T) {
	const text = `//clmc:launch k global=2 local=1 a=int[3]{5,6,7} out=zero[2]
typedef struct { int lo; float half; } pair;

int pick(global const int *a, pair p, int2 v) {
    int gone;
    for (int j = 0; j < 2; j++)
        gone = j;
    int n = p.lo + v.y;
    return a[n];
}

kernel void k(global const int *a, global int *out) {
    int g = get_global_id(0);
    int unset;
    pair p = { g + 1, 0.5f };
    int2 v = (int2)(g, 2 * g);
    p.lo++;
    out[g] = pick(a, p, v);
}
`
	// Work-item 0 reads a[2+0]; work-item 1 reads a[3+2] of three.
	r := exploreText(t, "values.cl", text, nil)
	var b bytes.Buffer
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"in pick, called at values.cl:18", "n = 5", "p.lo = 3", "p.half = 0.5f", "v[0] = 1", "v[1] = 2", "g = 1"} {
		if !strings.Contains(flat, want) {
			t.Errorf("the report does not say %q:\n%s", want, b.String())
		}
	}
	for _, not := range []string{"unset =", "j ="} {
		if strings.Contains(flat, not) {
			t.Errorf("the report says %q:\n%s", not, b.String())
		}
	}
}
