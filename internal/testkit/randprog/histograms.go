package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// histograms draws the work-items of a group or two that count in cells of local or global memory which some of them clear before, by stores of any kind, or nobody does; of which the
// one that has counted to something counts on elsewhere, or tells of it; and that then add up what they find in the cells. Some look into a cell before they exchange what is
// in it for something else.
func (g *gen) histograms() {
	h := &histogram{gen: g, x: g.b.Atomic("x"), y: g.b.Atomic("y"), over: g.b.Atomic("v")}
	for _, name := range []string{"l", "m"}[:pick(g, 1, 1, 2)] {
		v := Var{Name: name, Hidden: true, Uninit: g.chance(0.8), Region: pick(g, memmodel.Local, memmodel.Local, memmodel.Global)}
		h.bins = append(h.bins, g.b.Var(v))
	}
	for i := range pick(g, 2, 2, 3) {
		h.unit(i)
	}
}

// histogram is what the units of such a program have in common.
type histogram struct {
	*gen
	bins       []*Var // that are counted in
	x, y, over *Var   // flags, and where counts go on
}

// unit draws one unit.
func (h *histogram) unit(i int) {
	t := h.b.Thread(memmodel.Place{Group: uint16(max(0, i-1))})
	if i == 0 || h.chance(0.3) {
		for _, bin := range h.bins {
			if i < 2 || bin.Region != memmodel.Local {
				h.clear(t, bin)
			}
		}
	}
	flags := pick(h.gen, localFlag, localFlag, localFlag|globalFlag, globalFlag)
	if i < 2 {
		t.Barrier("B", flags, workGroup)
	}
	from, to := h.x, h.y
	if i%2 == 1 {
		from, to = h.y, h.x
	}
	if h.chance(0.5) {
		t.Load(from, relaxed, device)
	}
	for _, bin := range h.bins {
		if i > 1 && bin.Region == memmodel.Local {
			continue // it is another work-group's
		}
		if h.chance(0.9) {
			h.count(t, bin, to)
		}
	}
	if h.chance(0.3) {
		t.Store(to, t.Int(1), relaxed, device)
	}
	if i < 2 && h.chance(0.6) {
		t.Barrier("C", flags, workGroup)
		r := t.Reg()
		t.LoadInto(r, t.Addr(pick(h.gen, h.bins...), 0), pick(h.gen, memmodel.NonAtomic, memmodel.NonAtomic, relaxed), workGroup)
		if h.chance(0.3) {
			t.RMW(ir.Add, h.over, r, relaxed, device)
		} else {
			t.Blind(ir.Add, h.over, r, relaxed, device)
		}
	}
}

// clear writes 0 to a cell, or does not.
func (h *histogram) clear(t *Thread, bin *Var) {
	switch h.IntN(6) {
	case 0:
	case 1:
		t.Store(bin, t.Int(0), relaxed, workGroup)
	default:
		t.Write(bin, t.Int(0))
	}
}

// count counts in a cell, and perhaps tells of it.
func (h *histogram) count(t *Thread, bin, to *Var) {
	was, ok := t.Reg(), t.Reg()
	switch h.IntN(4) {
	case 0: // as long as there is room
		t.LoadInto(was, t.Addr(bin, 0), pick(h.gen, relaxed, relaxed, relaxed, memmodel.NonAtomic), workGroup)
		t.If(was, nil, func() {
			t.CASInto(ok, t.Reg(), bin, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: relaxed, FailOrder: relaxed, Scope: workGroup})
		})
	default:
		t.RMWInto(was, ir.Add, bin, t.Int(1), relaxed, workGroup)
	}
	carry := func() { t.Blind(ir.Add, h.over, t.Int(1), relaxed, device) }
	if h.chance(0.4) {
		carry = func() { t.Store(to, t.Int(1), relaxed, device) }
	}
	if h.chance(0.3) {
		t.If(was, nil, carry)
	} else {
		t.If(was, carry, nil)
	}
}
