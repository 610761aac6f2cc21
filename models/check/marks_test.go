package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clmc/clmc/models/check"
)

// A mark counts whether or not the front end leaves out its code: what never runs is
// not reached, by what cl.Reachable says.
func TestMarksWithoutCode(t *testing.T) {
	for _, c := range []struct{ name, decls, main, want string }{
		{"false", "", `if false { cl.Reachable("m") }`, "CL1012"},
		{"a constant", "const on = false", `if on { cl.Reachable("m") }`, "CL1012"},
		{"a variable whose value is known", "", `n := 1; if n == 2 { cl.Reachable("m") }`, "CL1012"},
		{"an argument", `func f(on bool) { if on { cl.Reachable("m") } }`, `f(false)`, "CL1012"},
		{"an argument of two calls", `func f(on bool) { if on { cl.Reachable("m") } }`, `f(false); f(true)`, ""},
		{"after the return", "", `return; cl.Reachable("m")`, "CL1012"},
		{"in what dead code calls", `func f() { cl.Reachable("m") }`, `if false { f() }`, "CL1012"},
		{"in a function of what dead code calls", `func f() { g() }; func g() { (cl.Reachable)("m") }`, `if false { f() }`, "CL1012"},
		{"in a generic function", `func f[T int32 | int64](v T) { if v == 1 { cl.Reachable("m") } }`, `f(int32(2))`, "CL1012"},
		{"in a kernel that is not enqueued", `func k() { cl.Reachable("m") }`, `if false { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1)) }`, "CL1012"},
		{"in a function literal", "", `f := func() { cl.Reachable("m") }; if false { f() }`, "CL1012"},
		{"a label with a name", `const label = "m"`, `if false { cl.Reachable(label) }`, "CL1012"},
		{"one of two with the label", "", `if false { cl.Reachable("m") }; cl.Reachable("m")`, ""},
		{"in what main does not refer to", `func f() { cl.Reachable("m") }`, ``, ""},
		{"reached", "const on = true", `if on { cl.Reachable("m") }`, ""},
	} {
		path := filepath.Join(t.TempDir(), "main.go")
		text := "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n" + c.decls + "\n\nfunc main() {\n\tcl.Finish()\n\t" + c.main + "\n}\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := check.Run(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := ""
		if len(r.Violations) > 0 {
			got = r.Violations[0].ID
		}
		if got != c.want || (r.Verdict == check.Verified) != (c.want == "") {
			t.Errorf("%s: %v %q, want %q", c.name, r.Verdict, got, c.want)
		}
		if got == "CL1012" && r.Violations[0].Line == 0 {
			t.Errorf("%s: no line", c.name)
		}
	}
}
