package axiom

import (
	"errors"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// This file holds what several host threads need: how they start, the turns that
// they take at queues, and the statuses that they ask for.

// place is where an action stands: its thread, and its number there.
type place struct{ thread, index int }

// turns holds, for each queue, an order of what the host does to it.
type turns [][]place

// addThread adds the unit that executes a host thread, callback or native command
// that a thread starts.
func (e *enumerator) addThread(t, pc int, f *ir.Func, in *ir.Instr) {
	where := memmodel.Place{Host: true}
	if in.Op == ir.OpEnqueueNative {
		where.Device = e.queueDevice(f, in)
	}
	e.of = append(e.of, len(e.instances))
	e.instances = append(e.instances, instance{op: in.Op, by: t, pc: pc, members: []int{len(e.threads)}})
	e.threads = append(e.threads, ir.Thread{Name: e.prog.Funcs[in.Target].Name, Func: int(in.Target), Place: where})
}

// queueDevice returns the device of the queue that an enqueue names.
func (e *enumerator) queueDevice(f *ir.Func, in *ir.Instr) uint16 {
	if a := in.Args[0]; a < 0 && f.Consts[^a] < 0 {
		return e.prog.HostQueues[-1-f.Consts[^a]].Device
	}
	return 0
}

// onHost reports whether thread t is a host thread: no command executes it.
func (e *enumerator) onHost(t int) bool {
	n := e.of[t]
	return e.threads[t].Place.Host && (n < 0 || e.instances[n].op != ir.OpEnqueueNative)
}

// arguments returns what thread i is started with, on all paths of the thread that
// starts it. It is not started if that has no such path.
func (e *enumerator) arguments(i int) (args []int64, callback, started bool, err error) {
	n := e.of[i]
	if n < 0 || e.instances[n].op.Enqueues() {
		return nil, false, true, nil
	}
	in := &e.instances[n]
	for _, p := range e.paths[in.by] {
		for k := range p.actions {
			a := &p.actions[k]
			if a.kind != command || a.cmd.pc != in.pc {
				continue
			}
			if started && !slices.Equal(args, a.cmd.args) {
				return nil, false, false, errors.New("axiom: arguments that depend on what is read")
			}
			args, started = a.cmd.args, true
		}
	}
	return args, in.op == ir.OpCallback, started, nil
}

// statuses lists those that a command may end with: CL_COMPLETE, and what user
// events may be set to (rules 12.16, 12.19).
func (e *enumerator) statuses() []int64 {
	list := []int64{0}
	for _, f := range e.prog.Funcs {
		for i := range f.Code {
			if in := &f.Code[i]; in.Op == ir.OpSetEvent && in.B < 0 && !slices.Contains(list, f.Consts[^in.B]) {
				list = append(list, f.Consts[^in.B])
			}
		}
	}
	return list
}

// toldStatuses lists those that a callback may be told which was registered for one (API 5.11): that one,
// unless it was for completion, and how a command has failed, unless it was for CL_SUBMITTED.
func (e *enumerator) toldStatuses(asked int64) []int64 {
	switch asked {
	case 0:
		return e.statuses()
	case inExecution:
		return slices.DeleteFunc(append(e.statuses(), inExecution), func(v int64) bool { return v == 0 })
	}
	return []int64{asked}
}

// status continues with each status that clGetEventInfo may return: of a command
// that is not complete, queued, submitted or running, of a user event submitted
// (API 5.11), or one that it ends with.
func (u *unfolder) status(w *walk, in *ir.Instr) error {
	handle := u.value(w, in.A)
	if handle == 0 {
		return errNoEvent
	}
	creator := u.e.threads[handle>>20&0xfffff].Func
	open := []int64{3, 2, 1}
	if u.e.prog.Funcs[creator].Code[handle&0xfffff].Op == ir.OpCreateEvent {
		open = []int64{2}
	}
	for _, v := range append(open, u.e.statuses()...) {
		f := w.fork()
		f.actions = append(f.actions, action{kind: command, loc: -1, flags: memmodel.GlobalFence,
			cmd: order{op: in.Op, pc: w.pc, handle: handle, status: v}})
		f.pc++
		f.set(in.Dst, v, 0)
		if err := u.run(f); err != nil {
			return err
		}
	}
	return nil
}

// eachTurns calls f with each order of what the host does to its queues.
func (e *enumerator) eachTurns(chosen []*path, f func(turns) error) error {
	lanes := map[int64][][]place{} // of each queue: by thread
	var queues []int64
	for t, p := range chosen {
		own := map[int64]int{}
		for i := range p.actions {
			a := &p.actions[i]
			if a.kind != command || !a.cmd.host() && a.cmd.op != ir.OpFinish {
				continue
			}
			q := a.cmd.queue
			if _, known := lanes[q]; !known {
				queues = append(queues, q)
			}
			if _, known := own[q]; !known {
				own[q] = len(lanes[q])
				lanes[q] = append(lanes[q], nil)
			}
			lanes[q][own[q]] = append(lanes[q][own[q]], place{t, i})
		}
	}
	order := make(turns, len(queues))
	var extend func(q int) error
	extend = func(q int) error {
		if q == len(queues) {
			return f(order)
		}
		return merge(lanes[queues[q]], nil, func(list []place) error {
			order[q] = list
			return extend(q + 1)
		})
	}
	return extend(0)
}

// merge calls f with each interleaving of some lists, behind those in done.
func merge(lists [][]place, done []place, f func([]place) error) error {
	complete := true
	for i, l := range lists {
		if len(l) == 0 {
			continue
		}
		complete = false
		rest := slices.Clone(lists)
		rest[i] = l[1:]
		if err := merge(rest, append(slices.Clone(done), l[0]), f); err != nil {
			return err
		}
	}
	if complete {
		return f(done)
	}
	return nil
}

// notYet stands for a command that its thread has not come to.
var notYet = &issue{known: true}

// earlier lists the commands whose turn at its queue is before that of an action.
func (c *commands) earlier(p place) (list []*issue) {
	for _, lane := range c.turns {
		for _, q := range lane[:max(slices.Index(lane, p), 0)] {
			if q.index > c.cut[q.thread] {
				list = append(list, notYet)
			} else if i := slices.IndexFunc(c.list, func(k *issue) bool { return k.place == q }); i >= 0 {
				list = append(list, c.list[i])
			}
		}
	}
	return list
}

// turnsTaken reports whether nobody has had a turn whose predecessor has not.
func (c *commands) turnsTaken() bool {
	for _, lane := range c.turns {
		missing := false
		for _, p := range lane {
			taken := p.index <= c.cut[p.thread]
			if taken && missing {
				return false
			}
			missing = missing || !taken
		}
	}
	return true
}

// nextWait returns the first action of a path, from i on, that waits for commands.
func nextWait(p *path, i int) int {
	for i < len(p.actions) {
		if a := &p.actions[i]; a.kind == command && (a.cmd.op == ir.OpFinish || a.cmd.op == ir.OpWaitEvents) {
			break
		}
		i++
	}
	return i
}

// proceed lets host threads return from waits for what terminates, and reports
// whether there were any.
func (c *commands) proceed(chosen []*path) (more bool) {
	for t, p := range chosen {
		if c.cut[t] == len(p.actions) {
			continue
		}
		a := &p.actions[c.cut[t]]
		awaited := c.earlier(place{t, c.cut[t]})
		if a.cmd.op == ir.OpWaitEvents {
			awaited = nil
			for _, h := range a.cmd.waits {
				awaited = append(awaited, c.find(h))
			}
		}
		if !slices.ContainsFunc(awaited, func(k *issue) bool { return k == nil || !k.terminates }) {
			c.cut[t] = nextWait(p, c.cut[t]+1)
			more = true
		}
	}
	return more
}

// relateThreads orders the start of a host thread or callback before what it does
// (rule 12.10; C11 7.26.5.1).
func (c *candidate) relateThreads() {
	for i := range c.events {
		v := &c.events[i]
		if v.kind != command || v.cmd.op != ir.OpGo && v.cmd.op != ir.OpCallback {
			continue
		}
		n := slices.IndexFunc(c.e.instances, func(n instance) bool { return n.by == v.thread && n.pc == v.cmd.pc })
		for k := range c.events {
			if w := &c.events[k]; w.initial() || w.thread >= len(c.e.threads) || c.e.of[w.thread] != n {
				continue
			}
			c.cmds.order.add(i, k)
			if v.cmd.op == ir.OpCallback && v.cmd.args[0] == 0 {
				c.cmds.order.add(c.cmds.find(v.cmd.waits[0]).ends, k)
			}
		}
	}
}

// takeTurns computes the order of turns.
func (c *candidate) takeTurns() {
	c.turn = newRelation(len(c.events))
	for _, lane := range c.cmds.turns {
		for k, p := range lane {
			for _, q := range lane[:k] {
				if a, b := c.callOf(q), c.callOf(p); a >= 0 && b >= 0 {
					c.turn.add(a, b)
				}
			}
		}
	}
}

// callOf returns the event of an operation on a queue, of clFinish that of its call.
func (c *candidate) callOf(p place) int {
	if c.paths[p.thread].actions[p.index].cmd.op == ir.OpFinish {
		p.index--
	}
	return c.eventOf(p)
}

// turnsHold reports whether the turns agree with happens-before.
func (c *candidate) turnsHold() bool {
	for a := range c.turn {
		for b := range c.turn[a].all() {
			if c.hb[global].has(b, a) {
				return false
			}
		}
	}
	return true
}

// inExecution is CL_RUNNING.
const inExecution = 1

// told adds to a relation that a command starts and ends before anybody sees that it has.
func (c *candidate) told(g relation) {
	for i := range c.events {
		if k, status := c.calledFor(i); k != nil && status == inExecution && k.starts >= 0 {
			g.add(k.starts, i)
		} else if k != nil && status <= inExecution && k.ends >= 0 {
			g.add(k.ends, i)
		}
	}
	for i := range c.events {
		v := &c.events[i]
		if v.kind != command || v.cmd.op != ir.OpEventStatus {
			continue
		}
		k := c.cmds.find(v.cmd.handle)
		if k != nil && v.cmd.status <= 0 && k.ends >= 0 {
			g.add(k.ends, i)
		}
		if k != nil && v.cmd.status == inExecution && k.starts >= 0 {
			g.add(k.starts, i)
		}
	}
}

// calledFor returns the command or user event that the thread of an event is called back for, and what
// it is told; nil if it is no callback.
func (c *candidate) calledFor(i int) (*issue, int64) {
	v := &c.events[i]
	if v.initial() || v.thread >= len(c.e.threads) || c.e.of[v.thread] < 0 {
		return nil, 0
	}
	n := &c.e.instances[c.e.of[v.thread]]
	if n.op != ir.OpCallback {
		return nil, 0
	}
	for _, a := range c.paths[n.by].actions {
		if a.kind == command && a.cmd.pc == n.pc {
			return c.cmds.find(a.cmd.waits[0]), c.paths[v.thread].status
		}
	}
	return nil, 0
}

// statusesHold reports whether each clGetEventInfo returns what it may: the status
// that the event ends with, that it runs, if it starts and does not fail, or that it has
// not started; unless its end or start, or a call that saw it further on, happens
// before. That one sees it go on orders nothing.
func (c *candidate) statusesHold() bool {
	h := c.hb[global]
	for i := range c.events {
		v := &c.events[i]
		if v.kind != command || v.cmd.op != ir.OpEventStatus {
			continue
		}
		k := c.cmds.find(v.cmd.handle)
		if v.cmd.status <= 0 {
			if k == nil || !k.terminates || k.status != v.cmd.status {
				return false
			}
			continue
		}
		if k != nil && k.ends >= 0 && h.has(k.ends, i) {
			return false
		}
		runs := k != nil && k.starts >= 0 && !c.cmds.fails(k)
		if v.cmd.status == inExecution && !runs || v.cmd.status > inExecution && runs && h.has(k.starts, i) {
			return false
		}
		for j := range c.events {
			if called, status := c.calledFor(j); called != nil && called == k && status < v.cmd.status && (j == i || h.has(j, i)) {
				return false
			}
			w := &c.events[j]
			if w.kind == command && w.cmd.op == ir.OpEventStatus && w.cmd.handle == v.cmd.handle && w.cmd.status < v.cmd.status && h.has(j, i) {
				return false
			}
		}
	}
	return true
}

var errNoEvent = errors.New("axiom: an event that is not valid")

var errAmbiguous = errors.New("axiom: a region that is mapped twice at a time")
