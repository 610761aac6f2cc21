package explore

import (
	"context"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// crowd is a program in which each visit takes long: n units take tickets.
func crowd(n int) *ir.Program {
	b := randprog.NewBuilder("crowd")
	x := b.Atomic("x")
	for i := range n {
		t := b.Thread(place(i))
		t.Observe(t.RMW(ir.Add, x, t.Int(1), memmodel.Relaxed, memmodel.ScopeDevice))
	}
	return b.Program()
}

// TestTimeLimit checks that a search whose visits take long ends soon after its
// deadline, and not only when as many of them have passed as it looks after anyway.
func TestTimeLimit(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	if r := Run(ctx, crowd(100), Options{POR: por.Sleep}); r.Stats.States >= usual().look {
		t.Errorf("%d states were visited after the deadline", r.Stats.States)
	} else {
		t.Logf("%d states", r.Stats.States)
	}
}

// TestMemoryLimit checks that a search without a store ends before its visited
// states need more memory than they may, and not long before.
func TestMemoryLimit(t *testing.T) {
	at := usual()
	at.look = 251 // no divisor of the table's size, lest a look falls on the moment when it is to grow
	const mem = 1 << 17
	r := Run(context.Background(), crowd(7), Options{POR: por.Sleep, Mem: mem, pace: &at})
	if !slices.Contains(r.Incomplete, "the memory limit of 128 KiB was met") {
		t.Errorf("incomplete: %q, want the memory limit", r.Incomplete)
	}
	if n := r.Stats.PeakBytes; n > mem || n < mem/4 {
		t.Errorf("%d bytes of %d were used", n, mem)
	}
}

// forEver is a kernel that enqueues itself again and again. All of it is one
// visit, whose steps take ever longer.
const forEver = `package main

import "github.com/clmc/clmc/models/cl"

func kernel() {
	cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), kernel)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1))
	cl.Finish()
}
`

// TestTimeLimitBeforeFirstState checks that a search ends soon after its
// deadline even if it does not come to its first state.
func TestTimeLimitBeforeFirstState(t *testing.T) {
	p, err := load.Source("forever.go", []byte(forEver), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	if r := Run(ctx, p, Options{}); r.Verdict != Inconclusive || r.Stats.Steps >= usual().look-1 {
		t.Errorf("%v after %d steps", r.Verdict, r.Stats.Steps)
	}
}
