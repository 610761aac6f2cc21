package explore

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// pollingWays is how many ways there are to poll, of which the first are those of which a round may keep no promise.
const pollingWays = 9

// pollsBack has a thread read y and wait, by read-modify-writes that write what they read, for another one to change x, which then sets y. What the first has read of
// x it may have read before the change, though it has read y after it: its writes may be seen early (rule 7.8), as they do not depend on y.
func pollsBack(way int, fence bool, rng *rand.Rand) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprintf("polls %d", way))
	x, y := b.Var(randprog.Var{Name: "x", Len: 2}), b.Atomic("y")
	t := b.Thread(memmodel.Place{})
	r, n, at := t.Reg(), t.Reg(), t.Reg()
	t.Set(r, t.Int(7))
	t.Set(n, t.Int(0))
	k := t.Load(y, rlx, dev)
	t.Set(at, t.Addr(x, 0))
	look := func() randprog.Val { t.RMWAt(r, ir.Or, at, t.Int(0), rlx, dev); return r }
	zero := func() randprog.Val { return t.Bin(ir.Eq, look(), t.Int(0)) }
	switch way {
	case 0: // the value alone decides
		t.While(zero, nil)
	case 1: // so it does, of an address that is computed in each round
		t.Set(n, at)
		t.While(func() randprog.Val { t.Set(at, n); return zero() }, nil)
	case 2: // only one branch polls, and the other one writes back, too
		t.If(k, func() { look() }, func() { t.While(zero, nil) })
	case 3: // what was read before decides
		t.While(func() randprog.Val { return t.Bin(ir.Eq, look(), t.Bin(ir.Add, k, k)) }, nil)
	case 4: // what was read before decides which cell is next
		t.While(zero, func() { t.If(k, func() { t.Set(at, t.Addr(x, 1)) }, nil) })
	case 5: // it remembers
		t.While(zero, func() { t.Set(n, t.Int(1)) })
		t.Observe(n)
	case 6: // and polls again
		t.While(zero, nil)
		t.While(func() randprog.Val { return t.Bin(ir.Lt, look(), t.Int(1)) }, nil)
	case 7: // or another one
		t.While(zero, nil)
		t.RMW(ir.Xchg, x, t.Int(0), rlx, dev)
	case 8: // what it adds was read before
		t.While(func() randprog.Val { t.RMWAt(r, ir.Add, at, k, rlx, dev); return t.Bin(ir.Eq, r, t.Int(0)) }, nil)
	}
	if fence {
		t.Fence(memmodel.GlobalFence, rel, dev)
	}
	t.Observe(r)
	if rng.IntN(2) == 0 {
		t.Store(x, t.Int(rng.Int64N(3)), rlx, dev)
	}
	u := b.Thread(memmodel.Place{Group: 1})
	for range 1 + rng.IntN(2) {
		u.RMW(ir.Add, x, u.Int(1+rng.Int64N(2)), rlx, dev)
	}
	if rng.IntN(3) == 0 {
		u.Store(x, u.Int(rng.Int64N(2)), rlx, dev)
	}
	u.StoreAt(u.Addr(x, 1), u.Int(2), rlx, dev)
	u.Store(y, u.Int(1), pick(rng, rel, rlx, rel), dev) // which cannot be seen early itself, if it releases
	return b.Program()
}

func pick(rng *rand.Rand, orders ...memmodel.Order) memmodel.Order {
	return orders[rng.IntN(len(orders))]
}

// TestRoundsInVain sees that no outcome is lost because a round of waiting keeps no promise: all that is found where each promise may be made, and may be kept so,
// also if that search ends at its bounds, is found otherwise.
func TestRoundsInVain(t *testing.T) {
	spared := 0
	for seed := range uint64(thorough.Of(2, 40)) {
		for way := range pollingWays {
			for _, fence := range []bool{false, true} {
				p := pollsBack(way, fence, rand.New(rand.NewPCG(seed, uint64(way))))
				all := Run(context.Background(), p, Options{POR: por.DPOR, MaxStates: 20000, Promises: 3, everywhere: true})
				r := Run(context.Background(), p, Options{POR: por.DPOR, MaxStates: 20000})
				for _, o := range all.Outcomes {
					if !r.Has(state.Deadlock) && !slices.ContainsFunc(r.Outcomes, func(q map[string]int64) bool { return maps.Equal(o, q) }) {
						t.Errorf("seed %d: %v is lost: %v\n%s", seed, o, r.Incomplete, randprog.Format(p))
					}
				}
				if a, b := kinds(r), kinds(all); all.Complete && !slices.Equal(a, b) {
					t.Errorf("seed %d: %v, in full %v\n%s", seed, a, b, randprog.Format(p))
				}
				if r.Complete && !all.Complete {
					spared++
				}
			}
		}
	}
	if spared < 5 {
		t.Errorf("it is complete in %d searches that were not", spared)
	}
}
