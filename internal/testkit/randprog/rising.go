package randprog

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// rising draws units that count upward on one or two counters, or downward, nearly always, that look at them, and that tell each other by flags what they have seen there: so that
// cycles of what they read and write need a counter to go back, or that what is written once more is read.
func (g *gen) rising() {
	h := &rising{gen: g, down: g.chance(0.3), falls: g.chance(0.4), again: pick(g, 0, 0, 0.3, 0.6)}
	first := int64(0)
	if h.down {
		first = 2
	}
	h.counts = []*Var{g.b.Var(Var{Name: "n", Init: first + int64(g.IntN(2))}), g.b.Var(Var{Name: "m", Init: first})}[:pick(g, 1, 1, 2)]
	h.flags = []*Var{g.b.Atomic("x"), g.b.Atomic("y")}[:pick(g, 1, 1, 2)]
	if h.again > 0 && g.chance(0.4) {
		h.handOn()
		return
	}
	for i := range pick(g, 2, 2, 3) {
		h.unit(g.b.Thread(memmodel.Place{Group: uint16(i)}), i)
	}
}

// ends draws a kernel of work-items that count and tell as those of rising do, and end one after the other.
func (g *gen) ends() {
	h := &rising{gen: g, falls: true, again: pick(g, 0, 0.3), counts: []*Var{g.b.Var(Var{Name: "n", Init: int64(g.IntN(2))})}, flags: []*Var{g.b.Atomic("x")}}
	k := g.b.Kernel("K")
	id := k.Query(ir.QueryGlobalID)
	for i := range int64(2) {
		k.If(k.Bin(ir.Eq, id, k.Int(i)), func() {
			n := h.counts[0]
			switch g.IntN(3) {
			case 0: // it tells what it has found, which may depend on what others tell
				r := h.count(k, n)
				k.If(k.Bin(ir.Eq, r, k.Int(int64(g.IntN(3)))), func() {
					h.count(k, n)
					h.tell(k, r)
				}, nil)
			case 1:
				k.Load(h.flags[0], relaxed, device)
				h.count(k, n)
				h.count(k, n)
			default:
				for range 1 + g.IntN(2) {
					h.act(k)
				}
				h.count(k, n)
			}
		}, nil)
	}
	host := g.b.Thread(memmodel.Place{Host: true})
	host.Host(k, 2, 1)
	host.Finish()
}

// unit draws a unit.
func (h *rising) unit(t *Thread, i int) {
	acts := []func(){}
	for range 2 + h.IntN(2) {
		acts = append(acts, func() { h.act(t) })
	}
	// Who looks twice may find less the second time, if the counter falls.
	if h.chance(0.6) {
		v := pick(h.gen, h.counts...)
		acts = slices.Insert(acts, h.IntN(len(acts)+1), func() { h.twice(t, v) })
	}
	if h.chance(0.15) { // a loop of which only that tickets go up tells that it ends
		c := h.b.Atomic(string(rune('s' + i)))
		acts = slices.Insert(acts, h.IntN(len(acts)+1), func() {
			t.While(func() Val { return t.Bin(ir.Lt, t.RMW(ir.Add, c, t.Int(1), relaxed, device), t.Int(2)) }, nil)
		})
	}
	round := func() {
		for _, act := range acts {
			act()
		}
	}
	if h.chance(0.15) {
		t.Repeat(2, func(Val) { round() })
	} else {
		round()
	}
}

// handOn draws units that write a counter once more between what they say first, or are told first, and what they tell or look at then: so that it matters who hands on what to
// whom by that.
func (h *rising) handOn() {
	d, y := h.b.Var(Var{Name: "d", Plain: h.chance(0.3)}), h.flags[0]
	order := relaxed
	if d.Plain {
		order = memmodel.NonAtomic
	}
	v := h.counts[0]
	for i := range pick(h.gen, 2, 2, 3) {
		t := h.b.Thread(memmodel.Place{Group: uint16(i)})
		if i == 0 {
			t.Store(d, t.Int(1), order, device)
		} else {
			t.Load(y, pick(h.gen, relaxed, relaxed, relaxed, acquire), device)
		}
		h.mayFence(t)
		by := pick(h.gen, relaxed, relaxed, acquire, release, acqRel)
		var r Val
		if h.chance(0.8) {
			r = h.write(t, v, by, device)
		} else {
			r = h.step(t, v, h.down, by, device)
		}
		h.mayFence(t)
		if i == 0 || h.chance(0.3) {
			t.If(t.Bin(ir.Eq, r, t.Int(int64(h.IntN(3)))), func() { t.Store(y, t.Int(1), relaxed, device) }, nil)
		}
		switch {
		case i > 0 && h.chance(0.3):
			t.Store(d, t.Int(2), order, device)
		case i > 0:
			t.Load(d, order, device)
		}
	}
}

// mayFence draws a fence, seldom.
func (h *rising) mayFence(t *Thread) {
	if h.chance(0.15) {
		t.Fence(globalFlag, pick(h.gen, acquire, release, acqRel), device)
	}
}

// rising is such a program.
type rising struct {
	*gen
	counts, flags []*Var
	down          bool    // they count downward
	falls         bool    // some counts go back
	again         float64 // how many counts write what is there once more
}

// twice draws a unit that looks at a counter, and again if it has found something.
func (h *rising) twice(t *Thread, v *Var) {
	first := h.look(t, v)
	more := func() {
		second := h.look(t, v)
		h.tell(t, second)
	}
	if h.chance(0.5) {
		t.If(t.Bin(ir.Eq, first, t.Int(int64(h.IntN(3)))), more, nil)
	} else {
		more()
	}
}

// look draws what tells a unit what is in a counter.
func (h *rising) look(t *Thread, v *Var) Val {
	switch h.IntN(5) {
	case 0:
		return h.count(t, v)
	case 1:
		_, old := t.CAS(v, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: relaxed, FailOrder: relaxed, Scope: device, Weak: h.chance(0.3)})
		return old
	}
	return t.Load(v, pick(h.gen, relaxed, relaxed, relaxed, acquire), device)
}

// tell draws a unit that may write a flag.
func (h *rising) tell(t *Thread, r Val) {
	v := pick(h.gen, h.flags...)
	write := func() { t.Store(v, t.Int(1), relaxed, device) }
	if h.chance(0.4) {
		t.If(t.Bin(pick(h.gen, ir.Eq, ir.Ne), r, t.Int(int64(h.IntN(3)))), write, nil)
	} else {
		write()
	}
}

// count draws a change of a counter.
func (h *rising) count(t *Thread, v *Var) Val {
	order, scope := pick(h.gen, relaxed, relaxed, relaxed, acquire, release), device
	if h.chance(0.05) {
		scope = workGroup
	}
	switch {
	case h.chance(h.again):
		return h.write(t, v, order, scope)
	case h.falls && h.chance(0.4):
		if h.chance(0.25) {
			t.Store(v, t.Int(int64(h.IntN(2))), relaxed, device)
			return t.Int(1)
		}
		return h.step(t, v, !h.down, order, scope)
	}
	return h.step(t, v, h.down, order, scope)
}

// step draws a read-modify-write that goes one way, but for some exchanges.
func (h *rising) step(t *Thread, v *Var, down bool, order memmodel.Order, scope memmodel.Scope) Val {
	by, least, add := int64(1), ir.Max, pick(h.gen, ir.Add, ir.Or)
	if down {
		by, least, add = -1, ir.Min, pick(h.gen, ir.Sub, ir.And)
	}
	switch h.IntN(6) {
	case 0, 1:
		was := int64(h.IntN(3))
		_, old := t.CAS(v, CmpXchg{Expected: t.Int(was), Desired: t.Int(was + by), Order: order, FailOrder: relaxed, Scope: scope})
		return old
	case 2:
		return t.RMW(least, v, t.Int(int64(h.IntN(3))), order, scope)
	case 3:
		if h.falls {
			return t.RMW(ir.Xchg, v, t.Int(int64(h.IntN(2))), order, scope)
		}
	}
	return t.RMW(add, v, t.Int(1), order, scope)
}

// write draws a read-modify-write that leaves the counter as it is, at least sometimes.
func (h *rising) write(t *Thread, v *Var, order memmodel.Order, scope memmodel.Scope) Val {
	was := t.Int(int64(h.IntN(3)))
	switch h.IntN(4) {
	case 0:
		_, old := t.CAS(v, CmpXchg{Expected: was, Desired: was, Order: order, FailOrder: relaxed, Scope: scope})
		return old
	case 1:
		return t.RMW(ir.Xchg, v, was, order, scope)
	}
	return t.RMW(pick(h.gen, ir.Add, ir.Or), v, t.Int(0), order, scope)
}

// act draws what else a unit does.
func (h *rising) act(t *Thread) {
	v := pick(h.gen, h.counts...)
	switch h.IntN(6) {
	case 0, 1:
		h.count(t, v)
	case 2:
		h.tell(t, h.look(t, v))
	case 3, 4:
		r := t.Load(pick(h.gen, h.flags...), relaxed, device)
		t.If(r, func() { h.count(t, v) }, nil)
	default:
		t.Load(pick(h.gen, h.flags...), relaxed, device)
		h.count(t, v)
	}
}
