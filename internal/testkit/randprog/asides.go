package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// asides draws units that race, mostly or only in some executions, and fail at what may have nothing to do with it: their own data,
// flags, what they have read in the race, or what is computed from that.
func (g *gen) asides() {
	h := &beside{gen: g, raced: g.b.Plain("d"), flag: g.b.Atomic("x")}
	if g.chance(0.3) {
		h.also = g.b.Plain("e")
	}
	for i := range pick(g, 2, 3, 3) {
		h.Thread = g.b.Thread(memmodel.Place{Group: uint16(i)})
		h.own = g.b.Plain("o" + string(rune('0'+i)))
		for range pick(g, 1, 2, 2) {
			h.clause()
		}
	}
}

// beside is a thread of such a program being drawn.
type beside struct {
	*gen
	*Thread
	raced, also, own *Var
	flag             *Var
}

func (h *beside) data() *Var {
	if h.also != nil && h.chance(0.4) {
		return h.also
	}
	return h.raced
}

func (h *beside) see() Val { return h.Load(h.flag, pick(h.gen, relaxed, acquire), device) }

func (h *beside) clause() {
	switch h.IntN(9) {
	case 0:
		h.Write(h.data(), h.Int(1))
	case 1: // statistics
		x := h.data()
		h.Write(x, h.Bin(ir.Add, h.Read(x), h.Int(1)))
	case 2:
		h.If(h.see(), func() { h.Write(h.data(), h.Int(1)) }, nil)
	case 3, 4: // its own affair
		h.Write(h.own, h.Int(1))
		h.check(h.Read(h.own))
	case 5:
		h.check(h.see())
	case 6:
		h.Store(h.flag, h.Int(1), pick(h.gen, relaxed, release), device)
	case 7: // what depends on the race, by the way
		h.Write(h.own, h.Read(h.data()))
		if h.chance(0.5) {
			h.check(h.Read(h.own))
		}
	case 8:
		h.If(h.Read(h.data()), func() { h.Write(h.own, h.Int(2)) }, nil)
	}
}

// check draws what is demanded of a value.
func (h *beside) check(x Val) {
	switch h.IntN(5) {
	case 0:
		h.Divisor(h.Bin(ir.Sub, x, h.Int(1)))
	case 1:
		h.Assert(h.Bin(ir.Eq, x, h.Int(0)))
	case 2:
		h.Assert(h.Bin(ir.Eq, x, h.Int(5)))
	default:
		h.Assert(h.Bin(ir.Eq, x, h.Int(1)))
	}
}
