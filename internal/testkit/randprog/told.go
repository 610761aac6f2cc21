package randprog

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// told draws units that race for data, but for what one may be told by chance: in a round of waiting, an addition at which it does not look,
// an attempt that fails.
func (g *gen) told() {
	h := &told{gen: g, d: g.b.Plain("d"), gate: g.b.Atomic("g"), flag: g.b.Atomic("f"), other: g.b.Atomic("e")}
	units := []func(t *Thread){h.teller, h.hearer, h.third}[:pick(g, 2, 3, 3)]
	for i, unit := range units {
		unit(g.b.Thread(memmodel.Place{Group: uint16(i)}))
	}
}

// told is such a program: data, what tells of them, and flags that say that a unit has come so far.
type told struct {
	*gen
	d                 *Var
	gate, flag, other *Var
}

// teller draws a unit that writes the data, perhaps only once it has seen how far others are, and releases them.
func (h *told) teller(t *Thread) {
	tell := func() {
		t.Write(h.d, t.Int(1))
		h.release(t, h.gate)
		if h.chance(0.3) {
			h.pass(t)
		}
	}
	if h.chance(0.6) {
		t.If(t.Load(pick(h.gen, h.flag, h.flag, h.other), relaxed, device), tell, nil)
	} else {
		tell()
	}
}

// hearer draws a unit that says how far it is, may hear of the data, and looks at them.
func (h *told) hearer(t *Thread) {
	acts := []func(){func() { h.hear(t) }, func() { t.Store(h.flag, t.Int(1), relaxed, device) }}
	if h.chance(0.3) {
		slices.Reverse(acts)
	}
	if h.chance(0.6) {
		acts = append(acts, func() { t.Fence(globalFlag, acquire, device) })
	}
	if h.chance(0.2) {
		acts = slices.Insert(acts, 0, func() { t.Fence(globalFlag, release, device) })
	}
	for _, act := range acts {
		act()
	}
	if h.chance(0.2) {
		t.Write(h.d, t.Int(2))
	}
	t.Read(h.d)
}

// third draws a unit that hands on what others release, and lets those go on who wait.
func (h *told) third(t *Thread) {
	if h.chance(0.2) {
		h.hear(t)
	}
	for range h.IntN(3) {
		h.pass(t)
	}
	t.Store(pick(h.gen, h.other, h.gate), t.Int(int64(pick(h.gen, 0, 1, 3))), pick(h.gen, relaxed, release), device)
}

// release draws an operation that releases what its unit has done.
func (h *told) release(t *Thread, v *Var) {
	o := release
	if h.chance(0.3) {
		t.Fence(globalFlag, release, device)
		o = relaxed
	}
	switch h.IntN(4) {
	case 0:
		t.Blind(ir.Or, v, t.Int(int64(h.IntN(2))), o, device)
	case 1:
		t.RMWInto(t.Reg(), ir.Xchg, v, t.Int(int64(h.IntN(3))), o, device)
	default:
		t.Store(v, t.Int(int64(h.IntN(3))), o, device)
	}
}

// pass draws what takes what has been released along, or ends it.
func (h *told) pass(t *Thread) {
	switch h.IntN(4) {
	case 0:
		t.Store(h.gate, t.Int(int64(h.IntN(3))), relaxed, device)
	case 1, 2:
		t.RMWInto(t.Reg(), ir.Xchg, h.gate, t.Int(int64(1+h.IntN(2))), pick(h.gen, relaxed, acquire, release), device)
	default:
		t.Blind(ir.Or, h.gate, t.Int(int64(h.IntN(2))), pick(h.gen, relaxed, relaxed, release), device)
	}
}

// look draws a load of which only what it is tested for is of interest.
func (h *told) look(t *Thread, v *Var) Val {
	r := t.Reg()
	t.LoadInto(r, t.Addr(v, 0), pick(h.gen, relaxed, acquire), device)
	return r
}

// hear draws what may be told something by the way.
func (h *told) hear(t *Thread) {
	o := pick(h.gen, relaxed, acquire)
	switch h.IntN(8) {
	case 0:
		t.Blind(ir.Or, h.gate, t.Int(int64(h.IntN(2))), relaxed, device)
	case 1: // a wait for what one location tells
		op, v := pick(h.gen, ir.Eq, ir.Ne, ir.Lt), t.Int(int64(h.IntN(3)))
		t.While(func() Val { return t.Bin(op, h.look(t, h.gate), v) }, nil)
	case 2, 3: // a wait for one, with looks at another
		t.While(func() Val { return t.Bin(ir.Eq, h.look(t, h.other), t.Int(0)) }, func() {
			if r := h.look(t, h.gate); h.chance(0.3) {
				t.BreakIf(t.Bin(ir.Eq, r, t.Int(3)))
			}
			if h.chance(0.1) {
				t.Fence(globalFlag, pick(h.gen, acquire, release), device)
			}
		})
	case 4: // a lock
		order, ok := pick(h.gen, o, acqRel), t.Reg()
		t.While(func() Val {
			t.CASInto(ok, t.Reg(), h.gate, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: order, FailOrder: o, Scope: device})
			return t.Bin(ir.Eq, ok, t.Int(0))
		}, nil)
	case 5: // and one by exchange, with a look before
		r, looks := t.Reg(), h.chance(0.5)
		t.While(func() Val {
			t.RMWInto(r, ir.Xchg, h.gate, t.Int(1), o, device)
			return r
		}, func() {
			if looks {
				t.While(func() Val { return h.look(t, h.gate) }, nil)
			}
		})
	case 6: // an attempt that fails
		t.CASInto(t.Reg(), -1, h.gate, CmpXchg{Expected: t.Int(int64(pick(h.gen, 0, 4, 4))), Desired: t.Int(1), Order: relaxed, FailOrder: pick(h.gen, relaxed, relaxed, acquire), Scope: device})
	default:
		t.Glance(h.gate, o, device)
	}
}
