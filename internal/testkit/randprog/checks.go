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
	if g.chance(0.2) {
		c.second = g.b.Atomic("y")
	}
	meet, flags := g.chance(0.3), pick(g, 0, globalFlag, globalFlag, localFlag)
	if c.second != nil && g.chance(0.3) {
		c.behindBarrier()
		return
	}
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

// behindBarrier draws a check that fails or holds at once behind a barrier, on each of the paths that lead there, beside
// work-items of which the path decides what they do behind it.
func (c *checked) behindBarrier() {
	flags := pick(c.gen, 0, globalFlag, localFlag)
	for _, clause := range []func(){
		func() { c.check(c.Read(c.plain())) },
		func() {
			c.If(c.Load(c.second, c.acquire(), device), func() { c.Write(c.plain(), c.Int(2)) }, nil)
		},
		nil,
	} {
		c.Thread = c.gen.b.Thread(memmodel.Place{})
		if clause == nil {
			c.relay()
		}
		c.Barrier("B", flags, device)
		if clause != nil {
			clause()
		}
	}
	c.Thread = c.gen.b.Thread(memmodel.Place{Group: 1})
	c.Store(c.flag, c.Int(1), c.release(), device)
}

// checked is a thread being drawn.
type checked struct {
	*gen
	*Thread
	data, other *Var
	flag        *Var
	second      *Var // a flag that may depend on the first one, if there is any
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
func (c *checked) see() Val {
	if c.second != nil && c.chance(0.5) {
		return c.Load(c.second, c.acquire(), device)
	}
	return c.Load(c.flag, c.acquire(), device)
}

// relay hands a flag on, so that what goes wrong at one line does so on several paths that go on in different ways.
func (c *checked) relay() {
	seen := c.Load(c.flag, c.acquire(), device)
	if c.chance(0.5) {
		seen = c.Bin(ir.Eq, seen, c.Int(0))
	}
	c.If(seen, func() { c.Store(c.second, c.Int(1), c.release(), device) }, nil)
}

func (c *checked) clause() {
	if c.second != nil && c.chance(0.25) {
		c.relay()
		return
	}
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
