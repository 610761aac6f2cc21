package report

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/models/load"
)

// waits is a program one of whose work-groups waits for the other; polite one in which both are in each other's way.
const (
	waits = `package main

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
	polite = `package main

import "github.com/clmc/clmc/models/cl"

var up [2]cl.AtomicInt

func k() {
	me := cl.GetGroupID(0)
	for {
		cl.AtomicStore(&up[me], 1)
		if cl.AtomicLoad(&up[1-me]) == 0 {
			break
		}
		cl.AtomicStore(&up[me], 0)
	}
	cl.AtomicStore(&up[me], 0)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`
)

// TestDrawnLoops draws what is repeated for ever: an arrow leads from its last step back to its first, also where that is the same one, and the legend says so. Without a loop there is none.
func TestDrawnLoops(t *testing.T) {
	for _, c := range []struct {
		text  string
		model liveness.Model
		drawn int
		steps string
	}{
		{waits, liveness.OBE, 1, "From here step 4 repeats for ever."},
		{polite, liveness.Fair, 1, "From here steps 5 to 10 repeat for ever."},
		{strings.Replace(waits, "Store(&flag, 1)", "Store(&flag, 0)", 1), liveness.Fair, 0, ""},
	} {
		p, err := load.Source("m.go", []byte(c.text), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		q := liveness.Question{Levels: liveness.Whole(c.model)}
		r, err := New("m.go", p, explore.Run(context.Background(), p, explore.Options{Liveness: &explore.Liveness{Asked: []liveness.Question{q}, Required: []liveness.Question{q}}}))
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
