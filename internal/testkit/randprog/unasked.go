package randprog

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// unasked draws units in a ring, each of which reads one cell and writes the next one whatever it has read, or nearly so, so that
// it matters who of them promises; and now and then one beside them who does likewise, or who keeps a unit from what it would have done alone.
func (g *gen) unasked() {
	n := pick(g, 2, 2, 2, 3)
	h := &unasked{gen: g, e: g.b.Var(Var{Name: "e", Uninit: g.chance(0.1)}), strong: relaxed}
	if g.chance(0.2) {
		h.strong = seqCst
	}
	h.meet = g.chance(0.2)
	h.n = g.b.Atomic("n")
	if g.chance(0.12) {
		h.relay()
		return
	}
	for _, name := range []string{"x", "y", "v"}[:n] {
		h.ring = append(h.ring, g.b.Atomic(name))
	}
	detour := g.chance(0.25)
	for i := range n {
		h.unit(i, h.ring[i], h.ring[(i+1)%n], detour)
	}
	switch i := g.IntN(n); {
	case detour:
		t := g.b.Thread(memmodel.Place{Group: uint16(n)})
		t.Store(h.ring[1], t.Int(4), relaxed, device)
		t.RMW(ir.Add, h.e, t.Int(1), pick(g, release, release, seqCst), device)
	case g.chance(0.2):
		h.unit(n, h.ring[i], h.ring[(i+1)%n], false)
	case g.chance(0.2):
		h.unit(n, pick(g, h.ring...), pick(g, h.ring...), false)
	case g.chance(0.2):
		t := g.b.Thread(memmodel.Place{Group: uint16(n)})
		t.Store(h.e, t.Int(1), relaxed, device)
		h.takes(t, pick(g, h.ring...))
	}
}

// unasked is such a program.
type unasked struct {
	*gen
	ring   []*Var
	e      *Var           // a cell beside these, which perhaps nobody has written
	n      *Var           // a counter at which nobody looks
	strong memmodel.Order // of some operations
	meet   bool           // units are of one group, and meet at a barrier
	nth    Val            // which time it is that a unit does all that it does
}

// relay draws units that change a cell one behind the other, each after it has read another cell, and perhaps behind a fence; and one who writes these cells, but
// for some of what it reads of the first one. So who keeps what is promised from being read may be another one than whose promise it is.
func (h *unasked) relay() {
	cell, n := h.b.Atomic("w"), 2+h.IntN(2)
	var read []*Var
	for i := range n {
		t := h.b.Thread(memmodel.Place{Group: uint16(i)})
		read = append(read, h.b.Atomic(string(rune('x'+i))))
		h.nth = t.Int(1)
		r := t.Load(read[i], relaxed, device)
		if h.chance(0.4) {
			h.stops(t)
		}
		if h.chance(0.8) {
			t.CAS(cell, CmpXchg{Expected: t.Int(int64(i)), Desired: t.Int(int64(i + 1)), Order: relaxed, FailOrder: relaxed, Scope: device})
		} else {
			h.writes(t, cell, r)
		}
	}
	t := h.b.Thread(memmodel.Place{Group: uint16(n)})
	s := t.Load(cell, relaxed, device)
	if h.chance(0.2) {
		h.stops(t)
	}
	tells := func() {
		for _, v := range read[:1+h.IntN(len(read))] {
			t.Store(v, t.Int(1), relaxed, device)
		}
	}
	var otherwise func()
	if h.chance(0.3) {
		otherwise = tells
	}
	t.If(t.Bin(pick(h.gen, ir.Eq, ir.Ne), s, t.Int(int64(h.IntN(n+1)))), tells, otherwise)
}

// unit draws one that reads one cell and writes another one. With a detour, the first one does something beside if it has read nothing, and
// the others look first whether somebody has done that.
func (h *unasked) unit(i int, from, to *Var, detour bool) {
	place := memmodel.Place{Group: uint16(i)}
	meets := h.meet && i < len(h.ring) && !detour
	if meets {
		place.Group = 0
	}
	t := h.b.Thread(place)
	h.nth = t.Int(1)
	r := t.Int(1) // until something is read
	if detour {
		if i > 0 && h.chance(0.8) {
			t.Load(h.e, h.strong, device)
		}
		r = t.Load(from, relaxed, device)
		if i == 0 {
			t.If(r, nil, func() { h.stops(t) })
			t.Store(to, t.Int(1), relaxed, device)
		} else {
			h.writes(t, to, r)
		}
		return
	}
	acts := []func(){
		func() { r = h.reads(t, from) },
		func() { h.writes(t, to, r) },
	}
	if h.chance(0.4) {
		acts = slices.Insert(acts, h.IntN(3), func() { h.aside(t, to) })
	}
	if h.chance(0.15) {
		acts = slices.Insert(acts, 1, func() { h.aside(t, to) })
	}
	if meets {
		acts = slices.Insert(acts, h.IntN(len(acts)+1), func() { t.Barrier("B", pick(h.gen, globalFlag, 0), device) })
	}
	round := func(i Val) {
		h.nth = t.Bin(ir.Add, i, t.Int(1))
		for _, act := range acts {
			act()
			h.fails(t, r)
		}
	}
	if h.chance(0.15) {
		t.Repeat(2, round)
	} else {
		round(t.Int(0))
	}
}

// fails has a unit go wrong for one value of what it has read.
func (h *unasked) fails(t *Thread, r Val) {
	switch is := t.Int(int64(h.IntN(3))); h.IntN(40) {
	case 0, 1:
		t.Assert(t.Bin(ir.Ne, r, is))
	case 2:
		t.Divisor(t.Bin(ir.Ne, r, is))
	}
}

// stops draws what may teach a unit something, or keep it from promising anything.
func (h *unasked) stops(t *Thread) {
	switch h.IntN(5) {
	case 0:
		t.RMW(ir.Add, h.e, t.Int(1), acquire, device)
	case 1:
		t.CAS(h.e, CmpXchg{Expected: t.Int(0), Desired: t.Int(3), Order: relaxed, FailOrder: acquire, Scope: device})
	case 2:
		t.RMW(ir.Add, h.e, t.Int(1), relaxed, device)
		t.Fence(globalFlag, pick(h.gen, acquire, acquire, seqCst), device)
	case 3:
		t.Fence(globalFlag, release, device)
	default:
		t.Load(h.e, acquire, device)
	}
}

func (h *unasked) reads(t *Thread, v *Var) Val {
	switch h.IntN(10) {
	case 0:
		return t.RMW(pick(h.gen, ir.Add, ir.Or), v, t.Int(pick(h.gen, int64(0), 2)), pick(h.gen, relaxed, relaxed, acquire), device)
	case 1:
		_, old := t.CAS(v, CmpXchg{Expected: t.Int(0), Desired: t.Int(3), Order: relaxed, FailOrder: relaxed, Scope: device})
		return old
	case 2:
		r := t.Reg()
		t.While(func() Val { t.LoadInto(r, t.Addr(v, 0), relaxed, device); return t.Bin(ir.Eq, r, t.Int(0)) }, nil)
		return r
	case 3:
		return t.Load(v, acquire, device)
	}
	return t.Load(v, relaxed, device)
}

// writes writes a cell once, or what comes to that.
func (h *unasked) writes(t *Thread, v *Var, r Val) {
	one := t.Int(1)
	store := func(x Val) { t.Store(v, x, pick(h.gen, relaxed, relaxed, relaxed, relaxed, release), device) }
	switch h.IntN(16) {
	case 0, 1:
		h.takes(t, v)
	case 2:
		store(one)
		store(t.Int(2))
	case 3:
		t.If(r, func() { store(one) }, func() { t.Store(h.e, one, relaxed, device); store(one) })
	case 4:
		t.If(r, func() { store(one) }, func() { store(t.Int(2)) })
	case 5:
		t.If(r, func() { store(one) }, nil)
	case 6:
		store(pick(h.gen, r, h.nth, h.nth))
	case 7:
		t.Repeat(2, func(Val) { store(one) })
	case 8:
		t.If(r, func() { h.takes(t, v) }, func() { store(one) })
	case 9:
		t.If(r, func() { store(one); store(t.Int(2)) }, func() { store(t.Int(2)); store(one) })
	case 14, 15: // unless it has been taken already
		t.If(t.Bin(ir.Eq, t.Load(v, relaxed, device), t.Int(int64(pick(h.gen, 0, 0, 1, 4)))), pick(h.gen, func() { h.takes(t, v) }, func() { store(one) }), nil)
	default:
		store(one)
	}
}

// takes writes a cell behind what is there.
func (h *unasked) takes(t *Thread, v *Var) {
	order := pick(h.gen, relaxed, relaxed, relaxed, release, acquire)
	if h.chance(0.5) {
		t.RMW(pick(h.gen, ir.Add, ir.Add, ir.Xchg), v, t.Int(int64(1+h.IntN(2))), order, device)
		return
	}
	t.CAS(v, CmpXchg{Expected: t.Int(int64(h.IntN(2))), Desired: t.Int(int64(1 + h.IntN(2))), Order: order, FailOrder: relaxed, Scope: device, Weak: h.chance(0.2)})
}

// aside draws what else a unit may do beside reading one cell and writing another.
func (h *unasked) aside(t *Thread, to *Var) {
	switch v := pick(h.gen, h.ring...); h.IntN(11) {
	case 0:
		t.Load(to, relaxed, device)
	case 1:
		t.Load(h.e, h.strong, device)
	case 2:
		h.takes(t, v)
	case 3:
		h.takes(t, h.e)
	case 4:
		t.If(t.Choose(2), func() { t.Fence(globalFlag, pick(h.gen, acquire, release, h.strong), device) }, nil)
	case 5:
		t.Store(v, t.Int(4), relaxed, device)
	case 6:
		t.Load(v, pick(h.gen, relaxed, acquire, h.strong), device)
	case 7:
		t.If(t.Choose(2), func() { t.Store(h.e, t.Int(1), relaxed, device) }, nil)
	case 8, 9:
		t.Blind(ir.Add, h.n, t.Int(1), pick(h.gen, relaxed, relaxed, release), device)
	default:
		t.Store(h.e, t.Int(1), pick(h.gen, relaxed, release, h.strong), device)
	}
}
