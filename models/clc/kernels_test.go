package clc_test

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
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// TestKernels explores the kernels of testdata, each of which says what it expects and why.
func TestKernels(t *testing.T) {
	files, err := filepath.Glob("testdata/kernels*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(text).Files {
			t.Run(strings.TrimSuffix(f.Name, ".cl"), func(t *testing.T) {
				t.Parallel()
				checkKernel(t, f.Name, f.Data)
			})
		}
	}
}

// expectation returns what a kernel file expects: verified, ids of violations, of which the first
// that is found is one, or refused with a part of what is said.
func expectation(t *testing.T, text string) string {
	_, rest, ok := strings.Cut(text, "//clmc:expect ")
	if !ok {
		t.Fatal("the kernel expects nothing")
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// told sees that a report can be made of what was found, and that it says where in the file each violation is.
func told(t *testing.T, p *ir.Program, r *explore.Result) {
	t.Helper()
	rep, err := report.New(p.Name, p, r)
	if err != nil {
		t.Error(err)
		return
	}
	for _, v := range rep.Document().Violations {
		if v.Message == "" {
			t.Errorf("a violation is not told: %+v", v)
		}
	}
}

func checkKernel(t *testing.T, name string, text []byte) {
	p, err := clc.Source(name, text, clc.Options{GPUVerify: strings.HasPrefix(name, "gpuverify/")})
	if why, ok := strings.CutPrefix(expectation(t, string(text)), "refused "); ok {
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
	r := explore.Run(ctx, p, explore.Options{})
	told(t, p, r)
	want := expectation(t, string(text))
	var found []string
	for _, v := range r.Violations {
		found = append(found, v.Kind.ID())
	}
	if want == explore.Verified.String() || want == explore.Inconclusive.String() {
		if r.Verdict.String() != want {
			t.Errorf("found %v %v, want %s", r.Verdict, found, want)
		}
		return
	}
	if !slices.ContainsFunc(strings.Fields(want), func(id string) bool { return slices.Contains(found, id) }) {
		t.Errorf("found %v %v, want %s", r.Verdict, found, want)
	}
}
