package load

import (
	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/models/cl"
	"github.com/clmc/clmc/state/ir"
)

// addCommands enters the functions of the host's command queues and events.
func addCommands() {
	add := func(name string, params roles, lower func(*call) value) {
		builtins[name] = builtin{where: inHost, params: params, lower: lower}
	}
	add("CreateCommandQueue", roles{byPosition, byPosition}, lowerCreateQueue)
	add("OnQueue", roles{byPosition}, lowerOnQueue)
	add("EventWaitList", roles{theEvents}, lowerWaitList)
	add("EnqueueNDRangeKernel", roles{theKernel, theNDRange, theOptions}, lowerEnqueue)
	add("EnqueueReadBuffer", roles{byPosition, byPosition, byPosition, byPosition, theOptions}, lowerReadBuffer)
	add("EnqueueWriteBuffer", roles{byPosition, byPosition, byPosition, byPosition, theOptions}, lowerWriteBuffer)
	add("EnqueueCopyBuffer", roles{byPosition, byPosition, byPosition, byPosition, byPosition, theOptions}, lowerCopyBuffer)
	add("EnqueueFillBuffer", roles{byPosition, byPosition, byPosition, byPosition, theOptions}, lowerFillBuffer)
	add("EnqueueMapBuffer", roles{byPosition, byPosition, byPosition, byPosition, byPosition, theOptions}, lowerMapBuffer)
	add("EnqueueUnmapMemObject", roles{byPosition, theOptions}, lowerUnmap)
	add("EnqueueSVMMap", roles{byPosition, byPosition, byPosition, theOptions}, lowerSVMMap)
	add("EnqueueSVMUnmap", roles{byPosition, theOptions}, lowerUnmap)
	add("EnqueueSVMMemcpy", roles{byPosition, byPosition, byPosition, theOptions}, lowerMemcpy)
	add("EnqueueSVMMemFill", roles{byPosition, byPosition, theOptions}, lowerMemFill)
	add("SVMFree", roles{byPosition}, lowerFree)
	add("EnqueueSVMFree", roles{byPosition, theOptions}, lowerEnqueueFree)
	add("EnqueueMarkerWithWaitList", roles{theOptions}, lowerMarker)
	add("EnqueueBarrierWithWaitList", roles{theOptions}, lowerQueueBarrier)
	add("Finish", roles{maybeQueue}, lowerFinish)
	add("Flush", roles{maybeQueue}, lowerFlush)
	add("WaitForEvents", roles{theEvents}, lowerWaitForEvents)
	add("GetEventInfo", roles{byPosition, byPosition}, lowerEventInfo)
	add("SetEventCallback", roles{byPosition, byPosition, byPosition}, lowerCallback)
}

// maxDevices bounds the devices of a model.
const maxDevices = 16

func lowerCreateQueue(c *call) value {
	device, ok := c.Known(c.reg(c.all[0]))
	properties, also := c.Known(c.reg(c.all[1]))
	switch {
	case !ok || !also:
		c.fault(c.pos, "write constants: cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)", "the arguments of cl.CreateCommandQueue must be constants")
	case device < 0 || device >= maxDevices:
		c.fault(c.pos, "write a number from 0 to 15", "%d is not a device", device)
	case properties&^int64(cl.CLQueueOutOfOrderExecModeEnable) != 0:
		c.fault(c.pos, "write 0 or cl.CLQueueOutOfOrderExecModeEnable", "%d is not a combination of properties of a command queue", properties)
	case c.spawned:
		c.fault(c.pos, "create the queue in main", "cl.CreateCommandQueue cannot be called in a host thread that main starts")
	case c.inLoop(c.ins.Block()):
		c.fault(c.pos, "create an array of queues outside the loop", "cl.CreateCommandQueue cannot be called in a loop")
	}
	l := c.lowering
	l.p.HostQueues = append(l.p.HostQueues, ir.Queue{Name: orName(c.variableName(), "queue"), Device: uint16(device), OutOfOrder: properties != 0})
	return one(c.Constant(ir.QueueHandle(len(l.p.HostQueues) - 1)))
}

// The options of a command exist at load time only: a list of what the option
// is, and its values.
const (
	onQueue = iota
	waitList
)

func lowerOnQueue(c *call) value {
	return value{list: []value{one(c.Constant(onQueue)), c.all[0]}}
}

func lowerWaitList(c *call) value {
	list := []value{one(c.Constant(waitList))}
	if slice, given := c.eventSlice(); given {
		events, _ := c.loaded(slice, "list the events in the call, or pass a slice of constant length")
		for _, e := range events {
			list = append(list, one(e))
		}
		return value{list: list}
	}
	return value{list: append(list, c.variadic(theEvents)...)}
}

// variadic returns the variadic arguments in a role, which must be written
// in the call.
func (c *call) variadic(what role) []value {
	v := c.arg[what]
	if v.list == nil && !c.isZero(v) {
		c.fault(c.pos, "write the arguments one by one", "cl.%s does not take a slice", c.name)
	}
	return v.list
}

// eventSlice returns the cells of the slice that stands for a call's events, if one does.
func (c *call) eventSlice() (cells []int32, given bool) {
	v := c.arg[theEvents]
	if v.list != nil || c.isZero(v) {
		return nil, false
	}
	return c.flat(v, c.pos), true
}

// options returns the queue and the events that a command's options name.
func (c *call) options() (queue int32, events []int32) {
	queue = c.Constant(0)
	for _, o := range c.variadic(theOptions) {
		if len(o.list) == 0 {
			c.fault(c.pos, "write cl.OnQueue(queue) or cl.EventWaitList(events) in the call itself", "the options of cl.%s must stand in the call itself", c.name)
			continue
		}
		kind, _ := c.Known(c.reg(o.list[0]))
		for _, v := range o.list[1:] {
			if kind == onQueue {
				queue = c.reg(v)
			} else {
				events = append(events, c.reg(v))
			}
		}
	}
	return queue, events
}

// enqueue emits a command with its options and returns its event. The
// arguments are the queue, what the command is, its wait list and its
// parameters.
func (c *call) enqueue(in ir.Instr, header, params []int32) value {
	queue, events := c.options()
	in.Args = append(append(append([]int32{queue}, header...), events...), params...)
	in.Waits = int32(len(events))
	in.Dst = c.NewReg("")
	c.Emit(in)
	return one(in.Dst)
}

func lowerMarker(c *call) value       { return c.enqueue(ir.Instr{Op: ir.OpMarker}, nil, nil) }
func lowerQueueBarrier(c *call) value { return c.enqueue(ir.Instr{Op: ir.OpQueueBarrier}, nil, nil) }

// blocks reports a call that would block in a callback (API 5.11).
func (c *call) blocks() {
	if c.callback {
		c.fault(c.pos, "let the callback set a user event or an atomic flag, and wait for that elsewhere",
			"cl.%s cannot wait in a callback (OpenCL API 5.11, clSetEventCallback)", c.name)
	}
}

// queueOf returns the queue that a call names, or the default one.
func (c *call) queueOf() int32 {
	if q := c.variadic(maybeQueue); len(q) > 0 {
		return c.reg(q[0])
	}
	return c.Constant(0)
}

func lowerFinish(c *call) value {
	c.blocks()
	c.Emit(ir.Instr{Op: ir.OpFinish, A: c.queueOf()})
	return value{}
}

func lowerFlush(c *call) value {
	c.queueOf()
	return value{}
}

func lowerWaitForEvents(c *call) value {
	c.blocks()
	if slice, given := c.eventSlice(); given {
		return one(c.waitEach(slice))
	}
	events := c.variadic(theEvents)
	if len(events) == 0 { // CL_INVALID_VALUE
		c.Check(ir.CheckArgument, c.Constant(0), atLeastOne)
	}
	return one(c.wait(events))
}

const atLeastOne = "clWaitForEvents must be given at least one event"

// waitEach waits for the events of a slice one after the other, which comes to the same, and
// returns whether all went well.
func (c *call) waitEach(slice []int32) int32 {
	well := c.NewReg("")
	c.Move(well, c.Constant(1))
	if len(slice) < 3 {
		return well
	}
	c.Check(ir.CheckArgument, c.Bin(ir.Gt, ir.I64, slice[1], c.Constant(0)), atLeastOne)
	c.Repeat(slice[1], func(i int32) {
		c.Move(well, c.Bin(ir.And, ir.I64, well, c.wait([]value{one(c.Load(ir.I64, c.Element(slice[0], i, 1)))})))
	})
	return well
}

// wait emits clWaitForEvents and returns whether all went well.
func (c *call) wait(events []value) int32 {
	in := ir.Instr{Op: ir.OpWaitEvents, Dst: c.NewReg("")}
	for _, e := range events {
		in.Args = append(in.Args, c.reg(e))
	}
	c.Emit(in)
	return in.Dst
}

func lowerEventInfo(c *call) value {
	if v, ok := c.Known(c.reg(c.all[1])); !ok || v != int64(cl.CLEventCommandExecutionStatus) {
		c.fault(c.pos, "write cl.CLEventCommandExecutionStatus", "cl.GetEventInfo returns only the execution status")
	}
	r := c.NewReg("")
	c.Emit(ir.Instr{Op: ir.OpEventStatus, Dst: r, A: c.reg(c.all[0])})
	return one(r)
}

// lowerCallback lowers clSetEventCallback: a host thread that starts when the
// event has come to a status, with the status as its first parameter.
func lowerCallback(c *call) value {
	notify := c.all[2].fn
	status, ok := c.Known(c.reg(c.all[1]))
	if !ok || status < int64(cl.CLComplete) || status > int64(cl.CLSubmitted) {
		c.fault(c.pos, "write cl.CLSubmitted, cl.CLRunning or cl.CLComplete", "the second argument of cl.SetEventCallback must be a constant: one of the statuses that a command reaches (OpenCL API 5.11)")
	}
	if notify == nil || notify.fn.Blocks == nil {
		c.fault(c.pos, "write a function literal", "clmc cannot determine at load time which function is called back")
		return value{}
	}
	c.by = "callback"
	part := c.capture(value{fn: notify}, notify.fn.Signature)
	if part == nil {
		return value{}
	}
	event := &captured{regs: []int32{c.reg(c.all[0])}, code: c.Func}
	at := c.At
	index := c.lowering.callback(part, event, c.ins)
	c.unit.At = at
	args := []int32{c.reg(c.all[0]), c.Constant(status)}
	c.Emit(ir.Instr{Op: ir.OpCallback, Target: int32(index), Args: append(append(args, part.params()...), event.params()...)})
	return value{}
}

// callback returns the function, in the program, of a callback.
func (l *lowering) callback(part, event *captured, at *ssa.Call) int {
	u := l.newFunc(kernelName(part.fn), at.Pos(), inHost)
	u.spawned, u.callback = true, true
	status := u.Param(part.fn.Params[1].Name())
	v := u.receive(part, "", nil)
	e := u.receive(event, part.fn.Params[0].Name(), part.fn.Params[0].Type())
	u.run(v.fn, v.fn.free, e, one(status))
	return u.Number()
}

// span is a run of elements in memory.
type span struct {
	addr, length int32
	size         int // cells of an element
}

// spanOf returns what a slice argument names.
func (c *call) spanOf(i int) span {
	s := c.flat(c.all[i], c.pos)
	if len(s) != 3 {
		return span{c.Constant(0), c.Constant(0), 1}
	}
	return span{s[0], s[1], c.size(c.typeArg())}
}

// from returns the part of a span that begins at an offset and has n elements,
// which must be there.
func (c *call) from(s span, offset, n int32) span {
	c.Check(ir.CheckIndex, c.Bin(ir.Le, ir.U64, offset, s.length), "")
	c.Check(ir.CheckIndex, c.Bin(ir.Le, ir.U64, n, c.Bin(ir.Sub, ir.I64, s.length, offset)), "")
	return span{c.Element(s.addr, offset, s.size), n, s.size}
}

// isBlocking returns the argument that says whether a call blocks.
func (c *call) isBlocking(i int) bool {
	v, ok := c.Known(c.reg(c.all[i]))
	if !ok {
		c.fault(c.pos, "write cl.CLBlocking or cl.CLNonBlocking", "cl.%s needs a constant that says whether it blocks", c.name)
	}
	if v != 0 {
		c.blocks()
	}
	return v != 0
}

// native enqueues a command that executes a function of its own, and waits for
// it if the call blocks.
func (c *call) native(u *unit, blocking bool, params ...int32) value {
	event := c.enqueue(ir.Instr{Op: ir.OpEnqueueNative, Target: int32(u.Number()), Str: c.p.Str("cl" + c.name)}, nil, params)
	if blocking {
		c.wait([]value{event})
	}
	return event
}

// body returns the function of a native command, to be filled in, with its
// parameters.
func (c *call) body(params int) (*unit, []int32) {
	u := c.newFunc("cl"+c.name, c.pos, inKernel)
	u.At = c.At
	for range params {
		u.Param("")
	}
	return u, u.Params()
}

// copySpan enqueues a copy of elements.
func (c *call) copySpan(dst, src span, blocking bool) value {
	u, p := c.body(3)
	leaves := c.leaves(c.typeArg())
	u.Repeat(p[2], func(i int32) {
		to, from := u.Element(p[0], i, dst.size), u.Element(p[1], i, src.size)
		for k, l := range leaves {
			u.Store(l.t, u.Offset(to, k), u.Load(l.t, u.Offset(from, k)))
		}
	})
	u.End()
	return c.native(u, blocking, dst.addr, src.addr, dst.length)
}

// fillSpan enqueues a fill of elements with a pattern.
func (c *call) fillSpan(dst span, pattern value) value {
	leaves := c.leaves(c.typeArg())
	u, p := c.body(2 + len(leaves))
	u.Repeat(p[1], func(i int32) {
		to := u.Element(p[0], i, dst.size)
		for k, l := range leaves {
			u.Store(l.t, u.Offset(to, k), p[2+k])
		}
	})
	u.End()
	return c.native(u, false, append([]int32{dst.addr, dst.length}, c.flat(pattern, c.pos)...)...)
}

func lowerReadBuffer(c *call) value {
	ptr := c.spanOf(3)
	return c.copySpan(ptr, c.from(c.spanOf(0), c.reg(c.all[2]), ptr.length), c.isBlocking(1))
}

func lowerWriteBuffer(c *call) value {
	ptr := c.spanOf(3)
	return c.copySpan(c.from(c.spanOf(0), c.reg(c.all[2]), ptr.length), ptr, c.isBlocking(1))
}

func lowerCopyBuffer(c *call) value {
	n := c.reg(c.all[4])
	src := c.from(c.spanOf(0), c.reg(c.all[2]), n)
	dst := c.from(c.spanOf(1), c.reg(c.all[3]), n)
	c.disjointSpans(dst, src)
	return c.copySpan(dst, src, false)
}

func lowerMemcpy(c *call) value {
	dst, src := c.spanOf(1), c.spanOf(2)
	c.Check(ir.CheckArgument, c.Bin(ir.Eq, ir.I64, dst.length, src.length), "source and destination of clEnqueueSVMMemcpy must have the same length")
	c.disjointSpans(dst, src)
	return c.copySpan(dst, src, c.isBlocking(0))
}

func lowerFillBuffer(c *call) value {
	return c.fillSpan(c.from(c.spanOf(0), c.reg(c.all[2]), c.reg(c.all[3])), c.all[1])
}

func lowerMemFill(c *call) value { return c.fillSpan(c.spanOf(0), c.all[1]) }

func lowerMapBuffer(c *call) value {
	region := c.from(c.spanOf(0), c.reg(c.all[3]), c.reg(c.all[4]))
	event := c.mapSpan(region, c.all[2], c.isBlocking(1))
	return value{list: []value{{regs: []int32{region.addr, region.length, region.length}}, event}}
}

func lowerSVMMap(c *call) value { return c.mapSpan(c.spanOf(2), c.all[1], c.isBlocking(0)) }

// mapSpan enqueues a map command.
func (c *call) mapSpan(region span, flags value, blocking bool) value {
	f, ok := c.Known(c.reg(flags))
	if !ok || f == 0 || f&^int64(cl.CLMapRead|cl.CLMapWrite) != 0 {
		c.fault(c.pos, "write cl.CLMapRead, cl.CLMapWrite or both, with |", "the flags of cl.%s must be a constant combination of map flags", c.name)
	}
	u, p := c.body(2)
	u.Repeat(p[1], func(i int32) { u.Emit(ir.Instr{Op: ir.OpMapCell, A: u.Element(p[0], i, 1)}) })
	u.Emit(ir.Instr{Op: ir.OpMap, A: p[0], B: p[1], Writes: f&int64(cl.CLMapWrite) != 0})
	u.End()
	return c.native(u, blocking, region.addr, c.cells(region))
}

func lowerUnmap(c *call) value {
	region := c.spanOf(0)
	u, p := c.body(2)
	u.Emit(ir.Instr{Op: ir.OpUnmap, A: p[0], B: p[1]})
	u.End()
	return c.native(u, false, region.addr, c.cells(region))
}

func lowerFree(c *call) value {
	c.Emit(ir.Instr{Op: ir.OpFree, A: c.spanOf(0).addr})
	return value{}
}

func lowerEnqueueFree(c *call) value {
	addr := c.spanOf(0).addr
	u, p := c.body(1)
	freed := p[0]
	if at, ok := c.Known(addr); ok { // so that the text of the program tells what may be freed
		freed = u.Constant(at)
	}
	u.Emit(ir.Instr{Op: ir.OpFree, A: freed})
	u.End()
	return c.native(u, false, addr)
}

// cells returns the number of cells of a span.
func (c *call) cells(s span) int32 {
	return c.Bin(ir.Mul, ir.I64, s.length, c.Constant(int64(s.size)))
}
