package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/busy"
)

// TestConditions sees that conditions which macros make deep are refused, wherever the macros come from, and that a long
// program is read whose conditions are short.
func TestConditions(t *testing.T) {
	var double strings.Builder
	double.WriteString("#define X0 ((\n#define W0 1 +\n#define F0(x) (x)\n")
	for i := range 20 {
		fmt.Fprintf(&double, "#define X%d X%d X%d\n#define W%d W%d W%d\n#define F%d(x) F%d(F%d(x))\n", i+1, i, i, i+1, i, i, i+1, i, i)
	}
	long := double.String() + "kernel void k(global int *p) {\n" + strings.Repeat("p[0] = W10 0;\n", 100) + "}\n"
	for _, c := range []struct {
		text string
		fine bool
	}{
		{double.String() + "#if X18 1\n#endif\n", false}, // overflowed the stack
		{double.String() + "#if F18(1)\n#endif\n", false},
		{double.String() + "#if 0\n#elif X18 1\n#endif\n", false},
		{double.String() + "#include \"deep.h\"\n", false},
		{double.String() + "#if F4(1)\nkernel void k() {}\n#endif\n", true},
		{long, true},
		{long + "#if F4(W4 1)\n#else\nwrong\n#endif\n", true},
		{long + "#if X18 1\n#endif\n", false},
		{long + "#include \"deep.h\"\n", false},
		{long + "#if __COUNTER__ == 0\nint x = __COUNTER__;\n#if __COUNTER__ == 2\n#if X18 1\n#endif\n#endif\n#endif\n", false},
		{long + "#define P(x) _Pragma(#x)\n#pragma push_macro(\"X18\")\n#undef X18\nP(pop_macro(\"X18\"))\n#if X18 1\n#endif\n", false},
	} {
		took := busy.Start()
		_, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(c.text), Read: from(map[string]string{"deep.h": "int f(int x) { return x; }\n#if X18 1\n#endif\n"})})
		if took.Over(slowMachine * guardTime) {
			t.Errorf("%s: it takes %v", c.text[double.Len():], took)
		}
		if fine := err == nil; fine != c.fine || !fine && !strings.Contains(err.Error(), "the macros expand to too much") {
			t.Errorf("%s: %.200v", c.text[double.Len():], err)
		}
	}
}

// TestDirectives sees what is left of a text when only its directives count, and where that is not clear.
func TestDirectives(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\n#if 1 // one\nb\n #\tendif\n", "\n#if 1       \n\n #\tendif\n"},
		{"/* a\n#if 1\n*/ b # c\n#define A \"/*\" \\\n 'b'\nd */ e", "\n\n\n#define A \"/*\" \\\n 'b'\n\n"},
		{"#define A 1\nx # y\n", "#define A 1\n\n"},
		{"x = \"a\\\"#b\";\n", "\n"},
		{"#include <a/*b>\n", "?"},
		{"/* a */ #if 1\n", "?"},
		{"/* a\n */ #if 1\n", "?"},
		{"#if 1 /* a\n */ + 1\n", "?"},
		{"\v#if 1\n", "?"},
		{"a \\\n#if 1\n", "?"},
		{"// a \\\n#if 1\n", "?"},
		{"// a \\\r\n#if 1\n", "?"},
		{"/* a *\\\n/\n#if 1\n", "?"},
		{"#define A /\\\n* b\n", "?"},
		{"a 'b\n", "?"},
		{"\"", "?"},
		{"a __COUNTER__\n", "?"},
		{"a(__COUN ## TER__)\n", "?"},
		{"#define P(x) _Pragma(#x)\n", "?"},
		{"__COUNT\\\nER__\n", "?"},
		{"#define _ 1\n", "?"},
	} {
		f := &files{}
		switch got := f.directives(c.text); {
		case f.unclear != (c.want == "?"):
			t.Errorf("%q: unclear %t", c.text, f.unclear)
		case !f.unclear && got != c.want:
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
