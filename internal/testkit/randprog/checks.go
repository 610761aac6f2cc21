package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// checks draws threads that check what they read: data that others write, with
// what it takes to order that or with too little, and flags.
func (g *gen) checks() {
	c := &checked{gen: g, data: g.b.Plain("d"), flag: g.b.Atomic("x")}
	if g.chance(0.3) {
		c.other = g.b.Plain("e")
	}
	meet, flags := g.chance(0.3), pick(g, 0, globalFlag, globalFlag, localFlag)
	for range pick(g, 2, 2, 3) {
		c.Thread = g.b.Thread(memmodel.Place{Group: uint16(g.IntN(4) / 3)})
		for range pick(g, 1, 2, 2) {
			c.clause()
		}
		if meet {
			c.Barrier("B", flags, device)
			c.clause()
		}
	}
}

// checked is a thread being drawn.
type checked struct {
	*gen
	*Thread
	data, other *Var
	flag        *Var
}

func (c *checked) plain() *Var {
	if c.other != nil && c.chance(0.5) {
		return c.other
	}
	return c.data
}

func (c *checked) release() memmodel.Order { return pick(c.gen, relaxed, release, release) }
func (c *checked) acquire() memmodel.Order { return pick(c.gen, relaxed, acquire, acquire) }

// see reads a flag in a condition.
func (c *checked) see() Val { return c.Load(c.flag, c.acquire(), device) }

func (c *checked) clause() {
	switch c.IntN(8) {
	case 0:
		c.Write(c.plain(), c.Int(1))
	case 1: // hand data over
		c.Write(c.plain(), c.Int(1))
		c.Store(c.flag, c.Int(1), c.release(), device)
	case 2, 3:
		c.check(c.Read(c.plain()))
	case 4: // take it over
		c.If(c.see(), func() { c.check(c.Read(c.plain())) }, nil)
	case 5:
		c.If(c.see(), func() { c.Write(c.plain(), c.Int(2)) }, nil)
	case 6:
		c.check(c.see())
	case 7:
		c.Store(c.flag, c.Int(1), c.release(), device)
	}
}

// check draws what is demanded of a value.
func (c *checked) check(x Val) {
	switch c.IntN(4) {
	case 0:
		c.Divisor(x)
	case 1:
		c.Assert(c.Bin(ir.Eq, x, c.Int(0)))
	default:
		c.Assert(c.Bin(ir.Eq, x, c.Int(1)))
	}
}
