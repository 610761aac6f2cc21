package trace

import (
	"slices"

	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// commandLog is who has enqueued which commands, what starts lanes, and which calls of the host wait for what.
type commandLog struct {
	privateLog
	running map[int][]uint64        // host lane -> commands enqueued since its last clFinish
	awaited map[int]state.Operation // host lane -> its last call of clFinish or clWaitForEvents
	issued  []issued                // all commands
	parent  map[int]int             // lane of a host thread -> step that started it
	entered map[int]bool            // lanes whose first step is known
}

func (r *commandLog) begin() {
	r.running, r.awaited, r.parent, r.entered = map[int][]uint64{}, map[int]state.Operation{}, map[int]int{}, map[int]bool{}
}

// issued is a command that some step has created.
type issued struct {
	id     uint64 // of the command's unit
	lane   int    // that created it
	step   int    // that did
	kernel int    // the kernel-instance that it runs, or 0
	set    int    // of a user event: the step that set its status
	flags  int64  // of a device-side enqueue
	waits  []uint64
	queue  int64 // of a command of the host
	op     ir.Op
	before uint64  // of an in-order queue: the command before it that does something, or 0
	name   string  // of a command that is no kernel and has a lane of its own: that lane's
	args   []int64 // of a command that is no kernel: what it works on
}

// commands notes what a step did to commands, and which it has created.
func (r *commandLog) commands(before sight, id int, o *state.Operation) {
	step := r.t.Step(id)
	r.created(id, o)
	if o.Instr.Op == ir.OpSetEvent {
		if c := r.commandOf(uint64(o.A)); c != nil {
			c.set = id
		}
	}
	if step.Kind == Finish {
		r.awaited[step.Lane] = *o
	}
	if step.Kind == Spawn {
		r.spawned(before, id)
	}
}

// returned notes the hosts whose clFinish has returned by a step.
func (r *commandLog) returned(before sight, step *Step) {
	for u, lane := range before.of {
		if lane < 0 || !r.lanes[lane].Host {
			continue
		}
		called := before.status[u] == state.Finishing
		if lane == step.Lane && step.Kind == Finish {
			called = true
		}
		if now := r.unit(lane); called && (now < 0 || r.s.Status(now) != state.Finishing) {
			r.finished(lane, step)
		}
	}
}

// created notes the command that a step has created: the newest of its lane,
// unless it has already come and gone.
func (r *commandLog) created(id int, o *state.Operation) {
	lane := r.t.Step(id).Lane
	for u := r.s.Cast.Count() - 1; u >= 0; u-- {
		q := &r.s.Cast.Units[u]
		if _, by := r.s.Cast.Command(u); by < 0 || r.of[by] != lane {
			continue
		}
		if r.commandOf(q.ID) != nil {
			return
		}
		c := issued{id: q.ID, lane: lane, step: id, kernel: int(q.Place.Kernel), op: o.Instr.Op}
		if o.Instr.Op.Queued() {
			c.queue = o.Args[0]
		}
		switch o.Instr.Op {
		case ir.OpEnqueueKernel:
			c.flags = o.Args[1]
			c.waitFor(o.Args[ir.EnqueueHeader:][:o.Instr.Waits])
		case ir.OpEnqueueMarker:
			c.waitFor(o.Args[1:])
		case ir.OpEnqueueNDRange:
			c.waitFor(o.Args[ir.NDRangeHeader:][:o.Instr.Waits])
			r.queued(lane, &c)
		case ir.OpEnqueueNative:
			c.name, c.args = q.Name, o.Args[1+o.Instr.Waits:]
			c.waitFor(o.Args[1:][:o.Instr.Waits])
			r.queued(lane, &c)
		case ir.OpMarker, ir.OpQueueBarrier:
			c.waitFor(o.Args[1:][:o.Instr.Waits])
		}
		r.issued = append(r.issued, c)
		return
	}
}

// queued notes behind which command of its host an in-order queue has put another one.
func (r *commandLog) queued(lane int, c *issued) {
	for _, id := range slices.Backward(r.running[lane]) {
		if d := r.commandOf(id); d.queue == c.queue && !r.outOfOrder(c.queue) {
			c.before = id
			break
		}
	}
	r.running[lane] = append(r.running[lane], c.id)
}

// spawned notes which lane a host thread that a step has started is.
func (r *commandLog) spawned(before sight, id int) {
	for _, lane := range r.of {
		if lane >= 0 && r.lanes[lane].Host && !slices.Contains(before.of, lane) {
			r.parent[lane] = id
		}
	}
}

// outOfOrder reports whether a queue of the host is.
func (r *execution) outOfOrder(handle int64) bool {
	return handle < 0 && r.p.HostQueues[-1-handle].OutOfOrder
}

func (c *issued) waitFor(handles []int64) {
	for _, h := range handles {
		c.waits = append(c.waits, uint64(h))
	}
}

// commandOf returns what is known of the command with an ID, or nil.
func (r *commandLog) commandOf(id uint64) *issued {
	if i := slices.IndexFunc(r.issued, func(c issued) bool { return c.id == id }); i >= 0 {
		return &r.issued[i]
	}
	return nil
}

// kernelOf returns the command that runs a kernel-instance, or nil.
func (r *commandLog) kernelOf(kernel int) *issued {
	if i := slices.IndexFunc(r.issued, func(c issued) bool { return c.kernel == kernel }); i >= 0 && kernel > 0 {
		return &r.issued[i]
	}
	return nil
}

// launched relates the first step of a work-item to what starts its kernel
// (rule 12.9).
func (r *commandLog) launched(id int) {
	l := &r.lanes[r.t.Step(id).Lane]
	if from, ok := r.parent[r.t.Step(id).Lane]; ok {
		r.edge(Edge{Relation: CommandOrder, From: from, To: id, Global: true})
	} else if c := r.commandOfLane(l); c != nil {
		r.starts(c, id)
	}
}

// commandOfLane returns the command that a lane performs, or a part of it; nil if it is none's.
func (r *commandLog) commandOfLane(l *Lane) *issued {
	if !l.Host {
		return r.kernelOf(l.Kernel)
	}
	if i := slices.IndexFunc(r.issued, func(c issued) bool { return c.name != "" && c.name == l.Name }); i >= 0 {
		return &r.issued[i]
	}
	return nil
}

// starts relates a step to what has happened before command c starts (rules
// 12.1, 12.2, 12.5, 12.12).
func (r *commandLog) starts(c *issued, id int) {
	by := &r.lanes[c.lane]
	r.edge(Edge{Relation: CommandOrder, From: c.step, To: id, Global: true, Fine: !by.Host})
	if parent := r.kernelOf(by.Kernel); parent != nil && !by.Host {
		r.starts(parent, id) // the start of the parent comes before that of the child
		if c.flags == ir.WaitKernel || c.flags == ir.WaitWorkGroup {
			r.ended(by.Kernel, func(l *Lane) bool { return c.flags == ir.WaitKernel || l.Group == by.Group }, id)
		}
	}
	r.completes(c.before, id)
	for _, event := range c.waits {
		r.completes(event, id)
	}
}

// completes relates a step to what has happened before an event is
// (rules 12.2, 12.3, 12.11).
func (r *commandLog) completes(event uint64, id int) {
	c := r.commandOf(event)
	switch {
	case c == nil:
	case c.kernel > 0:
		r.completed(c.kernel, id)
	case c.set > 0:
		r.edge(Edge{Relation: CommandOrder, From: c.set, To: id, Global: true})
	case r.lastOf(c) > 0 && r.lastOf(c) != id:
		r.edge(Edge{Relation: CommandOrder, From: r.lastOf(c), To: id, Global: true})
	default:
		r.starts(c, id) // a marker
	}
}

// lastOf returns the last step of a command that is no kernel, or 0.
func (r *commandLog) lastOf(c *issued) int {
	for lane := range r.lanes {
		if c.name != "" && r.lanes[lane].Name == c.name {
			return r.last[lane]
		}
	}
	return 0
}

// ended relates the last steps of a kernel-instance's work-items to a step.
func (r *commandLog) ended(kernel int, among func(*Lane) bool, id int) {
	for lane := range r.lanes {
		if l := &r.lanes[lane]; !l.Host && l.Kernel == kernel && r.last[lane] > 0 && r.last[lane] != id && among(l) {
			r.edge(Edge{Relation: CommandOrder, From: r.last[lane], To: id, Global: true})
		}
	}
}

// completed relates the end of a kernel-instance, and of what its work-items
// have enqueued, to what waited for it (rule 12.15).
func (r *commandLog) completed(kernel, id int) {
	if kernel == 0 {
		return
	}
	r.ended(kernel, func(*Lane) bool { return true }, id)
	for i := range r.issued {
		if by := &r.lanes[r.issued[i].lane]; !by.Host && by.Kernel == kernel {
			r.completed(r.issued[i].kernel, id)
		}
	}
}

// finished records that a host's clFinish returns, or its clWaitForEvents (rule 12.8).
func (r *commandLog) finished(lane int, now *Step) {
	to := now.ID
	if now.Lane != lane {
		call := r.t.Step(r.last[lane])
		to = r.add(Step{Lane: lane, Move: now.Move, Pos: call.Pos, Kind: Return, Op: returns(call.instr), Brief: returns(call.instr)},
			call.instr, call.unit).ID
	}
	call := r.awaited[lane]
	r.running[lane] = slices.DeleteFunc(r.running[lane], func(id uint64) bool {
		waited := slices.Contains(call.Args, int64(id))
		if call.Instr.Op == ir.OpFinish {
			waited = r.commandOf(id).queue == call.A
		}
		if waited {
			r.completes(id, to)
		}
		return waited
	})
}
