package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/models/clc"
)

// TestWarnings sees that what is allowed and likely wrong is among the notes of a report, with its place.
func TestWarnings(t *testing.T) {
	text := "__kernel void k(__global int *a) {\n  int i = 0;\n  a[0] = i++ + i;\n}\n"
	p, err := clc.Source("k.cl", []byte(text), clc.Options{Global: "1", Local: "1"})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(p.Notes, "\n")
	if !strings.Contains(notes, "k.cl:3:") || !strings.Contains(notes, "warning: i is changed and used in one expression") || strings.Count(notes, "warning") != 1 {
		t.Errorf("the notes are:\n%s", notes)
	}
	p, err = clc.Source("k.cl", []byte(strings.Replace(text, "i++ + i", "i + 1", 1)), clc.Options{Global: "1", Local: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(p.Notes, "\n"); strings.Contains(notes, "warning") {
		t.Errorf("nothing is wrong, and the notes are:\n%s", notes)
	}
}

// TestNotGiven sees that who strays from a buffer that was not given is told that it was not.
func TestNotGiven(t *testing.T) {
	for _, c := range []struct {
		body, want string
		args       []string
	}{
		{"a[64] = 1;", "outside of a, which holds 64 zeros because no --arg a=... gives its contents, at k.cl:1", nil},
		{"__global int *p = a + 3; p[61 + n * 0] = 1;", "outside of a, which holds 64 zeros", nil},
		{"a[64] = 1;", "outside of a at k.cl:1", []string{"a=zero[64]"}},
	} {
		text := "__kernel void k(__global int *a, int n) { " + c.body + " }"
		p, err := clc.Source("k.cl", []byte(text), clc.Options{Global: "1", Local: "1", Args: append(c.args, "n=1")})
		if err != nil {
			t.Fatal(err)
		}
		r := explore.Run(t.Context(), p, explore.Options{})
		if len(r.Violations) != 1 || r.Violations[0].Kind.ID() != "CL1005" {
			t.Fatalf("%s: %v %v, want CL1005", c.body, r.Verdict, r.Violations)
		}
		tr, err := trace.Build(p, r.Spec, r.Violations[0])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(tr.Message, c.want) {
			t.Errorf("%s: %s\nwant %s", c.body, tr.Message, c.want)
		}
	}
	// There is an element for each work-item, if those are more.
	p, err := clc.Source("k.cl", []byte("__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }"), clc.Options{Global: "66", Local: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Objects[0].Init); n != 66 {
		t.Errorf("%d elements for 66 work-items", n)
	}
}
