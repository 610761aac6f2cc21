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
		"	if i, _ := a.settle(t, 0, regs); i != nowhere {\n", "	if i, _ := a.settle(t, 0, regs); i < nowhere {\n", ""},
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
	{"a round begins and ends at the same node", "por/buffering/hops.go",
		"		if idle && e.to != nowhere && above[e.to] {\n", "		if idle && e.to != nowhere {\n", ""},
	{"a round changes nothing", "por/buffering/hops.go",
		"h.calm[n.cell] && !e.changes()\n", "h.calm[n.cell]\n", ""},
	{"a round that belongs to the outcome is none", "por/buffering/hops.go",
		"	case e.mark:\n", "	case false:\n", ""},
	{"what follows a change follows its read", "por/buffering/hops.go",
		"			s.far.Union(l.far[e.to])\n", "", ""},
	{"a promise passes what does not change", "por/buffering/hops.go",
		"					s.near.Union(l.near[r][e.to])\n", "", ""},
	{"a promise passes changes", "por/buffering/hops.go",
		"						changed = l.near[r][i].Union(l.near[r][e.to]) || changed\n", "", ""},
	{"each change begins a path", "por/buffering/hops.go",
		"				starts[e.to] = true\n", "", ""},
	{"work-items that meet tell each other", "por/buffering/hops.go",
		"		return i, i\n", "		return i, nowhere\n", ""},
	{"a cycle may come to a unit by several hops", "por/buffering/cycle.go",
		"(k.unit == h.unit || k.unit == at.unit)", "(k.unit == h.unit || k.unit <= at.unit)", ""},
	{"what a lock guards is guarded everywhere", "por/buffering/locks.go",
		"				all[n.cell] = false\n", "				all[n.cell] = all[n.cell] && held[i][k]&without != 0\n", ""},
	{"what a lock guards is guarded somewhere", "por/buffering/locks.go",
		"!alone[n.pc] && held[i][k] != with {", "!alone[n.pc] && held[i][k]&with == 0 {", ""},
	{"who lets go of a lock holds it no more", "por/buffering/locks.go",
		"		return without, before == with && in.Order.Releases()\n", "		return before, before == with && in.Order.Releases()\n", ""},
	{"only who holds a lock lets go of it", "por/buffering/locks.go",
		"before == with && in.Order.Releases()\n", "in.Order.Releases()\n", ""},
	{"who lets go of a lock releases", "por/buffering/locks.go",
		"before == with && in.Order.Releases()\n", "before == with\n", ""},
	{"who takes a lock acquires", "por/buffering/locks.go",
		"before == without && in.Order.Acquires()\n", "before == without\n", ""},
	{"who takes a lock finds it free", "por/buffering/locks.go",
		"	case e.written != l.free && e.reads && e.read == l.free:\n", "	case e.written != l.free && e.reads:\n", ""},
	{"a lock has one scope", "por/buffering/locks.go",
		"	if l.known && in.Scope != l.scope {\n", "	if false {\n", ""},
	{"everybody can see a lock", "por/buffering/locks.go",
		"		if !calm[m] || ", "		if ", ""},
	{"a cycle has two loose cells", "por/buffering/hops.go",
		"len(loose[comp[k.from]]) > 1 &&", "len(loose[comp[k.from]]) > 2 &&", ""},
	{"what a branch asks decides", "por/buffering/carried.go",
		"	case in.Op == ir.OpAssert, in.Op == ir.OpObserve:\n", "	case in.Op == ir.OpAssert, in.Op == ir.OpObserve, in.Op == ir.OpBranch:\n", ""},
	{"an address decides", "por/buffering/carried.go", "		need(in.A)\n", "", ""},
	{"what is loaded to decide decides in memory", "por/buffering/carried.go",
		"			changed = d.objects.Union(d.touched[fn][pc]) || changed\n", "", ""},
	{"what is stored where it decides decides", "por/buffering/carried.go",
		"		if d.objects.Meets(d.touched[fn][pc]) ||", "		if false ||", ""},
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
