package explore

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// TestCoverage holds the code that a search with reductions has executed against that of a
// search that tries every step in every order. What executions come to that are given up later
// counts, too, and reductions may have fewer of those.
func TestCoverage(t *testing.T) {
	var compared, partly atomic.Int32
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := draw(style, seed)
			for _, promises := range []int{NoPromises, manyPromises} {
				all, n, blocked := covered(p, por.None, promises)
				if all == nil {
					continue
				}
				compared.Add(1)
				if n > 0 && !blocked {
					partly.Add(1)
				}
				for _, mode := range []por.Mode{por.Sleep, por.DPOR} {
					got, _, _ := covered(p, mode, promises)
					if both := union(got, all); !bytes.Equal(both, all) || !blocked && !bytes.Equal(both, got) {
						t.Errorf("%s %d, reduction %s, promises %d: covered %x, without reduction %x", style, seed, mode, promises, got, all)
					}
				}
			}
		}
	}, func() {
		if partly.Load() < 10 {
			t.Errorf("%d searches were compared, in %d of which some code is never executed", compared.Load(), partly.Load())
		}
	})
}

// covered returns what a search notes of the code that is executed, nil if the program is
// not verified or takes too long, and how many branches are not taken, and whether executions were given up.
func covered(p *drawn, mode por.Mode, promises int) (bits []byte, never int, blocked bool) {
	s := p.search(Options{POR: mode, MaxStates: 20_000, Promises: promises})
	if s.Verdict != Verified {
		return nil, 0, false
	}
	bits = s.covered
	at := 0
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == ir.OpBranch {
				for _, to := range []int{at + int(in.Target), at + int(in.Else)} {
					if bits[to/8]>>(to%8)&1 == 0 {
						never++
					}
				}
			}
		}
		at += len(f.Code)
	}
	return bits, never, s.Stats.Blocked > 0
}

func union(a, b []byte) []byte {
	c := bytes.Clone(a)
	for i := range b {
		c[i] |= b[i]
	}
	return c
}

// lined gives each instruction of a program a line of its own, so that those which no execution comes to can be told.
func lined(p *ir.Program) *ir.Program {
	own := *p
	own.Funcs, own.Positions, own.Sources = slices.Clone(p.Funcs), slices.Clone(p.Positions), []ir.Source{{Name: p.Name}}
	for i := range own.Funcs {
		f := *own.Funcs[i]
		own.Funcs[i], f.Code = &f, slices.Clone(f.Code)
		for pc := range f.Code {
			f.Code[pc].Pos = int32(len(own.Positions))
			own.Positions = append(own.Positions, ir.Pos{Line: int32(len(own.Positions))})
		}
	}
	return &own
}

// What no execution comes to is told by its line, once all have been explored: in the waiting
// loop, too, whose rounds the reductions do not perform.
func TestUnexecuted(t *testing.T) {
	p := must(load.Source("never.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

const extra = false

var data int32
var flag cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		data = 1
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease)
		return
	}
	rounds := int32(0)
	for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire) == 0 {
		if rounds < 1 {
			rounds++
		}
	}
	if data != 1 {
		cl.Observe("data",
			data)
	}
	if extra {
		cl.Observe("extra", data)
	}
	if data == 1 && cl.GetGlobalSize(0) == 3 {
		data = 3
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Assert(data == 1, "data")
}
`), load.Options{}))
	want := []int32{23, 24, 30}
	for _, mode := range por.Modes() {
		r := Run(context.Background(), p, Options{POR: mode})
		var got []int32
		for _, at := range r.Unexecuted {
			got = append(got, at.Line)
		}
		if r.Verdict != Verified || !slices.Equal(got, want) {
			t.Errorf("reduction %s: %v, never executed: %v, want %v", mode, r.Verdict, got, want)
		}
	}
}
