package load_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/load"
)

// TestHosts explores the host programs of testdata/hosts, each of which says what must come out, and
// why. Kernel files that a model names come behind it.
func TestHosts(t *testing.T) {
	files, err := filepath.Glob("testdata/hosts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no host programs", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all := txtar.Parse(text).Files
		for i, f := range all {
			model, ok := strings.CutSuffix(f.Name, ".go")
			if !ok {
				continue
			}
			with := all[i : i+1]
			for _, k := range all[i+1:] {
				if strings.HasSuffix(k.Name, ".go") {
					break
				}
				with = append(slices.Clip(with), k)
			}
			t.Run(model, func(t *testing.T) {
				t.Parallel()
				checkHost(t, with)
			})
		}
	}
}

// checkHost sees what becomes of the first file, a model, with the others beside it.
func checkHost(t *testing.T, files []txtar.File) {
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, want, ok := strings.Cut(string(files[0].Data), "//clmc:expect ")
	if !ok {
		t.Fatal("the model expects nothing")
	}
	want, _, _ = strings.Cut(want, "\n")
	p, err := load.File(filepath.Join(dir, files[0].Name), load.Options{})
	if why, refused := strings.CutPrefix(want, "refused "); refused {
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("found %v, want it refused: %s", err, why)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r := explore.Run(ctx, p, explore.Options{All: true})
	var found []string
	for _, v := range r.Violations {
		found = append(found, v.Kind.ID())
	}
	if want == "verified" && r.Verdict != explore.Verified || want != "verified" && (len(found) == 0 || slices.ContainsFunc(found, func(id string) bool { return id != want })) {
		t.Errorf("found %v %v, want %s", r.Verdict, found, want)
	}
	rep, err := report.New(p.Name, p, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range rep.Document().Violations {
		if v.Message == "" || v.At.Line == 0 && v.ID != "CL1011" {
			t.Errorf("a violation is not told: %+v", v)
		}
	}
}
