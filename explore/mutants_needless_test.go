package explore

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore/mutant"
)

// TestMutantsOfNeedless breaks the analysis that tells where promises make no difference,
// and sees the comparison of searches with and without them fail.
func TestMutantsOfNeedless(t *testing.T) {
	mutant.Try(t, needlessMutants, func(t *testing.T, m mutant.Mutant) (string, bool) {
		if out, survived := m.Survives(t, "-run", "^(TestPromisesMatterToValues|TestExpectations)$/^([^l].*|lb_partner)$", "../models/shipped"); !survived {
			return out, false
		}
		if m.File == "por/buffering/locks.go" || strings.HasPrefix(m.Rule, "a cycle has two") {
			return m.Survives(t, "-run", "^(TestPromisesUnderLocks|TestLocksOrder|TestPromisesNeedless)$/^guarded$", "-seeds", "500", "-styles", "lb", ".")
		}
		if m.File == "por/buffering/passed.go" || m.File == "por/buffering/begin.go" || strings.Contains(m.Rule, "chain") || strings.Contains(m.Rule, "region") {
			return m.Survives(t, "-run", "^TestPromisesNeedless$/^passed$", "-seeds", "3000", "-styles", "lb", ".")
		}
		if m.File == "por/buffering/blind.go" {
			return m.Survives(t, "-run", "^(TestTallies|TestTalliesInOnePlace|TestPromisesNeedless|TestPromisesSpared)$/^tallies$", "-seeds", "500", "-styles", "tallies", ".")
		}
		if m.File == "por/buffering/carried.go" || strings.Contains(m.Rule, "carried") {
			return m.Survives(t, "-run", "^TestPromisesNeedless$/^carried$", "-seeds", "1000", "-styles", "lb", ".")
		}
		return m.Survives(t, "-run", "^TestPromisesNeedless$/^(lb|values)$", "-seeds", "2000", "-styles", "lb", ".")
	})
}

// The thread-modular analysis, broken on purpose.
var needlessMutants = mutant.List([][5]string{
	{"values that others write are read", "por/buffering/threads.go",
		"	if c.free {\n		return from, true\n	}\n", "	if c.free || len(c.by) == 0 {\n		return from, c.free\n	}\n	if len(c.by) == 1 && c.by[0] != t.number {\n		return from, false\n	}\n", ""},
	{"a thread reads what it has written", "por/buffering/threads.go",
		"			if n.wrote.Holds(w.write) {\n", "			if false {\n", ""},
	{"what a thread has written is known on every path", "por/buffering/threads.go",
		"	changed := to.wrote.Unite(n.wrote)\n", "	changed := false\n", ""},
	{"what has been seen is forgotten where a path comes that has not seen it", "por/buffering/threads.go",
		"return !slices.Contains(saw, w) })", "return false && !slices.Contains(saw, w) })", ""},
	{"at the beginning nothing has been seen", "por/buffering/threads.go",
		"	if i, _ := a.runOn(t, pc, regs); i != nowhere {\n", "	if i, _ := a.runOn(t, pc, regs); i < nowhere {\n", ""},
	{"two writes on one path are both seen", "por/buffering/threads.go",
		"&& !t.before[w.write].Holds(o.write) && !t.before[o.write].Holds(w.write) {", "&& !t.before[w.write].Holds(o.write) {", ""},
	{"what was refused is tried again", "por/buffering/threads.go",
		"k.refused && k.paths != a.paths ||", "false ||", ""},
	{"all that threads write counts", "por/buffering/rows.go",
		"			sum[c] = min(sum[c]+n, unbounded)\n", "			sum[c] = min(max(sum[c], n), unbounded)\n", ""},
	{"in loops without bound", "por/buffering/rows.go",
		"						steps = unbounded\n", "						steps = 0\n", ""},
	{"new values are read where one was before", "por/buffering/threads.go",
		"k.cell >= 0 && k.version != a.cells[k.cell].version {", "false {", ""},
	{"the least that must have come before counts", "por/buffering/threads.go",
		"		if r < int(k.row) {\n", "		if r > int(k.row) {\n", ""},
	{"who acquires by additions has few beside him", "por/buffering/blind.go",
		"if blind[c] && seen[c].acquires && seen[c].goers == several {", "if false {", ""},
	{"a fence acquires what additions hand on", "por/buffering/blind.go",
		"s = sight{own, in.Op == ir.OpFence && in.Order.Acquires() || in.Op.Meets()}", "s = sight{own, false}", ""},
	{"who goes on goes on", "por/buffering/blind.go",
		"				s.goers = own\n", "				_ = own\n", ""},
	{"however late", "por/buffering/blind.go",
		"max(s.goers, next.goers, sights[to].goers)", "max(s.goers, next.goers)", ""},
	{"additions are of one kind", "por/buffering/blind.go",
		"in.Alu == first[n.cell].Alu && ", "", ""},
	{"nobody looks at a cell that is only added to", "por/buffering/blind.go",
		"added[n.cell] && adds(in) && ", "added[n.cell] && in.Op == ir.OpRMW && ", ""},
	{"additions do not acquire", "por/buffering/blind.go",
		"!in.Type.Float() && !in.Order.Acquires() &&", "!in.Type.Float() &&", ""},
	{"what is spared only adds", "por/buffering/blind.go",
		"(does[fn][pc] || !adds[fn][pc])", "!adds[fn][pc]", ""},
	{"three that are alike take part", "por/buffering/alike.go",
		"alike[s] > enoughAlike", "alike[s] >= enoughAlike", ""},
	{"who is alike accesses the same cells", "por/buffering/alike.go",
		"return binary.AppendVarint(b, int64(n.cell))", "return b", ""},
	{"a round begins and ends at the same node", "por/buffering/hops.go",
		"		if idle && e.to != nowhere && above[e.to] {\n", "		if idle && e.to != nowhere {\n", ""},
	{"a round changes nothing", "por/buffering/hops.go",
		"h.calm[n.cell] && !e.changes()\n", "h.calm[n.cell]\n", ""},
	{"a round that belongs to the outcome is none", "por/buffering/hops.go",
		"	case e.mark:\n", "	case false:\n", ""},
	{"what follows a change follows its read", "por/buffering/hops.go",
		"			s.far.Union(l.far[e.to])\n", "", ""},
	{"a promise passes what does not change", "por/buffering/passed.go",
		"	s.near.UnionWithout(l.near[to], l.masks.stopped(passed.regions))\n", "", ""},
	{"a promise passes changes", "por/buffering/hops.go",
		"facts.Set { return l.masks.stopped(passing(&l.code.Code[n.pc])) })", "facts.Set { return l.all })", ""},
	{"a fence that acquires acquires", "por/buffering/passed.go",
		"	return in.Order.Acquires() && h.fences(in.Op, in.Flags)\n", "	return h.fences(in.Op, in.Flags)\n", ""},
	{"a fence that releases releases", "por/buffering/passed.go",
		"	case !in.Order.Releases():\n", "	case !in.Order.Releases() && in.Op != ir.OpFence:\n", ""},
	{"a fence that releases releases, in rounds", "por/buffering/passed.go",
		"	if in.Order.Releases() && h.fences(in.Op, in.Flags) {\n", "	if h.fences(in.Op, in.Flags) {\n", ""},
	{"a fence orders the memory that it names", "por/buffering/passed.go",
		"	return op == ir.OpFence && h.m.ordersAtomics(flags)\n", "	return op == ir.OpFence\n", ""},
	{"what acquires what was read has its scope", "por/buffering/passed.go",
		"	case in.Scope != by.scope:\n", "	case false:\n", ""},
	{"an exchange that fails acquires as a failure", "por/buffering/passed.go",
		"h.m.readOrder(in, e.failed).acquires\n", "in.Order.Acquires()\n", ""},
	{"what acquires what was read is on the same cell", "por/buffering/passed.go",
		"n.cell >= 0 && n.cell == by.cell && e.reads", "n.cell >= 0 && e.reads", ""},
	{"a plain store breaks a chain", "por/buffering/passed.go",
		"e.writes && !e.reads && !alone[n.pc] {", "e.writes && !e.reads && alone[n.pc] {", ""},
	{"what follows is not acquired on every path", "por/buffering/passed.go",
		"			if h.acquires(l, n, e, by) {\n", "			if true {\n", ""},
	{"only chained cells have chains", "por/buffering/graph.go",
		"	return g.chained != nil && cell >= 0 && g.chained[cell] && g.spots[to].cell == cell\n", "	return g.chained != nil && cell >= 0 && g.spots[to].cell == cell\n", ""},
	{"a region with atomic objects is one", "por/buffering/cycle.go",
		"o.Region == memmodel.Pipe || hasAtomics(o.Layout)\n", "o.Region == memmodel.Pipe || o.Region == memmodel.Global && hasAtomics(o.Layout)\n", ""},
	{"a host begins as long as it is alone", "por/buffering/begin.go",
		"alone[at] && a.initialise", "(alone[at] || !t.unit.Place.Host) && a.initialise", ""},
	{"what a host sets is there", "por/buffering/begin.go",
		"	if !c.carried {\n", "	if false {\n", ""},
	{"each change begins a path", "por/buffering/hops.go",
		"				starts[e.to] = true\n", "", ""},
	{"work-items that meet tell each other", "por/buffering/hops.go",
		"		return i, i\n", "		return i, nowhere\n", ""},
	{"a cycle may come to a unit by several hops", "por/buffering/graph.go",
		"(k.unit == from.unit || k.unit == at.unit)", "(k.unit == from.unit || k.unit <= at.unit)", ""},
	{"what a lock guards is guarded everywhere", "por/buffering/locks.go",
		"				all[n.cell] = false\n", "				all[n.cell] = all[n.cell] && held[i][k]&without != 0\n", ""},
	{"what a lock guards is guarded somewhere", "por/buffering/locks.go",
		"!alone[n.pc] && !held[i][k].held() {", "!alone[n.pc] && held[i][k]&(with|leaving) == 0 {", ""},
	{"who lets go of a lock holds it no more", "por/buffering/locks.go",
		"		return without, before.held() && in.Order.Releases() ||", "		return before, before.held() && in.Order.Releases() ||", ""},
	{"only who holds a lock lets go of it", "por/buffering/locks.go",
		"before.held() && in.Order.Releases() ||", "in.Order.Releases() ||", ""},
	{"who lets go of a lock releases", "por/buffering/locks.go",
		"before.held() && in.Order.Releases() ||", "before.held() ||", ""},
	{"who takes a lock acquires", "por/buffering/locks.go",
		"		if in.Order.Acquires() {\n			return with, before == without\n", "		if true {\n			return with, before == without\n", ""},
	{"a fence that releases lets go of a lock", "por/buffering/locks.go",
		"				if in.Order.Releases() {\n", "				if true {\n", ""},
	{"a fence that acquires takes a lock", "por/buffering/locks.go",
		"				if in.Order.Acquires() {\n", "				if true {\n", ""},
	{"what is done behind a fence is not released", "por/buffering/locks.go",
		"				after = after.past(leaving, with)\n", "", ""},
	{"a fence of a lock has its scope", "por/buffering/locks.go",
		" && in.Scope == l.scope && l.a", " && l.a", ""},
	{"a fence of a lock orders what it guards", "por/buffering/locks.go",
		" && l.a.m.ordersAtomics(in.Flags):", ":", ""},
	{"who takes a lock finds it free", "por/buffering/locks.go",
		"	case e.written != l.free && e.reads && e.read == l.free:\n", "	case e.written != l.free && e.reads:\n", ""},
	{"a lock has one scope", "por/buffering/locks.go",
		"	if l.known && in.Scope != l.scope {\n", "	if false {\n", ""},
	{"everybody can see a lock", "por/buffering/locks.go",
		"		if !calm[m] || ", "		if ", ""},
	{"a cycle has two loose cells", "por/buffering/hops.go",
		"len(loose[comp[k.from]]) > 1 &&", "len(loose[comp[k.from]]) > 2 &&", ""},
	{"what a branch asks decides", "por/buffering/carried.go",
		"	case in.Op == ir.OpAssert && d.owed == nil, in.Op == ir.OpObserve:", "	case in.Op == ir.OpAssert && d.owed == nil, in.Op == ir.OpObserve, in.Op == ir.OpBranch:", ""},
	{"an address decides", "por/buffering/carried.go", "		need(in.A)\n", "", ""},
	{"what is loaded to decide decides in memory", "por/buffering/carried.go",
		"			changed = d.objects.Union(d.touched[fn][pc]) || changed\n", "", ""},
	{"what is stored where it decides decides", "por/buffering/carried.go",
		" || d.objects.Meets(d.touched[fn][pc]) ||", " || false ||", ""},
	{"what decides is computed of what does", "por/buffering/carried.go", "		if decides {\n			in.Uses(need)\n", "		if decides {\n", ""},
	{"what is set in a round of waiting makes it none", "por/buffering/carried.go",
		"carried&(b.sets[i]|d.before[fn][from][i]) != 0", "carried&d.before[fn][from][i] != 0", ""},
	{"what is known no more in a round of waiting makes it none", "por/buffering/carried.go",
		"carried&(b.sets[i]|d.before[fn][from][i]) != 0", "carried&b.sets[i] != 0", ""},
	{"what is asserted in a round of waiting makes it none", "por/buffering/carried.go", "	if b.asserts {\n", "	if false {\n", ""},
	{"the analysis is made again with what it has come to (carried)", "por/buffering/threads.go",
		"d.stale && d.learn() {", "false {", ""},
	{"an assertion that fails belongs to the outcome (carried)", "state/lone.go", "failed = failed || !ok", "failed = false", ""},
})
