package mend

import (
	"strings"
	"testing"
)

// partOf parts a text at its lines SYNC.
func partOf(text string, inGo bool) (string, int) {
	var cuts []Cut
	for at := 0; ; {
		i := strings.Index(text[at:], "SYNC;")
		if i < 0 {
			break
		}
		from := strings.LastIndexByte(text[:at+i], '\n') + 1
		if strings.TrimSpace(text[from:at+i]) != "" {
			from = at + i
		}
		to := at + i + len("SYNC;")
		if from != at+i && to < len(text) && text[to] == '\n' {
			to++
		}
		cuts, at = append(cuts, Cut{From: from, To: to, By: "SYNC;"}), to
	}
	out, n, _ := Part(text, inGo, cuts)
	return out, n
}

// TestPartRefused: where a condition may not hold again as before, or a part needs what another one has declared, nothing is parted.
func TestPartRefused(t *testing.T) {
	for name, inner := range map[string]string{
		"memory":           "if (t[l] > 0) {\nA();\nSYNC;\nB();\n}",
		"a member":         "if (s.x > 0) {\nA();\nSYNC;\nB();\n}",
		"a pointer":        "if (*p > 0) {\nA();\nSYNC;\nB();\n}",
		"what is pointed":  "if (p->x > 0) {\nA();\nSYNC;\nB();\n}",
		"a call":           "if (f(l)) {\nA();\nSYNC;\nB();\n}",
		"an assignment":    "if ((x = l) > 0) {\nA();\nSYNC;\nB();\n}",
		"an increment":     "if (x++ > 0) {\nA();\nSYNC;\nB();\n}",
		"changed":          "if (x > 0) {\nx = 1;\nSYNC;\nB();\n}",
		"changed by +=":    "if (x > 0) {\nx += 1;\nSYNC;\nB();\n}",
		"changed by --":    "if (x > 0) {\n--x;\nSYNC;\nB();\n}",
		"changed below":    "if (x > 0) {\nif (y) { x >>= 1; }\nSYNC;\nB();\n}",
		"changed in else":  "if (x > 0) {\nSYNC;\nB();\n} else {\nx = 1;\nSYNC;\nC();\n}",
		"an address":       "int *q = &x;\nif (x > 0) {\n*q = 0;\nSYNC;\nB();\n}",
		"shared":           "local int x;\nif (x > 0) {\nA();\nSYNC;\nB();\n}",
		"declared":         "if (x > 0) {\nint v = 1;\nSYNC;\nB(v);\n}",
		"declared second":  "if (x > 0) {\nint u, v;\nSYNC;\nB(v);\n}",
		"declared pointer": "if (x > 0) {\nglobal int *v = out;\nSYNC;\nv[0] = 1;\n}",
		"declared array":   "if (x > 0) {\nint v[2];\nSYNC;\nB(v);\n}",
		"a return":         "if (x > 0) {\nif (y) return;\nSYNC;\nB();\n}",
		"a break":          "for (;;) {\nif (x > 0) {\nif (y) break;\nSYNC;\nB();\n}\n}",
		"a loop":           "if (x > 0) {\nfor (;;) {\nA();\nSYNC;\nB();\n}\n}",
		"an outer one":     "if (y)\n  if (x > 0) {\nA();\nSYNC;\nB();\n}",
		"an outer loop":    "for (;;) if (x > 0) {\nA();\nSYNC;\nB();\n}",
		"a return in one":  "if (y)\nif (x > 0) return;\nSYNC;\nB();",
		"a directive":      "if (x > 0) {\n#ifdef X\nA();\nSYNC;\n#endif\nB();\n}",
		"no braces":        "if (x > 0)\nSYNC;\nB();",
		"unlike branches":  "if (x > 0) {\nSYNC;\nB();\nSYNC;\n} else {\nSYNC;\n}",
		"no condition":     "A();\nSYNC;\nB();",
		"a macro":          "\n#define X t[0]\nif (X > 0) {\nA();\nSYNC;\nB();\n}",
		"macro that sets":  "\n#define INC(v) v++\nif (x > 0) {\nINC(x);\nSYNC;\nB();\n}",
		"a value returned": "if (x > 0) return 1;\nSYNC;\nB();",
		"else of a return": "if (x > 0) return; else A();\nSYNC;\nB();",
	} {
		text := "kernel void k(global int *out) {\nint x = 0, l = 1;\n" + inner + "\n}\n"
		if out, n := partOf(text, false); n > 0 {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	for name, inner := range map[string]string{
		"a first statement": "if x := l; x > 0 {\n\t\tA()\n\t\tSYNC;\n\t\tB()\n\t}",
		"a package's":       "if shared > 0 {\n\t\tA()\n\t\tSYNC;\n\t\tB()\n\t}",
		"declared":          "if l > 0 {\n\t\tv := 1\n\t\tSYNC;\n\t\tB(v)\n\t}",
		"declared second":   "if l > 0 {\n\t\tu, v := A()\n\t\tSYNC;\n\t\tB(v)\n\t}",
		"declared by var":   "if l > 0 {\n\t\tvar v int\n\t\tSYNC;\n\t\tB(v)\n\t}",
		"memory":            "if t[l] > 0 {\n\t\tA()\n\t\tSYNC;\n\t\tB()\n\t}",
		"hidden":            "if l > 0 {\n\t\tl := 0\n\t\tSYNC;\n\t\tB(l)\n\t}",
	} {
		text := "package main\n\nvar shared int\n\nfunc k() {\n\tl := cl.GetLocalID(0)\n\t" + inner + "\n}\n"
		if out, n := partOf(text, true); n > 0 {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}

// TestPart parts conditions, and keeps the rest of the text.
func TestPart(t *testing.T) {
	for _, c := range []struct{ inner, want string }{
		{"  if (x > 0 && get_local_id(0) < 3) { // here\n    A();\n    SYNC; B();\n  }", "  if (x > 0 && get_local_id(0) < 3) { // here\n    A();\n  }\n  SYNC;\n  if (x > 0 && get_local_id(0) < 3) { B(); }"},
		{"  if (x == l) {\n    A(); /* SYNC */\n    SYNC;\n    if (y) { B(); }\n  } else if (x <= 2) {\n    C(\"}\");\n    SYNC;\n  }\n  D();", "  if (x == l) {\n    A(); /* SYNC */\n  } else if (x <= 2) {\n    C(\"}\");\n  }\n  SYNC;\n  if (x == l) {\n    if (y) { B(); }\n  }\n  D();"},
		{"  if (x > 0) {\n    return;\n  }\n  A();\n  SYNC;\n  B();", "  if (!(x > 0)) {\n    A();\n  }\n  SYNC;\n  if (!(x > 0)) {\n    B();\n  }"},
		{"  if (x > 0) {\n    int v = A();\n    B(v);\n    SYNC;\n    C();\n    SYNC;\n    D();\n  }", "  if (x > 0) {\n    int v = A();\n    B(v);\n  }\n  SYNC;\n  if (x > 0) {\n    C();\n  }\n  SYNC;\n  if (x > 0) {\n    D();\n  }"},
	} {
		head, tail := "#define N 3\nkernel void k(global int *out) {\n  int x = 0, l = 1;\n", "\n}\n"
		if got, n := partOf(head+c.inner+tail, false); n == 0 || got != head+c.want+tail {
			t.Errorf("%s\nis parted in %d:\n%s\nwant\n%s", c.inner, n, got, head+c.want+tail)
		}
	}
}
