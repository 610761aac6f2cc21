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
	in := ir.Instr{Op: op, Args: []int32{int32(t.Int(queue))}, Waits: int32(len(events)), Dst: int32(t.Reg())}
	if kernel != nil {
		in.Target, in.Args = int32(kernel.id), t.space(in.Args, 1, 1)
	}
	for _, e := range events {
		in.Args = append(in.Args, int32(e))
	}
	t.emit(in)
	return Val(in.Dst)
}

// FinishQueue waits for the commands of a host queue.
func (t *Thread) FinishQueue(queue int64) {
	t.emit(ir.Instr{Op: ir.OpFinish, A: int32(t.Int(queue))})
}

// WaitFor waits for events.
func (t *Thread) WaitFor(events ...Val) {
	in := ir.Instr{Op: ir.OpWaitEvents, Dst: -1}
	for _, e := range events {
		in.Args = append(in.Args, int32(e))
	}
	t.emit(in)
}

// hostCommands draws a host program with a few kernels on queues of all sorts,
// with wait lists, markers, barriers and user events.
func (g *gen) hostCommands() {
	d := &family{gen: g, left: pick(g, 4, 5, 6, 7), calm: g.chance(0.5)}
	kind := func() memmodel.Kind {
		return pick(g, memmodel.CoarseSVM, memmodel.CoarseSVM, memmodel.FineSVMAtomics, memmodel.Buffer)
	}
	for i := range pick(g, 1, 1, 2) {
		d.atomics = append(d.atomics, g.b.Var(Var{Name: string("xy"[i]), Kind: kind()}))
	}
	d.data = g.b.Var(Var{Name: "d", Kind: kind(), Plain: true})
	queues := []int64{g.b.Queue(0, g.chance(0.8))}
	if g.chance(0.5) {
		device := uint16(g.IntN(2))
		if d.calm {
			device = 0
		}
		queues = append(queues, pick(g, 0, g.b.Queue(device, g.chance(0.3))))
	}
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
	for i := range pick(g, 2, 2, 3) {
		if !d.calm && g.chance(0.15) {
			host.Write(d.data, host.Int(g.value()))
		}
		k := g.b.Kernel(string("ABC"[i]))
		d.accesses(k, 2)
		events = append(events, host.Command(ir.OpEnqueueNDRange, pick(g, queues...), k, wait()...))
		if g.chance(0.35) {
			events = append(events, host.Command(pick(g, ir.OpMarker, ir.OpQueueBarrier), pick(g, queues...), nil, wait()...))
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
