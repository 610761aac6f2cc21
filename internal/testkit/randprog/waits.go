package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// waits draws threads that wait for each other in all manners, most of them in
// rounds of several steps, and often for what need never come: flags that some
// thread may not set, locks that it may not release, an older value that is overwritten,
// a barrier behind a wait, a sequence number that stays odd, a place to give way, a
// wait that the model cuts short by an assumption, and a host that waits for them all.
func (g *gen) waits() {
	w := &waiting{gen: g, sc: g.chance(0.25)}
	for i := range pick(g, 2, 2, 3) {
		w.vars = append(w.vars, g.b.Atomic(string("xyz"[i])))
	}
	n := pick(g, 2, 2, 3)
	if g.chance(0.2) { // a kernel, all of whose work-items run the same code
		host := g.b.Thread(memmodel.Place{Host: true})
		k := g.b.Kernel("k")
		k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(0)), func() { w.deeds(k) }, func() { w.deeds(k) })
		host.Host(k, 2, pick(g, int64(1), 2))
		host.Finish()
		return
	}
	meet := g.chance(0.3)
	for i := range n {
		group := uint16(i)
		if meet {
			group = 0
		}
		t := g.b.Thread(memmodel.Place{Group: group})
		t.quiet = true
		w.deeds(t)
		if meet {
			t.Barrier("B", globalFlag, workGroup)
			if g.chance(0.3) {
				w.deed(t)
			}
		}
	}
}

// waiting is such a program being drawn.
type waiting struct {
	*gen
	vars []*Var
	sc   bool // all accesses are seq_cst
}

func (w *waiting) any() *Var { return w.vars[w.IntN(len(w.vars))] }

func (w *waiting) read() memmodel.Order {
	if w.sc {
		return seqCst
	}
	return pick(w.gen, relaxed, relaxed, acquire)
}

func (w *waiting) write() memmodel.Order {
	if w.sc {
		return seqCst
	}
	return pick(w.gen, relaxed, relaxed, release)
}

func (w *waiting) load(t *Thread, v *Var) Val {
	r := t.Reg()
	t.LoadInto(r, t.Addr(v, 0), w.read(), device)
	return r
}

func (w *waiting) deeds(t *Thread) {
	for range pick(w.gen, 1, 1, 2, 2, 3) {
		w.deed(t)
	}
}

func (w *waiting) deed(t *Thread) {
	a, b := w.any(), w.any()
	value := func() Val { return t.Int(w.Int64N(3)) }
	is := func(v *Var, x Val) Val { return t.Bin(pick(w.gen, ir.Eq, ir.Eq, ir.Ne), w.load(t, v), x) }
	switch w.IntN(14) {
	case 0, 1: // set
		t.Store(a, value(), w.write(), device)
	case 2: // set, perhaps
		t.If(t.Choose(2), func() { t.Store(a, value(), w.write(), device) }, nil)
	case 3: // set the one or the other, if something has been seen
		x := value()
		t.If(is(a, x), func() { t.Store(a, value(), w.write(), device) }, func() { t.Store(b, value(), w.write(), device) })
	case 4: // await
		x := value()
		t.While(func() Val { return is(a, x) }, nil)
	case 5, 6: // await one of two
		x, y := value(), value()
		t.While(func() Val { return t.Bin(ir.And, is(a, x), is(b, y)) }, nil)
	case 7: // read a sequence number, something else, and the number once more
		r, done := t.Reg(), t.Reg()
		t.Set(done, t.Int(0))
		t.While(func() Val { return t.Bin(ir.Eq, done, t.Int(0)) }, func() {
			t.Set(r, w.load(t, a))
			w.load(t, b)
			t.If(t.Bin(ir.Eq, t.Bin(ir.And, r, t.Int(1)), t.Int(0)), func() { t.Set(done, t.Bin(ir.Eq, w.load(t, a), r)) }, nil)
		})
	case 8: // a lock that may be kept
		r := t.Reg()
		t.While(func() Val {
			t.RMWInto(r, ir.Xchg, a, t.Int(1), w.both(), device)
			return t.Bin(ir.Eq, r, t.Int(1))
		}, nil)
		if w.chance(0.6) {
			t.Store(a, t.Int(0), w.write(), device)
		}
	case 9: // a lock by compare-exchange, with a look before
		ok, old := t.Reg(), t.Reg()
		t.Set(ok, t.Int(0))
		t.While(func() Val { return t.Bin(ir.Eq, ok, t.Int(0)) }, func() {
			t.If(t.Bin(ir.Eq, w.load(t, a), t.Int(0)), func() {
				t.CASInto(ok, old, a, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: w.both(), FailOrder: relaxed, Scope: device, Weak: w.chance(0.2)})
			}, nil)
		})
		if w.chance(0.6) {
			t.Store(a, t.Int(0), w.write(), device)
		}
	case 10: // exchange until something else is there: busy, not waiting
		x := t.Int(1 + w.Int64N(2))
		t.While(func() Val {
			r := t.Reg()
			t.RMWInto(r, ir.Xchg, a, x, w.both(), device)
			return t.Bin(ir.Ne, r, value())
		}, nil)
	case 11: // await, or give up by an assumption
		x := value()
		t.While(func() Val { return is(a, x) }, func() {
			if w.chance(0.5) {
				t.Assume(is(b, value()))
			}
		})
	case 12: // await one, with a step in the round that reads nothing of it
		x := value()
		t.While(func() Val {
			w.aside(t, b)
			return is(a, x)
		}, nil)
	default: // read, and look away, or go on only if that is of interest
		if x := value(); w.chance(0.5) {
			t.Assume(is(a, x))
		} else {
			w.load(t, a)
		}
	}
}

// aside draws what a round may do beside waiting: a fence, a store, an addition of nothing.
func (w *waiting) aside(t *Thread, v *Var) {
	switch w.IntN(3) {
	case 0:
		t.Fence(memmodel.GlobalFence, w.both(), device)
	case 1:
		t.Store(v, t.Int(1), w.write(), device)
	default:
		t.RMW(ir.Add, v, t.Int(0), w.both(), device)
	}
}

func (w *waiting) both() memmodel.Order {
	if w.sc {
		return seqCst
	}
	return pick(w.gen, relaxed, acqRel, acquire)
}
