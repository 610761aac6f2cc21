package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
)

// TestUndefined sees what functions are taken to do that are declared and not defined: return 0 or 1, in all lanes, and nothing else. Both are tried.
func TestUndefined(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"int f(int); kernel void k(global int *o) { o[0] = f(1); __assert(o[0] == 0 || o[0] == 1); }", "verified"},
		{"int f(int); kernel void k(global int *o) { __assert(f(1) == 0); }", "CL1004"},
		{"int f(int); kernel void k(global int *o) { __assert(f(1) == 1); }", "CL1004"},
		{"float f(void); kernel void k(global int *o) { float x = f(); __assert(x == 0 || x == 1); }", "verified"},
		{"int4 f(void); kernel void k(global int *o) { int4 x = f(); __assert(x.x == x.w); }", "verified"},
		{"void f(global int *); kernel void k(global int *o) { f(o); __assert(o[0] == 0); }", "verified"},
		{"int f(int); kernel void k(global int *o) { int i = 0; f(i++); __assert(i == 1); }", "verified"},
		{"int f(int); kernel void k(global int *o) { int y = f(2); int i = (f(1), 3); __assert(i == 3); }", "verified"},
		{"int f(int); int g(int x) { return f(x) + f(x); } kernel void k(global int *o) { __assert(g(1) != 1); }", "CL1004"},
		{"global int *f(int); kernel void k(global int *o) { o = f(1); }", "f is declared, but not defined, and returns __global int *"},
	} {
		text := "//clmc:launch k global=1 local=1 o=zero[1]\n" + c.text + "\n"
		if _, err := clc.Source("k.cl", []byte(text), clc.Options{}); err == nil || !strings.Contains(err.Error(), "f is declared, but not defined") {
			t.Errorf("%s: %v", c.text, err)
		}
		p, err := clc.Source("k.cl", []byte(text), clc.Options{Undefined: true})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		found := "verified"
		r := explore.Run(t.Context(), p, explore.Options{})
		if r.Verdict != explore.Verified {
			found = r.Violations[0].Kind.ID()
		}
		if found != c.want || len(p.Assumed) != 1 || !strings.HasPrefix(p.Assumed[0], "f, which is not defined, ") {
			t.Errorf("%s: %s, %q", c.text, found, p.Assumed)
		}
	}
}
