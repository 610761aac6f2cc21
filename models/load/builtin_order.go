package load

import (
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/cl"
	"github.com/clmc/clmc/models/internal/lower"
)

var orders = map[int64]memmodel.Order{
	int64(cl.MemoryOrderRelaxed): memmodel.Relaxed,
	int64(cl.MemoryOrderAcquire): memmodel.Acquire,
	int64(cl.MemoryOrderRelease): memmodel.Release,
	int64(cl.MemoryOrderAcqRel):  memmodel.AcqRel,
	int64(cl.MemoryOrderSeqCst):  memmodel.SeqCst,
}

var scopes = map[int64]memmodel.Scope{
	int64(cl.MemoryScopeWorkItem):      memmodel.ScopeWorkItem,
	int64(cl.MemoryScopeSubGroup):      memmodel.ScopeSubGroup,
	int64(cl.MemoryScopeWorkGroup):     memmodel.ScopeWorkGroup,
	int64(cl.MemoryScopeDevice):        memmodel.ScopeDevice,
	int64(cl.MemoryScopeAllSVMDevices): memmodel.ScopeAllSVMDevices,
}

const allFlags = int64(cl.CLKLocalMemFence | cl.CLKGlobalMemFence | cl.CLKImageMemFence)

// constants evaluates the orders, scope and flags of a call, which must be
// known at load time, and checks that they may be combined.
func (c *call) constants() bool {
	c.ord, c.fail, c.scp = c.order, c.order, c.scope
	if c.old {
		c.scp = c.opt.legacyScope()
	}
	ok := c.setOrder(theOrder, &c.ord) && c.setOrder(theFailOrder, &c.fail) && c.setScope() && c.setFlags()
	return ok && c.legal()
}

func (c *call) setOrder(what role, to *memmodel.Order) bool {
	v, given := c.arg[what]
	if !given {
		return true
	}
	n, ok := c.Known(c.unit.reg(v))
	if !ok {
		c.fault(c.pos, "write a constant such as cl.MemoryOrderAcquire; to choose among orders, write a call for each", "the memory order of cl.%s must be a constant", c.name)
		return false
	}
	if *to, ok = orders[n]; !ok {
		c.fault(c.pos, "write one of cl.MemoryOrderRelaxed, Acquire, Release, AcqRel, SeqCst", "%d is not a memory order", n)
	}
	return ok
}

func (c *call) setScope() bool {
	v, given := c.arg[theScope]
	if list, variadic := c.arg[maybeScope]; variadic {
		switch {
		case len(list.list) == 1:
			v, given = list.list[0], true
		case len(list.list) > 1:
			c.fault(c.pos, "leave the others out", "cl.%s takes one scope", c.name)
			return false
		case len(list.regs) > 0 && !c.isZero(list):
			c.fault(c.pos, "write the scope itself", "the memory scope of cl.%s must be a constant", c.name)
			return false
		}
	}
	if c.unit.where == inHost {
		c.scp = memmodel.ScopeAllSVMDevices // rule 2.8
	}
	if !given {
		return true // that of rule 3.8
	}
	n, ok := c.Known(c.unit.reg(v))
	if !ok {
		c.fault(c.pos, "write a constant such as cl.MemoryScopeDevice", "the memory scope of cl.%s must be a constant", c.name)
		return false
	}
	if c.scp, ok = scopes[n]; !ok {
		c.fault(c.pos, "write one of cl.MemoryScopeSubGroup, WorkGroup, Device, AllSVMDevices", "%d is not a memory scope", n)
	} else if c.unit.where == inHost && c.scp != memmodel.ScopeAllSVMDevices {
		return c.illegal("the host's atomics apply at memory_scope_all_svm_devices, not "+c.scp.String()+" (rule 2.8; OpenCL API 3.3.7.1)", "leave the scope out")
	}
	return ok
}

// isZero reports whether v is the nil slice, that is, no variadic arguments.
func (c *call) isZero(v value) bool {
	for _, r := range v.regs {
		if n, ok := c.Known(r); !ok || n != 0 {
			return false
		}
	}
	return true
}

func (c *call) setFlags() bool {
	v, given := c.arg[theFenceFlags]
	if !given {
		return true
	}
	n, ok := c.Known(c.unit.reg(v))
	switch {
	case !ok:
		c.fault(c.pos, "write a constant such as cl.CLKLocalMemFence", "the fence flags of cl.%s must be a constant", c.name)
		return false
	case n&^allFlags != 0:
		c.fault(c.pos, "combine cl.CLKLocalMemFence, cl.CLKGlobalMemFence and cl.CLKImageMemFence with |", "%d is not a combination of fence flags", n)
		return false
	}
	for flag, bit := range map[cl.MemFenceFlags]memmodel.Flags{cl.CLKLocalMemFence: memmodel.LocalFence,
		cl.CLKGlobalMemFence: memmodel.GlobalFence, cl.CLKImageMemFence: memmodel.ImageFence} {
		if n&int64(flag) != 0 {
			c.flags |= bit
		}
	}
	return true
}

// legal checks the combinations of arguments that OpenCL C rules out.
func (c *call) legal() bool {
	s := lower.Sync{Op: c.op, Order: c.ord, Fail: c.fail, Scope: c.scp, Flags: c.flags, SubGroup: c.sub, Host: c.unit.where == inHost}
	if bad := s.Check(); bad != nil {
		return c.illegal(bad.Message, goNames.Replace(bad.Hint))
	}
	c.scp = s.Effective()
	return true
}

// goNames turns OpenCL C's names, in hints, into those of package cl.
var goNames = strings.NewReplacer("memory_order_relaxed", "cl.MemoryOrderRelaxed", "memory_order_acquire", "cl.MemoryOrderAcquire",
	"memory_order_release", "cl.MemoryOrderRelease", "memory_scope_work_group", "cl.MemoryScopeWorkGroup",
	"CLK_LOCAL_MEM_FENCE", "cl.CLKLocalMemFence", "CLK_GLOBAL_MEM_FENCE", "cl.CLKGlobalMemFence")

func (c *call) illegal(message, hint string) bool {
	c.fault(c.pos, hint, "%s", message)
	return false
}
