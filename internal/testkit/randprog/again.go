package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// again draws threads that wait in rounds of several reads, for others that write again what stands there
// already, or stood there before, so that messages of one value may be read in place of each other, the newest
// too; and that read, before they wait, what the others write in the end.
func (g *gen) again() {
	a := &again{gen: g, vars: []*Var{g.b.Atomic("y"), g.b.Atomic("z")}, data: g.b.Var(Var{Name: "d", Len: 2})}
	meet := g.chance(0.3)
	n := pick(g, 2, 2, 3)
	waiter := g.IntN(n)
	for i := range n {
		group := uint16(i)
		if meet {
			group = 0
		}
		a.Thread = g.b.Thread(memmodel.Place{Group: group})
		a.quiet = true
		if meet {
			if g.chance(0.5) {
				a.change()
			}
			a.Barrier("B", pick(g, 0, 0, globalFlag), device)
		}
		if i == waiter || g.chance(0.3) {
			a.wait()
		} else {
			for range pick(g, 1, 2, 3) {
				a.change()
			}
			if g.chance(0.8) { // that who waits can go on
				a.finish()
			}
		}
	}
}

// again is a thread being drawn.
type again struct {
	*gen
	*Thread
	vars []*Var
	data *Var
}

func (a *again) any() *Var { return a.vars[a.IntN(3)/2] }

// read returns what is read into a register that does not belong to the outcome.
func (a *again) read(x *Var) Val {
	r := a.Reg()
	a.LoadInto(r, a.Addr(x, 0), pick(a.gen, relaxed, relaxed, acquire), device)
	return r
}

// look reads data into the outcome.
func (a *again) look() {
	r := a.Reg()
	a.LoadInto(r, a.Addr(a.data, int64(a.IntN(2))), relaxed, device)
	a.Observe(r)
}

// wait draws a look at data, rounds of waiting and what follows.
func (a *again) wait() {
	if a.chance(0.7) {
		a.look()
	}
	odd := a.chance(0.2)
	test := func() Val {
		x, value, op := a.any(), a.Int(0), ir.Eq
		if odd {
			value, op = a.Int(a.Int64N(2)), pick(a.gen, ir.Eq, ir.Eq, ir.Ne)
		}
		return a.Bin(op, a.read(x), value)
	}
	a.While(func() Val {
		cond := test()
		for range pick(a.gen, 1, 1, 2) {
			op := ir.And
			if odd {
				op = pick(a.gen, ir.And, ir.Or)
			}
			cond = a.Bin(op, cond, test())
		}
		return cond
	}, nil)
	switch a.IntN(3) {
	case 0:
		a.look()
	case 1:
		a.change()
	}
}

// change draws a write, often of what stands there already, or of data.
func (a *again) change() {
	x, o := a.any(), pick(a.gen, relaxed, relaxed, release)
	slot := a.Int(0)
	switch a.IntN(8) {
	case 0, 1:
		a.Store(x, a.Int(0), o, device)
		return
	case 2:
		a.Store(x, a.Int(1), o, device)
		return
	case 3:
		slot = a.Reg()
		a.RMWInto(slot, ir.Add, x, a.Int(a.Int64N(2)), o, device)
	case 4:
		slot = a.Reg()
		a.CASInto(a.Reg(), slot, x, CmpXchg{Expected: a.Int(0), Desired: a.Int(a.Int64N(2)), Order: o, FailOrder: relaxed, Scope: device})
	case 5:
		slot = a.read(x)
	default:
	}
	if a.chance(0.6) {
		a.StoreAt(a.Elem(a.data, a.Bin(ir.And, slot, a.Int(1))), a.Int(2), relaxed, device)
	}
}

// finish draws a write that has go on who waits, if he reads the newest.
func (a *again) finish() {
	if x := a.vars[0]; a.chance(0.5) {
		a.Store(x, a.Int(1), pick(a.gen, relaxed, release), device)
	} else {
		a.RMW(ir.Add, x, a.Int(1), relaxed, device)
	}
}
