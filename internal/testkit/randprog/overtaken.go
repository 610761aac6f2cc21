package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// overtaken draws units that read first what decides whether they come to a write, and others that read, once or twice, what is written there,
// and tell what the first ones have yet to read: so that it matters who has read what before it was written.
func (g *gen) overtaken() {
	h := &overtaken{gen: g, first: g.b.Atomic("a"), cell: g.b.Atomic("x"), told: g.b.Atomic("y"), back: g.b.Atomic("z")}
	h.late(g.b.Thread(memmodel.Place{}))
	for i := range pick(g, 1, 1, 1, 2) {
		h.reader(g.b.Thread(memmodel.Place{Group: uint16(1 + i)}))
	}
	if t := g.b.Thread(memmodel.Place{Group: 3}); g.chance(0.1) {
		h.late(t)
	} else {
		t.Store(pick(g, h.first, h.first, h.first, h.told), t.Int(1), relaxed, device)
	}
}

// overtaken is such a program.
type overtaken struct {
	*gen
	first *Var // what decides
	cell  *Var // what is written, perhaps early
	told  *Var // what readers write whatever they read
	back  *Var // what they write if they have read something
}

// late draws a unit that may come to the write whatever it reads first, or only for one value of that, or for each for
// another reason.
func (h *overtaken) late(t *Thread) {
	r := h.decides(t)
	same, other := h.write(t), h.write(t)
	if h.chance(0.1) {
		same()
		return
	}
	if h.chance(0.6) {
		other = func() { t.Store(h.cell, t.Int(1), relaxed, device) }
	}
	but := func() {
		t.If(t.Load(pick(h.gen, h.back, h.back, h.back, h.back, h.back, h.back, h.told, h.cell), relaxed, device), other, nil)
	}
	if h.chance(0.1) {
		but = other
	}
	if h.chance(0.1) {
		same, but = but, same
	}
	t.If(r, but, same)
}

// decides draws the first step of a unit that may write the cell.
func (h *overtaken) decides(t *Thread) Val {
	switch h.IntN(10) {
	case 0:
		return t.RMW(pick(h.gen, ir.Or, ir.Xchg, ir.Add), h.first, t.Int(int64(h.IntN(3))), relaxed, device)
	case 1:
		_, old := t.CAS(h.first, CmpXchg{Expected: t.Int(int64(h.IntN(2))), Desired: t.Int(2), Order: relaxed, FailOrder: relaxed, Scope: device})
		return old
	case 2:
		return t.Load(pick(h.gen, h.cell, h.told), relaxed, device)
	}
	return t.Load(h.first, pick(h.gen, relaxed, relaxed, relaxed, acquire), device)
}

// write draws a write of the cell, perhaps of what has been read, or if something has.
func (h *overtaken) write(t *Thread) func() {
	store := func(v Val) { t.Store(h.cell, v, pick(h.gen, relaxed, relaxed, relaxed, relaxed, release), device) }
	switch h.IntN(12) {
	case 0:
		return func() { store(t.Load(h.told, relaxed, device)) }
	case 1, 2, 3:
		return func() { t.If(t.Load(h.told, relaxed, device), func() { store(t.Int(1)) }, nil) }
	case 4, 5:
		return func() { t.Load(h.told, relaxed, device); store(t.Int(1)) }
	case 6:
		return func() { t.RMW(pick(h.gen, ir.Add, ir.Xchg), h.cell, t.Int(1), relaxed, device) }
	case 7:
		return func() { t.If(t.Load(h.cell, relaxed, device), nil, func() { store(t.Int(1)) }) }
	}
	return func() { store(t.Int(1)) }
}

// reader draws a unit that looks at the cell, and tells others what it has seen, and before that perhaps that it is there.
func (h *overtaken) reader(t *Thread) {
	switch h.IntN(5) {
	case 0, 1:
		h.look(t)
	case 2:
		t.Load(pick(h.gen, h.first, h.told), relaxed, device)
	}
	if h.chance(0.6) {
		h.tell(t, h.told, t.Int(1))
	}
	r := h.look(t)
	switch h.IntN(8) {
	case 0:
		h.tell(t, h.told, t.Int(1))
	case 1:
		t.Store(pick(h.gen, h.first, h.cell, h.back), t.Int(1), relaxed, device)
	}
	if h.chance(0.9) {
		t.If(r, func() { h.tell(t, h.back, t.Int(1)) }, nil)
	} else {
		h.tell(t, h.back, r)
	}
	if h.chance(0.2) {
		h.tell(t, h.told, t.Int(1))
	}
}

// tell draws a store that mostly cannot be promised itself, which would help the other promise.
func (h *overtaken) tell(t *Thread, v *Var, x Val) {
	t.Store(v, x, pick(h.gen, relaxed, release, release, release), device)
}

// look draws a read of the cell.
func (h *overtaken) look(t *Thread) Val {
	if h.chance(0.1) {
		return t.RMW(pick(h.gen, ir.Add, ir.Or), h.cell, t.Int(int64(h.IntN(2))), relaxed, device)
	}
	return t.Load(h.cell, pick(h.gen, relaxed, relaxed, relaxed, acquire), device)
}
