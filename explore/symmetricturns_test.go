package explore

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// What is known of a turn since another one was alike is what the turn comes to when it is taken. A state below it may have
// been explored once more in between, with fewer who sleep or in a cycle, and then less certain things are said of it: seldom.
func TestSymmetricTurns(t *testing.T) {
	for _, style := range symmetricStyles(t) {
		told, other, exchanged, moved, example := 0, 0, 0, 0, ""
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			Run(context.Background(), p, Options{
				Spec: memmodel.Specs[seed%len(memmodel.Specs)], POR: por.DPOR, All: true, MaxStates: 4000, Promises: NoPromises,
				symmetricTurn: func(known, own *por.Summary) {
					if !known.Any && len(own.Writes) > 0 {
						told++
					}
					if !tells(known, own) {
						other++
						example = fmt.Sprintf("%d: it was known that %+v, and there is %+v", seed, known, own)
					}
				},
				exchanged: func(stays bool) {
					if exchanged++; !stays {
						moved++
						t.Logf("%s %d: a state does not stay as it is when units are exchanged", style, seed)
					}
				},
			})
		}
		t.Logf("%s: of %d turns that tell something, %d tell something else; of %d exchanges %d move something", style, told, other, exchanged, moved)
		if moved > 0 || told*2 < seeds.N() || other*100 > told {
			t.Errorf("%s: in %d programs, %d turns were compared that tell something, and %d tell something else, in %s", style, seeds.N(), told, other, example)
		}
	}
}

// Of n work-items of one group that are about to take a lock, one has its turn, and the others are spared theirs: n-1 when
// all are left, n-2 when one has been in, and so on, with nobody in the lock. States are n+1, as they are without that.
func TestSymmetricBeforeALock(t *testing.T) {
	for n := range 7 {
		b := randprog.NewBuilder("lock")
		lock := b.Atomic("lock")
		k := b.Code()
		k.While(func() randprog.Val { return k.RMW(ir.Xchg, lock, k.Int(1), acq, dev) }, func() {})
		k.Store(lock, k.Int(0), rel, dev)
		for range n + 1 {
			b.Run(k, place(0))
		}
		r := Run(context.Background(), b.Program(), Options{POR: por.DPOR})
		if s := r.Stats; r.Verdict != Verified || s.Saved.Symmetric < n*(n+1)/2 {
			t.Errorf("%d work-items: %v, %d states, %d turns spared", n+1, r.Verdict, s.States, s.Saved.Symmetric)
		}
	}
}

// pairs: in each of two work-groups the first work-item adds to x, and the second chooses 0 or 1. Then both know the sum of what the one
// has read and twice what the other has chosen, and the first adds its square to another counter.
func pairs() *ir.Program {
	b := randprog.NewBuilder("pairs")
	x, sum := b.Atomic("x"), b.Atomic("sum")
	first, second := b.Code(), b.Code()
	both := func(k *randprog.Thread, own randprog.Val) randprog.Val {
		return k.Collect("C", own, randprog.Collective{Group: ir.GroupReduce, Alu: ir.Add})
	}
	own := first.Reg()
	first.RMWInto(own, ir.Add, x, first.Int(1), rlx, dev)
	all := both(first, own)
	first.Blind(ir.Add, sum, first.Bin(ir.Mul, all, all), rlx, dev)
	both(second, second.Bin(ir.Mul, second.Int(2), second.Choose(2)))
	for _, k := range []*randprog.Thread{first, second} {
		for group := range 2 {
			b.Run(k, place(group))
		}
	}
	return b.Program()
}

// Two work-groups are not alike if the two work-items at hand are, but another one of each has chosen something else than its like: it matters which
// of the two work-groups comes first. One group's first work-item reads 0 and the other's 1 (7.7), so one sum is 0 or 2 and the other 1 or 3, by what is
// chosen: the squares add up to 1, 9, 5 or 13.
func TestSymmetricInPartOnly(t *testing.T) {
	for _, mode := range por.Modes() {
		r := explored(pairs(), Options{POR: mode, Promises: NoPromises})
		got := map[int64]bool{}
		for _, o := range r.Outcomes {
			got[o["sum"]] = true
		}
		if want := (map[int64]bool{1: true, 5: true, 9: true, 13: true}); !maps.Equal(got, want) || !r.Complete {
			t.Errorf("%s: sums %v, want %v; %v %v", mode, got, want, r.Verdict, r.Incomplete)
		}
	}
}

// An exchange may be the last thing that happens in a work-group, whose local memory is no more then: there is nothing to
// be compared with what it has left there. The random program is one in which that ended a search.
func TestLastExchangeOfAGroup(t *testing.T) {
	p := randprog.Crowds.Program(1034)
	spec := memmodel.Specs[1034%len(memmodel.Specs)]
	if d, _ := symmetryDifference(as(p, spec), NoPromises); d != "" {
		t.Error(d)
	}
}

// tells reports whether all that some effects say is said by others, and no more is certain there.
func tells(known, own *por.Summary) bool {
	if known.Any {
		return true
	}
	if own.Any {
		return false
	}
	for _, w := range own.Writes {
		found := false
		for _, k := range known.Writes {
			found = found || k.Loc == w.Loc && k.Unit == w.Unit && k.Kind == w.Kind && k.After&^w.After == 0 && k.Read&^w.Read == 0
		}
		if !found {
			return false
		}
	}
	return true
}
