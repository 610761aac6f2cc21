package load

import (
	"cmp"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/models/cl"
	"github.com/clmc/clmc/state/ir"
)

// addEnqueue enters device-side enqueue.
func addEnqueue() {
	for name, b := range map[string]builtin{
		"GetDefaultQueue":          {where: inKernel, lower: lowerDefaultQueue},
		"CreateDeviceQueue":        {where: inHost, params: roles{theSizes}, lower: lowerDeviceQueue},
		"EnqueuesMayFail":          {where: inHost, params: roles{theOperand}, lower: lowerMayFail},
		"EnqueueKernel":            {where: inKernel, params: roles{theQueue, theFlags, theNDRange, theKernel}, lower: lowerEnqueueKernel},
		"EnqueueKernelEvents":      {where: inKernel, params: roles{theQueue, theFlags, theNDRange, theWaitList, theNewEvent, theKernel}, lower: lowerEnqueueKernel},
		"EnqueueKernelLocal":       {where: inKernel, params: roles{theQueue, theFlags, theNDRange, theKernel, theSizes}, lower: lowerEnqueueKernel},
		"EnqueueKernelLocalEvents": {where: inKernel, params: roles{theQueue, theFlags, theNDRange, theWaitList, theNewEvent, theKernel, theSizes}, lower: lowerEnqueueKernel},
		"EnqueueMarker":            {where: inKernel, params: roles{theQueue, theWaitList, theNewEvent}, lower: lowerEnqueueMarker},
		"CreateUserEvent":          {where: anywhere, lower: lowerEvent, op: ir.OpCreateEvent},
		"SetUserEventStatus":       {where: anywhere, params: roles{theEvent, theOperand}, lower: lowerEvent, op: ir.OpSetEvent},
		"RetainEvent":              {where: inKernel, params: roles{theEvent}, lower: lowerEvent, op: ir.OpRetainEvent},
		"ReleaseEvent":             {where: inKernel, params: roles{theEvent}, lower: lowerEvent, op: ir.OpReleaseEvent},
		"IsValidEvent":             {where: inKernel, params: roles{theEvent}, lower: lowerEvent, op: ir.OpValidEvent},

		"GetKernelWorkGroupSize":                  {where: inKernel, params: roles{theKernel}, lower: lowerKernelQuery, implied: ir.MaxItems},
		"GetKernelPreferredWorkGroupSizeMultiple": {where: inKernel, params: roles{theKernel}, lower: lowerSubGroupSize},
		"GetKernelSubGroupCountForNDRange":        {where: inKernel, params: roles{theNDRange, theKernel}, lower: lowerSubGroupCount},
		"GetKernelMaxSubGroupSizeForNDRange":      {where: inKernel, params: roles{theNDRange, theKernel}, lower: lowerSubGroupMax},
	} {
		builtins[name] = b
	}
}

func lowerDefaultQueue(c *call) value { return one(c.Constant(ir.DefaultQueue)) }

// lowerDeviceQueue adds a queue to the program.
func lowerDeviceQueue(c *call) value {
	size := int64(0)
	switch sizes := c.arg[theSizes].list; {
	case len(sizes) > 1:
		c.fault(c.pos, "leave the others out", "cl.CreateDeviceQueue takes one size")
	case len(sizes) == 1:
		var ok bool
		if size, ok = c.Known(c.reg(sizes[0])); !ok || size < 1 || size > 1<<12 {
			c.fault(c.pos, "write a constant from 1 to 4096", "the size of a queue must be a constant")
		}
	}
	if c.inLoop(c.ins.Block()) {
		c.fault(c.pos, "create it before the loop", "cl.CreateDeviceQueue cannot be called in a loop")
	}
	c.p.Queues = append(c.p.Queues, int32(size))
	return one(c.Constant(ir.DefaultQueue + int64(len(c.p.Queues))))
}

func lowerMayFail(c *call) value {
	fail, ok := c.Known(c.operandOf(theOperand))
	if !ok {
		c.fault(c.pos, "write a constant; -D overrides named constants", "whether enqueues may fail must be a constant")
	}
	c.p.EnqueueFailure = c.p.EnqueueFailure || fail != 0
	return value{}
}

// lowerEnqueueKernel lowers the forms of enqueue_kernel.
func lowerEnqueueKernel(c *call) value {
	fn := c.kernelArgument()
	if fn == nil {
		return c.zero(c.ins.Type())
	}
	sizes, ok := c.localSizes(fn.fn)
	if !ok {
		return c.zero(c.ins.Type())
	}
	cap := c.capture(value{fn: fn}, fn.fn.Signature)
	ndrange := c.flat(c.arg[theNDRange], c.pos)
	waits, ok := c.waitList()
	if !ok || cap == nil || len(ndrange) != 10 {
		return c.zero(c.ins.Type())
	}
	at := c.At
	cap.local = sizes
	index := c.kernel(cap)
	c.unit.At = at
	in := ir.Instr{Op: ir.OpEnqueueKernel, Target: int32(index), Waits: int32(len(waits))}
	in.Args = append([]int32{c.operandOf(theQueue), c.operandOf(theFlags)}, ndrange...)
	in.Args = append(append(in.Args, waits...), cap.params()...)
	return c.enqueued(in)
}

// kernelArgument returns the function that is to be enqueued, or nil after
// reporting why there is none.
func (c *call) kernelArgument() *closure {
	fn := c.arg[theKernel].fn
	if fn == nil {
		c.fault(c.pos, "name the kernel, or write a function literal", "clmc cannot determine at load time which kernel is enqueued")
		return nil
	}
	if isVocabulary(fn.fn) || fn.fn.Blocks == nil {
		c.fault(c.pos, "write a function of your own", "%s cannot be a kernel", fn.fn.Name())
		return nil
	}
	return fn
}

// localSizes returns the number of elements of each local argument of the
// block.
func (c *call) localSizes(fn *ssa.Function) (sizes []int64, ok bool) {
	params := fn.Signature.Params()
	given := c.arg[theSizes].list
	if params.Len() != len(given) || fn.Signature.Results().Len() > 0 {
		c.fault(c.pos, "write one size for each parameter of the block, which has no results",
			"%s has %d parameters and %d results, and there are %d sizes", kernelName(fn), params.Len(), fn.Signature.Results().Len(), len(given))
		return nil, false
	}
	for i, v := range given {
		n, known := c.Known(c.reg(v))
		_, slice := params.At(i).Type().Underlying().(*types.Slice)
		switch {
		case !slice:
			c.fault(c.pos, "write instead: a slice, such as []int32", "the parameters of a block are local memory; %s is a %s", params.At(i).Name(), params.At(i).Type())
			return nil, false
		case !known || n < 1 || n > maxObject:
			c.fault(c.pos, "write a constant number of elements", "the size of local argument %s must be a constant from 1 to %d", params.At(i).Name(), maxObject)
			return nil, false
		}
		sizes = append(sizes, n)
	}
	return sizes, true
}

// localArguments declares the local arguments of the unit's kernel.
func (u *unit) localArguments(c *captured) (args []value) {
	for i, n := range c.local {
		p := c.fn.Signature.Params().At(i)
		elem := p.Type().Underlying().(*types.Slice).Elem()
		addr := u.newLocal(p.Name(), p.Pos(), types.NewArray(elem, n))
		length := u.Constant(n)
		args = append(args, value{regs: []int32{u.Constant(addr), length, length}})
	}
	return args
}

// waitList returns the events of the wait list.
func (c *call) waitList() (events []int32, ok bool) {
	v, given := c.arg[theWaitList]
	if !given {
		return nil, true
	}
	return c.loaded(c.flat(v, c.pos), "write the list out: []cl.ClkEvent{a, b}")
}

// loaded returns the events of a slice, whose length must be known; the hint says what to do.
func (c *call) loaded(cells []int32, hint string) (events []int32, ok bool) {
	if len(cells) < 3 {
		return nil, false
	}
	n, ok := c.Known(cells[1])
	if !ok || n > 64 {
		c.fault(c.pos, hint, "clmc cannot determine at load time how many events are waited for")
		return nil, false
	}
	for i := range int(n) {
		events = append(events, c.Load(ir.I64, c.Offset(cells[0], i)))
	}
	return events, true
}

func lowerEnqueueMarker(c *call) value {
	waits, ok := c.waitList()
	if !ok || c.noEvent() { // rule 12.18
		return one(c.Constant(int64(cl.CLKSuccess)))
	}
	return c.enqueued(ir.Instr{Op: ir.OpEnqueueMarker, Waits: int32(len(waits)), Args: append([]int32{c.operandOf(theQueue)}, waits...)})
}

// noEvent reports whether no event is asked for.
func (c *call) noEvent() bool {
	if c.arg[theNewEvent].at != nil {
		return false
	}
	p, known := c.Known(c.operandOf(theNewEvent))
	return known && p == 0
}

// enqueued completes an enqueue: its result, and the event for event_ret.
func (c *call) enqueued(in ir.Instr) value {
	in.Dst, in.Dst2 = c.NewReg(""), -1
	e, given := c.arg[theNewEvent]
	if !given || c.noEvent() {
		c.Emit(in)
		return one(in.Dst)
	}
	in.Dst2 = c.NewReg("")
	if e.at != nil {
		c.Emit(in)
		c.assign(e.at, in.Dst2)
		return one(in.Dst)
	}
	addr := c.operandOf(theNewEvent)
	c.checkNil(c.val[theNewEvent], addr)
	c.Emit(in)
	c.Store(ir.I64, addr, in.Dst2)
	return one(in.Dst)
}

// lowerEvent lowers the functions that work on one event.
func lowerEvent(c *call) value {
	in := ir.Instr{Op: c.op, Dst: -1}
	if c.op != ir.OpCreateEvent {
		in.A = c.operandOf(theEvent)
	}
	switch c.op {
	case ir.OpSetEvent:
		in.B = c.operandOf(theOperand)
	case ir.OpCreateEvent, ir.OpValidEvent:
		in.Dst = c.NewReg("")
	}
	c.Emit(in)
	if in.Dst < 0 {
		return value{}
	}
	return one(in.Dst)
}

func lowerKernelQuery(c *call) value { return one(c.Constant(c.implied)) }

func lowerSubGroupSize(c *call) value { return one(c.Constant(c.subGroups())) }

// subGroups returns the size of the device's sub-groups.
func (c *call) subGroups() int64 { return cmp.Or(c.subGroupSize, ir.DefaultSubGroupSize) }

// groupItems returns the number of work-items in a whole work-group of the
// index space.
func (c *call) groupItems() int32 {
	cells := c.flat(c.arg[theNDRange], c.pos)
	if len(cells) != 10 {
		return c.Constant(1)
	}
	return c.Bin(ir.Mul, ir.I64, c.Bin(ir.Mul, ir.I64, cells[7], cells[8]), cells[9])
}

func lowerSubGroupCount(c *call) value {
	n := c.Bin(ir.Add, ir.I64, c.groupItems(), c.Constant(c.subGroups()-1))
	return one(c.Bin(ir.Div, ir.I64, n, c.Constant(c.subGroups())))
}

func lowerSubGroupMax(c *call) value {
	return one(c.Bin(ir.Min, ir.I64, c.groupItems(), c.Constant(c.subGroups())))
}

// isEvent reports whether t is cl.ClkEvent.
func isEvent(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == vocabularyPath && n.Obj().Name() == "ClkEvent"
}

// holdsEvent reports whether a value of type t contains an event.
func holdsEvent(t types.Type) bool {
	if isEvent(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return holdsEvent(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if holdsEvent(f.Type()) {
				return true
			}
		}
	}
	return false
}

// noEventHere reports an event where only one kernel-instance could find it.
func (l *lowering) noEventHere(pos token.Pos, what string) {
	l.fault(pos, "keep it in a local variable of the kernel or host function that enqueues", "%s an event, which is valid only in the kernel-instance that enqueued (rule 12.14)", what)
}
