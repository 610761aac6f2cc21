package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// asideStyles are the styles in which executions with and without a race lie near each other, for how many times as many programs as
// there are seeds.
var asideStyles = map[randprog.Style]float64{randprog.Told: 20, randprog.Loops: 4}

// Executions without a race show the same, whatever a search leaves out, though others have one: outcomes are those of a search that
// leaves nothing out.
func TestRacesSetAside(t *testing.T) {
	for _, style := range append(chosen(), randprog.Told, randprog.Loops, randprog.Cycles) {
		t.Run(string(style), func(t *testing.T) {
			some, compared := seeds.Times(max(1, asideStyles[style])), 0
			for seed := range some.All() {
				p := style.Program(uint64(seed))
				for _, promises := range []int{NoPromises, manyPromises} {
					d, told := lostBesideRaces(p, memmodel.Specs[seed%len(memmodel.Specs)], promises)
					if d != "" {
						t.Fatalf("seed %d, promises %d: %s\n%s", seed, promises, d, randprog.Format(p))
					}
					if told {
						compared++
					}
				}
			}
			if style == randprog.Told && compared < some.N()/4 {
				t.Errorf("only %d comparisons in %d programs", compared, some.N())
			}
		})
	}
}

// lostBesideRaces says which reduction shows other outcomes than there are. It reports whether the program is small enough, and some
// executions have a race and others an outcome.
func lostBesideRaces(p *ir.Program, spec memmodel.Spec, promises int) (difference string, told bool) {
	opt := Options{Spec: spec, POR: por.None, All: true, MaxStates: 4000, KeepSchedule: true, Promises: promises, Keep: memmodel.KeepMessages | memmodel.KeepOrders}
	full := Run(context.Background(), p, opt)
	if !full.Complete || !full.Has(state.DataRace) || len(full.Outcomes) == 0 || promises > 0 && !full.LoadBuffering {
		return "", false
	}
	opt.Keep = 0
	for _, opt.POR = range append(por.Modes(), por.None) {
		r := Run(context.Background(), p, opt)
		if !r.Complete && r.POR == por.Sleep {
			continue // it may only find that no execution ends
		}
		if !r.Complete || !slices.EqualFunc(r.Outcomes, full.Outcomes, maps.Equal) {
			return fmt.Sprintf("%s: %d outcomes, in full %d; %v", opt.POR, len(r.Outcomes), len(full.Outcomes), r.Incomplete), true
		}
	}
	return "", true
}

// toldByChance returns programs in which P0 races for d with P1, which writes it when P0 has set y, unless P0 is told of that before, by what
// it does at z in vain. Its own store of y, which comes later in its program, has been read by then: it is promised.
func toldByChance() []*ir.Program {
	with := func(name string, last int64, hear func(t *randprog.Thread, w, z *randprog.Var)) *ir.Program {
		b := randprog.NewBuilder(name)
		w, y, z := b.Atomic("w"), b.Atomic("y"), b.Atomic("z")
		d := b.Plain("d")
		p, q, r := b.Thread(memmodel.Place{}), b.Thread(memmodel.Place{Group: 1}), b.Thread(memmodel.Place{Group: 2})
		hear(p, w, z)
		p.Store(y, p.Int(1), rlx, dev)
		p.Fence(memmodel.GlobalFence, acq, dev)
		p.ObserveAs("told", p.Read(d))
		q.If(q.Load(y, rlx, dev), func() {
			q.Write(d, q.Int(1))
			q.Blind(ir.Or, z, q.Int(1), rel, dev)
		}, nil)
		r.Store(w, r.Int(1), rlx, dev)
		if last >= 0 {
			r.Store(z, r.Int(last), rlx, dev)
		}
		return b.Program()
	}
	return []*ir.Program{
		with("by an addition", -1, func(t *randprog.Thread, _, z *randprog.Var) { t.Blind(ir.Or, z, t.Int(0), rlx, dev) }),
		with("in a round", -1, func(t *randprog.Thread, w, z *randprog.Var) {
			t.While(func() randprog.Val { return t.Bin(ir.Eq, t.Load(w, rlx, dev), t.Int(0)) }, func() { t.Glance(z, rlx, dev) })
		}),
		with("in a round of one", 0, func(t *randprog.Thread, w, z *randprog.Var) {
			t.While(func() randprog.Val { return t.Bin(ir.Eq, t.Load(z, rlx, dev), t.Int(1)) }, nil)
		}),
	}
}

// In some execution P0 is told of d, and reads 1 without a race: P1 reads y, writes d and releases z, which P0 reads before it sets y in its
// program, and acquires by the fence behind. (In a round of one it goes on when it reads the 0 that P2 has put there since.)
func TestToldByChance(t *testing.T) {
	for _, p := range toldByChance() {
		for _, mode := range append(por.Modes(), por.None) {
			r := Run(context.Background(), p, Options{POR: mode, All: true, Promises: manyPromises})
			if !r.Has(state.DataRace) || !slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool { return o["told"] == 1 }) {
				t.Errorf("%s, %s: %v, %d outcomes %v", p.Name, mode, kinds(r), len(r.Outcomes), r.Outcomes)
			}
		}
	}
}
