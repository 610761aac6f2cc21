package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/internal/testkit/randprog"
)

// TestMutantsOfReduction breaks the reductions in one way after the other and
// sees the comparison of all modes, or the count of executions, fail.
func TestMutantsOfReduction(t *testing.T) {
	mutant.Try(t, reductionMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		m.First(likely(m)...)
		promises := "TestPromises(Named|OfFourWrites|Bounded|AgainstAxioms|Everywhere|Reduced|Enough)"
		if m.Tell == string(randprog.Help) {
			if out, survived := m.Survives(t, "-run", "^TestExpectations$/^(lb_taken|lb_two_helpers)$", "../models/shipped"); !survived {
				return out, false
			}
			promises += "|TestPromisesUnread"
		}
		return m.Survives(t, "-run", "^(TestFirst.*|TestReductionTraps|TestWaitsOnNewest|TestNewestOfOneValue|TestReductionsAgree|Test(Units|Symmetric)BeyondSets|TestLocks.*|TestLoadsLeave.*|TestExecutions.*|TestInterleavings.*|TestNamed|TestOracle|TestIdles|"+promises+")$", "-seeds", seedsFor(m), "-styles", m.Tell, ".")
	})
}

// seedsFor returns how many programs of each style are tried: enough for the
// rarest to be among them.
func seedsFor(m *mutant.Run) string {
	switch m.Rule {
	case oldMessages: // eight executions of ten, in one program of five hundred
		return "600"
	case standIns:
		return "1200"
	}
	if m.Tell == string(randprog.Help) { // whose programs are large, and there are named ones
		return "20"
	}
	return "100"
}

const (
	oldMessages = "an old message has its number in the state before"
	standIns    = "who reads a message that stands for several need not depend on the newest"
)

// Reductions that are broken on purpose.
var reductionMutants = mutant.List([][5]string{
	{"who exchanges what is there for something else does not wait", "por/spin.go",
		"after.Repeats(before, u) && r.leaves(before, after, u)\n", "after.Repeats(before, u)\n", "locks"},
	{"the last read of such a round may race", "por/spin.go",
		"\t\t\treturn calm(int32(before.PC(u))) && ", "\t\t\treturn ", "locks"},
	{"and those before it", "por/spin.go",
		" && !slices.ContainsFunc(round.Between, func(pc int32) bool { return !calm(pc) }) &&", " &&", "locks"},
	{"what is set in a round may be of worth when it begins again", "state/facts/returns.go",
		"		case !keeps(f, i, h):\n			return nil, false\n", "", "locks"},
	{"and what its last read sets", "state/facts/returns.go",
		"	return way[h] && keeps(f, e, h)\n", "	return way[h]\n", "locks"},
	{"nor who exchanges an old value for something else", "por/spin.go",
		"		before.Mem.Value(x, memmodel.Msg(c.Back)) == after.Mem.Value(x, memmodel.Msg(c.Back)) &&\n", "		x >= 0 &&\n", "echoes,locks"},
	{standIns, "memmodel/drop.go",
		"	if c.Oldest && hasBit(c.peeked, x) {\n", "	if false {\n", "echoes"},
	{"nor on one that does the same", "memmodel/drop.go",
		"	if c.Oldest && hasBit(c.peeked, x) {\n", "	if c.Oldest && next.val == q.val && hasBit(c.peeked, x) {\n", "glances"},
	{"a compare-exchange comes too late if nobody writes what it expects", "por/eager.go",
		"f.Written[x].Has(expected)", "f.Written[x].Has(expected+1<<40)", "late"},
	{"and if it finds nothing that it expects", "por/eager.go",
		"		if !c.Fail || i < last", "		if !c.Fail && i == 0 || i < last", "late"},
	{"and if it acquires nothing when it fails", "state/facts/class.go",
		"in.Op == ir.OpCmpXchg && in.FailOrder == memmodel.Relaxed &&", "in.Op == ir.OpCmpXchg &&", "late"},
	{"and if nobody looks at what it finds", "state/facts/class.go",
		" && !(in.Dst2 >= 0 && f.LiveAt(pc+1, int(in.Dst2)))", "", "late"},
	{"and if no fence acquires what it finds", "por/eager.go",
		"	if m.Ahead(s, u, facts.Ever).Acquires && !s.Mem.TeachesNothing(u, x, least) {", "	if least < 0 {", "late"},
	{"what a compare-exchange writes may be expected", "state/ir/footprint.go",
		"		return a.value(s, in.C)\n", "		return Nothing\n", "late"},
	{"and what other read-modify-writes write", "state/ir/footprint.go",
		"	return Anything\n}\n\n// set gives", "	return Nothing\n}\n\n// set gives", "late"},
	{"seq_cst operations leave the graph though loads may be undecided", "memmodel/gap.go",
		"				if m.indifferent(e,", "				if false && m.indifferent(e,", "gaps"},
	{"read-modify-writes that the next stands for leave the graph", "memmodel/drop.go",
		"	return m.coveredBy(a, b, at+from, at+i+1)\n", "	return at < 0 || from < 0\n", "relays"},
	{"where writes are seen at once, a read counts for who writes later", "explore/invisible.go",
		"s.por.Attempts(n, u) || s.por.Watched(n, u) >= 0", "s.por.Attempts(n, u)", "glob,cas"},
	{"it wakes who writes later", "por/reducer.go",
		"at == x || at == y && r.writes.Has(u)", "at == x", "glob,cas"},
	{"a write alone is not enough if others may read", "por/concurrent.go",
		"		read = ^read\n", "", "glob,cas"},
	{"weaker orders are not interleaved", "por/interleave.go",
		"return in.Order == memmodel.SeqCst &&", "return", "glob,rs,cas"},
	{"barriers that order nothing are not interleaved", "por/interleave.go",
		"in.Flags&memmodel.GlobalFence != 0", "in.Flags == in.Flags", "glob"},
	{"a write wakes the readers of its location", "por/reducer.go",
		"			sleep &^= 1 << u\n", "			_ = u\n", "glob,mix"},
	{"a reader alone is not enough if others may write", "por/concurrent.go",
		"		if u != t && writes(", "		if u < 0 && writes(", "glob,mix"},
	{"no unit is ignored around a cycle (sleep sets)", "explore/explore.go",
		"\t\tif slices.ContainsFunc(f.successors, func(k successor) bool { return !s.visited.has(k.fp) }) {", "\t\tif true {", "glob"},
	{"no unit is ignored around a cycle (turns)", "explore/dpor.go",
		"		d.Full = true // a cycle may close here\n", "", "glob"},
	{"an operation that reads is not eager", "por/reducer.go",
		"r.Machine.Reading(s, u) < 0 && r.free", "(u == 0 || r.Machine.Reading(s, u) < 0) && r.free", "glob"},
	{"a visited state was explored with a smaller sleep set", "explore/explore.go",
		"		if por.Set(e.Sleep).Within(sleep) {\n", "		if true {\n", "glob,mix"},
	{"a state explored once more sleeps less", "explore/explore.go",
		"		sleep &= por.Set(e.Sleep)\n", "		sleep |= por.Set(e.Sleep)\n", "glob,mix"},
	{"others get their turn when what is read is written below", "por/turn.go",
		"t.Below.Conflict(t.Unit, t.Loc, t.Modifies, local)", "false", "glob"},
	{"who wrote what those read who sleep gets a turn", "por/turn.go",
		"		z.takeRivals()\n", "", "glob"},
	{"who wrote what is read gets a turn if awake", "por/turn.go",
		"if next := z.open(); next != nil {", "if next := z.open(); false {", "glob"},
	{"who wrote and cannot be named may be anybody", "por/turn.go",
		"		if !below.Conflicting(z.none(), u, reads.x, reads.modifies, local) {\n", "		if below.Conflicting(z.none(), u, reads.x, reads.modifies, local); false {\n", "alike,enq"},
	{"turns of which not all is known are not enough", "por/turn.go",
		"	if t.Full || t.Early || t.Below.Any {\n		return false, nil", "	if t.Unit < 0 {\n		return false, nil", "glob,cas"},
	{"beyond sets who has had no turn is not done", "explore/dpor.go",
		"d.sleep, d.Past(), s.local", "d.sleep, d.Todo, s.local", "glob,cas"},
	{"beyond sets symmetric units are not always enough", "explore/symmetricturns.go",
		"	return s.sourceSetComplete(d)\n}", "	s.sourceSetComplete(d)\n	return true\n}", "alike"},
	{"the effects below a visited state count", "explore/dpor.go",
		"			s.lift(f, k, s.effectsOf(note), lasting)\n", "", "glob,rs"},
	{"the effects below a kid count", "explore/dpor.go",
		"\t\ts.lift(parent, &parent.successors[parent.next-1], &d.effects, d.low)\n", "", "glob"},
	{"states that lead back to an open one stay open", "explore/dpor.go",
		"	note, steps := openNote(d.low), s.stats.Steps-f.began\n", "	note, steps := s.noteOf(&por.Summary{}), s.stats.Steps-f.began\n", "glob"},
	{"what is certain of several writes is certain of each", "por/summary.go",
		"	w.After &= o.After\n", "	w.After |= o.After\n", "glob,rs,mix"},
	{"writes by others on the way depend on nothing for certain", "por/summary.go",
		"		case memmodel.Unit(w.Unit) != s.Unit: // depends on nothing for certain\n", "		case false:\n", "glob,cas"},
	{oldMessages, "por/summary.go",
		"			w.Read = w.Read.with(int(s.Labels[i]))\n", "			w.Read = w.Read.with(i)\n", "rs"},
	{"a read-modify-write could have read what another one took", "explore/invisible.go",
		"	if s.por.Attempts(n, u) || s.por.Watched(n, u) >= 0 {\n", "	if false {\n", "glob,rs,cas"},
	{"a failed compare-exchange could have written", "por/summary.go",
		"return (w.Kind == Sure || w.Kind == Try && modifies) && (", "return w.Kind == Sure && (", "cas,glob"},
	{"a round of waiting could have written", "por/turn.go",
		"	if w.Kind = Try; t.Attempts || t.Loc >= 0 && interleaved {\n", "	if w.Kind = Try; false {\n", "cas"},
	{"who waits on the newest message lets the others go on", "explore/dpor.go",
		"	d.Full = d.Full || d.waits || len", "	d.Full = d.Full || len", "cas"},
	{"and who is led nowhere by what it has read instead", "explore/dpor.go",
		"\td.Full = d.Full || d.waits || len(f.successors) == 0\n", "\td.Full = d.Full || d.waits || s.opt.NoCache && len(f.successors) == 0\n", "cas"},
	{"a round of waiting leaves the registers as they were", "state/state.go",
		" && slices.Equal(before.reg(u), s.reg(u))\n", "\n", "glob,cas"},
	{"a round of waiting that is told beforehand does, too", "por/spin.go",
		"	return ok && pc == int32(s.PC(u)) && slices.Equal(regs, after[:len(regs)])\n", "	return ok && pc == int32(s.PC(u)) && slices.Equal(regs, regs)\n", "loops,cas"},
	{"a unit that has seen less is not dominated by one that has seen more", "memmodel/dominate.go",
		"			if v[at] > w[at] {\n", "			if false {\n", "glob"},
	{"what happens before what makes a difference", "memmodel/dominate.go",
		"if v[at] != w[at] && !l.own(u, k, at) {", "if false {", "glob,mix"},
	{"what a unit has read makes a difference", "state/state.go",
		"slices.Equal(s.regs, o.regs) && s.Mem", "s.Mem", "glob"},
	{"what an acquire fence may acquire makes a difference", "memmodel/dominate.go",
		" &&\n		slices.Equal(m.pendHead, o.pendHead) && slices.Equal(m.pend, o.pend)", "", "fences,glob"},
	{"what a unit holds when it has read makes a difference", "por/eager.go",
		"!ok || to != pc || after != known {", "!ok || to != pc {", "glob"},
	{"to read once more may teach more", "memmodel/dominate.go",
		"			if !m.L.behind(m.snap", "			if false && !m.L.behind(m.snap", "glob"},
	{"who waits on an old message may wait on the newest", "por/eager.go",
		"	if !ok || pc == int32(s.PC(u)) {\n", "	if !ok {\n", "loops"},
	{"a round of waiting is seen although another outcome dominates it", "explore/rivals.go",
		"				s.round(f, choices[i])\n", "				_ = choices[i]\n", "loops,cas"},
	{"a message is not read twice by one that was covered", "explore/count.go",
		"			c = d.cover[label] &^ por.Set(0).With(d.Unit)\n", "			c = d.cover[label]\n", "glob,cas"},
	{"promises that others need are made before anybody reads them", "explore/dpor.go",
		"	if !d.helped {\n", "	if false {\n", "lb"},
	{"promises help to keep what nobody is about to read", "por/promises.go",
		"	n.all = len(n.units) > 0 &&", "	n.units = slices.DeleteFunc(n.units, func(w memmodel.Unit) bool {\n		for v := range s.Cast.Count() {\n			if x := r.Machine.Reading(s, v); x >= 0 && r.Machine.Ahead(s, w, facts.Near).Promisable.Has(int(x)) {\n				return false\n			}\n		}\n		return true\n	})\n	n.all = len(n.units) > 0 &&", "help"},
	{"what helps is found anew when others have been promised", "explore/promiseclosure.go",
		"	for i := 0; i < len(h.all) && !s.stopped && (i == 0 ||", "	for i := 0; i < 1 && !s.stopped && (i == 0 ||", "help"},
	{"a promise that helps need not let anybody promise more by itself", "explore/promiseclosure.go",
		"			if s.m.Try(at, v, c); at.Abandoned ||", "			s.m.Try(at, v, c)\n			gains := at.Abandoned\n			for w := range at.Cast.Count() {\n				gains = gains || w != v && len(s.m.Promises().Offers(at, w, -1, nil)) > len(s.m.Promises().Offers(n, w, -1, nil))\n			}\n			if at.Abandoned || !gains ||", "help"},
	{"what takes a message away may have to wait for other promises", "por/promises.go",
		"n.taken(n.goals(r.Machine.Ahead(s, 0, facts.Ever).Access)) ||", "false ||", "help"},
	{"what takes a message away may have several need each other's promises", "por/promises.go",
		" || r.takes(s, &n))", ")", "help"},
	{"a promise cannot come after a step that somebody could not keep his promises after", "explore/promiseclosure.go",
		"return !o.fails && o.is(st)", "return o.is(st)", "help"},
	{"promises may have to come before a step of somebody whose turn it is not", "explore/promiseclosure.go",
		"		for u := range s.cur.Cast.Count() {\n			if s.stopped {", "		for u := range s.cur.Cast.Count() {\n			if f.dpor.begun() && u != f.dpor.Unit {\n				continue\n			}\n			if s.stopped {", "help"},
	{"they may have to come before another one that is read", "explore/promiseclosure.go",
		"	if st.unit >= 0 {\n		promises", "	if st.unit >= 0 {\n		return\n	}\n	if st.unit >= 0 {\n		promises", "help"},
	{"where there are too many they are made by themselves", "explore/promiseclosure.go",
		"		s.storeAided(f, h, sleep)\n", "		_ = 0\n", "help"},
	{"what decides may be read of a promise", "por/loadbuffering/dependencies.go",
		" || in.Dst >= 0 && d.after(fn, pc).Has(int(in.Dst)))", ")", "help"},
	{"what is promised may be what was read of a promise", "por/loadbuffering/symbolic.go",
		"		if d.owed != nil && d.owed[fn][pc] || d.objects", "		if d.objects", "help"},
	{"and have been in memory", "por/loadbuffering/dependencies.go",
		"				d.touched[fn][pc].Union(facts.Set(objects))\n", "				_ = facts.Set(objects)\n", "help"},
	{"what is asserted may be read of a promise", "por/loadbuffering/symbolic.go",
		"	case in.Op == ir.OpAssert && !d.alone, in", "	case in.Op == ir.OpAssert, in", "help"},
	{"a point that is reached by load buffering is not unreachable", "explore/first.go",
		"	enough, cut := f.paused == \"\" && f.found() && !opt.All,", "	enough, cut := f.paused == \"\" && (f.found() || len(f.m.Notes().Unreached()) > 0) && !opt.All,", "lb"},
	{"a reader of promises does not sleep", "por/reducer.go",
		"May(s, u) || r.Machine.Promises().Looking(s, u)", "May(s, u)", "lb"},
})
