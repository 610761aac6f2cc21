package explore

import (
	"context"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// ofHost gives the atomic accesses of the host's only thread the strongest order,
// or the strongest but seq_cst. It reports whether there are any, one thread, and nothing
// else that is seq_cst.
func ofHost(p *ir.Program, seqCst bool) bool {
	host, some := -1, false
	for _, t := range p.Threads {
		if t.Place.Host && host >= 0 {
			return false
		}
		if t.Place.Host {
			host = t.Func
		}
	}
	for fn, f := range p.Funcs {
		if slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return in.Op == ir.OpGo || in.Op == ir.OpCallback }) {
			return false
		}
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Order == memmodel.SeqCst && (fn != host || in.Op == ir.OpFence) {
				return false
			}
			if fn != host || !in.Op.Access() || in.Order == memmodel.NonAtomic {
				continue
			}
			some = true
			switch in.FailOrder = memmodel.Acquire; {
			case seqCst:
				in.Order, in.FailOrder = memmodel.SeqCst, memmodel.SeqCst
			case in.Op == ir.OpLoad:
				in.Order = memmodel.Acquire
			case in.Op == ir.OpStore:
				in.Order = memmodel.Release
			default:
				in.Order = memmodel.AcqRel
			}
		}
	}
	return some
}

// If nobody else's accesses are seq_cst, it makes no difference that those of the
// host are: S orders them as program order does (rule 8.2).
func TestLoneHost(t *testing.T) {
	compared := 0
	for _, style := range []randprog.Style{randprog.Host, randprog.Commands, randprog.Kinds} {
		for seed := range seeds.All() {
			var results [2]*Result
			complete := true
			for i := range results {
				p := style.Program(uint64(seed))
				if !ofHost(p, i == 1) {
					complete = false
					break
				}
				results[i] = Run(context.Background(), p, Options{All: true, MaxStates: 4000, POR: []por.Mode{por.None, por.DPOR}[i]})
				complete = complete && results[i].Complete
			}
			if !complete {
				continue
			}
			compared++
			if d := disagreement(results[1], results[0]); d != "" {
				t.Fatalf("style %s, seed %d: %s", style, seed, d)
			}
		}
	}
	t.Logf("%d programs compared", compared)
	if compared*10 < seeds.N() {
		t.Errorf("%d programs compared", compared)
	}
}

// A host that looks at a result by a seq_cst load leaves additions merged.
func TestLoneHostMerges(t *testing.T) {
	b := randprog.NewBuilder("sum")
	x := b.Atomic("x")
	k := b.Code()
	k.Blind(ir.Add, x, k.Int(1), rlx, dev)
	h := b.Thread(memmodel.Place{Host: true})
	h.Host(k, 6, 1)
	h.Finish()
	h.Load(x, memmodel.SeqCst, memmodel.ScopeAllSVMDevices)
	p := b.Program()
	if m := state.NewMachine(p, memmodel.Specs[0]); m.Traits.SeqCst {
		t.Error("one unit's seq_cst accesses alone constrain something")
	}
	if r := Run(context.Background(), p, Options{}); r.Stats.States > 2 {
		t.Errorf("%v, %d states", r.Verdict, r.Stats.States)
	}
}
