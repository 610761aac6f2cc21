package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// carried draws threads in a ring, each of which reads a flag and sets the next one's, that also
// read data, compute with it, pass it on, and see in the end what it has become. Mostly the data
// decide nothing; sometimes they do: they are tested, compared by an exchange, an address, or asserted, now
// or later, in or behind a loop in which they have changed.
func (g *gen) carried() {
	c := &carrier{gen: g, flags: []*Var{g.b.Atomic("x"), g.b.Atomic("y")}, data: []*Var{g.b.Atomic("d"), g.b.Atomic("e")}}
	c.slots = g.b.Var(Var{Name: "a", Len: 2})
	for i := range pick(g, 2, 2, 2, 2, 2, 3) {
		c.Thread = g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		c.held = c.Reg()
		c.Set(c.held, c.Int(0))
		clauses := []func(){func() { c.decide(c.flags[i%2]) }, func() { c.set(c.flags[(i+1)%2]) }}
		for range pick(g, 1, 1, 2) {
			clauses = append(clauses, c.carry)
		}
		if g.chance(0.7) { // in any order but for those of the ring
			k := g.IntN(len(clauses))
			clauses[len(clauses)-1], clauses[k] = clauses[k], clauses[len(clauses)-1]
		}
		for _, f := range clauses {
			f()
		}
		if g.chance(0.8) {
			c.Observe(c.held)
		}
	}
}

// carrier is a thread being drawn.
type carrier struct {
	*gen
	*Thread
	flags, data []*Var
	slots       *Var
	held        Val // what is carried
	looping     bool
}

func (c *carrier) datum() *Var { return c.data[c.IntN(len(c.data))] }

// read loads a variable into a register that is not yet part of the outcome.
func (c *carrier) read(r Val, v *Var) Val {
	c.LoadInto(r, c.Addr(v, 0), relaxed, device)
	return r
}

// mix computes the next thing to be held from something and what is held.
func (c *carrier) mix(x Val) {
	c.Set(c.held, c.Bin(ir.And, c.Bin(pick(c.gen, ir.Add, ir.Add, ir.Sub), c.held, x), c.Int(1)))
}

func (c *carrier) set(v *Var) {
	value := c.Int(1)
	if c.chance(0.1) {
		value = c.held
	}
	c.Store(v, value, pick(c.gen, relaxed, relaxed, relaxed, release), device)
}

// decide looks at a variable and does something on it: goes on, waits, or waits and
// carries something from round to round.
func (c *carrier) decide(v *Var) {
	r := c.Reg()
	set := func() Val { return c.Bin(ir.Eq, c.read(r, v), c.Int(0)) }
	switch c.IntN(5) {
	case 0:
		c.Observe(c.read(r, v))
	case 1:
		then, els := c.carry, func() {}
		if c.chance(0.5) {
			then, els = els, then
		}
		c.If(set(), then, els)
	case 2:
		c.While(set, nil)
		c.Observe(r)
	case 3: // only the round says what was read before, and counts
		c.While(set, func() { c.mix(pick(c.gen, c.Int(1), r)) })
	default:
		c.looping = true // where nothing is to count on
		c.While(set, c.carry)
		c.looping = false
	}
}

// carry does something with data.
func (c *carrier) carry() {
	d := c.datum()
	kind := c.IntN(12)
	if c.looping && kind > 4 && kind < 7 {
		kind = 0
	}
	switch kind {
	case 0, 1:
		c.mix(c.read(c.Reg(), d))
	case 2, 3:
		c.Store(d, c.held, relaxed, device)
	case 4:
		c.Store(d, c.Int(1), relaxed, device)
	case 5:
		c.Blind(ir.Add, d, c.Int(1), relaxed, device)
	case 6:
		r := c.Reg()
		c.RMWInto(r, pick(c.gen, ir.Add, ir.Xchg), d, c.held, relaxed, device)
		c.mix(r)
	case 7:
		c.Assert(c.Bin(ir.Ne, c.read(c.Reg(), d), c.Int(1)))
	case 8:
		c.Assert(c.Bin(ir.Ne, c.held, c.Int(1)))
	case 9: // what was held is tested, and held further
		c.If(c.Bin(ir.Eq, c.held, c.Int(1)), func() { c.Store(c.datum(), c.Int(2), relaxed, device) }, nil)
	case 10:
		c.StoreAt(c.Elem(c.slots, c.Bin(ir.And, c.read(c.Reg(), d), c.Int(1))), c.Int(1), relaxed, device)
	default:
		ok, old := c.Reg(), c.Reg()
		c.CASInto(ok, old, d, CmpXchg{Expected: c.Int(0), Desired: c.held, Order: relaxed, FailOrder: relaxed, Scope: device})
		c.mix(pick(c.gen, ok, old))
	}
}
