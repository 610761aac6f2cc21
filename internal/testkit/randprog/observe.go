package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// observations draws kernels that run side by side, some of them several times,
// and observe what they read under few names, in loops as well.
func (g *gen) observations() {
	vars := []*Var{g.b.Atomic("x"), g.b.Atomic("y")}
	host := g.b.Thread(memmodel.Place{Host: true})
	queue := g.b.Queue(0, true)
	left := 5
	for i := range pick(g, 1, 2, 2) {
		k := g.b.Kernel(string("AB"[i]))
		name := pick(g, "r", "r", "s")
		see := func() {
			r := k.Reg()
			k.LoadInto(r, k.Addr(pick(g, vars...), 0), relaxed, device)
			if g.chance(0.3) { // so that names are shared in some executions only
				k.If(r, func() { k.ObserveAs(name, r) }, nil)
			} else {
				k.ObserveAs(name, r)
			}
		}
		if g.chance(0.6) {
			k.Store(pick(g, vars...), k.Int(g.value()), relaxed, device)
			left--
		}
		switch g.IntN(4) {
		case 0:
			k.Repeat(2, func(Val) { see() })
			left -= 2
		case 1:
			k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalLinearID), k.Int(0)), see, nil)
			left--
		default:
			see()
			left--
		}
		for range pick(g, 1, 1, 2) {
			host.Command(ir.OpEnqueueNDRange, queue, k)
		}
	}
	if left > 2 && g.chance(0.5) {
		r := host.Reg()
		host.Set(r, host.Int(7))
		host.ObserveAs(pick(g, "r", "t"), r)
	}
}

// ObserveAs makes a value part of the outcome under a name, which in a kernel
// each work-item has for itself.
func (t *Thread) ObserveAs(name string, x Val) {
	t.emit(ir.Instr{Op: ir.OpObserve, A: int32(x), Str: t.b.str(name), PerItem: t.kernel})
}
