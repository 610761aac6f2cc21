package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// met draws work-items that add to a cell, or nearly so, meet at a barrier that orders its memory, or does not, and look at it then. There
// may be another one beside them, who does not come to the barrier, or to one of a sub-group only. What was done before may be handed on by the cell.
func (g *gen) met() {
	local := g.chance(0.3)
	x, flags := g.b.Atomic("x"), globalFlag
	if local {
		x, flags = g.b.LocalAtomic("l"), localFlag
	}
	d := g.b.Var(Var{Name: "d", Plain: g.chance(0.5)})
	if g.chance(0.15) {
		flags = pick(g, bothFlags, globalFlag, localFlag)
	}
	items, twice, sub := pick(g, 2, 2, 3), g.chance(0.2), g.chance(0.06)
	odd, kind := g.chance(0.3), pick(g, ir.Add, ir.Add, ir.Add, ir.Or, ir.Max)
	for i := range items {
		t := g.b.Thread(memmodel.Place{Sub: uint16(g.IntN(2)) * uint16(bit(sub))})
		if i == 0 && g.chance(0.4) {
			g.touch(t, d, true)
		}
		for range pick(g, 0, 1, 1, 1, 2) {
			g.meetingStep(t, x, kind, odd)
		}
		meet := t.Barrier
		if sub && g.chance(0.5) {
			meet = t.SubGroupBarrier
		}
		meet("B", flags, pick(g, workGroup, device))
		if i == items-1 || g.chance(0.3) {
			t.Load(x, pick(g, relaxed, relaxed, acquire), device)
		}
		if g.chance(0.25) {
			g.meetingStep(t, x, kind, odd)
		}
		if twice {
			t.Barrier("C", flags, workGroup)
			t.Load(x, relaxed, device)
		}
		if i > 0 && g.chance(0.3) {
			g.touch(t, d, false)
		}
	}
	if !local && g.chance(0.6) {
		t := g.b.Thread(memmodel.Place{Group: 1})
		for range pick(g, 1, 1, 2) {
			g.meetingStep(t, x, kind, g.chance(0.6))
		}
		if g.chance(0.4) {
			t.Load(x, pick(g, relaxed, acquire), device)
			g.touch(t, d, false)
		}
	}
}

// meetingStep draws an access of a cell that is counted on: an odd one may be anything.
func (g *gen) meetingStep(t *Thread, x *Var, kind ir.Alu, odd bool) {
	order := pick(g, relaxed, relaxed, relaxed, release, acqRel)
	n := t.Int(int64(1 + g.IntN(2)))
	switch {
	case !odd || g.chance(0.4):
		t.Blind(kind, x, n, order, device)
	case g.chance(0.3):
		t.RMW(kind, x, n, order, device)
	case g.chance(0.3):
		t.Blind(pick(g, ir.Add, ir.Xor, ir.Xchg), x, n, order, device)
	case g.chance(0.5):
		t.Store(x, n, pick(g, relaxed, release), device)
	default:
		t.Load(x, pick(g, relaxed, acquire), device)
	}
}
