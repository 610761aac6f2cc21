package check

import (
	"os"
	"testing"

	"github.com/clmc/clmc/models/internal/diag"
)

// TestErrors compares what is said of a file full of errors with what is known to be said.
func TestErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/errors/errors.cl")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Parse(Options{loud: true, Path: "k/errors.cl", Source: text, Read: from(map[string]string{"k/helper.h": "#define HELPER(x) (x + y)\nint helper(int x) {\n  return HELPER(1);\n}\n"})})
	ds, ok := err.(diag.Diagnostics)
	if !ok {
		t.Fatalf("%v is no list of diagnostics", err)
	}
	golden(t, "testdata/errors/errors.txt", ds.Error()+"\n")
}

// TestWarnings compares the warnings of a kernel with what is known to be said.
func TestWarnings(t *testing.T) {
	_, ws, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(`kernel void k(global int *p, const global int *q, global float *f, int i) {
  p[i] = i++;
  i = i++ + 1;
  p[0] = i + (i = 2);
  p[1] = (i = 1, i) + i;
  i = i + 1, p[2] = i++;
  if (i++ && i++) p[3] = i;
  p[4] = max(i, i--);
  int a = i ? i++ : i--, b = (p[0]++, p[0]);
  global int *r = q;
  r = f;
  p[5] = 1 / 0;
  int t[2] = {1, 2, 3};
}
`)})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/errors/warnings.txt", ws.Error()+"\n")
}

// golden compares a text with that of a file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(path); err != nil || got != string(want) {
		t.Errorf("%s: got\n%s", path, got)
	}
}
