package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// crowd is a program with several commands or host threads of one code being drawn. Most
// of the time nobody can tell them apart; else one differs in something.
type crowd struct {
	drawing
	host, k *Thread
	sum     *Var
	n       int64
	odd     int64 // the number of the one that differs, in a row
	row     bool  // they are enqueued one by one, not in a loop
	items   int64
	group   int64
	events  []Val // those that are kept
	keeps   bool
}

// crowds draws children of one kernel, kernels on a queue, native kernels or host
// threads, all with one code.
func (g *gen) crowds() {
	c := &crowd{n: pick(g, int64(2), 2, 3), row: g.chance(0.5), items: pick(g, int64(1), 1, 1, 2), odd: -1, keeps: g.chance(0.35)}
	c.gen, c.profile = g, g.symmetricProfile()
	if c.row && g.chance(0.5) {
		c.odd = g.Int64N(c.n)
	}
	if c.items > 1 {
		c.n, c.odd = 2, min(c.odd, 1)
	}
	c.group = pick(g, 1, c.items)
	c.host = g.b.Thread(memmodel.Place{Host: true})
	form := pick(g, c.children, c.children, c.children, c.kernels, c.kernels, c.kernels, c.natives, c.threads, c.threads)
	form()
}

// code draws what all of them do. Some are told what they are to write.
func (c *crowd) code(onHost bool) {
	c.k = c.b.Code()
	c.k.f.Params, c.k.f.Regs, c.k.f.RegNames = 1, 1, []string{"p"}
	kind := pick(c.gen, memmodel.CoarseSVM, memmodel.FineSVMAtomics)
	if c.scopes = (scopes{pick(c.gen, device, device, device, pick(c.gen, c.scopes...))}); onHost {
		kind, c.scopes, c.barrier = memmodel.FineSVMAtomics, scopes{allSVM}, 0
	}
	c.kinds = []memmodel.Kind{kind}
	if c.symmetricVariables(c.k); onHost { // which has no local memory
		for _, v := range append(c.atomics, c.data) {
			if v != nil && v.Owner != nil {
				c.onHost(v)
			}
		}
	}
	c.sum = c.b.Var(Var{Name: "sum", Kind: kind})
	if !onHost && c.items == 1 && c.chance(0.2) {
		c.roles(c.k, int(c.n), c.atomics[0], c.sum)
		return
	}
	c.barriers, c.barFlags, c.barScope = c.chance(c.barrier), bothFlags, workGroup
	var loaded []Val
	if c.chance(0.3) {
		loaded = append(loaded, 0)
	}
	n := pick(c.gen, 1, 1, 2)
	for range n {
		c.meet(c.k)
		if loaded = c.step(c.k, loaded); len(loaded) > 0 && c.chance(0.15) {
			c.k.ExitUnless(loaded[len(loaded)-1])
		}
	}
	if c.chance(0.15) { // it has an element of its own
		at := c.k.Elem(c.b.Var(Var{Name: "v", Len: 2, Kind: kind}), c.k.Bin(ir.And, 0, c.k.Int(1)))
		c.k.StoreAt(at, c.k.Int(c.value()), relaxed, c.scopes[0])
		c.k.LoadInto(c.k.Reg(), at, relaxed, c.scopes[0])
	}
	total := c.k.Int(1)
	for _, r := range loaded {
		total = c.k.Bin(ir.Add, c.k.Bin(ir.Mul, total, c.k.Int(3)), r)
	}
	c.k.Blind(ir.Add, c.sum, total, pick(c.gen, relaxed, relaxed, seqCst), pick(c.gen, c.scopes...))
	switch {
	case c.chance(0.9):
	case onHost:
		c.k.emit(ir.Instr{Op: ir.OpObserve, A: int32(total), Str: c.b.str("one")})
	default:
		c.k.ObservePerItem(total)
	}
}

// onHost makes a variable of local memory one that all share.
func (c *crowd) onHost(v *Var) {
	w := c.b.Var(Var{Name: v.Name + "'", Kind: memmodel.FineSVMAtomics, Plain: v.Plain})
	v.addr = w.addr
}

// each draws how all of them come about, one after the other: by do, which is given the
// argument, and whether it is the one that differs in something else.
func (c *crowd) each(t *Thread, between func(), do func(arg Val, odd bool)) {
	args := c.IntN(3)
	if !c.row {
		arg := func(i Val) Val {
			if args == 0 {
				return i
			}
			return t.Int(7)
		}
		between := c.chance(0.3) && between != nil
		t.Repeat(c.n, func(i Val) {
			do(arg(i), false)
			if between {
				t.Blind(ir.Add, c.atomics[0], t.Int(1), relaxed, pick(c.gen, c.scopes...))
			}
		})
		return
	}
	for i := range c.n {
		v := int64(7)
		if args == 0 && i == c.odd {
			v++
		}
		do(t.Int(v), args > 0 && i == c.odd)
		if between != nil && c.chance(0.25) {
			between()
		}
	}
}

// args is what an enqueue of the code says of its index space and parameter.
func (c *crowd) args(t *Thread, header []int32, items int64, waits []Val, arg Val) []int32 {
	return append(append(t.space(header, items, min(c.group, items)), operands(waits)...), int32(arg))
}

// children draws the children of a kernel, of one of its work-items or of all.
func (c *crowd) children() {
	parent := c.b.Kernel("P")
	parent.quiet = true
	c.code(false)
	parents := int64(1)
	if c.items == 1 && c.n == 2 {
		parents = pick(c.gen, int64(1), 1, 2)
	}
	if parents > 1 && c.chance(0.7) {
		c.n, c.odd = 1, min(c.odd, 0)
	}
	queue := int64(ir.DefaultQueue)
	if c.chance(0.1) {
		c.b.prog.Queues = []int32{int32(c.n)}
		queue++
	}
	if c.chance(0.06) {
		c.b.EnqueueFailure()
	}
	c.launch(parent, parents)
	flags := pick(c.gen, int64(ir.NoWait), ir.NoWait, ir.NoWait, ir.WaitKernel, ir.WaitWorkGroup)
	c.each(parent, func() { c.between(parent) }, func(arg Val, odd bool) {
		f, items, event := flags, c.items, Val(-1)
		var waits []Val
		if c.keeps || c.chance(0.3) {
			event = parent.Reg()
		}
		if odd {
			switch c.IntN(3) {
			case 0:
				f = pick(c.gen, int64(ir.NoWait), ir.WaitKernel, ir.WaitWorkGroup)
			case 1:
				items = 3 - items
			default:
				waits = c.events
			}
		}
		header := []int32{int32(parent.Int(queue)), int32(parent.Int(f))}
		parent.emit(ir.Instr{Op: ir.OpEnqueueKernel, Target: int32(c.k.id), Args: c.args(parent, header, items, waits, arg), Waits: int32(len(waits)), Dst: int32(parent.Reg()), Dst2: int32(event)})
		if c.keeps && c.row {
			c.events = append(c.events, event)
		}
	})
	if len(c.events) > 0 && c.chance(0.6) {
		last := c.b.Kernel("L")
		last.quiet = true
		last.RMW(ir.Mul, c.sum, last.Int(2), relaxed, device)
		waits := c.events
		if c.chance(0.3) {
			waits = []Val{parent.Marker(waits...)}
		}
		parent.Enqueue(Enqueue{Kernel: last, Items: 1, Size: 1, Events: c.some(waits), NoEvent: true})
	} else if c.chance(0.3) {
		c.between(parent)
	}
	c.finish()
}

// launch draws how kernels with children are launched: one, or two of one work-item.
func (c *crowd) launch(parent *Thread, parents int64) {
	if c.n == 1 && c.chance(0.5) { // of two kernels, one each
		both := c.b.Queue(0, c.chance(0.9))
		of := []Val{c.host.Launch(both, parent, 1, 1), c.host.Launch(both, parent, 1, 1)}
		if c.chance(0.5) {
			c.host.WaitFor(c.some(of)...)
			c.host.Load(c.sum, relaxed, allSVM)
		}
	} else {
		c.host.Host(parent, parents, pick(c.gen, 1, parents))
	}
}

// between draws what who enqueues does between one command and the next.
func (c *crowd) between(t *Thread) {
	if c.data != nil && c.data.Owner == nil && c.chance(0.3) {
		t.Write(c.data, t.Int(c.value()))
		return
	}
	c.host.quiet = true
	x := c.atomics[0]
	switch c.IntN(3) {
	case 0:
		t.Store(x, t.Int(c.value()), pick(c.gen, relaxed, release), pick(c.gen, c.scopes...))
	case 1:
		t.Blind(ir.Add, x, t.Int(1), relaxed, pick(c.gen, c.scopes...))
	default:
		t.RMW(ir.Add, c.sum, t.Load(x, acquire, pick(c.gen, c.scopes...)), relaxed, pick(c.gen, c.scopes...))
	}
}

// finish draws what the host does at last.
func (c *crowd) finish() {
	if c.chance(0.7) {
		c.host.Finish()
		c.host.Load(c.sum, relaxed, allSVM)
	}
}

// some draws a part of a list: not always that which begins it, as those that come first may be
// preferred by whoever puts what is alike into an order.
func (c *crowd) some(events []Val) []Val {
	from := c.IntN(len(events))
	return events[from : from+1+c.IntN(len(events)-from)]
}

// kernels draws kernels on a queue, which is mostly out of order.
func (c *crowd) kernels() {
	c.code(false)
	c.inQueue(ir.OpEnqueueNDRange)
}

// natives draws native kernels.
func (c *crowd) natives() {
	c.items = 1
	c.code(true)
	c.inQueue(ir.OpEnqueueNative)
}

func (c *crowd) inQueue(op ir.Op) {
	queue, other := c.b.Queue(0, c.chance(0.85)), int64(0)
	gate := Val(-1)
	if c.chance(0.2) {
		gate = c.host.UserEvent()
	}
	if c.chance(0.3) {
		c.between(c.host)
	}
	c.each(c.host, func() {
		if c.chance(0.3) {
			c.host.Command(pick(c.gen, ir.OpMarker, ir.OpQueueBarrier), queue, nil)
		} else {
			c.between(c.host)
		}
	}, func(arg Val, odd bool) {
		q, items := queue, c.items
		var waits []Val
		if gate >= 0 {
			waits = append(waits, gate)
		}
		if odd {
			switch c.IntN(4) {
			case 0:
				q = other
			case 1:
				items = 3 - items
			case 2:
				waits = nil
			default:
				waits = append(waits, c.events...)
			}
		}
		event := c.host.Reg()
		in := ir.Instr{Op: op, Target: int32(c.k.id), Waits: int32(len(waits)), Dst: int32(event), Str: c.b.str("native")}
		if header := []int32{int32(c.host.Int(q))}; op == ir.OpEnqueueNative {
			in.Args = append(append(header, operands(waits)...), int32(arg))
		} else {
			in.Args = c.args(c.host, header, items, waits, arg)
		}
		c.host.emit(in)
		if c.keeps && c.row {
			c.events = append(c.events, event)
		}
	})
	if gate >= 0 {
		c.host.SetEvent(gate, pick(c.gen, int64(0), 0, 0, -5))
	}
	if len(c.events) > 0 {
		c.ask(queue, other)
	}
	if c.chance(0.7) {
		c.host.FinishQueue(pick(c.gen, queue, queue, queue, other))
		c.host.Load(c.sum, relaxed, allSVM)
	}
}

// ask draws what the host asks of the events that it has kept, or lets wait for them.
func (c *crowd) ask(queue, other int64) {
	c.host.quiet = false
	switch some := c.some(c.events); c.IntN(5) {
	case 0:
		c.host.Status(some[0])
	case 1, 2, 3:
		c.host.WaitFor(some...)
	default:
		c.host.Command(ir.OpMarker, pick(c.gen, queue, other), nil, some...)
	}
	if c.chance(0.7) { // what some of them have left
		c.host.Load(c.sum, relaxed, allSVM)
	}
}

// threads draws host threads.
func (c *crowd) threads() {
	c.code(true)
	c.each(c.host, func() { c.between(c.host) }, func(arg Val, odd bool) {
		t := c.k
		if odd {
			t = c.b.Code()
			t.f.Params, t.f.Regs, t.f.RegNames = 1, 1, []string{"p"}
			t.Blind(ir.Add, c.atomics[0], 0, relaxed, allSVM)
		}
		c.host.Go(t, arg)
	})
	if c.chance(0.5) {
		c.between(c.host)
	}
}
