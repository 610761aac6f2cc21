package opencl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/state/ir"
)

// Mapping is how the operations of a test are written for a device.
type Mapping string

// The mappings.
const (
	C11    Mapping = "c11"    // the built-in functions that the test names
	Legacy Mapping = "legacy" // those of OpenCL 1.x
	PTX    Mapping = "ptx"    // instructions of PTX, by inline assembly
)

// Mappings are all of them, the closest to the test first.
var Mappings = []Mapping{C11, Legacy, PTX}

// Standard is the version of OpenCL C that programs of a mapping are compiled as.
func (m Mapping) Standard() string {
	if m == C11 {
		return "CL3.0"
	}
	return "CL1.2"
}

// mapper writes operations in C.
type mapper interface {
	// cell is the type of the cells of a location: int or atomic_int.
	cell(*place) string
	operation(c *litmus.Call, p *place, operand, expected string) string
	fence(*litmus.Call) string
	barrier(*litmus.Call) string
}

// mappers make them.
var mappers = map[Mapping]func(*emitter) mapper{
	C11:    func(e *emitter) mapper { return &c11{e} },
	Legacy: func(e *emitter) mapper { return &legacy{e} },
	PTX:    func(e *emitter) mapper { return &ptx{e} },
}

// fetches are the names of read-modify-writes, as in atomic_fetch_add.
var fetches = map[ir.Alu]string{ir.Add: "add", ir.Sub: "sub", ir.Or: "or", ir.Xor: "xor", ir.And: "and", ir.Min: "min", ir.Max: "max"}

// named returns the name of a read-modify-write. A test with one that has no name is not emitted.
func named(names map[ir.Alu]string, a ir.Alu) string {
	name, ok := names[a]
	if !ok {
		unmapped("the mapping has no read-modify-write %v", a)
	}
	return name
}

// c11 writes the built-in functions that the test names.
type c11 struct{ *emitter }

func (m *c11) cell(p *place) string {
	if p.Atomic {
		return "atomic_int"
	}
	return "int"
}

func (m *c11) operation(c *litmus.Call, p *place, operand, expected string) string {
	switch {
	case c.Order == memmodel.NonAtomic && p.Atomic: // atomic_init of a location that has a value is a plain store
		return fmt.Sprintf("%s = %s", m.plain(p.Name), operand)
	case c.Order == memmodel.NonAtomic:
		return fmt.Sprintf("*%s = %s", p.ident, operand)
	}
	m.need(c)
	switch c.Op {
	case ir.OpLoad:
		return fmt.Sprintf("atomic_load_explicit(%s, %v, %v)", p.ident, c.Order, c.Scope)
	case ir.OpStore:
		return fmt.Sprintf("atomic_store_explicit(%s, %s, %v, %v)", p.ident, operand, c.Order, c.Scope)
	case ir.OpCmpXchg:
		helper := fmt.Sprintf("clmc_cas_%s_%s_%s_%s_%s", strength(c), p.space, short(c.Order), short(c.Fail), short(c.Scope))
		m.Helpers = append(m.Helpers, fmt.Sprintf(c11Cas, helper, p.space, strength(c), c.Order, c.Fail, c.Scope))
		return fmt.Sprintf("%s(%s, %s, %s)", helper, p.ident, expected, operand)
	}
	name := "exchange"
	if c.Alu != ir.Xchg {
		name = "fetch_" + named(fetches, c.Alu)
	}
	return fmt.Sprintf("atomic_%s_explicit(%s, %s, %v, %v)", name, p.ident, operand, c.Order, c.Scope)
}

// c11Cas is a compare_exchange whose expected value is a value.
const c11Cas = `static int %s(%s atomic_int *p, int e, int d) {
    return atomic_compare_exchange_%s_explicit(p, &e, d, %v, %v, %v);
}
`

// strength is how a compare_exchange may fail.
func strength(c *litmus.Call) string {
	if c.Weak {
		return "weak"
	}
	return "strong"
}

// short is an order or a scope without what all of its kind begin with.
func short(x fmt.Stringer) string {
	return strings.TrimPrefix(strings.TrimPrefix(x.String(), "memory_order_"), "memory_scope_")
}

// need records what a device must promise for an operation.
func (m *c11) need(c *litmus.Call) {
	m.noSubGroup(c)
	n := &m.Needs
	for _, o := range []memmodel.Order{c.Order, c.Fail} {
		if o > memmodel.Relaxed && (o == c.Order || c.Op == ir.OpCmpXchg) {
			n.Orders = include(n.Orders, o)
		}
	}
	if c.Scope > memmodel.ScopeWorkGroup {
		n.Scopes = include(n.Scopes, c.Scope)
	}
}

// noSubGroup refuses what is about sub-groups: which work-items share one is the device's choice.
func (e *emitter) noSubGroup(c *litmus.Call) {
	if c.Scope == memmodel.ScopeSubGroup || c.SubGroup {
		unmapped("it has operations of the scope of a sub-group")
	}
}

func include[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

func (m *c11) fence(c *litmus.Call) string {
	m.noSubGroup(c)
	m.Needs.FenceOrders = include(m.Needs.FenceOrders, c.Order)
	m.Needs.FenceScopes = include(m.Needs.FenceScopes, c.Scope)
	return fmt.Sprintf("atomic_work_item_fence(%v, %v, %v)", c.Flags, c.Order, c.Scope)
}

func (m *c11) barrier(c *litmus.Call) string {
	m.noSubGroup(c)
	if c.Scope > memmodel.ScopeWorkGroup {
		m.Needs.FenceScopes = include(m.Needs.FenceScopes, c.Scope)
	}
	return fmt.Sprintf("work_group_barrier(%s, %v)", flagsOf(c.Flags), c.Scope)
}

// flagsOf writes the flags of a barrier, which may have none.
func flagsOf(f memmodel.Flags) string {
	if f == 0 {
		return "(cl_mem_fence_flags)0"
	}
	return f.String()
}

// legacy writes what OpenCL 1.x has: relaxed read-modify-writes of the scope of the device, and fences of the
// work-group that release and acquire.
type legacy struct{ *emitter }

func (m *legacy) cell(*place) string { return "int" }

// operation maps as the table of docs/devices.md says.
func (m *legacy) operation(c *litmus.Call, p *place, operand, expected string) string {
	if c.Order == memmodel.NonAtomic {
		return fmt.Sprintf("*%s = %s", p.ident, operand)
	}
	if c.Order == memmodel.SeqCst || c.Fail == memmodel.SeqCst && c.Op == ir.OpCmpXchg {
		unmapped("OpenCL 1.x has no seq_cst operations")
	}
	orders := c.Order.Releases() || c.Order.Acquires()
	if orders && c.Scope != memmodel.ScopeWorkGroup {
		unmapped("the fences of OpenCL 1.x order within a work-group only")
	}
	m.wider(c)
	name, result := "", "int r = "
	switch c.Op {
	case ir.OpLoad:
		name, operand = "or", "0"
		m.stronger("loads are read-modify-writes")
	case ir.OpStore:
		name, result = "xchg", ""
		m.stronger("stores are read-modify-writes")
	case ir.OpCmpXchg:
		return m.compare(c, p, operand, expected)
	default:
		name = "xchg"
		if c.Alu != ir.Xchg {
			name = named(fetches, c.Alu)
		}
	}
	if !orders {
		return fmt.Sprintf("atomic_%s(%s, %s)", name, p.ident, operand)
	}
	m.stronger("operations that release or acquire have fences")
	helper := fmt.Sprintf("clmc_%s_%s_%s", name, p.space, short(c.Order))
	kind, back := "int", "    return r;\n"
	if c.Op == ir.OpStore {
		kind, back = "void", ""
	}
	m.Helpers = append(m.Helpers, fmt.Sprintf("static %s %s(volatile %s int *p, int v) {\n%s    %satomic_%s(p, v);\n%s%s}\n",
		kind, helper, p.space, fenceIf(c.Order.Releases()), result, name, fenceIf(c.Order.Acquires()), back))
	return fmt.Sprintf("%s(%s, %s)", helper, p.ident, operand)
}

// legacyFence is the fence of OpenCL 1.x.
const legacyFence = "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"

func fenceIf(yes bool) string {
	if yes {
		return "    " + legacyFence + ";\n"
	}
	return ""
}

// compare maps a compare_exchange. OpenCL 1.x has one that does not fail without a reason.
func (m *legacy) compare(c *litmus.Call, p *place, operand, expected string) string {
	if c.Weak {
		m.stronger("a weak compare_exchange is a strong one")
	}
	// When it fails it writes back what it has read: a read-modify-write, where the test has a load.
	acquires := c.Order.Acquires() || c.Fail.Acquires()
	releases := c.Order.Releases()
	order := "relaxed"
	switch {
	case acquires && releases:
		order = "acq_rel"
	case acquires:
		order = "acquire"
	case releases:
		order = "release"
	}
	if acquires || releases {
		m.stronger("operations that release or acquire have fences")
	}
	if acquires != c.Fail.Acquires() {
		m.stronger("a compare_exchange has the order of its success also where it fails")
	}
	helper := fmt.Sprintf("clmc_cas_%s_%s", p.space, order)
	m.Helpers = append(m.Helpers, fmt.Sprintf("static int %s(volatile %s int *p, int e, int d) {\n%s    int r = atomic_cmpxchg(p, e, d);\n%s    return r == e;\n}\n",
		helper, p.space, fenceIf(releases), fenceIf(acquires)))
	return fmt.Sprintf("%s(%s, %s, %s)", helper, p.ident, expected, operand)
}

// wider marks an operation whose scope is narrower than that of OpenCL 1.x, and refuses one whose scope is wider.
func (m *legacy) wider(c *litmus.Call) {
	m.noSubGroup(c)
	switch c.Scope {
	case memmodel.ScopeAllSVMDevices:
		unmapped("the atomic functions of OpenCL 1.x reach one device only")
	case memmodel.ScopeWorkGroup:
		m.stronger("atomic operations have the scope of the device")
	}
}

func (e *emitter) stronger(how string) { e.Stronger = append(e.Stronger, how) }

func (m *legacy) fence(c *litmus.Call) string {
	m.noSubGroup(c)
	switch {
	case c.Order == memmodel.Relaxed:
		return "(void)0"
	case c.Order == memmodel.SeqCst:
		unmapped("OpenCL 1.x has no seq_cst fences")
	case c.Scope > memmodel.ScopeWorkGroup:
		unmapped("the fences of OpenCL 1.x order within a work-group only")
	case c.Flags&memmodel.ImageFence != 0:
		unmapped("it has a fence on images")
	case c.Order != memmodel.AcqRel:
		m.stronger("fences release and acquire")
	}
	return fmt.Sprintf("mem_fence(%v)", c.Flags)
}

func (m *legacy) barrier(c *litmus.Call) string {
	m.noSubGroup(c)
	if c.Scope > memmodel.ScopeWorkGroup {
		unmapped("the barriers of OpenCL 1.x order within a work-group only")
	}
	return fmt.Sprintf("barrier(%s)", flagsOf(c.Flags))
}
