package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Queue adds a host queue and returns its handle; 0 is that of the default one.
func (b *Builder) Queue(device uint16, outOfOrder bool) int64 {
	b.prog.HostQueues = append(b.prog.HostQueues, ir.Queue{Name: "q", Device: device, OutOfOrder: outOfOrder})
	return ir.QueueHandle(len(b.prog.HostQueues) - 1)
}

// Command enqueues a kernel of one work-item on a host queue, or, without
// kernel, a marker or barrier, and returns its event.
func (t *Thread) Command(op ir.Op, queue int64, kernel *Thread, events ...Val) Val {
	if kernel != nil {
		return t.Launch(queue, kernel, 1, 1, events...)
	}
	event := t.Reg()
	t.emit(ir.Instr{Op: op, Args: append([]int32{int32(t.Int(queue))}, operands(events)...), Waits: int32(len(events)), Dst: int32(event)})
	return event
}

// Launch enqueues a kernel of some work-items, in work-groups of a size, on a host
// queue, and returns its event.
func (t *Thread) Launch(queue int64, kernel *Thread, items, size int64, events ...Val) Val {
	event := t.Reg()
	t.emit(ir.Instr{Op: ir.OpEnqueueNDRange, Target: int32(kernel.id), Waits: int32(len(events)), Dst: int32(event),
		Args: append(t.space([]int32{int32(t.Int(queue))}, items, size), operands(events)...)})
	return event
}

// FinishQueue waits for the commands of a host queue.
func (t *Thread) FinishQueue(queue int64) {
	t.emit(ir.Instr{Op: ir.OpFinish, A: int32(t.Int(queue))})
}

// WaitFor waits for events.
func (t *Thread) WaitFor(events ...Val) {
	t.emit(ir.Instr{Op: ir.OpWaitEvents, Dst: -1, Args: operands(events)})
}

func operands(vals []Val) (list []int32) {
	for _, v := range vals {
		list = append(list, int32(v))
	}
	return list
}

// Native enqueues a command that executes a function once, and returns its event.
func (t *Thread) Native(queue int64, code *Thread, events ...Val) Val {
	event := t.Reg()
	t.emit(ir.Instr{Op: ir.OpEnqueueNative, Target: int32(code.id), Args: append([]int32{int32(t.Int(queue))}, operands(events)...),
		Waits: int32(len(events)), Dst: int32(event), Str: t.b.str(code.f.Name)})
	return event
}

// Status asks for the status of an event. It is observed.
func (t *Thread) Status(event Val) Val {
	r := t.observed()
	t.emit(ir.Instr{Op: ir.OpEventStatus, Dst: int32(r), A: int32(event)})
	return r
}

// Callback has a host thread started when an event has come to a status: its first
// parameter is the status, the others are given.
func (t *Thread) Callback(event Val, status int64, code *Thread, args ...Val) {
	t.emit(ir.Instr{Op: ir.OpCallback, Target: int32(code.id), Args: append([]int32{int32(event), int32(t.Int(status))}, operands(args)...)})
}

// Map is what the command of clEnqueueMapBuffer does with some cells of a variable.
func (t *Thread) Map(v *Var, from, cells int64, writes bool) {
	for i := range cells {
		t.emit(ir.Instr{Op: ir.OpMapCell, A: int32(t.Addr(v, from+i))})
	}
	t.emit(ir.Instr{Op: ir.OpMap, A: int32(t.Addr(v, from)), B: int32(t.Int(cells)), Writes: writes})
}

// Unmap is what that of clEnqueueUnmapMemObject does.
func (t *Thread) Unmap(v *Var, from, cells int64) {
	t.emit(ir.Instr{Op: ir.OpUnmap, A: int32(t.Addr(v, from)), B: int32(t.Int(cells))})
}

// Free is clSVMFree of a variable.
func (t *Thread) Free(v *Var) { t.emit(ir.Instr{Op: ir.OpFree, A: int32(t.Addr(v, 0))}) }

// hostCommands draws a host program with a few kernels on queues of all sorts,
// with wait lists, markers, barriers and user events.
func (g *gen) hostCommands() {
	d := &family{gen: g, left: pick(g, 4, 5, 6, 7), calm: g.chance(0.5)}
	d.hostVariables()
	queues := d.hostQueues()
	host := g.b.Thread(memmodel.Place{Host: true})
	var events []Val
	wait := func() (list []Val) {
		for _, e := range events {
			if g.chance(0.4) {
				list = append(list, e)
			}
		}
		return list
	}
	gate := Val(-1)
	if g.chance(0.2) {
		gate = host.UserEvent()
		events = append(events, gate)
	}
	if g.chance(0.3) { // a list of this only is soon as good as empty
		done := host.UserEvent()
		host.SetEvent(done, 0)
		events = append(events, done)
	}
	again := d.again()
	asks := g.chance(0.15)
	for i := range pick(g, 2, 2, 3) {
		if !d.calm && g.chance(0.15) {
			host.Write(d.data, host.Int(g.value()))
		}
		if again != nil && g.chance(0.7) {
			events = append(events, host.Command(ir.OpEnqueueNDRange, pick(g, queues...), again, wait()...))
		} else {
			k := g.b.Kernel(string("ABC"[i]))
			d.accesses(k, 2)
			events = append(events, host.Launch(pick(g, queues...), k, pick(g, int64(1), 1, 1, 1, 1, 0), 1, wait()...))
		}
		if e := events[g.IntN(len(events))]; e != gate && g.chance(0.3) {
			host.WaitFor(e)
		}
		if g.chance(0.35) {
			events = append(events, host.Command(pick(g, ir.OpMarker, ir.OpQueueBarrier), pick(g, queues...), nil, wait()...))
		}
		if asks && g.chance(0.5) {
			host.Status(pick(g, events...))
		}
	}
	if gate >= 0 && g.chance(0.85) {
		host.SetEvent(gate, pick(g, int64(0), 0, 0, -5))
	}
	switch {
	case g.chance(0.4):
		host.FinishQueue(pick(g, queues...))
	case g.chance(0.8):
		host.WaitFor(pick(g, events...))
	}
	if !d.calm {
		host.Read(d.data)
	}
}

// hostVariables draws what the kernels access.
func (d *family) hostVariables() {
	g := d.gen
	kind := func() memmodel.Kind {
		return pick(g, memmodel.CoarseSVM, memmodel.CoarseSVM, memmodel.FineSVMAtomics, memmodel.Buffer)
	}
	for i := range pick(g, 1, 1, 2) {
		d.atomics = append(d.atomics, g.b.Var(Var{Name: string("xy"[i]), Kind: kind()}))
	}
	d.data = g.b.Var(Var{Name: "d", Kind: kind(), Plain: true})
}

// hostQueues draws one queue or two, by their numbers.
func (d *family) hostQueues() []int64 {
	g := d.gen
	queues := []int64{g.b.Queue(0, g.chance(0.8))}
	if g.chance(0.5) {
		device := uint16(g.IntN(2))
		if d.calm {
			device = 0
		}
		queues = append(queues, pick(g, 0, g.b.Queue(device, g.chance(0.3))))
	}
	return queues
}

// again draws, now and then, a kernel that may be enqueued more than once: nothing
// that it reads is observed.
func (d *family) again() *Thread {
	if !d.chance(0.2) {
		return nil
	}
	k := d.b.Kernel("R")
	k.quiet = true
	for range pick(d.gen, 1, 1, 2) {
		d.access(k)
	}
	return k
}
