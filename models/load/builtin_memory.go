package load

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/cl"
	"github.com/clmc/clmc/state/ir"
)

// lowerLocal lowers cl.Local: one object for each call expression and kernel.
func lowerLocal(c *call) value {
	if addr, ok := c.locals[c.pos]; ok {
		return one(addr)
	}
	name := orName(c.nameOf(c.ins), "local")
	addr := c.Constant(c.newLocal(name, c.pos, c.typeArg()))
	c.locals[c.pos] = addr
	return one(addr)
}

// lowerLocalArg lowers cl.LocalArg: a slice of an object.
func lowerLocalArg(c *call) value {
	n, ok := c.Known(c.operandOf(theNumber))
	if !ok || n < 1 || n > maxObject {
		c.fault(c.pos, "write a constant number of elements", "the size of local memory must be a constant from 1 to %d", maxObject)
		return c.zero(c.ins.Type())
	}
	addr, ok := c.locals[c.pos]
	if !ok {
		addr = c.Constant(c.newLocal(c.argumentName(), c.pos, types.NewArray(c.typeArg(), n)))
		c.locals[c.pos] = addr
	}
	length := c.Constant(n)
	return value{regs: []int32{addr, length, length}}
}

// argumentName names local memory after the parameter of the kernel that gets it.
func (c *call) argumentName() string {
	for _, r := range *c.ins.Referrers() {
		call, ok := r.(*ssa.Call)
		if !ok {
			continue
		}
		if k := c.value(call.Common().Value).cl; k != nil {
			return k.Params[slices.Index(call.Common().Args, ssa.Value(c.ins))].Name
		}
	}
	return "local"
}

func lowerNewBuffer(c *call) value { return c.allocate(memmodel.Buffer) }

func lowerSVMAlloc(c *call) value {
	flags, ok := c.Known(c.operandOf(theFlags))
	fine := flags&int64(cl.CLMemSVMFineGrainBuffer) != 0
	atomics := flags&int64(cl.CLMemSVMAtomics) != 0
	switch {
	case !ok:
		c.fault(c.pos, "write a constant such as cl.CLMemSVMFineGrainBuffer", "the flags of cl.SVMAlloc must be a constant")
	case flags&^int64(cl.CLMemReadWrite|cl.CLMemSVMFineGrainBuffer|cl.CLMemSVMAtomics) != 0:
		c.fault(c.pos, "combine cl.CLMemReadWrite, cl.CLMemSVMFineGrainBuffer and cl.CLMemSVMAtomics with |", "%d is not a combination of flags of cl.SVMAlloc", flags)
	case atomics && !fine:
		c.fault(c.pos, "add cl.CLMemSVMFineGrainBuffer", "cl.CLMemSVMAtomics needs cl.CLMemSVMFineGrainBuffer (OpenCL API, clSVMAlloc)")
	case atomics:
		return c.allocate(memmodel.FineSVMAtomics)
	case fine:
		return c.allocate(memmodel.FineSVM)
	}
	return c.allocate(memmodel.CoarseSVM)
}

// allocate adds a buffer to the shared segment and returns a slice of it.
func (c *call) allocate(kind memmodel.Kind) value {
	n, ok := c.Known(c.operandOf(theNumber))
	switch {
	case !ok:
		c.fault(c.pos, "write a constant length; -D overrides named constants", "the length that cl.%s takes must be a constant", c.name)
		return c.zero(c.ins.Type())
	case n < 1 || n > maxObject:
		c.fault(c.pos, fmt.Sprintf("write a length from 1 to %d", maxObject), "%d is not the length of a buffer", n)
		return c.zero(c.ins.Type())
	case c.spawned:
		c.fault(c.pos, "allocate in main, or at package level", "cl.%s cannot be called in a host thread that main starts", c.name)
		return c.zero(c.ins.Type())
	case c.inLoop(c.ins.Block()):
		c.fault(c.pos, "allocate one array of buffers outside the loop", "cl.%s cannot be called in a loop", c.name)
		return c.zero(c.ins.Type())
	}
	name := orName(c.variableName(), "buffer")
	addr := c.newObject(name, c.pos, types.NewArray(c.typeArg(), n), kind)
	c.p.Objects[len(c.p.Objects)-1].HostMaps = !kind.Fine()
	length := c.Constant(n)
	return value{regs: []int32{c.Constant(addr), length, length}}
}

// variableName returns the name of the variable that the result is stored in.
func (c *call) variableName() string {
	if n := c.nameOf(c.ins); n != "" {
		return n
	}
	for _, r := range *c.ins.Referrers() {
		if n := storedTo(r, c.ins); n != "" {
			return n
		}
	}
	return ""
}

// lowerNDRange builds the ten cells of an NDRange: the number of dimensions,
// and offset, global size and local size with three entries each.
func lowerNDRange(c *call) value {
	given := c.arg[theNumbers].list
	switch len(given) {
	case 2:
		given = append([]value{{}}, given...)
	case 3:
	case 1:
		c.fault(c.pos, "add the local size: cl.NDRange1D(global, local)", "cl.%s needs a local size: the verdict may depend on it", c.name)
		return c.zero(c.ins.Type())
	default:
		c.fault(c.pos, "write the global and the local size, or the offset, the global and the local size", "cl.%s takes two or three arguments", c.name)
		return c.zero(c.ins.Type())
	}
	regs := []int32{c.Constant(int64(c.dim))}
	for i, v := range given {
		cells := c.flat(v, c.pos)
		for d := range 3 {
			r := c.Constant(min(int64(i), 1)) // unused dimensions have offset 0 and size 1
			if d < c.dim && d < len(cells) {
				r = cells[d]
				c.checkSize(i, r)
			}
			regs = append(regs, r)
		}
	}
	return value{regs: regs}
}

// checkSize checks one entry of the offset (0), global size (1) or local size (2).
func (c *call) checkSize(which int, r int32) {
	what := [...]string{"the offset of an NDRange must not be negative", "the global size of an NDRange must not be negative", "the local size of an NDRange must be positive"}[which]
	least := int64(0) // without work-items, a command does nothing (API 5.10)
	if which == 2 {
		least = 1
	}
	switch v, ok := c.Known(r); {
	case ok && v < least:
		c.fault(c.pos, "write a larger number", "%d is not a valid %s of an NDRange", v, [...]string{"offset", "global size", "local size"}[which])
		return
	case ok && which > 0 && v > ir.MaxItems: // OpenCL allows it
		c.fault(c.pos, "make the model smaller", "%d work-items are too many: a kernel or work-group of a model has at most %d", v, ir.MaxItems)
		return
	}
	c.Check(ir.CheckArgument, c.Bin(ir.Ge, ir.I64, r, c.Constant(least)), what)
}

// lowerToSpace lowers to_global and its like: the pointer itself if it points
// to that address space, else nil (OpenCL C 6.15.10).
func lowerToSpace(c *call) value {
	v := c.arg[thePointer]
	if v.at != nil {
		if c.space == ir.SegPrivate {
			return v
		}
		return one(c.Constant(0))
	}
	return one(c.Bin(ir.Mul, ir.I64, c.reg(v), c.pointsInto(v, c.space)))
}

// lowerGetFence lowers get_fence: the flag of the address space that the
// pointer points to.
func lowerGetFence(c *call) value {
	v := c.arg[thePointer]
	if v.at != nil {
		return one(c.Constant(0))
	}
	local := c.Bin(ir.Mul, ir.I64, c.pointsInto(v, ir.SegGroup), c.Constant(int64(cl.CLKLocalMemFence)))
	global := c.Bin(ir.Mul, ir.I64, c.pointsInto(v, ir.SegShared), c.Constant(int64(cl.CLKGlobalMemFence)))
	return one(c.Bin(ir.Or, ir.I64, local, global))
}

// pointsInto returns whether a pointer points into a segment, as 0 or 1.
func (c *call) pointsInto(v value, segment int64) int32 {
	return c.Bin(ir.Eq, ir.I64, c.Bin(ir.And, ir.I64, c.reg(v), c.Constant(ir.SegMask)), c.Constant(segment))
}
