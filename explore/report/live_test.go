package report

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state/ir"
)

// waits is a program one of whose work-groups waits for the other.
const waits = `package main

import "github.com/clmc/clmc/models/cl"

var flag cl.AtomicInt

func k() {
	if cl.GetGroupID(0) == 0 {
		cl.AtomicStore(&flag, 1)
	} else {
		for cl.AtomicLoad(&flag) == 0 {
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// TestDrawnLoops draws what is repeated for ever: an arrow leads from its last step back to its first, also where that is the same one, and the legend says so. Without a loop there is none.
func TestDrawnLoops(t *testing.T) {
	parsed := func(text string) *ir.Program {
		p, err := load.Source("m.go", []byte(text), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		p     *ir.Program
		model liveness.Model
		drawn int
		steps string
	}{
		{parsed(waits), liveness.OBE, 1, "From here step 4 repeats for ever."},
		{loaded(t, "polite"), liveness.Fair, 1, "From here steps 5 to 10 repeat for ever."},
		{parsed(strings.Replace(waits, "Store(&flag, 1)", "Store(&flag, 0)", 1)), liveness.Fair, 0, ""},
	} {
		q := liveness.Question{Levels: liveness.Whole(c.model)}
		r, err := New("m.go", c.p, explore.Run(context.Background(), c.p, explore.Options{Liveness: &explore.Liveness{Asked: []liveness.Question{q}, Required: []liveness.Question{q}}}))
		if err != nil || len(r.Traces) != 1 {
			t.Fatalf("%v, %d violations", err, len(r.Traces))
		}
		var svg, dot bytes.Buffer
		if err := SVG(&svg, r.Traces[0]); err != nil {
			t.Fatal(err)
		}
		if err := DOT(&dot, r.Traces[0]); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(svg.String(), ">repeats for ever</text>"); n != c.drawn {
			t.Errorf("%v: %d arrows, want %d\n%s", c.model, n, c.drawn, &svg)
		}
		if n := strings.Count(svg.String(), "repeats: what is repeated"); n != c.drawn {
			t.Errorf("%v: the legend has %d lines, want %d", c.model, n, c.drawn)
		}
		if n := strings.Count(dot.String(), `label="repeats for ever"`); n != c.drawn {
			t.Errorf("%v: %d edges, want %d\n%s", c.model, n, c.drawn, &dot)
		}
		if got := Round(r.Traces[0]); got != c.steps {
			t.Errorf("%v: %q, want %q", c.model, got, c.steps)
		}
	}
}
