package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// uninitialised draws threads that read, in all ways, local memory that some of
// them write before and others do not, in loops and beside global memory through
// which loads may be buffered.
func (g *gen) uninitialised() {
	x, y := g.b.Atomic("x"), g.b.Atomic("y")
	l := g.b.Var(Var{Name: "l", Region: memmodel.Local, Uninit: true, Hidden: true, Plain: g.chance(0.15)})
	meet, flags := g.chance(0.4), pick(g, localFlag, localFlag, globalFlag)
	for i := range 2 {
		t := g.b.Thread(memmodel.Place{})
		if i == 0 && g.chance(0.7) {
			g.writeLocal(t, l)
		}
		if meet {
			t.Barrier("B", flags, workGroup)
		}
		from, to := x, y
		if i == 1 {
			from, to = y, x
		}
		body := func() {
			if g.chance(0.5) {
				t.RMWInto(t.Reg(), ir.Add, from, t.Int(1), relaxed, workGroup)
			} else {
				t.Load(from, relaxed, workGroup)
			}
			if g.chance(0.8) {
				g.readLocal(t, l)
			}
		}
		if g.chance(0.4) {
			t.Repeat(2, func(Val) { body() })
		} else {
			body()
		}
		t.Store(to, t.Int(g.value()), relaxed, workGroup)
	}
}

func (g *gen) writeLocal(t *Thread, l *Var) {
	if l.Plain || g.chance(0.3) {
		t.Write(l, t.Int(0))
		return
	}
	t.Store(l, t.Int(0), pick(g, relaxed, release), workGroup)
}

func (g *gen) readLocal(t *Thread, l *Var) {
	if l.Plain {
		t.LoadInto(t.Reg(), t.Addr(l, 0), memmodel.NonAtomic, memmodel.ScopeWorkItem)
		return
	}
	switch g.IntN(5) {
	case 0:
		t.LoadInto(t.Reg(), t.Addr(l, 0), pick(g, relaxed, acquire), workGroup)
	case 1:
		t.CASInto(t.Reg(), t.Reg(), l, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: relaxed, FailOrder: relaxed, Scope: workGroup, Weak: g.chance(0.3)})
	case 2:
		t.RMWInto(t.Reg(), ir.Xchg, l, t.Int(1), relaxed, workGroup)
	case 3:
		t.Blind(ir.Add, l, t.Int(1), relaxed, workGroup)
	default:
		t.RMWInto(t.Reg(), ir.Add, l, t.Int(1), pick(g, relaxed, acqRel), workGroup)
	}
}
