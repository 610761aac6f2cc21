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

// TestUnknownType sees that a word which stands where a type does is told as one that may be missing.
func TestUnknownType(t *testing.T) {
	for _, c := range []struct{ text, hint string }{
		{"kernel void k(global T *a) { }", "If T is a type, say which one, as in -D T=float, or include what defines it."},
		{"kernel void k(global int *a) {\n  local real tile[4];\n}", "If real is a type, say which one, as in -D real=float, or include what defines it."},
		{"kernel void k(global int *a) { float32 v; }", "There is no type float32: vectors have 2, 3, 4, 8 or 16 elements."},
		{"kernel void k(global int *a) { a[0] = 1 a[1] = 2; }", ""},
		{"kernel void k(global int *a) { int x y; }", ""},
		{"kernel void k(int a int b) { }", ""},
		{"kernel void k(const a b) { }", "If a is a type, say which one, as in -D a=float, or include what defines it."},
	} {
		_, _, err := Parse(Options{Path: "k.cl", Source: []byte(c.text)})
		if ds, ok := err.(diag.Diagnostics); !ok || ds[0].Hint != c.hint {
			t.Errorf("%s: %v, want the hint %q", c.text, err, c.hint)
		}
	}
}

// TestConditionsThatAreNone sees that conditions which are none are refused, where they are come to.
func TestConditionsThatAreNone(t *testing.T) {
	const rest = "\nint x;\n#endif\nkernel void k(global int *a) { }\n"
	for _, c := range []struct{ text, message string }{
		{"#ifdef 3" + rest, "#ifdef wants the name of a macro"},
		{"#ifndef (x)" + rest, "#ifdef wants the name of a macro"},
		{"#if foo(" + rest, "this condition is not complete"},
		{"#if (1 > 2))" + rest, "unexpected ')'"},
		{"#if 0\n#if foo(\n#endif\n#ifdef 3\n#endif" + rest, ""},
		{"#ifdef x // a )" + rest, ""},
		{"#if defined(x) /* ( */ && (1)" + rest, ""},
		{"#if ')' == 41" + rest, ""},
	} {
		_, _, err := Parse(Options{Path: "k.cl", Source: []byte(c.text)})
		ds, _ := err.(diag.Diagnostics)
		if c.message == "" && err != nil || c.message != "" && (len(ds) != 1 || ds[0].Message != c.message) {
			t.Errorf("%s: %v, want %q", c.text, err, c.message)
		}
	}
}
