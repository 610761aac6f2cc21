package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// blinding is a program of threads that do not look at results being drawn.
type blinding struct {
	*gen
	counter, other *Var   // which are mostly not looked at
	seen           []*Var // which are
	data           *Var   // not atomic, or nil
	op             ir.Alu // how the counter is changed, mostly
	scope          memmodel.Scope
	fence, seqcst  bool // there are fences, and orders that are seq_cst
}

// blind draws threads that count, store and load without looking at the result,
// between fences and a few accesses that are looked at.
func (g *gen) blind() {
	d := &blinding{gen: g}
	groups, region := true, memmodel.Global
	if g.chance(0.3) {
		groups, region = false, memmodel.Local
	}
	d.counter = g.b.Var(Var{Name: "c", Region: region, Hidden: g.chance(0.5)})
	d.other = g.b.Var(Var{Name: "w", Region: pick(g, region, memmodel.Global), Hidden: g.chance(0.5)})
	d.seen = []*Var{g.b.Atomic("z"), g.b.Var(Var{Name: "y", Hidden: g.chance(0.7)})}
	if g.chance(0.3) {
		d.data = g.b.Var(Var{Name: "d", Plain: true, Hidden: true})
	}
	d.scope = pick(g, device, device, workGroup)
	if d.scope == workGroup {
		groups = false
	}
	d.op = pick(g, ir.Add, ir.Or, ir.Max, ir.Xor)
	d.fence, d.seqcst = g.chance(0.6), g.chance(0.1)
	barrier := !groups && g.chance(0.4)
	left := 5
	for range pick(g, 2, 2, 3, 3, 4) {
		var p memmodel.Place
		if groups && g.chance(0.6) {
			p.Group = uint16(pick(g, 1, 2))
		}
		t := g.b.Thread(p)
		for range min(left, pick(g, 1, 2, 2, 3)) {
			left--
			d.step(t)
		}
		if barrier {
			t.Barrier("B", pick(g, globalFlag, bothFlags), d.scope)
			t.Load(pick(g, d.seen[0], d.seen[1], d.counter), relaxed, d.scope)
		}
	}
}

// orders draws an order, of these or seq_cst.
func (d *blinding) orders(o ...memmodel.Order) memmodel.Order {
	if d.seqcst && d.chance(0.3) {
		return seqCst
	}
	return pick(d.gen, o...)
}

// step draws an access, perhaps behind a fence.
func (d *blinding) step(t *Thread) {
	g := d.gen
	if d.fence && g.chance(0.4) {
		t.Fence(pick(g, globalFlag, localFlag, bothFlags), d.orders(acquire, release, acqRel), d.scope)
	}
	switch pick(g, 0, 0, 0, 1, 2, 2, 3, 4, 5, 6) {
	case 0:
		t.Blind(d.op, d.counter, t.Int(g.value()), relaxed, d.scope)
	case 1:
		t.Blind(pick(g, d.op, ir.Xchg, ir.And), pick(g, d.counter, d.other), t.Int(g.value()), d.orders(relaxed, relaxed, release, acqRel), d.scope)
	case 2:
		t.Store(pick(g, d.other, d.other, d.seen[0], d.seen[1]), t.Int(g.value()), d.orders(relaxed, relaxed, release), d.scope)
	case 3:
		t.Glance(pick(g, d.counter, d.other, d.seen[0]), d.orders(relaxed, acquire), d.scope)
	case 4:
		t.Load(pick(g, d.seen...), d.orders(relaxed, acquire), d.scope)
	case 5:
		t.Store(pick(g, d.seen...), t.Int(g.value()), d.orders(relaxed, release), d.scope)
	case 6:
		if d.data != nil {
			t.ExitUnless(t.Load(d.seen[0], d.orders(relaxed, acquire), d.scope))
			t.Read(d.data)
		} else {
			t.Blind(d.op, d.counter, t.Int(1), relaxed, d.scope)
		}
	}
	if d.data != nil && g.chance(0.1) {
		t.Write(d.data, t.Int(1))
	}
}
