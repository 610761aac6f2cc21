package randprog

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// hostThreads draws several host threads and callbacks that share queues, events
// and memory.
func (g *gen) hostThreads() { g.severalHosts(false) }

// hostCalls draws the same, with callbacks for all statuses.
func (g *gen) hostCalls() { g.severalHosts(true) }

func (g *gen) severalHosts(early bool) {
	h := &hosts{early: early, family: family{gen: g, left: pick(g, 5, 6, 7), calm: g.chance(0.6), wide: g.chance(0.8)}, commands: pick(g, 2, 3, 3, 4)}
	kind := func() memmodel.Kind {
		return pick(g, memmodel.CoarseSVM, memmodel.FineSVMAtomics, memmodel.FineSVMAtomics, memmodel.FineSVMAtomics, memmodel.SystemSVM, memmodel.SystemSVM)
	}
	for i := range pick(g, 1, 1, 2) {
		h.atomics = append(h.atomics, g.b.Var(Var{Name: string("xy"[i]), Kind: kind()}))
	}
	h.data = g.b.Var(Var{Name: "d", Kind: kind(), Plain: true})
	h.queues = []int64{0}
	if g.chance(0.15) {
		h.gated()
		return
	}
	if g.chance(0.5) {
		h.queues = append(h.queues, g.b.Queue(uint16(g.IntN(2)), g.chance(0.6)))
	}
	main := h.thread(g.b.Thread(memmodel.Place{Host: true}))
	h.gate = -1
	if g.chance(0.5) {
		h.gate = 0
		main.known = append(main.known, main.UserEvent())
	}
	if g.chance(0.6) {
		main.enqueue()
	}
	var others []*hostThread
	for i := range pick(g, 0, 1, 1, 1, 2) {
		t := h.thread(g.b.HostThread(fmt.Sprintf("T%d", i), len(main.known)))
		for p := range main.known {
			t.known = append(t.known, Val(p))
		}
		main.Go(t.Thread, main.known...)
		others = append(others, t)
	}
	h.setter = pick(g, append(others, main, main, nil)...)
	if h.setter == nil && len(others) > 0 || g.chance(0.25) { // a callback
		h.setter, h.awaitsCall = nil, true
	}
	for _, t := range append(others, main) {
		for range pick(g, 1, 2, 2, 3) {
			t.step()
		}
		if t == h.setter {
			t.open()
		}
	}
	if g.chance(0.4) {
		main.FinishQueue(pick(g, h.queues...))
		main.access()
	}
}

// hosts is a program of several host threads being drawn.
type hosts struct {
	family
	queues     []int64
	commands   int         // that are left
	kernels    int         // so far
	gate       int         // the number of a user event among what all know, or -1
	setter     *hostThread // who sets it
	awaitsCall bool        // a callback does
	early      bool        // callbacks are for other statuses than completion, too
}

// hostThread is a host thread being drawn, and the events that it knows.
type hostThread struct {
	*Thread
	h     *hosts
	known []Val
	call  bool // it is a callback and must not wait for events, which may wait for it
}

func (h *hosts) thread(t *Thread) *hostThread { return &hostThread{Thread: t, h: h} }

// step draws something that a host thread does.
func (t *hostThread) step() {
	h := t.h
	switch h.IntN(10) {
	case 0, 1:
		t.enqueue()
	case 2:
		if len(t.known) > 0 {
			t.Status(pick(h.gen, t.known...))
		}
	case 3, 4:
		t.callback()
	case 5:
		if len(t.known) > 0 && !t.call {
			t.WaitFor(pick(h.gen, t.known...))
		}
	case 6:
		if h.chance(0.5) { // a callback, too, though the front end refuses that: what it finds it must have been told
			t.FinishQueue(pick(h.gen, h.queues...))
		}
	default:
		t.access()
	}
}

// enqueue draws a command.
func (t *hostThread) enqueue() {
	h := t.h
	if h.commands--; h.commands < 0 {
		return
	}
	var wait []Val
	for _, e := range t.known {
		if h.chance(0.35) {
			wait = append(wait, e)
		}
	}
	queue := pick(h.gen, h.queues...)
	if h.chance(0.15) {
		t.known = append(t.known, t.Command(pick(h.gen, ir.OpMarker, ir.OpQueueBarrier), queue, nil, wait...))
		return
	}
	k := h.b.Kernel(fmt.Sprintf("K%d", h.kernels))
	h.kernels++
	h.accesses(k, 1)
	t.known = append(t.known, t.Command(ir.OpEnqueueNDRange, queue, k, wait...))
}

// callback draws a callback. It may set the user event.
func (t *hostThread) callback() {
	h := t.h
	if len(t.known) == 0 || h.commands <= 0 {
		return
	}
	h.commands--
	at := h.IntN(len(t.known))
	called := h.thread(h.b.HostThread(fmt.Sprintf("C%d", h.commands), 1+len(t.known)))
	called.call = true
	for p := range t.known {
		called.known = append(called.known, Val(1+p))
	}
	status := int64(0)
	if h.early {
		status = pick(h.gen, int64(1), 1, 2, 0)
	}
	t.Callback(t.known[at], status, called.Thread, t.known...)
	if h.chance(0.3) {
		called.Observe(Val(0))
	}
	if h.early && h.chance(0.5) {
		called.Status(called.known[at])
	}
	called.access()
	if h.awaitsCall && at != h.gate {
		h.awaitsCall = false
		called.open()
	} else if h.chance(0.4) {
		called.step()
	}
}

// open sets the user event, if there is one.
func (t *hostThread) open() {
	if h := t.h; h.gate >= 0 {
		t.SetEvent(t.known[h.gate], pick(h.gen, int64(0), 0, 0, 0, -5))
		if h.chance(0.2) {
			t.Status(t.known[h.gate])
		}
	}
}

// access draws an access by a host thread.
func (t *hostThread) access() {
	h := t.h
	if h.left--; h.left < 0 {
		return
	}
	v := pick(h.gen, h.atomics...)
	what := h.IntN(6)
	if h.calm {
		what = max(what, 2)
	}
	switch what {
	case 0:
		t.Write(h.data, t.Int(h.value()))
	case 1:
		t.Read(h.data)
	case 2, 3:
		t.Store(v, t.Int(h.value()), pick(h.gen, relaxed, release, release, seqCst), allSVM)
	case 4:
		t.Load(v, pick(h.gen, relaxed, acquire, acquire, seqCst), allSVM)
	default:
		t.RMW(ir.Add, v, t.Int(1), pick(h.gen, relaxed, acqRel, seqCst), allSVM)
	}
}

// ahead draws an access by a host thread and one of the same by a kernel, and a flag
// that the thread sets behind its own.
func (g *gen) ahead(host, kernel *Thread) (flag *Var) {
	flag = g.b.Var(Var{Name: "f", Kind: memmodel.SystemSVM})
	v := g.b.Var(Var{Name: "v", Kind: pick(g, memmodel.CoarseSVM, memmodel.CoarseSVM, memmodel.Buffer, memmodel.FineSVMAtomics)})
	access := func(t *Thread, s memmodel.Scope) {
		switch g.IntN(3) {
		case 0:
			t.Store(v, t.Int(g.value()), pick(g, relaxed, release), s)
		case 1:
			t.Load(v, pick(g, relaxed, acquire), s)
		default:
			t.RMW(ir.Add, v, t.Int(1), relaxed, s)
		}
	}
	access(host, allSVM)
	access(kernel, pick(g, allSVM, allSVM, device))
	host.Store(flag, host.Int(1), pick(g, relaxed, release), allSVM)
	return flag
}

// gated draws a kernel that waits for an event, and a thread that accesses what the
// kernel does before it lets another thread, by a flag, set the event: the kernel
// always comes later, whether or not anything orders the two.
func (h *hosts) gated() {
	main := h.b.Thread(memmodel.Place{Host: true})
	gate := main.UserEvent()
	k, other := h.b.Kernel("K"), h.b.HostThread("T", 0)
	flag := h.ahead(other, k)
	early := h.chance(0.5)
	if early {
		main.Launch(0, k, 1, 1, gate)
	}
	main.Go(other)
	main.If(main.Load(flag, pick(h.gen, relaxed, acquire), allSVM), func() {
		if main.SetEvent(gate, 0); !early {
			main.Launch(0, k, 1, 1, gate)
		}
	}, func() { main.SetEvent(gate, -5) })
}
