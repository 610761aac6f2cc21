package model

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/state"
)

const known = `package main

import "github.com/clmc/clmc/models/cl"

var a int32

//clmc:known CL1001 known.go:10 both write 1

func k() {
	a = 1
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
`

// What is known is set aside once, in the result that was handed over, also in haste.
func TestTellInHaste(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known.go")
	if err := os.WriteFile(path, []byte(known), 0o666); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{context.Background(), late} {
		m, err := Target(path).Load(Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := explore.Run(context.Background(), m.Program, explore.Options{All: true, Beyond: true})
		if r.Verdict != explore.Violated || len(r.Violations) != 1 || r.Violations[0].Kind != state.DataRace {
			t.Fatalf("%v, %v", r.Verdict, r.Violations)
		}
		rep, err := m.Tell(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Result != r || r.Verdict != explore.ButForKnown || len(r.Violations) > 0 || len(m.Known) != 1 || len(m.Known[0].Found) != 1 {
			t.Errorf("done before: %v; %v, %d violations, known %+v", ctx.Err() != nil, r.Verdict, len(r.Violations), m.Known)
		}
	}
}
