package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// careless draws a host that launches one kernel, once or twice, whose work-items are alike and
// race in many places, one after the other: on plain variables, and by atomic operations whose
// scopes are not inclusive. What a search that goes on after a race finds there has a path with several
// races, and states on it that have been given other names.
func (g *gen) careless() {
	host := g.b.Thread(memmodel.Place{Host: true})
	k := g.b.Kernel("k")
	x, y := g.b.Var(Var{Name: "x", Hidden: true}), g.b.Var(Var{Name: "y", Hidden: true})
	plain := g.b.Var(Var{Name: "b", Plain: true, Hidden: true})
	for range pick(g, 2, 3, 4) {
		g.carelessly(k, pick(g, x, x, y), plain)
	}
	for range pick(g, 1, 2) {
		items := pick[int64](g, 2, 2, 3)
		host.Host(k, items, pick(g, 1, items, items))
	}
	host.Finish()
}

// carelessly draws one access of a work-item, and what it does when that tells it to.
func (g *gen) carelessly(k *Thread, v, plain *Var) {
	scope := pick(g, device, device, allSVM, workGroup)
	switch g.IntN(6) {
	case 0:
		k.Read(plain)
	case 1:
		k.Load(v, pick(g, relaxed, acquire), scope)
	case 2:
		k.Store(v, k.Int(1), pick(g, relaxed, release), scope)
	default:
		ok, _ := k.CAS(v, CmpXchg{Expected: k.Int(int64(g.IntN(2))), Desired: k.Int(1), Order: pick(g, relaxed, seqCst), FailOrder: relaxed, Scope: scope})
		k.If(ok, func() { k.StoreAt(k.Addr(plain, 0), k.Int(1), memmodel.NonAtomic, memmodel.ScopeWorkItem) }, nil)
	}
	if g.chance(0.2) {
		k.Assert(k.Bin(ir.Eq, k.Read(plain), k.Int(0)))
	}
}
