package explore

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// beyondSets returns a program with so many threads before its own that do nothing that no set of units has room for those.
func beyondSets(p *ir.Program) *ir.Program {
	q := *p
	idle := len(p.Funcs)
	q.Funcs = append(q.Funcs[:idle:idle], &ir.Func{Name: "idle", Code: []ir.Instr{{Op: ir.OpEnd, Dst: -1, Dst2: -1}}})
	q.Threads = nil
	for range por.SetSize {
		q.Threads = append(q.Threads, ir.Thread{Name: "idle", Func: idle, Place: memmodel.Place{Group: math.MaxUint16}})
	}
	q.Threads = append(q.Threads, p.Threads...)
	q.Link()
	return &q
}

// Units that are too many for a set of units make a difference to the states that a search visits, and none to what it finds. Both
// are seen of programs with and without as many others before them: with these a search may need more states, but not many.
func TestUnitsBeyondSets(t *testing.T) {
	var with, without atomic.Int64
	eachStyle(t, append(chosen(), randprog.Loops, randprog.Again, randprog.SCLocks, randprog.Symmetric, randprog.Crowds), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := draw(style, seed)
			opt := Options{POR: por.DPOR, MaxStates: 20_000, Promises: NoPromises}
			r := p.search(opt)
			if beyondSetsAgree(t, p, NoPromises, &with) {
				without.Add(int64(r.Stats.States))
			}
			if r.LoadBuffering {
				beyondSetsAgree(t, p, manyPromises, new(atomic.Int64))
			}
		}
	}, func() {
		t.Logf("%d states where sets have no room, %d where they have", with.Load(), without.Load())
		if with.Load() == without.Load() || with.Load()*20 > without.Load()*21 {
			t.Error("as many are not expected: sets make a difference, and one of less than a twentieth")
		}
	})
}

// beyondSetsAgree compares what is found behind so many units with what is found of the program alone without reduction, and adds up
// the states. It reports whether the program is small enough for that.
func beyondSetsAgree(t *testing.T, p *drawn, promises int, states *atomic.Int64) (complete bool) {
	full := p.search(Options{POR: por.None, MaxStates: 20_000, Promises: promises})
	if !full.Complete {
		return false
	}
	r := explored(beyondSets(p.Program), Options{Spec: p.spec, Promises: promises})
	if d := disagreement(r, full.Result); d != "" {
		t.Errorf("%s, promises %d: %s\n%s", p.Name, promises, d, randprog.Format(p.Program))
	}
	states.Add(int64(r.Stats.States))
	return true
}

// Of five read-modify-writes of a counter the fifth, which adds ten, comes after 0 to 4 of the others, which are alike and add one: it
// reads 0 to 4 (rule 7.7). Whoever takes the turns of those that are alike for all that is needed sees one of these alone.
func TestSymmetricBeyondSets(t *testing.T) {
	b := randprog.NewBuilder("fifth")
	x, y := b.Atomic("x"), b.Atomic("y")
	k := b.Code()
	k.Blind(ir.Add, y, k.RMW(ir.Add, x, k.Int(1), rlx, dev), rlx, dev)
	for range 4 {
		b.Run(k, place(0))
	}
	fifth := b.Thread(place(1))
	fifth.RMW(ir.Add, x, fifth.Int(10), rlx, dev)
	r := explored(beyondSets(b.Program()), Options{Promises: NoPromises})
	if r.Verdict != Verified || len(r.Outcomes) != 5 || r.Stats.Saved.Symmetric == 0 {
		t.Errorf("%v, %d outcomes, %d turns spared", r.Verdict, len(r.Outcomes), r.Stats.Saved.Symmetric)
	}
}
