package explore

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Where the order of atomic operations makes no difference, a search in which they are relaxed finds what one finds that knows of no reduction; and so it does
// where only the order S makes none. Both are seen in enough programs, and so are programs of the same kind that need the order.
func TestCountingRelaxed(t *testing.T) {
	var relaxed, chained, strict, complete, right atomic.Int32
	eachStyle(t, []randprog.Style{randprog.Counting}, func(t *testing.T, style randprog.Style) {
		for seed := range seeds.Times(6).All() {
			p := draw(style, seed)
			switch f := facts.Of(p.Program, memmodel.Specs[0]); {
			case f.Relaxed() != f:
				relaxed.Add(1)
			case hasSeqCst(p.Program) && !f.Traits.SeqCst:
				chained.Add(1)
			default:
				strict.Add(1)
			}
			if modesAgree(t, p, NoPromises) {
				complete.Add(1)
			}
			r := p.search(Options{POR: por.DPOR, MaxStates: 20_000, Promises: NoPromises})
			if r.LoadBuffering {
				modesAgree(t, p, manyPromises)
			}
			if len(r.Violations) == 0 {
				right.Add(1)
			}
		}
	}, func() {
		t.Logf("%d relaxed, %d without S, %d as they are; %d compared, in %d nothing goes wrong", relaxed.Load(), chained.Load(), strict.Load(), complete.Load(), right.Load())
		if n := relaxed.Load() + chained.Load() + strict.Load(); relaxed.Load() < n/4 || strict.Load() < n/4 || chained.Load() < n/40 || complete.Load() < n/4*3 {
			t.Error("too few")
		}
	})
}

// hasSeqCst reports whether a program has an access that is seq_cst.
func hasSeqCst(p *ir.Program) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return in.Op.Access() && in.Order == memmodel.SeqCst })
	})
}
