package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/busy"
)

// from reads files that a test gives.
func from(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := files[filepath.ToSlash(name)]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
}

// TestParameters refuses a kernel with more parameters than any device needs to take.
func TestParameters(t *testing.T) {
	for n, want := range map[int]string{maxParams: "", maxParams + 1: "kernel k has 1025 parameters; clmc takes up to 1024"} {
		text := "kernel void k(global int *p"
		for i := range n - 1 {
			text += fmt.Sprintf(", uchar c%d", i)
		}
		text += ") { p[0] = 1; }"
		_, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(text)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d parameters: %v, want %q", n, err, want)
		}
	}
}

// TestManyTokens takes macros that hand many tokens on through each other, as libraries of built-in functions have them.
func TestManyTokens(t *testing.T) {
	const nested = "#define A(x) x+x+x+x\n#define B(x) A(x)+A(x)+A(x)+A(x)\n#define C(x) B(x)+B(x)+B(x)+B(x)\n#define F(n) int f##n(int a) { return C(a)+C(a)+C(a)+C(a); }\n" +
		"#define G(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7)\n#define H(n) G(n##0) G(n##1) G(n##2) G(n##3) G(n##4) G(n##5) G(n##6) G(n##7)\n"
	_, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(nested + "H(a) H(b) H(c) H(d) H(e) H(f) H(g) H(h) H(i)\nkernel void k(global int *p) { p[0] = 1; }")})
	if err != nil {
		t.Error(err)
	}
}

// TestInclude sees that files come from the folder of the kernel and those of -I, and from nowhere
// else.
func TestInclude(t *testing.T) {
	files := map[string]string{
		"dir/a.h": "#define A 1\n", "dir/sub/b.h": "#include \"c.h\"\n", "dir/sub/c.h": "#define B 2\n", "inc/d.h": "#define D 3\n", "inc/deep/e.h": "#define E 4\n",
		"out/secret.h": "#define S 5\n", "dir/once.h": "#pragma once\nint once(int x) { return x; }\n", "dir/up.h": "#include \"../out/secret.h\"\n", "/etc/passwd": "root",
		"dir/wrong.h": "int wrong(int x) {\n  return y;\n}\n",
	}
	for _, r := range []struct {
		text, want string // want "": accepted
	}{
		{"#include \"a.h\"\n#include \"sub/b.h\"\n#include <d.h>\n#include \"deep/e.h\"\nkernel void k(global int *p) { p[0] = A + B + D + E; }", ""},
		{"#include \"once.h\"\n#include \"once.h\"\nkernel void k(global int *p) { p[0] = once(1); }", ""},
		{"#include \"./sub/../a.h\"\nkernel void k(global int *p) { p[0] = A; }", ""},
		{"#if __has_include(\"a.h\") && !__has_include(\"../out/secret.h\")\nkernel void k() {}\n#else\nwrong\n#endif", ""},
		{"#define ADD(a, b) \\ \t\n  ((a) + \\  \r\n (b))\nkernel void k(global int *p) { p[0] = ADD(1, 2); } // \\ \nwrong", ""},
		{"kernel void k() {}\n#if __has_include(<a.h>\n#endif", "dir/k.cl:2:4: expected ')'"},
		{"#if !__has_include()\n#endif", "dir/k.cl:1:4: expected ')'"},
		{"#if 1\n#elif 1\n#endif\n#if defined\n#endif", "dir/k.cl:4:4: operator \"defined\""},
		{"#if 1\n#endif\n#if 2 + \\\n  1 +\n#endif\nkernel void k() {}", "dir/k.cl:3:4: this condition is not complete"},
		{"#include \"../out/secret.h\"\n", "outside"},
		{"#include \"up.h\"\n", "outside"},
		{"#include \"/etc/passwd\"\n", "cannot include"},
		{"#include </etc/passwd>\n", "cannot include"},
		{"#include \"nothing.h\"\n", "dir/k.cl:1:10: cannot include \"nothing.h\""},
		{"#include \"wrong.h\"\n", "dir/wrong.h:2:10: y is unknown"},
		{"#include \"k.cl\"\n", "does dir/k.cl include itself?"},
		{"#include\n", "dir/k.cl:1:9"},
	} {
		u, _, err := Parse(Options{loud: true, Path: "dir/k.cl", Source: []byte(r.text), Include: []string{"inc"}, Read: from(files)})
		switch {
		case r.want == "" && err != nil:
			t.Errorf("%s: %v", r.text, err)
		case r.want != "" && (err == nil || !strings.Contains(err.Error(), r.want)):
			t.Errorf("%s: the error does not say %q: %v", r.text, r.want, err)
		case err == nil && len(u.Files) == 0:
			t.Errorf("%s: no files", r.text)
		}
	}
}

// TestDisk reads from the disk, where a link may lead out of the folder.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("k/k.cl", "#include \"a.h\"\nkernel void k(global int *p) { p[0] = A; }\n")
	write("k/a.h", "#define A 1\n")
	write("k/b.cl", "#include \"link.h\"\n")
	write("secret.h", "#define A 1\n")
	if err := os.Symlink(filepath.Join(dir, "secret.h"), filepath.Join(dir, "k/link.h")); err != nil {
		t.Skip(err)
	}
	if _, _, err := Parse(Options{loud: true, Path: filepath.Join(dir, "k/k.cl")}); err != nil {
		t.Error(err)
	}
	if _, _, err := Parse(Options{loud: true, Path: filepath.Join(dir, "k/b.cl")}); err == nil {
		t.Error("a link led out of the folder")
	}
	if _, _, err := Parse(Options{loud: true, Path: filepath.Join(dir, "k/none.cl")}); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if _, _, err := Parse(Options{loud: true, Path: dir}); err == nil {
		t.Error("a folder is no kernel file")
	}
}

// TestDefines sees what -D gives.
func TestDefines(t *testing.T) {
	text := "#if N == 4 && defined(ON) && ON == 1\nkernel void k(global int *p) { p[0] = F(2); }\n#else\n#error wrong\n#endif\n"
	if _, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(text), Defines: []string{"N=4", "ON", "F(x)=((x) + N)"}}); err != nil {
		t.Error(err)
	}
	for _, d := range []string{"", "=3", "4=5", "a b", "X\n#define Y", "-O2", `X=\`} {
		if _, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte("kernel void k() {}"), Defines: []string{d}}); err == nil || !strings.Contains(err.Error(), "does not name a macro") {
			t.Errorf("-D %q: %v", d, err)
		}
	}
	if _, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte("kernel void k() {}"), Std: 130}); err == nil {
		t.Error("there is no OpenCL C 1.3")
	}
}

// TestBombs sees that what grows beyond measure is refused, and soon.
func TestBombs(t *testing.T) {
	nest := func(open, middle, shut string, n int) string {
		return "kernel void k(global int *p, int n) { n = " + strings.Repeat(open, n) + middle + strings.Repeat(shut, n) + "; }"
	}
	var powers strings.Builder
	powers.WriteString("#define X0 1 +\n")
	for i := range 40 {
		fmt.Fprintf(&powers, "#define X%d X%d X%d\n", i+1, i, i)
	}
	powers.WriteString("kernel void k(global int *p) { p[0] = X40 0; }\n")
	for name, text := range map[string]string{
		"doubling macros": powers.String(),
		"parentheses":     nest("(", "1", ")", 200_000),
		"brackets":        nest("p[", "1", "]", 100_000),
		"minus":           nest("- ", "1", "", 200_000),
		"not":             nest("!", "1", "", 200_000),
		"conditions":      nest("n ? 1 : ", "1", "", 100_000),
		"assignments":     nest("n = ", "1", "", 200_000),
		"casts":           nest("(int)", "1", "", 200_000),
		"blocks":          "void f(void) " + strings.Repeat("{", 100_000) + strings.Repeat("}", 100_000),
		"pointers":        "void f(int " + strings.Repeat("*", 200_000) + "p) {}",
		"if":              "void f(int n) { " + strings.Repeat("if (n) ", 100_000) + "n = 1; }",
		"else":            "void f(int n) { " + strings.Repeat("if (n) n = 2; else ", 100_000) + "n = 1; }",
		"labels":          "void f(int n) { " + strings.Repeat("case 1: ", 100_000) + "n = 1; }",
		"block literals":  "void f(int n) { " + strings.Repeat("void (^b)(void) = ^{ ", 1000) + strings.Repeat("};", 1000) + " }",
		"records":         strings.Repeat("struct { ", 10_000) + "int a;" + strings.Repeat("} x;", 10_000),
		"a huge array":    "global int a[1 << 30][1 << 30]; kernel void k(global int *p) { p[0] = a[1][1]; }",
		"a huge list":     "constant int a[] = { [100000000] = 1 }; kernel void k(global int *p) { p[0] = a[1]; }",
		"expanding nests": "#define A (((((((((((((((((\n#define B A A A A A A A A A A A A A A A A\nkernel void k(global int *p) { p[0] = B B B B 1; }",
		"too long a file": strings.Repeat("// nothing\n", 2_000_000),
		"unended comment": "/* " + strings.Repeat("x", 1_000_000),
		"unended string":  "kernel void k() { printf(\"" + strings.Repeat("x", 1_000_000),
	} {
		took := busy.Start()
		_, err := parse(text, 300)
		t.Logf("%s: %v", name, took)
		if took.Over(slowMachine * guardTime) {
			t.Errorf("%s: it takes %v", name, took)
		}
		if err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), "internal error") || len(err.Error()) > 100_000 {
			t.Errorf("%s: %.300s", name, err)
		}
	}
	// Long is not deep.
	long := "kernel void k(global int *p, int n) { p[0] = 0" + strings.Repeat(" + n", 5000) + "; " + strings.Repeat("if (n) n++; ", 5000) + strings.Repeat("n = (n + 1) * 2; ", 5000) + "}"
	if _, err := parse(long, 300); err != nil {
		t.Errorf("%.300s", err)
	}
	if _, err := parse(deepCalls(3000), 300); err != nil {
		t.Errorf("%.300s", err)
	}
	sums := "constant int n0 = 0;\n"
	for i := range 60 {
		sums += fmt.Sprintf("constant int n%d = n%d + n%d;\n", i+1, i, i)
	}
	locals := strings.ReplaceAll(sums, "constant", "const")
	if _, err := parse(sums+"kernel void k() { int t[n60 + 1];\n"+locals+"int u[n60 + 1]; }", 300); err != nil {
		t.Errorf("%.300s", err)
	}
	// Macros that stand for much, but not too much.
	if _, err := parse(strings.ReplaceAll(powers.String(), "X40 0", "X10 0"), 300); err != nil {
		t.Errorf("%.300s", err)
	}
}

// deepCalls returns functions each of which calls the next one.
func deepCalls(n int) string {
	var b strings.Builder
	b.WriteString("int f0(int x) { return x; }\n")
	for i := range n {
		fmt.Fprintf(&b, "int f%d(int x) { return f%d(x); }\n", i+1, i)
	}
	return b.String()
}

// TestLexical sees that what the preprocessor itself would not survive is refused before, with a place, in no time.
func TestLexical(t *testing.T) {
	const many = 1 << 20
	rep := strings.Repeat
	for _, c := range []struct{ text, want string }{
		{rep("(", many), "k.cl:1:2049: brackets are nested"},
		{"kernel void k(global int *p, int n) {\nn = " + rep("(", many) + "1" + rep(")", many) + "; }", "k.cl:2:"},
		{rep("a(", many), "brackets are nested"},
		{rep("^(", many), "brackets are nested"},
		{"#define F(x) x\nint a = " + rep("F(", many), "k.cl:2:"},
		{"#if " + rep("(", many) + "\n#endif", "k.cl:1:"},
		{"#if " + rep("- ", many) + "1\n#endif", "k.cl:1:1: a condition has"},
		{"\n  # elif " + rep("! \\\n", many) + "1\n#endif", "k.cl:2:3: a condition has"},
		{"#if " + rep("1 ? 1 : ", many) + "1\n#endif", "a condition has"},
		{rep("#if 1\n", many/8) + rep("#endif\n", many/8), "k.cl:1025:1: #if is nested"},
		{"#include \"deep.h\"\n", "nested more than 2048 deep, in line 2"},
	} {
		took := busy.Start()
		_, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(c.text), Read: from(map[string]string{"deep.h": "\n" + rep("(", many)})})
		if took.Over(slowMachine * guardTime) {
			t.Errorf("%.40q: it takes %v", c.text, took)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %.200v\nwant %s", c.text, err, c.want)
		}
	}
	// Brackets in comments and strings are none, and every branch may open one.
	text := "/* " + rep("(", 3000) + " */\nkernel void k(global int *p) {\n" + rep("#if 0\nif (p[0]) {\n#else\nif (p[1]) {\n#endif\n}\n", 1000) + "}\n// " + rep("{", 3000)
	if _, err := parse(text, 300); err != nil {
		t.Errorf("%.300v", err)
	}
}

// TestContinuedEnd sees that a line which the end of a file continues is read as any other: the preprocessor lost it, or, in a literal that
// nothing closes, did not come to an end.
func TestContinuedEnd(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		for _, end := range []string{"\\", "\\\n", "\\\r\n", "\\\n\\\n", "\\\n\n"} {
			if u, err := parse("kernel void k(global int *p) { p[0] = 1; } "+end, 300); err != nil || len(u.Kernels) != 1 {
				t.Errorf("%q: %v", end, err)
			}
			for _, open := range []string{"'", "\"", "/*", "#include \"", "#define A '", "#if '"} {
				if _, err := parse("kernel void k(global int *p) {}\n"+open+"x "+end, 300); err == nil && open != "#define A '" {
					t.Errorf("%q is accepted", open+end)
				}
			}
			files := map[string]string{"a.h": "#define A 1" + end}
			if _, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte("#include \"a.h\"\nkernel void k(global int *p) { p[0] = A; }"), Read: from(files)}); err != nil {
				t.Errorf("included, %q: %v", end, err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("a file that ends in a backslash is not read to its end")
	}
}

// TestGaveUp sees that programs on which the parser panics are refused with a place.
func TestGaveUp(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"__kernel void f ( __global int *a ) ( a [ 0 ] = 7 ; (", "k.cl:1:53: this bracket is not closed"},
		{"__kernel void f(__global int *a)\n(a[0] = 7; {", "k.cl:2:"},
		{"__kernel void f(__global int *a) (a[0] = 7;", "k.cl:1:"},
		{"__kernel void f(__global int *a) (", "k.cl:1:"},
		{"int (", "k.cl:1:"},
		{"struct {", "k.cl:1:"},
	} {
		_, err := parse(c.text, 300)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "internal error") {
			t.Errorf("%s: %v\nwant %s", c.text, err, c.want)
		}
	}
}
