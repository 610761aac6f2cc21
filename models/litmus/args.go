package litmus

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// keys returns the keys of a map, sorted.
func keys[V any](m map[string]V) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// symbol resolves an argument that must be one of the names in a table.
func symbol[V any](l *lowerer, x expr, table map[string]V, what string) V {
	n, ok := x.(*nameExpr)
	if !ok {
		l.failf(x.position(), "expected a %s", what)
	}
	v, ok := table[n.name]
	if !ok {
		l.hintf(n.pos, nearest(n.name, keys(table)), "unknown %s %q", what, n.name)
	}
	return v
}

// annotate fills in the orders, scope and flags of a call's instruction.
func (l *lowerer) annotate(c *callExpr, o operation, in *ir.Instr) {
	l.arity(c, o)
	in.Order, in.FailOrder, in.Scope = o.order, o.order, memmodel.ScopeDevice
	rest := c.args[o.operands():]
	if o.orders > 0 {
		in.Order = symbol(l, rest[0], orders, "memory order")
	}
	if o.orders > 1 {
		in.FailOrder = symbol(l, rest[1], orders, "memory order")
	}
	switch rest = rest[o.orders:]; {
	case len(rest) > 0:
		in.Scope = symbol(l, rest[0], scopes, "memory scope")
	case o.sub:
		in.Scope = memmodel.ScopeSubGroup
	case o.op == ir.OpBarrier || o.op == ir.OpFence && o.orders == 0:
		in.Scope = memmodel.ScopeWorkGroup
	}
	l.legal(c, o, in)
	if o.op == ir.OpFence || o.op == ir.OpBarrier {
		in.Flags = l.flags(c.args[0])
	}
	if in.Scope == memmodel.ScopeWorkItem && !(o.op == ir.OpFence && in.Flags == memmodel.ImageFence) {
		l.hintf(c.args[len(c.args)-1].position(), "use memory_scope_work_group or wider", "memory_scope_work_item is for fences on images only (rule 3.3)")
	}
	if o.op == ir.OpFence && in.Flags == 0 {
		l.hintf(c.args[0].position(), "say which memory it orders, as CLK_GLOBAL_MEM_FENCE", "a fence without flags has no meaning")
	}
}

// arity checks the number of arguments.
func (l *lowerer) arity(c *callExpr, o operation) {
	least := o.operands() + o.orders
	most := least + 1 // the scope
	if o.orders == 0 && o.op != ir.OpBarrier {
		most = least
	}
	if n := len(c.args); n < least || n > most {
		l.hintf(c.pos, usage(c.name, o, most > least), "wrong number of arguments (%d) for %s", n, c.name)
	}
}

// usage shows how an operation is called.
func usage(name string, o operation, scoped bool) string {
	args := map[ir.Op]string{ir.OpLoad: "x", ir.OpStore: "x, value", ir.OpRMW: "x, value",
		ir.OpCmpXchg: "x, expected, desired", ir.OpFence: "flags", ir.OpBarrier: "flags"}[o.op]
	args += [...]string{"", ", order", ", success_order, failure_order"}[o.orders]
	if scoped {
		args += "[, scope]"
	}
	return name + "(" + args + ")"
}

// legal checks that the orders suit the operation (rules 4.1, 4.2).
func (l *lowerer) legal(c *callExpr, o operation, in *ir.Instr) {
	if o.orders == 0 {
		return
	}
	order, fail := in.Order, in.FailOrder
	at := c.args[o.operands()].position()
	switch {
	case o.op == ir.OpLoad && (order == memmodel.Release || order == memmodel.AcqRel):
		l.hintf(at, "use relaxed, acquire or seq_cst", "a load cannot have order %v", order)
	case o.op == ir.OpStore && (order == memmodel.Acquire || order == memmodel.AcqRel):
		l.hintf(at, "use relaxed, release or seq_cst", "a store cannot have order %v", order)
	case o.op != ir.OpCmpXchg:
	case fail == memmodel.Release || fail == memmodel.AcqRel:
		l.hintf(c.args[o.operands()+1].position(), "use relaxed, acquire or seq_cst", "a failed compare_exchange cannot have order %v", fail)
	case fail == memmodel.SeqCst && order != fail, fail == memmodel.Acquire && order == memmodel.Relaxed:
		l.failf(c.args[o.operands()+1].position(), "the failure order %v is stronger than the success order %v", fail, order)
	}
}

// flags resolves fence flags: 0, or an OR of names.
func (l *lowerer) flags(x expr) memmodel.Flags {
	switch x := x.(type) {
	case *numberExpr:
		if x.value == 0 {
			return 0
		}
	case *binaryExpr:
		if x.op == "|" {
			return l.flags(x.x) | l.flags(x.y)
		}
	}
	return symbol(l, x, flags, "fence flag")
}
