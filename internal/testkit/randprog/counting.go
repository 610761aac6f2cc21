package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// countings draws kernels whose work-items count, or nearly so: by operations of all orders, beside data that may or may not be handed on by them, and
// barriers of all flags. What is counted is looked at behind them, or beside.
func (g *gen) countings() {
	c := &countingKernel{gen: g, k: g.b.Kernel("k"), w: g.b.Var(Var{Name: "w", Len: 4}), x: g.b.Plain("x"), own: g.b.Var(Var{Name: "own", Plain: true, Len: 4})}
	c.order = pick(g, seqCst, seqCst, acqRel)
	c.op = pick(g, ir.Add, ir.Add, ir.Add, ir.Or, ir.Max)
	for _, name := range []string{"c", "d"}[:pick(g, 0, 1, 1, 2)] {
		c.counters = append(c.counters, g.b.Atomic(name))
	}
	for _, name := range []string{"l", "m"}[:pick(g, 0, 1, 1, 2)] {
		c.locals = append(c.locals, g.b.Var(Var{Name: name, Region: memmodel.Local, Hidden: true, Uninit: g.chance(0.9), Owner: c.k}))
	}
	if len(c.counters) > 0 && g.chance(0.2) {
		c.crossed()
		host := g.b.Thread(memmodel.Place{Host: true})
		host.Host(c.k, 4, 1)
		host.Finish()
		return
	}
	c.body()
	host := g.b.Thread(memmodel.Place{Host: true})
	items := pick[int64](g, 2, 2, 2, 3, 4)
	host.Host(c.k, items, pick(g, items, items, 1, max(1, items/2)))
	if g.chance(0.2) {
		host.Host(c.k, 1, 1)
	}
	host.Finish()
}

// countingKernel is what the pieces of such a kernel have in common.
type countingKernel struct {
	*gen
	k                *Thread
	counters, locals []*Var
	w, x, own        *Var
	order            memmodel.Order // of most operations
	op               ir.Alu         // by which most count
}

// body draws the kernel.
func (c *countingKernel) body() {
	if len(c.locals) > 0 {
		c.first(func() {
			for _, l := range c.locals {
				if c.chance(0.9) {
					c.k.Write(l, c.k.Int(0))
				}
			}
		})
		if c.chance(0.95) {
			c.barrier("A")
		}
	}
	for range pick(c.gen, 1, 2, 2, 3) {
		c.step()
	}
	if len(c.locals) > 0 && c.chance(0.7) {
		if c.chance(0.9) {
			c.barrier("B")
		}
		c.first(func() { c.look(pick(c.gen, c.locals...)) })
	}
	if c.chance(0.2) {
		c.step()
	}
}

// first has the first work-item of the group do something.
func (c *countingKernel) first(do func()) {
	c.k.If(c.k.Query(ir.QueryLocalID), nil, do)
}

// barrier draws a barrier.
func (c *countingKernel) barrier(site string) {
	c.k.Barrier(site, pick(c.gen, localFlag, localFlag, localFlag|globalFlag, localFlag|globalFlag, globalFlag), workGroup)
}

// look reads a counter, and shows what is there.
func (c *countingKernel) look(v *Var) {
	c.k.ObservePerItem(c.k.Load(v, pick(c.gen, memmodel.NonAtomic, relaxed, acquire, c.loads(), c.loads()), device))
}

// loads is the order of a load that goes with that of the other operations.
func (c *countingKernel) loads() memmodel.Order {
	if c.order == acqRel {
		return acquire
	}
	return c.order
}

// other looks at what the neighbour has stored.
func (c *countingKernel) other() {
	c.k.ObservePerItem(c.k.LoadAt(c.k.Elem(c.w, c.k.Bin(ir.Xor, c.k.Query(ir.QueryGlobalID), c.k.Int(1))), relaxed, device))
}

// crossed draws two work-items that access two cells in opposite orders, with a count between, and two that look at these cells or write them.
func (c *countingKernel) crossed() {
	k, me := c.k, c.k.Query(ir.QueryGlobalID)
	cell := func(of Val) Val { return k.Elem(c.w, of) }
	modify, loads := c.chance(0.4), c.chance(0.7)
	access := func(of Val) {
		switch {
		case modify:
			k.RMWAt(k.Reg(), ir.Add, cell(of), k.Bin(ir.Add, me, k.Int(1)), relaxed, device)
		case loads:
			k.ObservePerItem(k.LoadAt(cell(of), relaxed, device))
		default:
			k.StoreAt(cell(of), k.Bin(ir.Add, me, k.Int(1)), relaxed, device)
		}
	}
	wide := c.chance(0.3)
	k.If(k.Bin(ir.Lt, me, k.Int(2)), func() {
		access(me)
		if wide {
			k.Barrier("A", globalFlag, pick(c.gen, workGroup, device))
		}
		k.Blind(ir.Add, c.counters[0], k.Int(1), pick(c.gen, c.order, c.order, c.order, relaxed), device)
		if wide {
			k.Barrier("B", globalFlag, pick(c.gen, workGroup, device))
		}
		access(k.Bin(ir.Xor, me, k.Int(1)))
	}, func() {
		of := k.Bin(ir.Sub, me, k.Int(2))
		if loads && !modify {
			k.StoreAt(cell(of), k.Int(1), relaxed, device)
		} else {
			k.ObservePerItem(k.LoadAt(cell(of), relaxed, device))
		}
	})
}

// buffered draws a store, a count and a look at the neighbour, which may both miss what the other one has stored only if the count hands on nothing.
func (c *countingKernel) buffered(count func()) {
	c.k.StoreAt(c.k.Elem(c.w, c.k.Query(ir.QueryGlobalID)), c.k.Int(1), relaxed, device)
	count()
	c.other()
}

// step draws what a work-item does between barriers.
func (c *countingKernel) step() {
	all := append(append([]*Var(nil), c.counters...), c.locals...)
	what := c.IntN(12)
	switch {
	case what < 6 && len(all) > 0:
		v, scope := pick(c.gen, all...), device
		if v.Region == memmodel.Local && c.chance(0.3) || c.chance(0.05) {
			scope = workGroup
		}
		op := c.op
		if c.chance(0.1) {
			op = pick(c.gen, ir.Add, ir.Or, ir.Xchg)
		}
		order := c.order
		if c.chance(0.2) {
			order = pick(c.gen, relaxed, release, acquire)
		}
		blind := func() { c.k.Blind(op, v, c.k.Int(1), order, scope) }
		switch c.IntN(10) {
		case 0:
			c.k.ObservePerItem(c.k.RMW(op, v, c.k.Int(1), order, scope))
		case 1:
			c.buffered(blind)
		default:
			blind()
		}
	case what < 7 && len(all) > 0 && c.chance(0.3):
		c.look(pick(c.gen, all...))
	case what < 8:
		c.k.StoreAt(c.k.Elem(c.own, c.k.Query(ir.QueryGlobalID)), c.k.Int(1), memmodel.NonAtomic, memmodel.ScopeWorkItem)
	case what < 9:
		c.first(func() { c.k.Write(c.x, c.k.Int(1)) })
	case what < 10 && c.chance(0.3):
		c.k.Read(c.x)
	case what < 11:
		c.k.StoreAt(c.k.Elem(c.w, c.k.Query(ir.QueryGlobalID)), c.k.Int(1), relaxed, device)
	default:
		c.other()
	}
}
