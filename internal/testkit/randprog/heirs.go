package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// heirs draws units that write data, plainly or atomically with scopes that may not reach, mostly hand on that they
// have, and end; and others that come after some of them and access the same data. So it matters what
// each of the living knows of each of the dead, and not who these are.
func (g *gen) heirs() {
	flags := []*Var{g.b.Atomic("x"), g.b.Atomic("y")}
	counter := g.b.Atomic("z")
	data := []*Var{g.b.Plain("d"), g.b.Plain("e")}
	groups, subs, narrow := 1+g.IntN(3), 1+g.IntN(2), pick(g, 0.2, 0.6)
	scope := func() memmodel.Scope {
		if g.chance(narrow) {
			return workGroup
		}
		return device
	}
	more := g.chance(0.15)
	for i := range 3 + bit(more) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(groups)), Sub: uint16(g.IntN(subs))})
		if i > 1 || g.chance(0.25) {
			g.take(t, pick(g, flags...), scope())
		}
		for range pick(g, 1, 1, 2) {
			switch v := pick(g, data...); {
			case g.chance(0.3):
				t.RMW(ir.Add, counter, t.Int(1), relaxed, scope())
			case i < 2 || g.chance(0.4):
				t.Write(v, t.Int(1))
			default:
				t.Read(v)
			}
		}
		if i < 2 || g.chance(0.2) {
			g.handOn(t, flags[(i+bit(g.chance(0.3)))%len(flags)], scope())
		}
	}
}
