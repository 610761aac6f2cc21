package litmus

import (
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// operation is what a call does.
type operation struct {
	op     ir.Op
	alu    ir.Alu         // of OpRMW
	order  memmodel.Order // when the call does not say
	orders int            // how many order arguments it takes
	weak   bool
	sub    bool // barrier of the sub-group
}

// operands returns how many arguments precede the orders.
func (o operation) operands() int {
	switch o.op {
	case ir.OpStore, ir.OpRMW:
		return 2
	case ir.OpCmpXchg:
		return 3
	}
	return 1
}

// isValue reports whether the call yields a value.
func (o operation) isValue() bool {
	return o.op == ir.OpLoad || o.op == ir.OpRMW || o.op == ir.OpCmpXchg
}

// operations lists the calls by name.
var operations = map[string]operation{
	"atomic_work_item_fence": {op: ir.OpFence, orders: 1},
	"mem_fence":              {op: ir.OpFence, order: memmodel.AcqRel},
	"read_mem_fence":         {op: ir.OpFence, order: memmodel.Acquire},
	"write_mem_fence":        {op: ir.OpFence, order: memmodel.Release},
	"barrier":                {op: ir.OpBarrier},
	"work_group_barrier":     {op: ir.OpBarrier},
	"sub_group_barrier":      {op: ir.OpBarrier, sub: true},
	"atomic_init":            {op: ir.OpStore, order: memmodel.NonAtomic},
}

// rmws are the read-modify-write operations besides compare_exchange.
var rmws = map[string]ir.Alu{
	"exchange": ir.Xchg, "fetch_add": ir.Add, "fetch_sub": ir.Sub, "fetch_or": ir.Or, "fetch_xor": ir.Xor,
	"fetch_and": ir.And, "fetch_min": ir.Min, "fetch_max": ir.Max,
}

// The atomic operations exist in a short form, which is seq_cst, and in one
// with explicit orders.
func init() {
	add := func(name string, o operation, orders int) {
		o.order = memmodel.SeqCst
		operations["atomic_"+name] = o
		o.orders = orders
		operations["atomic_"+name+"_explicit"] = o
	}
	add("load", operation{op: ir.OpLoad}, 1)
	add("store", operation{op: ir.OpStore}, 1)
	for name, alu := range rmws {
		add(name, operation{op: ir.OpRMW, alu: alu}, 1)
	}
	add("compare_exchange_strong", operation{op: ir.OpCmpXchg}, 2)
	add("compare_exchange_weak", operation{op: ir.OpCmpXchg, weak: true}, 2)
}

// operation returns what a call does; its zero value is no visible operation.
func (e *callExpr) operation() operation { return operations[strings.TrimLeft(e.name, "_")] }

// operationNamed returns what a call does, which must be known.
func (l *lowerer) operationNamed(c *callExpr) operation {
	o := c.operation()
	if !o.op.Visible() {
		l.hintf(c.pos, nearest(c.name, keys(operations)), "unknown operation %q", c.name)
	}
	return o
}

// The names of orders, scopes and fence flags.
var (
	orders = map[string]memmodel.Order{}
	scopes = map[string]memmodel.Scope{"memory_scope_all_devices": memmodel.ScopeAllSVMDevices}
	flags  = map[string]memmodel.Flags{}
)

func init() {
	for o := memmodel.Relaxed; o <= memmodel.SeqCst; o++ {
		orders[o.String()] = o
	}
	for s := memmodel.ScopeWorkItem; s <= memmodel.ScopeAllSVMDevices; s++ {
		scopes[s.String()] = s
	}
	for f := memmodel.LocalFence; f <= memmodel.ImageFence; f <<= 1 {
		flags[f.String()] = f
	}
}
