package randprog

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// bare draws a host program without memory: there are only commands, and the
// statuses that the host asks for. Its kernels do nothing, or a single thing.
func (g *gen) bare() {
	b := &bare{gen: g, host: g.b.Thread(memmodel.Place{Host: true}), queues: []int64{0}, asks: pick(g, 1, 2, 2, 3)}
	if g.chance(0.6) {
		b.queues = append(b.queues, g.b.Queue(0, g.chance(0.6)))
	}
	for range pick(g, 2, 3, 3, 4) {
		b.step()
	}
	for i, e := range b.open {
		if i == 0 || g.chance(0.7) {
			b.host.SetEvent(e, pick(g, int64(0), 0, -5))
		}
	}
	switch {
	case len(b.events) > 0 && g.chance(0.5):
		b.host.WaitFor(pick(g, b.events...))
	case g.chance(0.5):
		b.host.FinishQueue(pick(g, b.queues...))
	}
	b.ask()
}

// bare is a program without memory being drawn.
type bare struct {
	*gen
	host    *Thread
	queues  []int64
	events  []Val // of the host so far
	open    []Val // user events that are not set
	asks    int   // how often the host may ask for a status
	kernels int
}

// wait draws a wait list.
func (b *bare) wait() (list []Val) {
	for _, e := range b.events {
		if b.chance(0.4) {
			list = append(list, e)
		}
	}
	return list
}

func (b *bare) step() {
	queue := pick(b.gen, b.queues...)
	switch b.IntN(8) {
	case 0:
		e := b.host.UserEvent()
		b.events = append(b.events, e)
		if b.chance(0.5) {
			b.host.SetEvent(e, pick(b.gen, int64(0), 0, -5))
		} else {
			b.open = append(b.open, e)
		}
	case 1, 2:
		b.events = append(b.events, b.host.Command(pick(b.gen, ir.OpMarker, ir.OpQueueBarrier), queue, nil, b.wait()...))
	case 3:
		b.ask()
	default:
		k := b.kernel()
		items := pick(b.gen, int64(1), 1, 1, 2, 0)
		b.events = append(b.events, b.host.Launch(queue, k, items, 1, b.wait()...))
		if b.chance(0.2) { // once more
			b.events = append(b.events, b.host.Launch(queue, k, 1, 1, b.wait()...))
		}
	}
}

// ask asks for the status of an event.
func (b *bare) ask() {
	if b.asks > 0 && len(b.events) > 0 {
		b.asks--
		b.host.Status(pick(b.gen, b.events...))
	}
}

// kernel draws a kernel that does nothing, or enqueues one command.
func (b *bare) kernel() *Thread {
	k := b.b.Kernel(fmt.Sprint("K", b.kernels))
	b.kernels++
	if b.chance(0.3) {
		return k
	}
	var gates []Val
	if b.chance(0.7) {
		gates = append(gates, k.UserEvent())
	}
	if len(gates) > 0 && b.chance(0.5) {
		k.Marker(gates...)
	} else if b.chance(0.8) {
		child := b.b.Kernel(fmt.Sprint("C", b.kernels))
		k.Enqueue(Enqueue{Kernel: child, Items: pick(b.gen, int64(1), 1, 0), Size: 1, Events: gates, NoEvent: b.chance(0.5),
			Flags: pick(b.gen, int64(ir.NoWait), ir.WaitKernel, ir.WaitWorkGroup)})
	}
	if len(gates) > 0 && b.chance(0.9) {
		k.SetEvent(gates[0], pick(b.gen, int64(0), 0, 0, -7))
	}
	return k
}
