package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// Commands that do not wait for each other have reasons of their own for a race between
// what they do (rules 12.5 to 12.15, 12.21).

// commandsApart explains a race between what different commands do, or a command and the host,
// if they are not ordered as commands are.
func (q *stranger) commandsApart() (Reason, bool) {
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	ca, cb := q.commandOfLane(a), q.commandOfLane(b)
	switch {
	case ca == nil && cb == nil || ca == cb:
		return Reason{}, false
	case ca == nil || cb == nil:
		return q.besideHost(ca, cb)
	}
	if r, ok := q.familyApart(a, b, ca, cb); ok {
		return r, true
	}
	if r, ok := q.familyApart(b, a, cb, ca); ok {
		return r, true
	}
	ca, cb = q.ancestor(ca), q.ancestor(cb)
	if ca == nil || cb == nil || ca == cb {
		return Reason{}, false
	}
	if ca.step > cb.step {
		ca, cb = cb, ca
	}
	return q.queuesApart(ca, cb), true
}

// parentOf returns the command whose work-item has enqueued a command, or nil.
func (q *accessPair) parentOf(c *issued) *issued { return q.commandOfLane(&q.lanes[c.lane]) }

// ancestor returns the command of the host of which a command descends.
func (q *accessPair) ancestor(c *issued) *issued {
	for range q.issued {
		p := q.parentOf(c)
		if p == nil {
			return c
		}
		c = p
	}
	return nil
}

// familyApart explains a race of a kernel with one that it has enqueued, or of two that one
// kernel has.
func (q *stranger) familyApart(parent, child *Lane, cp, cc *issued) (Reason, bool) {
	by := &q.lanes[cc.lane]
	up := q.parentOf(cc)
	switch {
	case up == nil:
		return Reason{}, false
	case up == cp && cc.flags == ir.WaitWorkGroup && parent.Group != by.Group:
		return q.command("12.12", fmt.Sprintf("%s runs in a kernel that is enqueued with CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP (step %d), which waits for the work-group that enqueues it only, work-group %d; %s is in work-group %d.",
			child.Name, cc.step, by.Group, parent.Name, parent.Group), "Use CLK_ENQUEUE_FLAGS_WAIT_KERNEL, or an event.", cc.step).changed(q.waitsKernel(cc)), true
	case up == cp && cc.flags == ir.NoWait:
		return q.command("12.1, 12.12", fmt.Sprintf("%s runs in a kernel that is enqueued with CLK_ENQUEUE_FLAGS_NO_WAIT (step %d), which waits for nothing: it may run beside the kernel that enqueues it.",
			child.Name, cc.step), "Use CLK_ENQUEUE_FLAGS_WAIT_KERNEL, or let it wait for an event.", cc.step).changed(q.waitsKernel(cc)), true
	case up == cp:
		return q.command("12.15", fmt.Sprintf("%s runs in a kernel that %s's kernel has enqueued (step %d), and a kernel does not wait for what it enqueues.",
			child.Name, parent.Name, cc.step), "Let a further kernel, which waits for the event of that one, make the access.", cc.step), true
	case up == q.parentOf(cp):
		flags := "without waiting for the other's event"
		if cc.flags == ir.WaitKernel {
			flags = "with CLK_ENQUEUE_FLAGS_WAIT_KERNEL, which waits for the kernel that enqueues it and not for the others that that has enqueued"
		}
		return q.command("12.12, 12.14", fmt.Sprintf("One kernel has enqueued both %s's (step %d) and %s's (step %d), the latter %s; queues of a device are out-of-order.",
			parent.Name, cp.step, child.Name, cc.step, flags), q.listed(cp, cc)+".", cp.step, cc.step), true
	}
	return Reason{}, false
}

// listed says how the later one of two commands is made to wait for the other.
func (r *execution) listed(one, other *issued) string {
	a, b := r.t.Step(min(one.step, other.step)), r.t.Step(max(one.step, other.step))
	if a.Line == 0 || b.Line == 0 || a.Line == b.Line && a.File == b.File {
		return "Put the event of the one into the wait list of the other"
	}
	return fmt.Sprintf("Put the event of the command%s into the wait list of that%s", line(a), line(b))
}

// queuesApart explains a race of two commands of the host, the first of which was enqueued
// before.
func (q *stranger) queuesApart(first, second *issued) Reason {
	what := fmt.Sprintf("The command of step %d%s does not wait for that of step %d%s: ", second.step, line(q.step(second.step)), first.step, line(q.step(first.step)))
	steps := []int{first.step, second.step}
	for _, w := range second.waits {
		if m := q.commandOf(w); m != nil && (m.op == ir.OpMarker || m.op == ir.OpQueueBarrier) && len(m.waits) > 0 {
			return q.command("12.6, 12.7", what+fmt.Sprintf("it waits for the %s of step %d, which has a wait list and so waits for the events in that list only.",
				markerName(m), m.step), fmt.Sprintf("Put the event of the command%s into that list.", q.line(first)), append(steps, m.step)...).changed(q.afterEvent(first, m))
		}
	}
	if m := q.markerBetween(first, second); m != nil {
		if len(m.waits) > 0 {
			return q.command("12.6, 12.7", what+fmt.Sprintf("the %s of step %d waits for the events in its list only.", markerName(m), m.step),
				fmt.Sprintf("Put the event of the command%s into it.", q.line(first)), append(steps, m.step)...).changed(q.afterEvent(first, m))
		}
		return q.command("12.6", what+fmt.Sprintf("the marker of step %d waits for the commands before it, but does not hold back later ones.", m.step),
			fmt.Sprintf("Use clEnqueueBarrierWithWaitList%s, or put the marker's event into the wait list of the command%s.", q.line(m), q.line(second)), append(steps, m.step)...)
	}
	switch {
	case len(second.waits) > 0:
		return q.command("12.2", what+fmt.Sprintf("a wait list means the events in it only, and that of step %d is not among them.", first.step), q.listed(first, second)+".", steps...).changed(q.afterEvent(first, second))
	case first.queue != second.queue:
		queues := "two queues"
		if one, other := queueName(q.p, first.queue), queueName(q.p, second.queue); one != other {
			queues += ", " + one + " and " + other
		}
		return q.command("12.21", what+fmt.Sprintf("they are in %s, and nothing orders those.", queues), q.listed(first, second)+", or use one in-order queue.", steps...).changed(q.afterEvent(first, second))
	case q.outOfOrder(first.queue):
		return q.command("12.21", what+"their queue is out-of-order.", q.listed(first, second)+", enqueue a barrier between them, or use an in-order queue.", steps...).changed(q.afterEvent(first, second))
	}
	return q.command("12.5", strings.TrimSuffix(what, ": ")+".", q.listed(first, second)+".", steps...).changed(q.afterEvent(first, second))
}

// line names the line in which a command is enqueued.
func (q *accessPair) line(c *issued) string {
	if s := line(q.step(c.step)); s != "" {
		return s
	}
	return fmt.Sprintf(" of step %d", c.step)
}

func markerName(c *issued) string {
	if c.op == ir.OpQueueBarrier {
		return "barrier"
	}
	return "marker"
}

// markerBetween returns a marker, or a barrier with a wait list, that was enqueued between
// two commands of one queue.
func (q *stranger) markerBetween(first, second *issued) *issued {
	for i := range q.issued {
		m := &q.issued[i]
		if m.step > first.step && m.step < second.step && m.queue == first.queue && first.queue == second.queue &&
			(m.op == ir.OpMarker || m.op == ir.OpQueueBarrier && len(m.waits) > 0) {
			return m
		}
	}
	return nil
}

// besideHost explains a race of a command with the host.
func (q *stranger) besideHost(ca, cb *issued) (Reason, bool) {
	c, host, access := ca, q.b.Lane, q.b
	if c == nil {
		c, host, access = cb, q.a.Lane, q.a
	}
	if c = q.ancestor(c); c == nil || !q.lanes[host].Host || q.conversation() != "" {
		return Reason{}, false // a kernel that waits for the host is not waited for
	}
	for i := range slices.Backward(q.t.Steps[:access.ID-1]) {
		s := &q.t.Steps[i]
		switch {
		case s.Lane != host || s.ID < c.step:
		case s.instr.Op == ir.OpEventStatus:
			return q.command("12.4, 12.8", fmt.Sprintf("The host has asked for the status of an event%s (step %d), but that is no synchronisation: it orders nothing, whatever it returns.", line(s), s.ID),
				fmt.Sprintf("Call clWaitForEvents or clFinish before the access%s.", line(access)), c.step, s.ID).changed(q.finishes(c, access)), true
		case s.Kind == Return || s.Kind == Finish:
			return q.command("12.4, 12.8", fmt.Sprintf("The host has waited%s (step %d), but not for the command of step %d: clFinish waits for its own queue only, and clWaitForEvents for the events that it is given.", line(s), s.ID, c.step),
				fmt.Sprintf("Wait for the event of the command%s, or with clFinish for its queue, before the access%s.", q.line(c), line(access)), c.step, s.ID).changed(q.finishes(c, access)), true
		}
	}
	return q.notWaited(c, host, access), true
}

// notWaited explains a race of a command with a host thread that has not waited for it, or did not
// enqueue it.
func (q *stranger) notWaited(c *issued, host int, access *Step) Reason {
	call := q.step(c.step)
	switch {
	case host != c.lane:
		return q.command("12.4, 12.8", fmt.Sprintf("%s runs beside the command that is enqueued%s (step %d): nothing makes the one wait for the other.", upper(q.who(host)), line(call), c.step),
			"Let the command wait for the access: by a user event in its wait list that is set after the access, or enqueue it only then; or let the access come after a wait for the command.", c.step)
	case c.name != "":
		return q.command("12.4, 12.8", fmt.Sprintf("The call%s (step %d) does not block: the host goes on, and makes its access%s, while the command is under way.", line(call), c.step, line(access)),
			fmt.Sprintf("Make the call%s blocking (CL_TRUE), or wait for its event, or with clFinish, before the access%s.", line(call), line(access)), c.step).changed(q.blocks(c))
	}
	return q.command("12.4, 12.8", fmt.Sprintf("The host goes on after the enqueue%s (step %d), and makes its access%s while the kernel is under way.", line(call), c.step, line(access)),
		fmt.Sprintf("Wait for the kernel, with clFinish, clWaitForEvents or a blocking command, before the access%s.", line(access)), c.step).changed(q.finishes(c, access))
}

func (q *accessPair) command(rule, text, repair string, steps ...int) Reason {
	slices.Sort(steps)
	return Reason{Kind: "command", Rule: rule + "; OpenCL 3.0 section 3.3.7.5", Steps: steps, Text: text, Repair: repair}
}

// changed gives a reason the changes that its words ask for; none where they cannot be made so.
func (r Reason) changed(changes []Change) Reason {
	r.Changes = changes
	return r
}

// stands reports whether the line of a step is one whole statement of a model in Go, in the function that the host runs.
func (q *mender) stands(s *Step) bool {
	return s != nil && s.Line > 0 && strings.HasSuffix(s.File, ".go") && q.statementAlone(s) && q.p.Positions[s.instr.Pos].Call <= 0
}

// afterEvent is the change that puts the event of one command of the host into the wait list of another.
func (q *stranger) afterEvent(one, other *issued) []Change {
	a, b := q.step(min(one.step, other.step)), q.step(max(one.step, other.step))
	if !q.stands(a) || !q.stands(b) || a.File != b.File || a.Line == b.Line || a.Lane != b.Lane {
		return nil
	}
	c := change(AddWait, b)
	c.To = a.Line
	return []Change{c}
}

// waitsKernel is the change that has a kernel wait for the one that enqueues it.
func (q *stranger) waitsKernel(c *issued) []Change {
	s := change(SetEnqueue, q.step(c.step))
	s.Flags = "CLK_ENQUEUE_FLAGS_WAIT_KERNEL"
	if s.Line == 0 {
		return nil
	}
	return []Change{s}
}

// finishes is the change that has the host wait for the queue of a command before an access.
func (q *stranger) finishes(c *issued, access *Step) []Change {
	i := slices.IndexFunc(q.p.Sources, func(src ir.Source) bool { return src.Name == access.File })
	call := q.step(c.step)
	if i < 0 || !strings.HasSuffix(access.File, ".go") || statements(q.p.Sources[i])(access.Line) != statement || call.File == access.File && access.Line <= call.Line || access.Lane != c.lane ||
		q.p.Positions[access.instr.Pos].Call > 0 {
		return nil
	}
	f := change(AddFinish, access)
	if c.queue != 0 {
		f.Queue = queueName(q.p, c.queue)
	}
	return []Change{f}
}

// blocks is the change that makes a call of the host wait for its command.
func (q *stranger) blocks(c *issued) []Change {
	s := q.step(c.step)
	if s.Line == 0 || !strings.HasSuffix(s.File, ".go") {
		return nil
	}
	return []Change{change(MakeBlocking, s)}
}

// mapped explains a race with a command that maps or unmaps memory.
func (q *diagnosis) mapped() Reason {
	m, other := q.a, q.b
	if m.Kind != Map {
		m, other = q.b, q.a
	}
	repair := "Put the event of the one into the wait list of the other, or use one in-order queue."
	one, two := q.commandOfLane(&q.lanes[m.Lane]), q.commandOfLane(&q.lanes[other.Lane])
	switch {
	case one == nil:
	case two != nil && one != two:
		first, last := q.mappingOf(one)
		repair = q.listed(last, two)
		if two.step < first.step {
			repair = q.listed(two, first)
		}
		repair += ", or use one in-order queue: what uses the memory has to come before the map, or after the unmap."
	case two == nil:
		repair = fmt.Sprintf("Make the access%s only after a wait for the map (blocking, or clWaitForEvents) and before the unmap%s.", line(other), q.line(one))
	}
	return Reason{Kind: "map", Rule: "2.7, 12.21; OpenCL API section 5.2.4", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Nobody may write a region of memory while it is mapped, nor touch one that is mapped for writing, and nothing orders the access of %s (step %d) and %s (step %d): it may come while the region is mapped.",
			q.who(other.Lane), other.ID, q.who(m.Lane), m.ID),
		Repair: repair}
}

// mappingOf returns the commands between which memory is mapped: the one that maps it and the one that unmaps it, one of
// which is given; the other one is that, too, if it is not known.
func (r *commandLog) mappingOf(c *issued) (first, last *issued) {
	first, last = c, c
	for i := range r.issued {
		switch o := &r.issued[i]; {
		case len(o.args) == 0 || len(c.args) == 0 || o.args[0] != c.args[0] || o == c:
		case o.step < c.step && r.does(o, ir.OpMap) && r.does(c, ir.OpUnmap):
			first = o
		case o.step > c.step && r.does(o, ir.OpUnmap) && r.does(c, ir.OpMap) && last == c:
			last = o
		}
	}
	return first, last
}
