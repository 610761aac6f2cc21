package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// chained draws units, of one or two work-groups, that release what they have done by
// read-modify-writes of one location, mostly in the same way, and may go on to store to it
// plainly; and others that acquire from the chain, at once or by a fence, and read what
// they have written.
func (g *gen) chained() {
	x := g.b.Atomic("x")
	data := []*Var{g.b.Plain("d"), g.b.Plain("e")}
	usual, fenced := pick(g, device, device, workGroup), g.chance(0.3)
	scope := func() memmodel.Scope {
		if g.chance(0.15) {
			return pick(g, workGroup, device)
		}
		return usual
	}
	groups := uint16(1 + g.IntN(3))
	more := g.chance(0.15)
	for i := range 3 + bit(more) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(int(groups)))})
		if i >= len(data) && g.chance(0.8) {
			g.takeFromChain(t, x, data, scope())
			continue
		}
		if i < len(data) {
			t.Write(data[i], t.Int(1))
		}
		g.addToChain(t, x, fenced != g.chance(0.1), scope())
		switch g.IntN(6) {
		case 0, 1:
			t.Store(x, t.Int(16), relaxed, device)
		case 2:
			if !more {
				t.RMW(ir.Or, x, t.Int(32), pick(g, relaxed, release), device)
			}
		case 3:
			t.Load(x, acquire, scope())
		}
	}
}

// addToChain releases what the thread has done by a read-modify-write of x.
func (g *gen) addToChain(t *Thread, x *Var, fenced bool, s memmodel.Scope) {
	o := pick(g, release, release, acqRel)
	if fenced {
		t.Fence(globalFlag, release, s)
		o = relaxed
	}
	if g.chance(0.15) {
		t.Store(x, t.Int(g.value()), o, s)
		return
	}
	t.RMW(ir.Or, x, t.Int(g.value()), o, s)
}

// takeFromChain acquires from x and reads a variable if there was something.
func (g *gen) takeFromChain(t *Thread, x *Var, data []*Var, s memmodel.Scope) {
	o := pick(g, acquire, acquire, relaxed)
	var r Val
	if g.chance(0.6) {
		r = t.Load(x, o, s)
	} else {
		r = t.RMW(ir.Or, x, t.Int(64), o, s)
	}
	if o == relaxed {
		t.Fence(globalFlag, acquire, s)
	}
	if g.chance(0.5) {
		r = t.Bin(ir.Eq, r, t.Int(pick(g, int64(1), 3, 16)))
	}
	t.ExitUnless(r)
	first := g.IntN(len(data)) // nothing is left that nobody reads: what is known of that would depend on the history
	t.Read(data[first])
	t.Read(data[1-first])
}
