package opencl

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/state/ir"
)

// ptx writes instructions of PTX: the mapping of C++ to it (Lustig, Sahasrabuddhe and Giroux, ASPLOS 2019), whose
// seq_cst operations are preceded by fence.sc. A fence of PTX orders all memory, whatever its flags.
type ptx struct{ *emitter }

func (m *ptx) cell(*place) string { return "int" }

// ptxScope is the scope of an instruction.
func (m *ptx) scope(c *litmus.Call) string {
	m.noSubGroup(c)
	return [...]string{memmodel.ScopeWorkItem: "cta", memmodel.ScopeWorkGroup: "cta", memmodel.ScopeDevice: "gpu", memmodel.ScopeAllSVMDevices: "sys"}[c.Scope]
}

// ptxOps are the atomic instructions.
var ptxOps = map[ir.Alu]string{ir.Xchg: "exch.b32", ir.Add: "add.u32", ir.Sub: "add.u32", ir.Or: "or.b32", ir.Xor: "xor.b32", ir.And: "and.b32", ir.Min: "min.s32", ir.Max: "max.s32"}

// ptxSpaces are the state spaces.
var ptxSpaces = map[string]string{"global": "global", "local": "shared"}

func (m *ptx) operation(c *litmus.Call, p *place, operand, expected string) string {
	if c.Order == memmodel.NonAtomic {
		return fmt.Sprintf("*%s = %s", p.ident, operand)
	}
	scope, order := m.scope(c), c.Order
	if c.Op == ir.OpCmpXchg {
		order = m.both(c)
	}
	sem := short(order)
	lead := ""
	if order == memmodel.SeqCst {
		lead = fmt.Sprintf("    asm volatile(\"fence.sc.%s;\" ::: \"memory\");\n", scope)
		sem = [...]string{ir.OpLoad: "acquire", ir.OpStore: "release", ir.OpRMW: "acq_rel", ir.OpCmpXchg: "acq_rel"}[c.Op]
	}
	name := map[ir.Op]string{ir.OpLoad: "ld", ir.OpStore: "st", ir.OpCmpXchg: "cas"}[c.Op]
	if c.Op == ir.OpRMW {
		name = fetches[c.Alu]
		if c.Alu == ir.Xchg {
			name = "exch"
		}
	}
	helper := fmt.Sprintf("clmc_%s_%s_%s_%s", name, short(order), scope, ptxSpaces[p.space])
	at := sem + "." + scope + "." + ptxSpaces[p.space]
	var text string
	switch c.Op {
	case ir.OpLoad:
		text = fmt.Sprintf("static int %s(%s int *p) {\n%s    int r;\n    asm volatile(\"ld.%s.u32 %%0, [%%1];\" : \"=r\"(r) : \"l\"(p) : \"memory\");\n    return r;\n}\n", helper, p.space, lead, at)
		m.Helpers = append(m.Helpers, text)
		return fmt.Sprintf("%s(%s)", helper, p.ident)
	case ir.OpStore:
		text = fmt.Sprintf("static void %s(%s int *p, int v) {\n%s    asm volatile(\"st.%s.u32 [%%0], %%1;\" :: \"l\"(p), \"r\"(v) : \"memory\");\n}\n", helper, p.space, lead, at)
	case ir.OpCmpXchg:
		text = fmt.Sprintf("static int %s(%s int *p, int e, int d) {\n%s    int r;\n    asm volatile(\"atom.%s.cas.b32 %%0, [%%1], %%2, %%3;\" : \"=r\"(r) : \"l\"(p), \"r\"(e), \"r\"(d) : \"memory\");\n    return r == e;\n}\n",
			helper, p.space, lead, at)
		m.Helpers = append(m.Helpers, text)
		return fmt.Sprintf("%s(%s, %s, %s)", helper, p.ident, expected, operand)
	default:
		value := "v"
		if c.Alu == ir.Sub {
			value = "-v"
		}
		text = fmt.Sprintf("static int %s(%s int *p, int v) {\n%s    int r;\n    asm volatile(\"atom.%s.%s %%0, [%%1], %%2;\" : \"=r\"(r) : \"l\"(p), \"r\"(%s) : \"memory\");\n    return r;\n}\n",
			helper, p.space, lead, at, named(ptxOps, c.Alu), value)
	}
	m.Helpers = append(m.Helpers, text)
	return fmt.Sprintf("%s(%s, %s)", helper, p.ident, operand)
}

// both is the order of an instruction that has one order, whether it succeeds or fails.
func (m *ptx) both(c *litmus.Call) memmodel.Order {
	if c.Weak {
		m.stronger("a weak compare_exchange is a strong one")
	}
	if c.Fail != c.Order && !(c.Order == memmodel.Release && c.Fail == memmodel.Relaxed) {
		m.stronger("a compare_exchange has the order of its success also where it fails")
	}
	if c.Order == memmodel.Release && c.Fail == memmodel.Acquire {
		return memmodel.AcqRel
	}
	return c.Order
}

func (m *ptx) fence(c *litmus.Call) string {
	scope := m.scope(c)
	switch {
	case c.Order == memmodel.Relaxed:
		return "(void)0"
	case c.Flags&memmodel.ImageFence != 0:
		unmapped("it has a fence on images")
	}
	sem := "acq_rel"
	if c.Order == memmodel.SeqCst {
		sem = "sc"
	} else if c.Order != memmodel.AcqRel {
		m.stronger("fences release and acquire")
	}
	if c.Flags != memmodel.GlobalFence|memmodel.LocalFence {
		m.stronger("fences order all memory")
	}
	return m.fenceCall(sem, scope)
}

// fenceCall calls the helper of a fence.
func (m *ptx) fenceCall(sem, scope string) string {
	helper := fmt.Sprintf("clmc_fence_%s_%s", sem, scope)
	m.Helpers = append(m.Helpers, fmt.Sprintf("static void %s(void) {\n    asm volatile(\"fence.%s.%s;\" ::: \"memory\");\n}\n", helper, sem, scope))
	return helper + "()"
}

// barrier is bar.sync, which orders all memory within the work-group. One of a wider scope releases before it and
// acquires after it.
func (m *ptx) barrier(c *litmus.Call) string {
	scope := m.scope(c)
	if c.Flags != memmodel.GlobalFence|memmodel.LocalFence {
		m.stronger("barriers order all memory")
	}
	m.Helpers = append(m.Helpers, "static void clmc_barrier(void) {\n    asm volatile(\"bar.sync 0;\" ::: \"memory\");\n}\n")
	if c.Scope > memmodel.ScopeWorkGroup {
		fence := m.fenceCall("acq_rel", scope)
		return fence + ";\n            clmc_barrier();\n            " + fence
	}
	return "clmc_barrier()"
}
