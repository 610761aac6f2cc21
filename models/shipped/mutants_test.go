package shipped

import (
	"testing"

	"github.com/clmc/clmc/explore/mutant"
)

// TestMutants breaks one rule of the host's commands after the other and sees the expectations
// of a model that shows it fail.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m mutant.Mutant) (string, bool) {
		return m.Survives(t, "-run", "^TestExpectations$/^("+m.Tell+")$", ".")
	})
}

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) {
	mutant.Apply(t, mutants)
}

var mutants = mutant.List([][5]string{
	{"1.5 each device has its own program-scope variables", "state/cast.go",
		"		return int(c.copies[device][at])\n", "		return at\n", "program_scope"},
	{"1.5 the host does not reach them", "state/mapping.go",
		"	if unit.thread() && rule.Device {\n		return false\n	}\n", "	if unit.thread() && rule.Device {\n		return true\n	}\n", "program_scope"},
	{"2.1 the host maps buffers", "state/mapping.go",
		"	return !unit.thread()\n", "	return true\n", "map_buffer"},
	{"2.1 nobody else touches what is mapped", "state/mapping.go",
		"		return !q.writes && !write\n", "		return true\n", "map_buffer"},
	{"2.7 a map command may undo what it does not know of", "state/mapping.go",
		"		out = append(out, Choice{Fail: true})\n", "		_ = x\n", "map_lost_update"},
	{"2.7 but nothing that it follows", "memmodel/access.go",
		"	at := int(*m.seen(u, x)) - 1\n	m.tick(u)\n	m.insert(", "	at := 0\n	m.tick(u)\n	m.insert(", "map_lost_update"},
	{"2.3 fine-grained SVM without atomics is fine-grained", "memmodel/vocabulary.go",
		"return k == FineSVM || k == FineSVMAtomics || k == SystemSVM }", "return k == FineSVMAtomics || k == SystemSVM }", "enqueue_handoff"},
	{"2.8 system SVM has atomics", "memmodel/vocabulary.go",
		"return k == FineSVMAtomics || k == SystemSVM }", "return k == FineSVMAtomics }", "host_flag_system"},
	{"2.8 host atomics reach all devices", "models/load/builtin_order.go",
		"		c.scp = memmodel.ScopeAllSVMDevices // rule 2.8\n", "		c.scp = memmodel.ScopeDevice // rule 2.8\n", "host_flag_fine_atomics"},
	{"2.9 device scope on a buffer covers one kernel-instance", "memmodel/layout.go",
		"loc == nil || loc.Kind != Buffer ||", "true || loc == nil || loc.Kind != Buffer ||", "two_kernels_atomics"},
	{"12.1 an enqueue orders what its host thread did", "state/queue.go",
		"	s.Mem.Follow(s.Cast.index[id], u)\n", "", "host_threads|map_buffer"},
	{"12.2 a command waits for its wait list", "state/command.go",
		"	return s.complete(cmd.Events) && s.complete(cmd.After)", "	return s.complete(cmd.After)", "events_pipeline|user_event"},
	{"12.4 clWaitForEvents orders", "state/queue.go",
		"			s.Mem.Follow(u, c)\n			if s.code", "			if s.code", "wait_for_events"},
	{"12.5 an in-order queue keeps its order", "state/queue.go",
		"	case !outOfOrder || cmd.Kind", "	case !outOfOrder && false || cmd.Kind", "queue_in_order"},
	{"12.6 a marker follows all before it", "state/queue.go",
		"cmd.Kind >= MarkerCommand && !listed:", "cmd.Kind > MarkerCommand && !listed:", "queue_in_order"},
	{"12.6 a list is one though all in it is complete", "state/queue.go",
		"m.inQueue(s, u, cmd, in.Waits > 0)", "m.inQueue(s, u, cmd, len(events) > 0)", "marker_wait_list"},
	{"12.22 an index space may be empty", "state/ndrange.go",
		"(items > 0 || !spec.NoEmptyRanges)", "items > 0", "empty_range"},
	{"12.22 a child without work-items waits for what its flags name", "state/command.go",
		"func (m *Machine) launch(s *State, c int) {\n	m.follow(s, c)\n", "func (m *Machine) launch(s *State, c int) {\n	if s.Cast.Units[c].cmd.Args[4] > 0 {\n		m.follow(s, c)\n	}\n", "empty_range"},
	{"11.1 rounds are counted from where all have met", "state/barrier.go",
		"			r.Clear(s.reg(t))\n", "			_ = r\n", "barrier_ragged"},
	{"11.1 rounds that leave no trace are not counted for ever", "state/ir/rounds.go",
		"		regs[c] = min(regs[c]+1, 2)\n", "		regs[c]++\n", "divergence_waiting"},
	{"11.1 a break ends the loop that the barrier before it is in", "models/load/rounds.go",
		"f.model.loops {\n		if s.Pos() <= l.from && l.from <= at && at < l.to {", "f.model.loops {\n		if s.Pos() <= l.from && l.from <= at && at < l.from {", "divergence_iterations"},
	{"12.7 a barrier holds up what comes behind it", "state/queue.go",
		"c.Queue == cmd.Queue && c.Kind == BarrierCommand", "c.Queue == cmd.Queue && c.Kind > BarrierCommand", "queue_in_order"},
	{"12.8 clFinish waits for its queue", "state/queue.go",
		"		if s.status[c] != Ended && m.awaiting(s, u, c) {\n			return false\n		}\n", "		_ = c\n", "wait_for_events"},
	{"12.13 a child may start late", "state/enqueue.go",
		"Late: c.Back > 0,", "Late: c.Back > 1,", "enqueue_hang"},
	{"12.14 device queues are out-of-order", "state/enqueue.go",
		"	me := s.Cast.Units[u].ID\n	child := m.submit(", "	me := s.Cast.Units[u].ID\n	for d := range s.Cast.Units {\n		if s.Cast.descends(d, s.Cast.Units[u].command) && s.Cast.Units[d].cmd.enqueued() {\n			cmd.After = append(cmd.After, s.Cast.Units[d].ID)\n		}\n	}\n	child := m.submit(", "enqueue_events"},
	{"12.19 a user event is set once", "state/enqueue.go",
		"Kind != UserEvent || s.status[e] == Ended || status > 0", "Kind != UserEvent || status > 0", "enqueue_event_misuse"},
	{"12.19 to no positive status", "state/enqueue.go",
		"Kind != UserEvent || s.status[e] == Ended || status > 0", "Kind != UserEvent || s.status[e] == Ended", "enqueue_failed_event"},
	{"12.10 a callback follows its event", "state/thread.go",
		"	s.Mem.Follow(t, c)\n	s.Mem.End(c)\n", "	s.Mem.End(c)\n", "event_callback"},
	{"12.11 setting a user event orders", "state/enqueue.go",
		"		s.Mem.Follow(e, u)\n", "", "user_event"},
	{"12.21 queues run side by side", "state/queue.go",
		"s.last(func(c *Command) bool { return c.Queue == cmd.Queue })", "s.last(func(c *Command) bool { return true })", "two_devices|two_kernels_atomics"},
	{"12.16 the status is that of any child that fails", "state/command.go",
		"	return codes[choice]\n", "	_ = choice\n	return codes[0]\n", "enqueue_two_failures"},
	{"an event of negative status stops what waits for it", "state/command.go",
		"	case len(s.failures(c)) > 0:\n", "	case false:\n", "user_event_failed"},
	{"a work-item tells its partners behind a barrier what it has read", "state/buffering.go",
		"(!s.Cast.apart(v, w) || writesTo(f, g))", "writesTo(f, g)", "lb_partner"},
	{"promises matter to compare-exchanges that fail, and acquire nothing", "por/buffering/cycle.go",
		"			h.read.acquires = h.read.acquires && in.FailOrder.Acquires()\n", "", "lb_failure_order"},
	{"promises matter by way of what is made of a value", "por/buffering/cycle.go",
		"				changed.write.value = literal{}\n", "", "lb_update_chain"},
	{"promises matter to additions that fences follow", "por/buffering/cycle.go",
		"				blind[x] = blind[x] && !fenced\n", "				blind[x] = blind[x] || fenced && false\n", "lb_additions"},
	{"promises matter to the host while other queues are busy", "por/buffering/cycle.go",
		"!m.hostOnly(fn) || m.Concurrent {", "!m.hostOnly(fn) || m.Threaded {", "lb_other_queue"},
	{"promises matter by way of commands", "por/buffering/cycle.go",
		"	case writes && (in.Op.Starts()", "	case writes && f == nil && (in.Op.Starts()", "lb_enqueue|lb_queues"},
	{"a promise matters to who may read it, by way of who writes what its unit reads", "state/buffering.go",
		"		if writesTo(f, mine) {", "		if at > 0 && writesTo(f, mine) {", "lb_relaxed"},
})
