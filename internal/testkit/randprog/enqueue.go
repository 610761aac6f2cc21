package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Enqueue is a device-side enqueue of a kernel.
type Enqueue struct {
	Kernel      *Thread
	Items, Size int64 // work-items, and of each work-group
	Flags       int64
	Events      []Val // wait list
	NoEvent     bool  // the child's event is not asked for
}

// Query returns a coordinate of the work-item in dimension 0.
func (t *Thread) Query(q ir.Query) Val {
	r := t.Reg()
	t.emit(ir.Instr{Op: ir.OpQuery, Query: q, Dst: int32(r), A: int32(t.Int(0))})
	return r
}

// Host enqueues a kernel on the host's default queue.
func (t *Thread) Host(kernel *Thread, items, size int64) {
	t.emit(ir.Instr{Op: ir.OpEnqueueNDRange, Dst: -1, Target: int32(kernel.id), Args: t.space([]int32{int32(t.Int(0))}, items, size)})
}

// Finish waits for the commands of the host's default queue.
func (t *Thread) Finish() { t.FinishQueue(0) }

// Enqueue enqueues a child; it returns the result and the event.
func (t *Thread) Enqueue(e Enqueue) (result, event Val) {
	args := t.space([]int32{int32(t.Int(ir.DefaultQueue)), int32(t.Int(e.Flags))}, e.Items, e.Size)
	for _, v := range e.Events {
		args = append(args, int32(v))
	}
	result, event = t.Reg(), -1
	if !e.NoEvent {
		event = t.Reg()
	}
	t.emit(ir.Instr{Op: ir.OpEnqueueKernel, Target: int32(e.Kernel.id), Args: args, Waits: int32(len(e.Events)), Dst: int32(result), Dst2: int32(event)})
	return result, event
}

func (t *Thread) space(args []int32, items, size int64) []int32 {
	for _, v := range []int64{1, 0, 0, 0, items, 1, 1, size, 1, 1} {
		args = append(args, int32(t.Int(v)))
	}
	return args
}

// Marker enqueues a marker and returns its event.
func (t *Thread) Marker(events ...Val) Val {
	args := []int32{int32(t.Int(ir.DefaultQueue))}
	for _, v := range events {
		args = append(args, int32(v))
	}
	event := t.Reg()
	t.emit(ir.Instr{Op: ir.OpEnqueueMarker, Args: args, Waits: int32(len(events)), Dst: -1, Dst2: int32(event)})
	return event
}

// UserEvent creates a user event.
func (t *Thread) UserEvent() Val {
	event := t.Reg()
	t.emit(ir.Instr{Op: ir.OpCreateEvent, Dst: int32(event)})
	return event
}

// SetEvent sets the status of a user event.
func (t *Thread) SetEvent(event Val, status int64) {
	t.emit(ir.Instr{Op: ir.OpSetEvent, A: int32(event), B: int32(t.Int(status))})
}

// behind draws a host that enqueues two kernels before it accesses what the second
// does, which the first holds up until it sees a flag: the second always comes
// later, whether or not anything orders the two.
func (g *gen) behind() {
	host := g.b.Thread(memmodel.Place{Host: true})
	first, second := g.b.Kernel("K"), g.b.Kernel("L")
	host.Host(first, 1, 1)
	host.Host(second, pick(g, int64(1), 1, 2), 1)
	flag := g.ahead(host, second)
	first.Assume(first.Load(flag, pick(g, relaxed, acquire), allSVM))
}

// narrow draws kernels one behind the other, of which the second accesses elements of
// an array that are not known before it starts: until then it may race with the first.
func (g *gen) narrow() {
	v := g.b.Var(Var{Name: "v", Len: 3, Kind: pick(g, memmodel.CoarseSVM, memmodel.Buffer)})
	host := g.b.Thread(memmodel.Place{Host: true})
	first, second := g.b.Kernel("K"), g.b.Kernel("L")
	first.quiet, second.quiet = true, true
	first.LoadAt(first.Addr(v, int64(g.IntN(2))), relaxed, pick(g, device, device, workGroup))
	first.Blind(ir.Add, v, first.Int(1), relaxed, pick(g, device, device, workGroup))
	at := second.Elem(v, second.Bin(ir.Add, second.Query(ir.QueryGlobalID), second.Int(1)))
	second.StoreAt(at, second.Int(g.value()), pick(g, memmodel.NonAtomic, relaxed), device)
	host.Host(first, pick(g, int64(1), 2), 1)
	host.Host(second, pick(g, int64(1), 2), 1)
	if g.chance(0.3) {
		host.Host(first, 1, 1)
	}
}

// enqueues draws a host program with a kernel or two, the first of which has
// children, with flags, wait lists, markers and user events.
func (g *gen) enqueues() {
	if g.chance(0.1) {
		g.behind()
		return
	}
	if g.chance(0.1) {
		g.narrow()
		return
	}
	d := &family{gen: g, left: pick(g, 3, 4, 4, 5, 5, 6)}
	kind := func() memmodel.Kind {
		return pick(g, memmodel.CoarseSVM, memmodel.CoarseSVM, memmodel.FineSVM, memmodel.FineSVMAtomics, memmodel.Buffer)
	}
	for i := range pick(g, 1, 1, 2) {
		d.atomics = append(d.atomics, g.b.Var(Var{Name: string("xy"[i]), Kind: kind()}))
	}
	d.data = g.b.Var(Var{Name: "d", Kind: kind(), Plain: true})
	if g.chance(0.1) {
		g.b.EnqueueFailure()
	}
	host := g.b.Thread(memmodel.Place{Host: true})
	parent := g.b.Kernel("K")
	for range pick(g, 1, 2, 2, 3) {
		d.children = append(d.children, g.b.Kernel(string("ABC"[len(d.children)])))
	}
	if g.chance(0.3) {
		host.Write(d.data, host.Int(g.value()))
	}
	items := pick(g, int64(1), 1, 1, 2, 2, 2, 0)
	host.Host(parent, items, pick(g, 1, max(items, 1)))
	d.parent(parent, items)
	for _, c := range d.children {
		d.accesses(c, 1)
	}
	if again := d.again(); again != nil {
		for range pick(g, 2, 2, 3) {
			host.Host(again, pick(g, int64(1), 1, 2), 1)
		}
	}
	if g.chance(0.2) {
		next := g.b.Kernel("N")
		host.Host(next, 1, 1)
		d.access(next)
	}
	if g.chance(0.6) {
		host.Finish()
		host.Read(d.data)
	}
}

// family is a kernel with children being drawn.
type family struct {
	*gen
	atomics  []*Var
	data     *Var
	children []*Thread
	left     int  // accesses
	calm     bool // atomic ones of device scope only
	wide     bool // of all_svm_devices scope
}

// parent draws the code of the parent kernel: its first work-item enqueues.
func (d *family) parent(t *Thread, items int64) {
	enqueue := func() {
		d.accesses(t, 1)
		d.offspring(t)
		d.accesses(t, 1)
	}
	if items <= 1 {
		enqueue()
		return
	}
	t.If(t.Query(ir.QueryGlobalID), func() { d.accesses(t, 1) }, enqueue)
}

// offspring enqueues the children: each by the parent or by the one before.
func (d *family) offspring(t *Thread) {
	var events []Val // of this work-item
	var gates []Val
	nested := len(d.children) // from here on, children of the one before
	if nested > 1 && d.chance(0.4) {
		nested = 1 + d.IntN(nested-1)
	}
	by := t
	for i, c := range d.children {
		if i == nested {
			by = d.children[i-1]
			events = nil
		}
		if by == t && d.chance(0.25) {
			gates = append(gates, t.UserEvent())
			events = append(events, gates[len(gates)-1])
		}
		if len(events) > 0 && d.chance(0.15) {
			events = append(events, by.Marker(pick(d.gen, events...)))
		}
		e := Enqueue{Kernel: c, Items: pick(d.gen, int64(1), 1, 1, 1, 2, 2, 0), Flags: pick(d.gen, int64(ir.NoWait), ir.NoWait, ir.WaitKernel, ir.WaitWorkGroup)}
		if i == nested-1 && nested < len(d.children) {
			e.Items = 1 // each would have all children
		}
		e.Size = pick(d.gen, 1, max(e.Items, 1))
		for _, v := range events {
			if d.chance(0.6) {
				e.Events = append(e.Events, v)
			}
		}
		if by != t {
			e.Events = nil
		}
		e.NoEvent = d.chance(0.4)
		result, event := by.Enqueue(e)
		if d.b.prog.EnqueueFailure {
			by.ExitUnless(by.Bin(ir.Eq, result, by.Int(ir.Success)))
		}
		if by == t {
			if !e.NoEvent {
				events = append(events, event)
			}
			if d.chance(0.3) {
				d.access(t)
			}
		}
	}
	for _, gate := range gates {
		if d.chance(0.95) {
			t.SetEvent(gate, pick(d.gen, int64(0), 0, 0, 0, 0, 0, -5))
		}
	}
}

// accesses draws some of the accesses that are left.
func (d *family) accesses(t *Thread, least int) {
	for range pick(d.gen, least, least, least+1, least+1) {
		d.access(t)
	}
}

func (d *family) access(t *Thread) {
	if d.left--; d.left < 0 {
		return
	}
	v := pick(d.gen, d.atomics...)
	s := pick(d.gen, device, device, device, device, device, device, allSVM, workGroup)
	what := d.IntN(8)
	if d.calm {
		s, what = device, max(what, 2)
	}
	if d.wide {
		s = allSVM
	}
	switch what {
	case 0:
		t.Write(d.data, t.Int(d.value()))
	case 1:
		t.Read(d.data)
	case 2, 3:
		t.Store(v, t.Int(d.value()), pick(d.gen, relaxed, release, release, seqCst), s)
	case 4, 5, 6:
		r := t.Load(v, pick(d.gen, relaxed, acquire, acquire, seqCst), s)
		if d.left > 0 && d.chance(0.4) {
			t.If(r, func() { d.access(t) }, nil)
		}
	default:
		t.RMW(ir.Add, v, t.Int(1), pick(d.gen, relaxed, acqRel, seqCst), s)
	}
}
