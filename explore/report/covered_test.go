package report

import (
	"testing"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state/ir"
)

func at(file string, lines ...int) (list []trace.Pos) {
	for _, n := range lines {
		list = append(list, trace.Pos{File: file, Line: n})
	}
	return list
}

// TestLines checks how lines are named.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		list []trace.Pos
		want string
	}{
		{at("k.cl", 4), "line 4"},
		{at("k.cl", 4, 5, 6), "lines 4 to 6"},
		{at("k.cl", 4, 5, 9), "lines 4 to 5 and 9"},
		{at("k.cl", 1, 3, 5, 7, 9), "lines 1, 3, 5 and 2 more"},
		{append(at("k.cl", 4), at("h.h", 5, 6)...), "lines 4 and h.h:5 to 6"},
	} {
		if got := Lines(c.list); got != c.want {
			t.Errorf("%v is %q, want %q", c.list, got, c.want)
		}
	}
}

// TestUnmarked checks that a mark is about its own line, or, alone in a line, about the next.
func TestUnmarked(t *testing.T) {
	p := &ir.Program{Sources: []ir.Source{{Name: "k.cl", Text: "a;\nb; //clmc:unreachable\nc;\n  //clmc:unreachable\nd;\ne;\n"}}}
	got := unmarked(p, append(at("k.cl", 1, 2, 3, 5, 6), at("other.cl", 2)...))
	want := append(at("k.cl", 1, 3, 6), at("other.cl", 2)...)
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
