package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// values draws threads of which the values that they read, more than the code,
// tell what they write: slots that values choose, tables that are probed, small
// counters, locks, and rounds of waiting that read several variables.
func (g *gen) values() {
	v := &valued{gen: g, vars: []*Var{g.b.Atomic("x"), g.b.Atomic("y")}}
	v.table = g.b.Var(Var{Name: "a", Len: 3})
	v.scope = pick(g, device, device, device, workGroup)
	meet := g.chance(0.25)
	for range pick(g, 2, 2, 3) {
		v.Thread = g.b.Thread(memmodel.Place{Group: uint16(g.IntN(4) / 3)})
		if meet {
			if g.chance(0.7) {
				v.clause()
			}
			v.Barrier("B", pick(g, 0, 0, memmodel.GlobalFence), v.scope)
		}
		for range pick(g, 1, 2, 2, 3) {
			v.clause()
		}
	}
}

// valued is a thread being drawn.
type valued struct {
	*gen
	*Thread
	vars  []*Var
	table *Var
	scope memmodel.Scope
}

func (v *valued) any() *Var             { return v.vars[v.IntN(len(v.vars))] }
func (v *valued) load() memmodel.Order  { return pick(v.gen, relaxed, relaxed, acquire) }
func (v *valued) store() memmodel.Order { return pick(v.gen, relaxed, relaxed, relaxed, release) }
func (v *valued) small() Val            { return v.Int(int64(1 + v.IntN(2))) }

// read returns what is read into a register that does not belong to the outcome.
func (v *valued) read(x *Var) Val {
	r := v.Reg()
	v.LoadInto(r, v.Addr(x, 0), v.load(), v.scope)
	return r
}

func (v *valued) write(x Val) { v.Store(v.any(), x, v.store(), v.scope) }

func (v *valued) clause() {
	switch v.IntN(9) {
	case 0:
		v.write(v.small())
	case 1: // on a certain value, another one
		v.If(v.Bin(ir.Eq, v.Load(v.any(), v.load(), v.scope), v.small()), func() { v.write(v.small()) }, nil)
	case 2: // a ticket chooses a slot
		r := v.Reg()
		v.RMWInto(r, ir.Add, v.any(), v.Int(1), relaxed, v.scope)
		v.StoreAt(v.Elem(v.table, v.Bin(ir.And, r, v.Int(1))), v.small(), v.store(), v.scope)
	case 3:
		v.probe()
	case 4: // wait for one of two
		x, y := v.any(), v.any()
		v.While(func() Val {
			r := v.Bin(ir.Eq, v.read(x), v.Int(0))
			return v.Bin(ir.And, r, v.Bin(ir.Eq, v.read(y), v.Int(0)))
		}, nil)
	case 5:
		v.lock()
	case 6: // pass a value on, or its successor
		r := v.Load(v.any(), v.load(), v.scope)
		v.write(v.Bin(pick(v.gen, ir.Add, ir.And), r, v.Int(1)))
	case 7:
		v.LoadAt(v.Addr(v.table, int64(v.IntN(3))), v.load(), v.scope)
	default: // count up, if nobody else does
		x := v.any()
		r := v.read(x)
		ok, old := v.observed(), v.Reg()
		v.CASInto(ok, old, x, CmpXchg{Expected: r, Desired: v.Bin(ir.Add, r, v.Int(1)), Order: pick(v.gen, relaxed, acquire), FailOrder: relaxed, Scope: v.scope})
	}
}

// probe puts a value into the first slot that is free from some one on.
func (v *valued) probe() {
	h, val, ok, old := v.Reg(), v.small(), v.Reg(), v.Reg()
	v.Set(h, v.Int(int64(v.IntN(2))))
	v.While(func() Val {
		v.CASAt(ok, old, v.Elem(v.table, h), CmpXchg{Expected: v.Int(0), Desired: val, Order: pick(v.gen, relaxed, acquire), FailOrder: relaxed, Scope: v.scope})
		return v.Bin(ir.Eq, ok, v.Int(0))
	}, func() { v.Set(h, v.Bin(ir.Rem, v.Bin(ir.Add, h, v.Int(1)), v.Int(3))) })
}

// lock does something while it holds a lock.
func (v *valued) lock() {
	l, held := v.any(), v.Int(3)
	v.While(func() Val {
		r := v.Reg()
		v.RMWInto(r, ir.Xchg, l, held, pick(v.gen, relaxed, acquire, acquire), v.scope)
		return v.Bin(ir.Eq, r, held)
	}, nil)
	v.Store(v.any(), v.small(), relaxed, v.scope)
	v.Store(l, v.Int(0), pick(v.gen, relaxed, release, release), v.scope)
}
