package explore

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// A schedule replays to the violation that it was found with, and looking for
// a shorter one does not lose it.
func TestSchedulesReplay(t *testing.T) {
	var found atomic.Int32
	most := thorough.Of(5_000, 0) // states to find a violation in, which most programs of some styles do not have
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			for _, mode := range por.Modes() {
				long := Run(context.Background(), p, Options{POR: mode, KeepSchedule: true, MaxStates: most})
				if len(long.Violations) == 0 {
					continue
				}
				short := Run(context.Background(), p, Options{POR: mode, MaxStates: most})
				found.Add(1)
				for _, r := range []*Result{long, short} {
					if got := replay(p, r); got != long.Violations[0].Kind {
						t.Errorf("%s %d, reduction %s: %v replays to %v", style, seed, mode, long.Violations[0].Kind, got)
					}
				}
				if len(short.Violations[0].Schedule) > len(long.Violations[0].Schedule) {
					t.Errorf("%s %d: a longer schedule", style, seed)
				}
			}
		}
	}, func() {
		if n := int(found.Load()); n < seeds.N() {
			t.Errorf("only %d violations", n)
		}
	})
}

func replay(p *ir.Program, r *Result) state.Kind {
	v := r.Violations[0]
	m := state.NewMachine(p, memmodel.Specs[0])
	if r.Promises > 0 {
		allow(m, r.Promises)
	}
	s := m.Initial()
	for _, mv := range v.Schedule {
		m.Do(s, mv.Unit, mv.Choice)
	}
	if s.Violation.Kind == state.NoViolation && (v.Kind == state.Deadlock || v.Kind == state.NoWayOut) {
		return v.Kind
	}
	return s.Violation.Kind
}

// A search that had to give up on an execution says so: 70 seq_cst operations
// that a reader has not yet passed are more than the graph of S holds. A relaxed
// load has S be needed: others interleave.
func TestGraphLimitIsReported(t *testing.T) {
	b := randprog.NewBuilder("limit")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(place(0))
	p.Repeat(70, func(randprog.Val) {
		p.RMW(ir.Add, x, p.Int(1), memmodel.SeqCst, memmodel.ScopeDevice)
	})
	p.Load(y, memmodel.SeqCst, memmodel.ScopeDevice)
	q := b.Thread(place(1))
	q.Store(y, q.Int(1), memmodel.SeqCst, memmodel.ScopeDevice)
	q.Load(x, memmodel.SeqCst, memmodel.ScopeDevice)
	q.Load(y, rlx, dev)
	for _, mode := range por.Modes() {
		r := Run(context.Background(), b.Program(), Options{POR: mode, MaxStates: 20000})
		if r.Complete || r.Verdict != Inconclusive {
			t.Errorf("reduction %s: %v, complete %v", mode, r.Verdict, r.Complete)
		}
	}
}

// allow lets units of a machine owe up to n writes at a time, anywhere, as who repeats
// a schedule does (Replayers).
func allow(m *state.Machine, n int) {
	where, _ := loadbuffering.Everywhere(m)
	m.Promises().Allow(n, where)
}
