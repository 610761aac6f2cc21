package axiom

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// instance is a kernel-instance that may come to be: what one thread's enqueue
// at one place creates.
type instance struct {
	op      ir.Op // OpGo and OpCallback: a host thread
	by, pc  int   // the thread and the enqueue
	members []int
}

// order is what an action of kind command does.
type order struct {
	op     ir.Op
	pc     int
	handle int64 // of the event that it creates; of the one that it sets
	waits  []int64
	flags  int64
	status int64
	queue  int64   // of the host
	kept   bool    // the host keeps the event
	args   []int64 // of a function that it starts
	region region  // that it maps, unmaps or frees
}

// host reports whether the operation is a command of a host queue.
func (o *order) host() bool { return o.op.Queued() }

// maxThreads bounds the threads, those that may never exist included.
const maxThreads = 40

// expand finds the kernel-instances that the program may come to have, and adds
// their work-items to the threads, after those that enqueue them.
func (e *enumerator) expand() error {
	e.threads = slices.Clone(e.prog.Threads)
	e.of = slices.Repeat([]int{-1}, len(e.threads))
	for t := 0; t < len(e.threads); t++ {
		f := e.prog.Funcs[e.threads[t].Func]
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Op.Starts() && !in.Op.Enqueues() {
				e.addThread(t, pc, f, in)
				continue
			}
			if !in.Op.Enqueues() {
				continue
			}
			if err := e.addInstance(t, pc, f, in); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *enumerator) addInstance(t, pc int, f *ir.Func, in *ir.Instr) error {
	args := in.Args[1:]
	if in.Op == ir.OpEnqueueKernel {
		args = in.Args[2:]
	}
	var space [10]int64
	for i := range space {
		if args[i] >= 0 {
			return errors.New("axiom: an index space that is not constant")
		}
		space[i] = f.Consts[^args[i]]
	}
	size, group := space[4], space[7]
	if size == 0 && e.spec.NoEmptyRanges {
		return errors.New("axiom: an index space without work-items")
	}
	if space[0] != 1 || space[1] != 0 || size%group != 0 || e.prog.Funcs[in.Target].Params > 0 {
		return errors.New("axiom: only simple index spaces and no arguments")
	}
	if len(e.threads)+int(size) > maxThreads {
		return errors.New("axiom: too many work-items")
	}
	device := e.threads[t].Place.Device
	if in.Op == ir.OpEnqueueNDRange {
		device = e.queueDevice(f, in)
	}
	place := memmodel.Place{Device: device, Kernel: uint32(1000 + len(e.instances))}
	if !e.threads[t].Place.Host {
		place.Family = family(&e.threads[t])
	}
	n := instance{op: in.Op, by: t, pc: pc}
	for i := range size {
		item := e.item(i, size, group, cmp.Or(e.prog.Funcs[in.Target].SubGroupSize, e.prog.SubGroupSize, ir.DefaultSubGroupSize))
		place.Group, place.Sub = uint16(i/group), uint16(item.SubGroupID)
		n.members = append(n.members, len(e.threads))
		e.of = append(e.of, len(e.instances))
		e.threads = append(e.threads, ir.Thread{Name: fmt.Sprint(e.prog.Funcs[in.Target].Name, i), Func: int(in.Target), Place: place,
			Item: item})
	}
	e.instances = append(e.instances, n)
	return nil
}

// item is the place of work-item i in an index space of one dimension, of so many in groups of so many. A group falls
// into sub-groups of `most` work-items, of which the last may be smaller (section 3.2.2).
func (e *enumerator) item(i, size, group, most int64) ir.Item {
	local, subs := i%group, (group+most-1)/most
	return ir.Item{WorkDim: 1, GlobalID: [3]int64{i}, LocalID: [3]int64{local}, GroupID: [3]int64{i / group},
		GlobalSize: [3]int64{size, 1, 1}, LocalSize: [3]int64{group, 1, 1},
		SubGroupID: local / most, SubLocalID: local % most, SubGroupSize: min(most, group-local/most*most), MaxSubGroupSize: min(most, group),
		NumSubGroups: subs, EnqueuedNumSubGroups: subs}
}

// family is the kernel-instance of the host that a work-item's descends from.
func family(t *ir.Thread) uint32 {
	if t.Place.Family != 0 {
		return t.Place.Family
	}
	return t.Place.Kernel
}

// orderOf returns what an operation on commands asks for.
func (u *unfolder) orderOf(w *walk, in *ir.Instr) (o order, err error) {
	o = order{op: in.Op, pc: w.pc, handle: int64(1)<<40 + int64(u.i)<<20 + int64(w.pc)}
	switch in.Op {
	case ir.OpEnqueueNDRange:
		o.queue, o.kept = u.value(w, in.Args[0]), in.Dst >= 0
		o.waits = u.events(w, in.Args[ir.NDRangeHeader:][:in.Waits])
	case ir.OpMarker, ir.OpQueueBarrier:
		o.queue, o.kept = u.value(w, in.Args[0]), in.Dst >= 0
		o.waits = u.events(w, in.Args[1:])
	case ir.OpWaitEvents:
		o.waits = u.events(w, in.Args)
	case ir.OpFinish:
		o.queue = u.value(w, in.A)
	case ir.OpEnqueueNative:
		o.queue, o.kept = u.value(w, in.Args[0]), in.Dst >= 0
		o.waits = u.events(w, in.Args[1:][:in.Waits])
		o.args = u.events(w, in.Args[1+in.Waits:])
	case ir.OpGo:
		o.args = u.events(w, in.Args)
	case ir.OpCallback:
		o.waits, o.args = u.events(w, in.Args[:1]), u.events(w, in.Args[1:])
	case ir.OpMap, ir.OpUnmap:
		o.region = region{from: u.value(w, in.A), cells: u.value(w, in.B), writes: in.Writes}
	case ir.OpFree:
		o.region = u.e.object(u.value(w, in.A))
	case ir.OpCreateEvent:
	case ir.OpEnqueueKernel:
		o.flags = u.value(w, in.Args[1])
		o.waits = u.events(w, in.Args[ir.EnqueueHeader:][:in.Waits])
	case ir.OpEnqueueMarker:
		o.waits = u.events(w, in.Args[1:])
	case ir.OpSetEvent:
		o.handle, o.status = u.value(w, in.A), u.value(w, in.B)
	default:
		return o, fmt.Errorf("axiom: operation %d is not covered", in.Op)
	}
	return o, nil
}

// command adds an operation on commands to a walk.
func (u *unfolder) command(w *walk, in *ir.Instr) (more bool, err error) {
	o, err := u.orderOf(w, in)
	if err != nil {
		return false, err
	}
	if slices.Contains(o.waits, 0) {
		return false, errNoEvent
	}
	if slices.ContainsFunc(w.actions, func(a action) bool { return a.kind == command && a.cmd.pc == o.pc }) {
		return false, errors.New("axiom: a command in a loop")
	}
	if u.e.prog.EnqueueFailure && (in.Op == ir.OpEnqueueKernel || in.Op == ir.OpEnqueueMarker) { // rule 12.17
		f := w.fork()
		f.pc++
		f.set(in.Dst, ir.EnqueueFailure, 0)
		f.set(in.Dst2, 0, 0)
		if err := u.run(f); err != nil {
			return false, err
		}
	}
	if in.Op == ir.OpFinish { // which waits from its call to its return
		w.actions = append(w.actions, action{kind: command, loc: -1, flags: memmodel.GlobalFence, cmd: order{op: ir.OpNop, pc: -1}})
	}
	w.actions = append(w.actions, action{kind: command, loc: -1, flags: memmodel.GlobalFence, cmd: o})
	switch in.Op {
	case ir.OpEnqueueKernel, ir.OpEnqueueMarker:
		w.set(in.Dst, ir.Success, 0)
		w.set(in.Dst2, o.handle, 0)
	case ir.OpCreateEvent, ir.OpEnqueueNDRange, ir.OpEnqueueNative, ir.OpMarker, ir.OpQueueBarrier:
		w.set(in.Dst, o.handle, 0)
	}
	w.pc++
	return true, nil
}

func (u *unfolder) events(w *walk, operands []int32) (handles []int64) {
	for _, o := range operands {
		handles = append(handles, u.value(w, o))
	}
	return handles
}

// absent is the path of a work-item that does not run.
var absent = &path{}

// candidatePaths returns the paths to try for thread i, given those of the
// threads before it: none but the empty one if nobody enqueues it, and that one
// in any case, for the command may fail or never start.
func (e *enumerator) candidatePaths(i int, chosen []*path) (list []*path) {
	list = make([]*path, 0, 1+len(e.paths[i]))
	if n := e.of[i]; n >= 0 {
		list = append(list, absent)
		in := &e.instances[n]
		if !slices.ContainsFunc(chosen[in.by].actions, func(a action) bool { return a.kind == command && a.cmd.pc == in.pc }) {
			return list
		}
	}
	for k := range e.paths[i] {
		list = append(list, &e.paths[i][k])
	}
	return list
}

// commands says what becomes of the commands of an execution.
type commands struct {
	list     []*issue
	stuck    bool  // some command never completes
	abnormal bool  // a command of the host fails
	cut      []int // how far each thread gets; less than its path where it waits for ever
	halted   bool  // some does
	turns    turns

	order, fine relation // what commands order: all of global memory, fine-grained memory only
}

// issue is a command, or a user event.
type issue struct {
	order
	place                 // of the action that creates it
	instance     int      // of a kernel or native command, else -1
	after        []*issue // of the host: those before it in its queue that it follows
	known        bool
	terminates   bool // it completes or fails
	status       int64
	starts, ends int   // its events, -1 if it has none
	set          place // of the action that sets a user event, thread -1 if none
}

// resolve finds what becomes of the commands that the chosen paths issue when
// host threads take turns at the queues in a given order. The choice is no
// execution (ok is false) if work-items run whose kernel does not start, or do not
// run though it does, and likewise threads.
func (e *enumerator) resolve(chosen []*path, order turns) (c commands, ok bool, err error) {
	c.turns = order
	for i, p := range chosen {
		if len(e.instances) > 0 && e.why == nil && slices.ContainsFunc(p.actions, func(a action) bool { return a.kind == entry }) {
			// What a host does behind a kernel that never ends would be judged, too. Of an execution that is asked for it is known that it ends.
			return c, false, errors.New("axiom: what goes wrong at barriers together with commands is not covered")
		}
		c.cut = append(c.cut, nextWait(chosen[i], 0))
	}
	for more := true; more; more = c.proceed(chosen) {
		if ok, err = c.collect(e, chosen); !ok || err != nil {
			return c, false, err
		}
		for _, k := range c.list {
			c.terminate(e, k)
		}
	}
	if !c.turnsTaken() {
		return c, false, nil
	}
	for _, k := range c.list {
		c.stuck = c.stuck || !k.terminates && k.op != ir.OpCreateEvent
		c.abnormal = c.abnormal || k.terminates && k.status < 0 && k.host() && !k.kept
	}
	for i, p := range chosen {
		if n := e.of[i]; n >= 0 && (p != absent) != c.runs(e, chosen, n, p) {
			return c, false, nil
		}
		c.halted = c.halted || c.cut[i] < len(p.actions)
	}
	c.stuck = c.stuck || c.halted
	return c, true, nil
}

// collect lists the commands that the threads issue as far as they get. It is
// not ok if an event is set that nobody creates.
func (c *commands) collect(e *enumerator, chosen []*path) (ok bool, err error) {
	c.list = nil
	var sets []place
	for t, p := range chosen {
		for i := range p.actions[:c.cut[t]] {
			a := &p.actions[i]
			switch {
			case a.kind == command && a.cmd.op == ir.OpSetEvent:
				sets = append(sets, place{t, i})
			case a.kind == command && (a.cmd.host() || a.cmd.op == ir.OpCreateEvent || a.cmd.op == ir.OpEnqueueKernel || a.cmd.op == ir.OpEnqueueMarker):
				k := &issue{order: a.cmd, place: place{t, i}, instance: -1, starts: -1, ends: -1, set: place{-1, -1}}
				if a.cmd.op.Starts() {
					k.instance = slices.IndexFunc(e.instances, func(n instance) bool { return n.by == t && n.pc == a.cmd.pc })
				}
				c.list = append(c.list, k)
			}
		}
	}
	for _, k := range c.list {
		if k.host() {
			k.after = c.before(e, k)
		}
	}
	for _, at := range sets {
		cmd := &chosen[at.thread].actions[at.index].cmd
		k := c.find(cmd.handle)
		if k == nil {
			return false, nil
		}
		if k.op != ir.OpCreateEvent || k.set.thread >= 0 {
			return false, errors.New("axiom: misuse of an event")
		}
		k.set, k.status = at, cmd.status
	}
	return true, nil
}

// before lists the commands of the host that command k follows, because of
// their queue: in an in-order queue all before it (rule 12.5); else those that a
// marker or barrier without wait list waits for (rules 12.6, 12.7), and barriers.
func (c *commands) before(e *enumerator, k *issue) (list []*issue) {
	outOfOrder := k.queue < 0 && e.prog.HostQueues[-1-k.queue].OutOfOrder
	all := !outOfOrder || (k.op == ir.OpMarker || k.op == ir.OpQueueBarrier) && len(k.waits) == 0
	for _, b := range c.earlier(k.place) {
		if all || b.op == ir.OpQueueBarrier || b == notYet {
			list = append(list, b)
		}
	}
	return list
}

// awaitedBy reports whether action a, number i of thread t, waits for the
// command: clFinish for those of its queue, clWaitForEvents for those it names.
func (c *commands) awaitedBy(k *issue, a *action, t, i int) bool {
	switch a.cmd.op {
	case ir.OpFinish:
		return k.host() && slices.Contains(c.earlier(place{t, i}), k)
	case ir.OpWaitEvents:
		return slices.Contains(a.cmd.waits, k.handle)
	}
	return false
}

// find returns the command whose event has a handle, or nil.
func (c *commands) find(handle int64) *issue {
	for _, k := range c.list {
		if k.handle == handle {
			return k
		}
	}
	return nil
}

// terminate finds out whether a command completes, and with what status.
func (c *commands) terminate(e *enumerator, k *issue) {
	if k.known {
		return
	}
	k.known = true
	if k.op == ir.OpCreateEvent {
		k.terminates = k.set.thread >= 0
		return
	}
	for _, b := range k.after {
		if c.terminate(e, b); !b.terminates {
			return
		}
	}
	for _, h := range k.waits {
		w := c.find(h)
		if w == nil {
			return // of a thread that has not come so far
		}
		if c.terminate(e, w); !w.terminates {
			return
		}
		k.status = min(k.status, w.status)
	}
	k.starts = 0
	k.terminates = true
	if k.status < 0 || k.instance < 0 {
		return
	}
	for _, d := range c.list { // rules 12.15, 12.16
		if d.op != ir.OpCreateEvent && e.of[d.thread] == k.instance {
			c.terminate(e, d)
			k.terminates = k.terminates && d.terminates
			k.status = min(k.status, d.status)
		}
	}
	if !k.terminates {
		k.status = 0
	}
}

// runs reports whether an instance runs, a kernel's because it is enqueued, can
// start, and nothing that it waits for has failed, a callback because its event is
// complete, with the status that the path p of its thread has.
func (c *commands) runs(e *enumerator, chosen []*path, n int, p *path) bool {
	in := &e.instances[n]
	if in.op == ir.OpGo || in.op == ir.OpCallback {
		i := slices.IndexFunc(chosen[in.by].actions[:c.cut[in.by]], func(a action) bool { return a.kind == command && a.cmd.pc == in.pc })
		if i < 0 || in.op == ir.OpGo {
			return i >= 0
		}
		k := c.find(chosen[in.by].actions[i].cmd.waits[0])
		if k == nil {
			return false
		}
		status, ok := c.comesTo(k, chosen[in.by].actions[i].cmd.args[0])
		return ok && (p == absent || p.status == status)
	}
	for _, k := range c.list {
		if k.instance == n {
			return k.starts >= 0 && !c.fails(k)
		}
	}
	return false
}

// comesTo reports whether a command, or user event, comes to a status, and what a callback for
// that is told: to run, a user event must be set, and what fails does not.
func (c *commands) comesTo(k *issue, asked int64) (told int64, ok bool) {
	switch {
	case asked == 0, k.op == ir.OpCreateEvent && asked == inExecution:
		if k.status >= 0 {
			return asked, k.terminates
		}
		return k.status, k.terminates
	case asked > inExecution:
		return asked, true
	case k.starts >= 0 && c.fails(k):
		return k.status, true
	}
	return asked, k.starts >= 0
}

// fails reports whether something has failed that a command which starts has waited for.
func (c *commands) fails(k *issue) bool {
	return slices.ContainsFunc(k.waits, func(h int64) bool { return c.find(h).status < 0 })
}

// stop cuts off what comes after waits that never return.
func (c *commands) stop(m *meeting) {
	for t := range m.cut {
		m.cut[t] = min(m.cut[t], c.cut[t])
	}
}

// appendMoments adds the start and the completion of each command to the events.
func (c *candidate) appendMoments() {
	next := len(c.e.threads)
	moment := func() int {
		c.append(event{action: action{kind: command, loc: -1, flags: memmodel.GlobalFence}, thread: next})
		next++
		return len(c.events) - 1
	}
	for _, k := range c.cmds.list {
		k.ends = -1
		if k.op == ir.OpCreateEvent {
			continue
		}
		if k.starts >= 0 {
			k.starts = moment()
		}
		if k.terminates {
			k.ends = moment()
		}
	}
}

// relateCommands computes what commands order.
func (c *candidate) relateCommands() {
	q := &c.cmds
	q.order, q.fine = newRelation(len(c.events)), newRelation(len(c.events))
	for _, k := range q.list {
		if k.op == ir.OpCreateEvent {
			if k.set.thread >= 0 { // rule 12.11
				k.ends = c.eventOf(k.set)
			}
		}
	}
	for _, k := range q.list {
		if k.starts >= 0 && k.op != ir.OpCreateEvent {
			c.starting(k)
		}
		if k.ends >= 0 && k.op != ir.OpCreateEvent {
			c.ending(k)
		}
	}
	c.relateThreads()
	c.takeTurns()
	for i := range c.events {
		v := &c.events[i]
		if v.kind != command {
			continue
		}
		for _, k := range q.list { // rules 12.4, 12.8
			if k.ends >= 0 && q.awaitedBy(k, &v.action, v.thread, v.index) {
				q.order.add(k.ends, i)
			}
		}
	}
}

// starting orders the start of a command after what it follows (rules 12.1,
// 12.2, 12.5, 12.12), and before its work-items (12.9).
func (c *candidate) starting(k *issue) {
	q := &c.cmds
	enqueue := c.eventOf(k.place)
	q.fine.add(enqueue, k.starts)
	if k.host() {
		q.order.add(enqueue, k.starts)
	}
	for _, b := range k.after {
		q.order.add(b.ends, k.starts)
	}
	for _, h := range k.waits {
		if w := q.find(h); w.ends >= 0 {
			q.order.add(w.ends, k.starts)
		}
	}
	parent := c.e.of[k.thread]
	for _, p := range q.list {
		if parent >= 0 && p.instance == parent {
			q.order.add(p.starts, k.starts) // whatever precedes the parent
		}
	}
	by := &c.e.threads[k.thread]
	for i := range c.events {
		v := &c.events[i]
		if v.initial() || v.thread >= len(c.e.threads) {
			continue
		}
		if k.instance >= 0 && c.e.of[v.thread] == k.instance {
			q.order.add(k.starts, i)
		}
		mates := parent >= 0 && c.e.of[v.thread] == parent
		if k.flags == ir.WaitKernel && mates || k.flags == ir.WaitWorkGroup && mates && c.e.threads[v.thread].Place.Group == by.Place.Group {
			q.order.add(i, k.starts)
		}
	}
}

// ending orders the completion of a command after its work-items and what they
// have enqueued (rules 12.3, 12.9, 12.15).
func (c *candidate) ending(k *issue) {
	q := &c.cmds
	q.order.add(k.starts, k.ends)
	if k.instance < 0 {
		return
	}
	for i := range c.events {
		if v := &c.events[i]; !v.initial() && v.thread < len(c.e.threads) && c.e.of[v.thread] == k.instance {
			q.order.add(i, k.ends)
		}
	}
	for _, d := range q.list {
		if c.e.of[d.thread] == k.instance && d.ends >= 0 && d.op != ir.OpCreateEvent {
			q.order.add(d.ends, k.ends)
		}
	}
}

// eventOf returns the event of an action, or -1.
func (c *candidate) eventOf(p place) int {
	return slices.IndexFunc(c.events, func(v event) bool { return v.thread == p.thread && v.index == p.index })
}
