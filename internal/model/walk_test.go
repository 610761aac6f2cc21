package model

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFolders finds all models of a folder, whatever else is in it, and names what looks like one and is none.
func TestFolders(t *testing.T) {
	const (
		goModel = "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nfunc main() { cl.Finish() }\n"
		helper  = "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nfunc help() { cl.Finish() }\n"
		alone   = "//go:build ignore\n\n" + goModel
		kernel  = "//clmc:launch k global=1 local=1\nkernel void k() {}\n"
		bare    = "kernel void k() {}\n"
		sim     = "k.cl k 1 1 1 1 1 1"
	)
	for _, row := range []struct {
		name  string
		files map[string]string
		want  string // models
		left  string
	}{
		{"a kernel beside a model in Go", map[string]string{"main.go": goModel, "k.cl": kernel}, ". k.cl", ""},
		{"a test beside it", map[string]string{"main.go": goModel, "t.litmus": "x"}, ". t.litmus", ""},
		{"beside two models in Go", map[string]string{"a.go": goModel, "b.go": goModel, "k.cl": kernel}, "a.go b.go k.cl", ""},
		{"beside models for editors", map[string]string{"a.go": alone, "b.go": alone, "k.cl": kernel}, "a.go b.go k.cl", ""},
		{"below a model in Go", map[string]string{"main.go": goModel, "sub/k.cl": kernel, "sub/deep/t.litmus": "x"}, ". sub/deep/t.litmus sub/k.cl", ""},
		{"a model in Go below a kernel", map[string]string{"k.cl": kernel, "sub/main.go": goModel}, "k.cl sub", ""},
		{"a kernel that nobody launches", map[string]string{"main.go": goModel, "k.cl": bare}, ".", "k.cl"},
		{"one that a model in Go launches", map[string]string{"main.go": "//cl:program k.cl -DN=1\n" + goModel, "k.cl": bare}, ".", ""},
		{"one that another includes", map[string]string{"a.cl": "#include \"inc/k.cl\"\n" + kernel, "inc/k.cl": bare, "k.cl": bare}, "a.cl", "k.cl"},
		{"a file of Oclgrind's", map[string]string{"a.sim": sim, "k.cl": bare}, "a.sim", ""},
		{"a file of somebody else's", map[string]string{"a.sim": "speed 3", "k.cl": kernel}, "k.cl", "a.sim"},
		{"another ending", map[string]string{"a.CL": kernel, "b.ocl": kernel, "k.cl": kernel}, "k.cl", "a.CL b.ocl"},
		{"folders that are left out", map[string]string{"k.cl": kernel, "testdata/a.cl": kernel, "internal/x/a.go": goModel, ".git/a.txt": "", "_old/a.cl": bare}, "k.cl", "internal testdata"},
		{"a helper beside two models", map[string]string{"a.go": goModel, "b.go": goModel, "h.go": helper}, "a.go b.go", "h.go"},
		{"a package of Go with models", map[string]string{"p.go": strings.Replace(helper, "main", "p", 1), "k.cl": kernel}, "k.cl", "p.go"},
		{"a package that a model imports", map[string]string{"spin/p.go": strings.Replace(helper, "main", "spin", 1), "m/a.go": strings.Replace(goModel, "import", "import _ \"example.com/kernels/spin\"\nimport", 1)}, "m", ""},
		{"Go that has nothing to do with models", map[string]string{"p.go": "package p\n", "k.cl": kernel}, "k.cl", ""},
		{"a file that is too large to look into", map[string]string{"k.cl": strings.Repeat(" ", maxKernel) + bare}, "k.cl", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range row.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, arg := range []string{dir, dir + "/..."} {
				found, err := Find(arg)
				if err != nil {
					t.Fatal(err)
				}
				var models, left []string
				for _, m := range found.Models {
					models = append(models, relative(t, dir, string(m)))
				}
				for _, l := range found.Left {
					left = append(left, relative(t, dir, l.Path))
				}
				slices.Sort(models)
				slices.Sort(left)
				if got := strings.Join(models, " "); got != row.want {
					t.Errorf("%s: models are %s, want %s", arg, got, row.want)
				}
				if got := strings.Join(left, " "); got != row.left {
					t.Errorf("%s: left are %q, want %q", arg, got, row.left)
				}
			}
		})
	}
}

func relative(t *testing.T, dir, path string) string {
	t.Helper()
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// TestLinks looks into a folder that is named by a link, and names links to folders below.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "there"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "there", "t.litmus"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("there", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	found, err := Find(filepath.Join(dir, "link"))
	if err != nil || len(found.Models) != 1 || len(found.Left) != 0 {
		t.Errorf("the link itself: %v, %v", found, err)
	}
	found, err = Find(dir)
	if err != nil || len(found.Models) != 1 || len(found.Left) != 1 || found.Left[0].Why != notFollowed {
		t.Errorf("the folder around it: %v, %v", found, err)
	}
}

// TestCensus counts models by their kind.
func TestCensus(t *testing.T) {
	got := Census([]Target{"a.go", "b", "k.cl", "k.sim", "@spinlock.cl", "@spinlock", "t.litmus"})
	if want := "3 models in Go, 3 kernel files, 1 litmus test"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	lines := Leftovers([]Left{{"a.cl", notLaunched}, {"x.go", notMain}, {"b.cl", notLaunched}})
	if len(lines) != 2 || !strings.Contains(lines[0], "a.cl, b.cl (it has no //clmc:launch") {
		t.Errorf("%q", lines)
	}
}
