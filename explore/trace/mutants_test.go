package trace

import (
	"slices"
	"testing"

	"github.com/clmc/clmc/explore/mutant"
)

// TestMutants breaks, in one way after the other, what reports say of executions.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", m.Tell, "-seeds", "60", ".")
	})
}

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) {
	mutant.Apply(t, slices.Concat(mutants, sliceMutants, firstMutants))
}

var mutants = mutant.List([][5]string{
	{"a value is told only while its register has it", "models/internal/lower/notes.go",
		"	case in.has(n.A) || f.slot[n.A] >= 0:\n", "	case alloc.of[n.A] >= 0:\n", "^TestPrivateValues$"},
	{"an assignment that nothing needs is a loss", "models/internal/lower/notes.go",
		"		holds.remove(in.Dst)\n", "", "^TestPrivateValues$"},
	{"a register that has lost an assignment is not what the others say", "models/internal/lower/notes.go",
		"	for in.A >= 0 && !f.lossy[in.A] {", "	for in.A >= 0 {", "^TestPrivateValues$"},
	{"an empty block that is skipped takes back what it says", "models/internal/lower/optimise.go",
		"		b.forget(empty.ins)\n", "		b.forget(empty.ins[:0])\n", "^TestPrivateValues$"},
	{"a note at the end of a block is about those who come by it", "models/internal/lower/linearise.go",
		"			if falls && onlyNotes(b.ins[j:]) && n.PC > start[i] {", "			if falls && false {", "^TestPrivateValues$"},
	{"8.3 a race that has not come true ends nothing", "explore/trace/onward.go",
		"(s.Done() || s.Violation.Kind != state.NoViolation) && !s.Open()", "s.Done() || s.Violation.Kind != state.NoViolation", "^TestNoWayOutBesideRaces$"},
	{"2.1 to 2.3 atomics of host and device order fine-grained memory only", "explore/trace/path.go",
		"		return grained\n", "", "^(TestReasons|TestRandom)$"},
	{"6.8 a pair of seq_cst operations does not compose with program order", "explore/trace/path.go",
		"		return aside\n", "", "^TestRandom$"},
	{"a barrier is missing before a release that the access could come before", "explore/trace/nearest.go",
		" && !before[s.ID]", " && !before[-1]", "^(TestReasons|TestRandom)$"},
	{"12.12 a work-group is waited for, not the kernel", "explore/trace/ordering.go",
		" && parent.Group != by.Group", " && parent.Group == by.Group", "^TestReasons$"},
	{"12.5 queues are in no order", "explore/trace/commands.go",
		"d.queue == c.queue && ", "d != nil && ", "^TestReasons$"},
	{"what was not attended to changes what is known", "explore/trace/attention.go",
		"			n.Unknown = true\n			q.heed(r, lane, &n, nil)\n", "			_ = n\n", "^TestAttendedInPart$"},
	{"private computation that is repeated is not given up", "explore/trace/attention.go",
		"		r.m.Halt()\n", "", "^TestNoTimeInPrivate$"},
	{"nor what follows a step", "explore/trace/build.go",
		"	r.m.Try(r.s, move.Unit, move.Choice)\n	if r.m.Halted() {\n		return errLate\n	}\n	if r.s.Abandoned {", "	r.m.Do(r.s, move.Unit, move.Choice)\n	if r.s.Abandoned {", "^TestNoTimeInPrivate$"},
	{"a comparison that is folded is kept", "models/internal/lower/optimise.go",
		"			f.keepFolded(&b.ins[i], copies)\n", "", "^TestPrivateValues$"},
})

// TestMutantsOfSlices leaves out what a slice must have, one after the other.
func TestMutantsOfSlices(t *testing.T) {
	mutant.Try(t, sliceMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestSlicesAreEnough|TestSlices)$", "-seeds", "80", ".")
	})
}

var sliceMutants = mutant.List([][5]string{
	{"who wrote what is read", "explore/trace/slice.go",
		"		q.value(w.ID)\n		if w.Lane", "		if w.Lane"},
	{"how the write comes before an ordinary read", "explore/trace/slice.go",
		"			q.ordered(w, s)\n", ""},
	{"through what a release and an acquire meet", "explore/trace/orders.go",
		"			q.meets(from, s)\n", ""},
	{"what decided that a step is performed", "explore/trace/slice.go",
		"q.causes = append(q.causes, n.a, n.control)\n	}\n	if s.Kind", "q.causes = append(q.causes, n.a)\n	}\n	if s.Kind"},
	{"what is written is made of", "explore/trace/depend.go",
		"			n.b = of(in.B)\n", ""},
	{"that a loop comes to its end", "explore/trace/branching.go",
		"	d.leaves = in[pc]\n", "	d.leaves = false\n", ""},
	{"branches that kept from writing", "explore/trace/slice.go",
		"	for q.account(); q.decided(); {", "	for q.account(); false; {"},
	{"what only one of two ways sets", "explore/trace/depend.go",
		"				q.regs[r] = l.both(q.regs[r], d.cause)\n", "				_ = r\n"},
	{"a loop that was left", "explore/trace/depend.go",
		"				l.demand(q, d.cause)\n", ""},
	{"an assumption that held", "explore/trace/depend.go",
		"		l.demand(q, of(in.A))\n", ""},
	{"the others at a barrier", "explore/trace/slice.go",
		"			q.add(b.Arrivals[k])\n			q.add(b.Departures[k])\n", "			_ = k\n"},
	{"why a compare-exchange wrote", "explore/trace/slice.go",
		"		q.value(s.ID) // whether it writes depends on what it reads\n", ""},
	{"what started a lane", "explore/trace/slice.go",
		"		q.value(c.step)\n	default:", "	default:"},
})

// TestMutantsOfFirstScreens breaks, one after the other, what tells causes and repairs from each other.
func TestMutantsOfFirstScreens(t *testing.T) {
	mutant.Try(t, firstMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestFirstScreen$", "../../internal/model")
	})
}

var firstMutants = mutant.List([][5]string{
	{"an update in two accesses", "explore/trace/strangers.go",
		"	case read != nil && (q.b.instr == read.instr", "	case false && (q.b.instr == read.instr"},
	{"store buffering is more than an update in two accesses", "explore/trace/strangers.go",
		"q.bothOlder, q.samePlace, q.sameStatement,", "q.samePlace, q.sameStatement, q.bothOlder,"},
	{"store buffering", "explore/trace/strangers.go",
		"q.commandsApart, q.bothOlder, ", "q.commandsApart, "},
	{"leaders that others do not wait for", "explore/trace/strangers.go",
		"q.separateBarriers, q.leaders}", "q.separateBarriers}"},
	{"a lost update", "explore/trace/shapes.go",
		"		if w.Lane == s.Lane {\n			continue", "		if w.Lane >= 0 {\n			continue"},
	{"an exchange that nobody looks at loses an update, too", "explore/trace/shapes.go",
		"s.instr.Alu == ir.Xchg && s.instr.Dst < 0", "false"},
	{"what was there and is overwritten", "explore/trace/shapes.go",
		"	if out := r.overwritten(); len(out) > 0 {", "	if out := r.overwritten(); len(out) > 0 && false {"},
	{"a read that a write goes back to stands before it", "explore/trace/strangers.go",
		" && indexOf(f, s.instr) < indexOf(f, w.instr)", " && indexOf(f, s.instr) >= 0"},
	{"a value that is there from an earlier time", "explore/trace/strangers.go",
		"{q.stillThere, q.bothLook, ", "{q.bothLook, "},
	{"two that look before either has taken", "explore/trace/strangers.go",
		"q.bothLook, ", ""},
	{"a value that an earlier launch has left", "explore/trace/strangers.go",
		"q.leftOver, ", ""},
	{"what nobody has reset", "explore/trace/shapes.go",
		"	return r.notReset()\n", "	return nil\n"},
	{"an index that is drawn after a look", "explore/trace/causes.go",
		"if out, ok := r.drawn(); ok {", "if out, ok := r.drawn(); ok && false {"},
	{"ways that part in a loop around the barrier", "explore/trace/causes.go",
		"	case c.ended && inLoop:", "	case c.ended && inLoop && false:"},
	{"a flag that is not atomic", "explore/trace/strangers.go",
		"q.plainFlag, ", ""},
	{"a loop of a work-group that waits is told", "explore/trace/flags.go",
		"		case at == pc:\n			return true", "		case at == pc:\n			return false"},
	{"a fence that waits for nobody", "explore/trace/flags.go",
		"if s.Kind == Fence {", "if false {"},
	{"a look before a write", "explore/trace/strangers.go",
		"q.looksFirst, ", ""},
	{"an update is lost whatever barriers there are", "explore/trace/strangers.go",
		"q.tooLate, q.commandsApart,", "q.tooLate, q.commandsApart, q.separateBarriers,"},
	{"store buffering, of what reads and does not write", "explore/trace/strangers.go",
		"!r.Atomic || r.Writes() {\n			continue\n		}\n		l := &q.locs", "!r.Atomic {\n			continue\n		}\n		l := &q.locs"},
	{"the end of a round comes after both accesses", "explore/trace/places.go",
		"a.Line > b.Line", "a.Line < b.Line"},
	{"a lock that is tried for is not taken by that", "explore/trace/waits.go",
		"l.cells[i] != l.cells[i-1]", "true"},
	{"a map that is under way", "explore/trace/causes.go",
		" && r.maps(c.op.A, true) != nil:", " && false:"},
	{"a value that is cut to its type is the same", "explore/trace/private.go",
		"&^operandOf(q.f, regs, in.B) == 0:", "&^operandOf(q.f, regs, in.B) != 0:"},
	{"ABA", "explore/trace/shapes.go",
		"other = other || l.cells[i] != *s.Read", "other = false"},
	{"a barrier that does not reach is no hand-over", "explore/trace/handover.go",
		"		return (f.Kind == Arrive || f.Kind == Depart) && (", "		return false && ("},
	{"what is lost need not be read", "explore/trace/shapes.go",
		"		if s := &r.t.Steps[i]; s.Atomic && s.loc >= 0 {\n			if reason, ok := r.lost(s); ok {", "		if s := &r.t.Steps[i]; s.Atomic && s.loc >= 0 {\n			if reason, ok := r.lost(s); ok && false {"},
	{"a fence that does not reach is replaced", "explore/trace/handover.go",
		"			if f := q.short(end.there, w, r); f != nil {", "			if f := q.short(end.there, w, r); f == nil {"},
	{"the condition at which ways part", "explore/trace/causes.go",
		"s.taken != t.taken && t.number > last", "s.taken == t.taken && t.number > last"},
	{"a command that is no kernel is one all the same", "explore/trace/ordering.go",
		"	case c.name != \"\":\n", "	case c.name == \"\":\n"},
	{"a map is waited for where it begins", "explore/trace/ordering.go",
		"		if two.step < first.step {", "		if two.step < 0 {"},
	{"what is unmapped is not waited for", "explore/trace/causes.go",
		"unmap != m && unmap.step < user.step", "false"},
	{"a statement that reads what it writes elsewhere", "explore/trace/strangers.go",
		" && q.a.Writes() != q.b.Writes() && !q.a.Atomic", " && false"},
	{"locks that are taken in different orders", "explore/trace/waits.go",
		"	if out, ok := r.ring(a); ok {", "	if out, ok := r.ring(a); ok && false {"},
	{"a write that a lane has come past", "explore/trace/waits.go",
		"	if out, ok := r.passedBy(a); ok {", "	if out, ok := r.passedBy(a); ok && false {"},
	{"a role is no way that a lane goes", "explore/trace/waits.go",
		" || !depends {", " || !depends && false {"},
	{"a wake-up that is lost", "explore/trace/waits.go",
		"		if w := r.t.Step(id); w.Lane == lane {", "		if w := r.t.Step(id); w.Lane != lane {"},
	{"what a value is compared with", "explore/trace/waits.go",
		"s.instr == a.by && s.loc == a.loc && s.Read != nil && side.alone == 0", "false"},
	{"a branch leads past what only its other way leads to", "explore/trace/unmade.go",
		"		if !t.taken {", "		if t.taken {"},
	{"whether a condition holds is what it compares", "explore/trace/private.go",
		"	case in.Op == ir.OpBin && in.Alu == ir.Ne && from(in.A).cmp != nil", "	case false && from(in.A).cmp != nil"},
	{"a flag that does not tell of whom it should", "explore/trace/strangers.go",
		"	if r, ok := q.elsewhere(); ok {", "	if r, ok := q.elsewhere(); ok && false {"},
	{"a fence that stands behind what it should publish", "explore/trace/handover.go",
		"	q.move(&reason, w, r, from, to)\n", ""},
	{"a flag that only its writer takes for atomic", "explore/trace/flags.go",
		"write.Kind != Store && !write.Atomic", "write.Kind != Store"},
	{"a barrier of others that the first lane has passed", "explore/trace/strangers.go",
		"q.bothWays() {\n		one, passed", "q.bothWays()[:1] {\n		one, passed"},
	{"a write behind the barrier at which others are waited for", "explore/trace/waits.go",
		"(Reason, bool){r.behindBarrier, ", "(Reason, bool){"},
	{"who has written last is not looked for behind a barrier", "explore/trace/waits.go",
		"a.last != nil && a.last.Lane == lane || ", ""},
	{"local memory that is filled in part", "explore/trace/causes.go",
		"		if out, ok := r.unfilled(s); ok {", "		if out, ok := r.unfilled(s); ok && false {"},
	{"the condition under which it is filled", "explore/trace/unfilled.go",
		"past := q.parts(pc); past >= 0 {", "past := q.parts(pc); past < -1 {"},
	{"a barrier between filling and reading", "explore/trace/unfilled.go",
		"in.Op == ir.OpBarrier && !in.SubGroup {", "in.Op == ir.OpBarrier && in.SubGroup {"},
	{"a wait for other copies", "explore/trace/why.go",
		"s.instr.Op == ir.OpWaitCopies && s.Kind == Depart {", "s.instr.Op == ir.OpWaitCopies && s.Kind == Load {"},
	{"an index that did not fit its type", "explore/trace/cutting.go",
		"became := ir.Wrap(in.Type, exact); became != exact {", "became := ir.Wrap(in.Type, exact); became != exact && false {"},
	{"an index that goes below 0 in 64 bits", "explore/trace/cutting.go",
		"	if in.Op == ir.OpBin && in.Type == ir.U64 {", "	if false {"},
	{"what an index was cut from is kept", "explore/trace/cutting.go",
		"	of := q.cutOf(in.A)\n", "	var of *cutting\n"},
	{"an update that keeps the least", "explore/trace/shapes.go",
		"!r.comesOf(n.b, look) && r.comesOf(n.control, look) {", "false {"},
	{"a host thread that is not waited for", "explore/trace/strangers.go",
		"start != nil && start.Lane == other.Lane {", "start != nil && start.Lane != other.Lane {"},
	{"a lock that its holder tries for", "explore/trace/waits.go",
		"a.last.Lane != lane || !takes(a.last)", "a.last.Lane >= 0 || !takes(a.last)"},
	{"a flag of which each work-group has its own", "explore/trace/waits.go",
		"	if write == nil || ours[write.instr]", "	if write != nil || ours[write.instr]"},
	{"a flag that others of the work-group write, too", "explore/trace/waits.go",
		" || ours[write.instr] || theirs[a.by] {", " {"},
	{"an address that is not aligned", "explore/trace/causes.go",
		"	case in.Op == ir.OpCheck && in.Check == ir.CheckAligned:\n		return []Reason", "	case in.Op == ir.OpBarrier:\n		return []Reason"},
})
