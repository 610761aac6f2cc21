package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// heard draws a thread that reads and then writes what depends on that, and others that do nearly the same
// in each of two executions, as a switch says that the reader does not know: by what order or scope they write,
// what they have seen before, in which place, and which data.
func (g *gen) heard() {
	h := &hearing{gen: g, w: g.b.Atomic("w"), z: g.b.Atomic("z"), d: g.b.Plain("d"), vars: []*Var{g.b.Atomic("x"), g.b.Atomic("y")}}
	h.reader()
	t := g.b.Thread(memmodel.Place{Group: 1})
	t.Store(h.w, t.Int(1), relaxed, device)
	if g.chance(0.4) { // long release sequences of y
		h.vars = h.vars[1:]
	}
	for i := range pick(g, 1, 2) {
		t = g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		for range pick(g, 1, 2, 3) {
			h.writes(t, i)
		}
	}
}

// hearing is such a program.
type hearing struct {
	*gen
	w    *Var // the switch
	z, d *Var // what the reader writes, and data
	vars []*Var
}

func (h *hearing) reader() {
	t := h.b.Thread(memmodel.Place{})
	read := func(v *Var) Val { return t.Load(v, pick(h.gen, relaxed, acquire, acquire), device) }
	if h.chance(0.3) {
		t.Glance(h.vars[1], relaxed, device)
	}
	r := read(h.vars[1])
	if h.chance(0.3) {
		t.Glance(h.z, relaxed, device)
		t.Fence(globalFlag, acquire, device)
	}
	s := read(h.vars[0])
	if h.chance(0.3) {
		t.If(t.Bin(ir.Eq, r, t.Int(1)), func() { t.Set(s, t.Read(h.d)) }, nil)
	}
	t.If(t.Bin(ir.Eq, s, t.Int(0)), func() { t.Store(h.z, t.Int(1), relaxed, device) }, func() {
		t.If(t.Bin(ir.Eq, s, t.Int(1)), func() { t.Store(h.z, t.Int(2), relaxed, device) }, nil)
	})
	t.Store(pick(h.gen, h.vars...), t.Int(7), relaxed, device)
}

// writes draws an operation in two variants.
func (h *hearing) writes(t *Thread, i int) {
	v, value := pick(h.gen, h.vars...), t.Int(int64(1+h.IntN(2)))
	order := func() memmodel.Order { return pick(h.gen, relaxed, release) }
	var variant func()
	kind := h.IntN(6)
	if i > 0 && h.chance(0.5) { // somebody who relies on what the others publish
		kind = 5
	}
	switch kind {
	case 0, 1:
		variant = func() { t.Store(v, value, order(), pick(h.gen, device, workGroup)) }
	case 2:
		variant = func() { t.Blind(ir.Add, v, t.Int(1), pick(h.gen, relaxed, release, acqRel), device) }
	case 3:
		variant = func() {
			if h.chance(0.5) {
				t.Glance(v, pick(h.gen, relaxed, acquire), device)
			}
		}
	case 4:
		variant = func() {
			if h.chance(0.5) {
				t.Fence(globalFlag, release, device)
			}
		}
	default:
		if i == 0 {
			variant = func() { t.Write(h.d, t.Int(int64(h.IntN(2)))) }
		} else {
			variant = func() { t.Load(v, acquire, device) }
		}
	}
	t.If(t.Load(h.w, relaxed, device), variant, variant)
}
