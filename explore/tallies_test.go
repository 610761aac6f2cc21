package explore

import (
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// talliesByHand are programs in which P0 and P2 add to n, and nobody looks at what is there. P2 has heard by P1, who orders nothing,
// that P0 has come to its end, or nearly. Whether the order of the additions can be seen none the less is derived for each.
func talliesByHand() []certifiedCase {
	const heard = "1:r0=1 2:r0=1 2:r1=0"
	return []certifiedCase{
		// P2 acquires z = 1 unless its addition comes before P0's (rules 5.4, 6.1). If P2 has heard of what P0 does after that before it adds,
		// that is load buffering, which no rule forbids (7.8).
		{relaying(memmodel.Release, acq, true), heard, true},
		// P0 may as well add when all is over.
		{relaying(memmodel.Release, acq, false), heard, true},
		// What the additions release and acquire themselves is no different.
		{relaying(rlx, rlx, true), heard, true},
		// P0's fence precedes P2's in S if its addition comes first (8.7), which it does not if P2's addition is the first; then P2 may look at z
		// before P0 has stored it (8.6).
		{relaying(memmodel.SeqCst, memmodel.SeqCst, true), heard, true},
	}
}

// relaying: P0 stores z, adds to n, and stores y, or adds when it has done so; P2 adds when it has heard of that by P1, and then looks at z.
// They hand z on by fences of these orders or, if they are relaxed, by the additions.
func relaying(behind, before memmodel.Order, between bool) *ir.Program {
	b := randprog.NewBuilder("relaying")
	y, z, v, n, m := b.Atomic("y"), b.Atomic("z"), b.Atomic("v"), b.Atomic("n"), b.Atomic("m")
	p := b.Thread(memmodel.Place{})
	p.Store(z, p.Int(1), rlx, dev)
	releases, acquires := rlx, rlx
	if behind == rlx {
		releases, acquires = rel, acq
	}
	p.Fence(memmodel.GlobalFence, behind, dev)
	if between {
		p.Blind(ir.Add, n, p.Int(1), releases, dev)
		p.Blind(ir.Add, m, p.Int(1), rlx, dev) // which is in nobody's way
	}
	p.Store(y, p.Int(1), rlx, dev)
	if !between {
		p.Blind(ir.Add, n, p.Int(1), releases, dev)
	}
	relay := b.Thread(memmodel.Place{Group: 1})
	relay.Store(v, relay.Load(y, rlx, dev), rlx, dev)
	q := b.Thread(memmodel.Place{Group: 2})
	q.Load(v, rlx, dev)
	q.Blind(ir.Add, n, q.Int(1), acquires, dev)
	q.Fence(memmodel.GlobalFence, before, dev)
	q.Load(z, rlx, dev)
	return b.Program()
}

func TestTallies(t *testing.T) {
	for i, c := range talliesByHand() {
		for _, mode := range por.Modes() {
			r := explored(c.program, Options{POR: mode, All: true, Promises: manyPromises})
			if !r.Complete || occurs(r, c.outcome) != c.occurs {
				t.Errorf("%d, %s, reduction %s: %s is found: %v, want %v; %v", i, c.program.Name, mode, c.outcome, !c.occurs, c.occurs, r.Incomplete)
			}
		}
	}
	if where, _ := loadbuffering.Where(state.NewMachine(relaying(memmodel.Release, acq, false), memmodel.Specs[0])); slices.ContainsFunc(where.Writes, func(of []bool) bool { return slices.Contains(of, true) }) {
		t.Error("additions are promised that nobody needs to see early")
	}
}

// TestTalliesInOnePlace has work-items add at one place of the code to cells at which nobody looks, and to one at which somebody does: all
// three may read 1, by load buffering (rule 7.8), as the addition is relaxed. What is released after a load cannot be seen before it.
func TestTalliesInOnePlace(t *testing.T) {
	p, err := load.Source("place.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var c [2]cl.AtomicInt
var x cl.AtomicInt

func kernel() {
	i := cl.GetGlobalID(0)
	if i < 2 {
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)
		cl.AtomicFetchAddExplicit(&c[i], 1, cl.MemoryOrderRelaxed)
		cl.Observe("r", r)
	} else {
		r := cl.AtomicLoadExplicit(&c[1], cl.MemoryOrderRelaxed)
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease)
		cl.Observe("r", r)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 1))
	cl.Finish()
}
`), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explored(p, Options{All: true})
	found := slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool {
		sum := int64(0)
		for _, v := range o {
			sum += v
		}
		return sum == 3
	})
	if !r.Complete || !found {
		t.Errorf("complete: %v; all read 1: %v, want true; outcomes %v", r.Complete, found, r.Outcomes)
	}
}
