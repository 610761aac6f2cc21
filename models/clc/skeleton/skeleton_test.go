package skeleton_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/clc/skeleton"
	"github.com/clmc/clmc/models/load"
)

// TestWrite writes host programs for the kernels of package clc's tests: each is a model that loads, or else a kernel
// has a fault that shows only when it is called.
func TestWrite(t *testing.T) {
	files, err := filepath.Glob("../testdata/kernels*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	written := 0
	for _, name := range files {
		archive, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(archive).Files {
			if !strings.Contains(f.Name, "/") && !strings.Contains(string(f.Data), "expect refused") {
				written += host(t, f)
			}
		}
	}
	if written < 50 {
		t.Errorf("%d host programs were written", written)
	}
}

func host(t *testing.T, f txtar.File) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), f.Name)
	if err := os.WriteFile(path, f.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := skeleton.Write(path, clc.Options{})
	if err != nil {
		if !strings.Contains(err.Error(), "cannot be passed from a model in Go") {
			t.Errorf("%s: %v", f.Name, err)
		}
		return 0
	}
	model := strings.TrimSuffix(path, ".cl") + ".go"
	if err := os.WriteFile(model, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load.File(model, load.Options{}); err != nil && !strings.Contains(err.Error(), "does not support that yet") {
		t.Errorf("%s: %v\n%s", f.Name, err, text)
	}
	return 1
}

// TestVoid writes host programs for kernels with parameters of type void *: slices of what they are cast to.
func TestVoid(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"((global int *)p)[get_global_id(0)] = n;", "p []int32"},
		{"global float *q = (global float *)((global char *)p + 4 * n); q[0] = 1;", "p []float32"},
		{"global char *q = p; ((global ushort *)(q + n))[0] = 1;", "p []uint8"},
		{"((global float4 *)p)[n] = 1.0f;", "p [][4]float32"},
		{"if (n) return;", "p []uint8"},
	} {
		path := filepath.Join(t.TempDir(), "k.cl")
		if err := os.WriteFile(path, []byte("kernel void k(global void *p, int n) { "+c.body+" }"), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := skeleton.Write(path, clc.Options{})
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", c.body, err, text, c.want)
			continue
		}
		model := strings.TrimSuffix(path, ".cl") + ".go"
		if err := os.WriteFile(model, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := load.File(model, load.Options{}); err != nil && !strings.Contains(err.Error(), "does not support that yet") {
			t.Errorf("%s: %v\n%s", c.body, err, text)
		}
	}
}
