package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// sections draws units that read and write two cells in turn: who has drawn the ticket that is served, who has got a flag from the one before,
// or who has put its number behind that of another one which is done. Or nearly so: what passes the turn on does not order, who does not get it
// does something else, or some access comes before or after. Where only the turn lets units read and write, no promise can be read.
func (g *gen) sections() {
	h := &sections{gen: g, kind: g.IntN(3), units: pick(g, 2, 2, 3), lax: pick(g, 0, 0, 0.1, 0.3)}
	h.cells = []*Var{g.b.Atomic("x"), g.b.Atomic("y")}
	h.next = g.b.Var(Var{Name: "next", Hidden: true})
	for i := range h.units + 1 {
		h.flags = append(h.flags, g.b.Var(Var{Name: "f" + string(rune('0'+i)), Hidden: true}))
	}
	for i := range h.units {
		h.unit(g.b.Thread(memmodel.Place{Group: uint16(i)}), i)
	}
	if g.chance(h.lax) {
		t := g.b.Thread(memmodel.Place{Group: uint16(h.units)})
		switch g.IntN(3) {
		case 0:
			t.RMW(ir.Add, h.next, t.Int(1), relaxed, device)
		case 1:
			t.Observe(t.Load(pick(g, h.cells...), relaxed, device))
		default:
			t.Store(pick(g, h.flags...), t.Int(1), pick(g, release, relaxed), device)
		}
	}
}

// sections is such a program.
type sections struct {
	*gen
	kind  int // how the turn is passed on
	units int
	lax   float64 // how often something is not as it should be
	cells []*Var  // what is read and written
	next  *Var    // the next ticket, or who has come last
	flags []*Var  // who may go on
}

// unit draws what the unit with a number does.
func (h *sections) unit(t *Thread, i int) {
	if h.chance(h.lax) {
		h.access(t)
	}
	var turn Val
	var done func()
	got := func(f *Var, v int64) Val {
		return t.Bin(ir.Eq, t.Load(f, h.order(acquire), device), t.Int(v))
	}
	pass := func(f *Var, v Val) func() {
		return func() { t.Store(f, v, h.order(release), device) }
	}
	switch h.kind {
	case 0: // a ticket
		ticket := t.RMW(ir.Add, h.next, t.Int(1), relaxed, device)
		turn = t.Bin(ir.Eq, t.Load(h.flags[0], h.order(acquire), device), ticket)
		done = pass(h.flags[0], t.Bin(ir.Add, ticket, t.Int(1)))
	case 1: // a flag from the one before
		if turn = t.Int(1); i > 0 {
			turn = got(h.flags[i], 1)
		}
		done = pass(h.flags[i+1], t.Int(1))
	default: // behind another one
		last := t.RMW(ir.Xchg, h.next, t.Int(int64(i+1)), h.order(acqRel), device)
		turn = t.Reg()
		t.Set(turn, t.Bin(ir.Eq, last, t.Int(0)))
		for j := range h.units {
			if j != i {
				t.If(t.Bin(ir.Eq, last, t.Int(int64(j+1))), func() { t.Set(turn, got(h.flags[j+1], 1)) }, nil)
			}
		}
		done = pass(h.flags[i+1], t.Int(1))
	}
	section := func() {
		for range pick(h.gen, 1, 2, 2) {
			h.access(t)
		}
		done()
		if h.chance(h.lax) {
			h.access(t)
		}
	}
	var without func()
	if h.chance(2 * h.lax) {
		without = func() { h.access(t) }
	}
	t.If(turn, section, without)
}

// order draws the order that an operation of the turn has: seldom none.
func (h *sections) order(o memmodel.Order) memmodel.Order {
	if h.chance(h.lax / 2) {
		return relaxed
	}
	return o
}

// access draws a read of one cell and a write of the same or the other one, which may depend on it.
func (h *sections) access(t *Thread) {
	x, y := pick(h.gen, h.cells...), pick(h.gen, h.cells...)
	r := t.Load(x, relaxed, device)
	t.Observe(r)
	write := func() { t.Store(y, h.made(t, r), relaxed, device) }
	switch h.IntN(5) {
	case 0:
		t.RMW(ir.Add, y, t.Int(1), relaxed, device)
	case 1:
		t.If(r, write, nil)
	default:
		write()
	}
}
