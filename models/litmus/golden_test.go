package litmus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/models/litmus"
)

// examples compares an archive with what render makes of its inputs: each file
// NAME.litmus is followed by the file NAME.out that it should give.
func examples(t *testing.T, file string, render func(t *testing.T, name string, text []byte) string) {
	out := func(name string) string {
		if test, ok := strings.CutSuffix(name, ".litmus"); ok {
			return test + ".out"
		}
		return ""
	}
	golden.Archive(t, file, out, func(t *testing.T, name string, files map[string][]byte) string {
		return render(t, name, files[name])
	})
}

func TestErrors(t *testing.T) {
	examples(t, "testdata/errors.txtar", func(t *testing.T, name string, text []byte) string {
		_, err := litmus.Parse(name, text)
		if err == nil {
			t.Fatal("no error")
		}
		return err.Error()
	})
}

func TestLowering(t *testing.T) {
	examples(t, "testdata/lower.txtar", func(t *testing.T, name string, text []byte) string {
		return parse(t, name, string(text)).Program.String()
	})
}

func TestErrorLimits(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"size":        {strings.Repeat("x", 1<<20+1), "larger than 1 MiB"},
		"parentheses": {body("int r0 = " + strings.Repeat("(", 1<<16)), "nested too deeply"},
		"blocks":      {body(strings.Repeat("{", 1<<16)), "nested too deeply"},
		"unary":       {body("int r0 = " + strings.Repeat("!", 1<<16)), "nested too deeply"},
		"operators":   {body("int r0 = 1" + strings.Repeat("+1", 1<<16) + ";"), "nested too deeply"},
		"else if":     {body(strings.Repeat("if (1) ; else ", 1<<14) + ";"), "nested too deeply"},
		"condition":   {test("", strings.Repeat("~", 1<<16)+"x=1"), "nested too deeply"},
		"tree":        {"OpenCL t\n{}\nP0 () {}\nscopeTree " + strings.Repeat("(device ", 1<<16), "cannot be inside"},
		"threads":     {"OpenCL t\n{}\n" + strings.Repeat("P0 () {}\n", 100), "more than 64 threads"},
		"registers":   {body("int r" + strings.ReplaceAll(names(2000), "=", ", r") + "r;"), "more than 1000 registers"},
		"locations":   {"OpenCL t\n{" + strings.ReplaceAll(names(2000), "=", "=0;") + "}\nP0 () {} exists (x=0)", "more than 1000 locations"},
		"labels":      {body(strings.ReplaceAll(names(2000), "=", ": barrier(0);")), "more than 1000 labels"},
		"long line":   {"OpenCL t\n" + strings.Repeat("{", 1<<16), "found"},
		"binary":      {"\x00\xff\x01OpenCL", "not an OpenCL litmus test"},
		"empty":       {"", "not an OpenCL litmus test"},
	} {
		_, err := litmus.Parse("t", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %.200v, want %q", name, err, c.want)
		} else if len(err.Error()) > 600 {
			t.Errorf("%s: error of %d bytes", name, len(err.Error()))
		}
	}
}

// names returns n names, each followed by "=".
func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "n%d=", i)
	}
	return b.String()
}

// test returns the text of a test with one thread that uses x and y.
func test(statements, condition string) string {
	return "OpenCL test\n{ [x]=0; [y]=0; }\nP0 (global atomic_int* x, global int* y) {\n" + statements + "\n}\nexists (" + condition + ")\n"
}

// body returns the text of a test with the given statements.
func body(statements string) string { return test(statements, "x=0") }

// Large tests take time in proportion to their size.
func TestLargeInputs(t *testing.T) {
	const half = 1 << 19
	for _, text := range []string{
		body(strings.Repeat("(* ", half/3)),
		body(strings.Repeat("*y = *y + 1;\n", half/13)),
		body(strings.Repeat("if (*y) { while (*y) *y = 2; }\n", half/31)),
		body(strings.Repeat("while (1) {", 200) + strings.Repeat("*y = 1;", half/7) + strings.Repeat("}", 200)),
		test("", "x=0"+strings.Repeat(` /\ x=0`, half/7)),
		test("", "x=0"+strings.Repeat(` /\ x=`, half/6)),
		"OpenCL t\n" + strings.Repeat("a=b\n", half/4),
		"OpenCL t\n" + strings.Repeat("\n", half) + "x",
	} {
		_, _ = litmus.Parse("large", []byte(text))
	}
}
