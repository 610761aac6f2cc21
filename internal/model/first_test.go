package model

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/golden"
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
	if err != nil || len(names) < 110 {
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
			_, repair, _ := strings.Cut(flat, "Repair: ")
			where := map[string]string{"cause": flat, "repair": repair}
			wanted := told.FindAllStringSubmatch(text, -1)
			for _, m := range wanted {
				if !strings.Contains(where[m[1]], m[2]) {
					t.Errorf("the first screen does not name the %s, %q:\n%s", m[1], m[2], screen)
				}
			}
			if len(wanted) < 2 || r.Result.Verdict != explore.Violated {
				t.Errorf("%v, and %d things to be named", r.Result.Verdict, len(wanted))
			}
			golden.File(t, "testdata/first/"+base+".golden", screen)
		})
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
