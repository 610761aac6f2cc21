package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// blind draws threads that count, store and load without looking at the result,
// between fences and a few accesses that are looked at.
func (g *gen) blind() {
	groups, region := true, memmodel.Global
	if g.chance(0.3) {
		groups, region = false, memmodel.Local
	}
	counter := g.b.Var(Var{Name: "c", Region: region, Hidden: g.chance(0.5)})
	other := g.b.Var(Var{Name: "w", Region: pick(g, region, memmodel.Global), Hidden: g.chance(0.5)})
	seen := []*Var{g.b.Atomic("z"), g.b.Var(Var{Name: "y", Hidden: g.chance(0.7)})}
	var data *Var
	if g.chance(0.3) {
		data = g.b.Var(Var{Name: "d", Plain: true, Hidden: true})
	}
	scope := pick(g, device, device, workGroup)
	if scope == workGroup {
		groups = false
	}
	op := pick(g, ir.Add, ir.Or, ir.Max, ir.Xor)
	fence, seqcst := g.chance(0.6), g.chance(0.1)
	barrier := !groups && g.chance(0.4)
	orders := func(o ...memmodel.Order) memmodel.Order {
		if seqcst && g.chance(0.3) {
			return seqCst
		}
		return pick(g, o...)
	}
	left := 5
	for range pick(g, 2, 2, 3, 3, 4) {
		var p memmodel.Place
		if groups && g.chance(0.6) {
			p.Group = uint16(pick(g, 1, 2))
		}
		t := g.b.Thread(p)
		for range min(left, pick(g, 1, 2, 2, 3)) {
			left--
			if fence && g.chance(0.4) {
				t.Fence(pick(g, globalFlag, localFlag, bothFlags), orders(acquire, release, acqRel), scope)
			}
			switch pick(g, 0, 0, 0, 1, 2, 2, 3, 4, 5, 6) {
			case 0:
				t.Blind(op, counter, t.Int(g.value()), relaxed, scope)
			case 1:
				t.Blind(pick(g, op, ir.Xchg, ir.And), pick(g, counter, other), t.Int(g.value()), orders(relaxed, relaxed, release, acqRel), scope)
			case 2:
				t.Store(pick(g, other, other, seen[0], seen[1]), t.Int(g.value()), orders(relaxed, relaxed, release), scope)
			case 3:
				t.Glance(pick(g, counter, other, seen[0]), orders(relaxed, acquire), scope)
			case 4:
				t.Load(pick(g, seen...), orders(relaxed, acquire), scope)
			case 5:
				t.Store(pick(g, seen...), t.Int(g.value()), orders(relaxed, release), scope)
			case 6:
				if data != nil {
					t.ExitUnless(t.Load(seen[0], orders(relaxed, acquire), scope))
					t.Read(data)
				} else {
					t.Blind(op, counter, t.Int(1), relaxed, scope)
				}
			}
			if data != nil && g.chance(0.1) {
				t.Write(data, t.Int(1))
			}
		}
		if barrier {
			t.Barrier("B", pick(g, globalFlag, bothFlags), scope)
			t.Load(pick(g, seen[0], seen[1], counter), relaxed, scope)
		}
	}
}
