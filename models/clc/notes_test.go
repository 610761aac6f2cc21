package clc_test

import (
	"strings"
	"testing"

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
