package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// TestUnwrittenByPointer sees that a read of private memory by a pointer, which no variable's name is known of, is told as one: not as one of
// the shared memory that the step before was about, which has no write at all perhaps.
func TestUnwrittenByPointer(t *testing.T) {
	for _, before := range []string{"out[0] = 1;", "out[1] = out[0];", "out[0] = n; out[1] = out[n];", ""} {
		text := "//clmc:launch k global=1 local=1 n=1 out=zero[3]\nkernel void k(global int *out, int n) {\n  uchar b[8];\n  " + before + "\n  out[2] = ((uint *)b)[0];\n}\n"
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := report.New(p.Name, p, explore.Run(t.Context(), p, explore.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		v := rep.Document().Violations
		if len(v) != 1 || !strings.Contains(v[0].Message, "reads private memory that it has not written") {
			t.Errorf("%s: %+v", before, v)
		}
	}
}

// TestUnwrittenIsTaken sees that what nobody has written is 0 where that is taken for granted, and wrong elsewhere: where it is read that
// the search goes on, to what else is wrong.
func TestUnwrittenIsTaken(t *testing.T) {
	const head = "//clmc:launch k global=2 local=2 t=local[4] o=zero[2]\n//clmc:assert o[0] == 7\nstruct S { int x; char c; };\nint none(int n) { if (n > 5) return n; }\n" +
		"kernel void k(global int *o, local int *t) {\n  int l = get_local_id(0), v, a[2]; struct S s; int4 w; int *p = &v; local int u; local atomic_int i;\n  o[l] = 7;\n  "
	for _, c := range []struct {
		body  string
		local bool // it is local memory
	}{
		{"o[l] += t[1 - l];", true},
		{"o[l] += u;", true},
		{"o[l] += atomic_fetch_add(&i, 0);", true},
		{"o[l] += ((local char *)t)[l];", true},
		{"o[l] += v;", false},
		{"o[l] += *p;", false},
		{"o[l] += a[l];", false},
		{"o[l] += s.c + w.x;", false},
		{"o[l] += none(l);", false},
	} {
		for opt, want := range map[ir.Indeterminate]bool{ir.IndeterminateWrong: false, ir.IndeterminateLocal: c.local, ir.IndeterminateAny: true} {
			p, err := clc.Source("k.cl", []byte(head+c.body+"\n}\n"), clc.Options{Unwritten: opt})
			if err != nil {
				t.Fatal(c.body, err)
			}
			r := explore.Run(t.Context(), p, explore.Options{})
			if verified := r.Verdict == explore.Verified; verified != want || !verified && r.Violations[0].Kind.ID() != "CL1002" {
				t.Errorf("%s with %v: %v", c.body, opt, r.Verdict)
			}
			if said := len(p.Assumed) > 0; said != (opt != ir.IndeterminateWrong) {
				t.Errorf("%v: %q", opt, p.Assumed)
			}
		}
	}
}
