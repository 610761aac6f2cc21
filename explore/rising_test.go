package explore

import (
	"testing"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/buffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// TestRisingTickets tests that who takes tickets takes later ones later, whatever else it does: work-items wait for what others do who have taken earlier ones than they
// have, and tell of their own. So along program order and reads-from tickets only go up, there is no cycle, and no promise matters. Without that, a loop that takes tickets never ends,
// or one that tries again takes any.
func TestRisingTickets(t *testing.T) {
	for _, take := range []string{"cl.AtomicFetchAddExplicit(&next, 1, rlx, dev)", "swap()"} {
		p, err := load.Source("tickets.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

const (
	rlx = cl.MemoryOrderRelaxed
	dev = cl.MemoryScopeDevice
	n   = 3
)

var next, tries cl.AtomicInt
var ready [2 * n]cl.AtomicInt

func swap() int32 {
	for {
		t := cl.AtomicLoadExplicit(&next, rlx, dev)
		cl.AtomicFetchAddExplicit(&tries, 1, rlx, dev)
		if t >= n || cl.AtomicCompareExchangeStrongExplicit(&next, &t, t+1, rlx, rlx, dev) {
			return t
		}
	}
}

func k() {
	for {
		t := `+take+`
		if t >= n {
			return
		}
		cl.AtomicStoreExplicit(&ready[t], 1, rlx, dev)
		for t > 0 && cl.AtomicLoadExplicit(&ready[t-1], rlx, dev) == 0 {
		}
	}
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)) }
`), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m := state.NewMachine(p, memmodel.Specs[0]); !buffering.May(m) || buffering.Matters(m) {
			t.Errorf("%s: by the code promises matter: %v, by what is taken: %v", take, buffering.May(m), buffering.Matters(m))
		}
	}
}

// TestRisingFalls tests that a counter is not taken to go up though it does for as long as one looks at it first. P2 makes n 1, and P0 reads that, and n again before it stores x. P1 makes n 0
// if it has read x = 1, which P0 can promise then, as it writes it alone (rule 7.8); nothing keeps P0's second read from what P1 has written.
func TestRisingFalls(t *testing.T) {
	for name, change := range map[string]func(p *randprog.Thread, n *randprog.Var){
		"a store":       func(p *randprog.Thread, n *randprog.Var) { p.Store(n, p.Int(0), rlx, dev) },
		"an exchange":   func(p *randprog.Thread, n *randprog.Var) { p.RMW(ir.Xchg, n, p.Int(0), rlx, dev) },
		"a subtraction": func(p *randprog.Thread, n *randprog.Var) { p.RMW(ir.Sub, n, p.Int(1), rlx, dev) },
	} {
		b := randprog.NewBuilder("falls")
		n, x, m := b.Atomic("n"), b.Atomic("x"), b.Atomic("m")
		p := b.Thread(memmodel.Place{})
		p.If(p.RMW(ir.Add, m, p.Int(1), rlx, dev), nil, func() { // it goes up
			p.If(p.Bin(ir.Eq, p.Load(n, rlx, dev), p.Int(1)), func() {
				p.Load(n, rlx, dev)
				p.Store(x, p.Int(1), rlx, dev)
			}, nil)
		})
		q := b.Thread(memmodel.Place{Group: 1})
		q.If(q.Load(x, rlx, dev), func() { change(q, n) }, nil)
		o := b.Thread(memmodel.Place{Group: 2})
		o.RMW(ir.Max, n, o.Int(1), rlx, dev)
		for _, mode := range por.Modes() {
			if r := toTheFirst(b.Program(), mode); !r.Complete || !occurs(r, "0:r1=1 0:r2=0 1:r0=1") {
				t.Errorf("%s, reduction %s: P0 does not read what comes of x, which it has stored early; %v", name, mode, r.Outcomes)
			}
		}
	}
}
