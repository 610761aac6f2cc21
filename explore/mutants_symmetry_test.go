package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfSymmetry breaks symmetry in one way after the other and sees the
// comparison of searches with and without it fail.
func TestMutantsOfSymmetry(t *testing.T) {
	mutant.Try(t, symmetryMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestSymmetry", "-seeds", "600", "-styles", m.Tell, ".")
	})
}

// Symmetry that is broken on purpose.
var symmetryMutants = mutant.List([][5]string{
	{"the sleep set is renamed", "explore/symmetry.go",
		"		if asleep.Has(memmodel.Unit(was)) {", "		if asleep.Has(memmodel.Unit(u + 0*int(was))) {", "alike"},
	{"what is written below is renamed", "por/summary.go",
		"	w.Unit, w.Loc = nameIn(s.Units, w.Unit), memmodel.Loc(nameIn(s.Locs, int32(w.Loc)))\n", "	w.Loc = memmodel.Loc(nameIn(s.Locs, int32(w.Loc)))\n", "alike"},
	{"so is what it depends on", "por/reducer.go",
		"out.With(memmodel.Unit(names[u]))", "out.With(memmodel.Unit(u))", "alike"},
	{"schedules are told in the first names", "explore/concretise.go",
		"		names[u] = t.names[was]\n", "		_, names[u] = was, t.names[u]\n", "alike"},
	{"writers are renamed", "memmodel/rename.go",
		"			q.writer = r.Units[q.writer]\n", "", "alike"},
	{"clocks are renamed", "memmodel/rename.go",
		"move{at, lo + r.Units[at-lo]}", "move{at, at}", "alike"},
	{"records are renamed", "memmodel/rename.go",
		"q.unit, q.loc = uint32(r.Units[q.unit]), ", "q.loc = ", "alike"},
	{"release sources are renamed", "memmodel/rename.go",
		"		s.key.unit = r.Units[s.key.unit]\n", "", "alike"},
	{"guards are renamed", "memmodel/rename.go",
		"g.loc, g.owner = r.Loc(g.loc), r.Units[g.owner]", "g.loc = r.Loc(g.loc)", "alike"},
	{"seq_cst events are renamed", "memmodel/rename.go",
		"		g.events[i].unit = r.Units[g.events[i].unit]\n", "		_ = i\n", "alike"},
	{"local memory moves with its work-group", "state/symmetry.go",
		"	o.went = o.went || len(o.gone) > 0\n", "", "alike"},
	{"units that ask who they are differ", "state/facts/asking.go",
		"		k = binary.AppendVarint(k, it.Answer(q.query, q.dim))\n", "		_ = q\n", "alike"},
	{"units whose ids lead elsewhere differ", "state/facts/asking.go",
		"			k = binary.AppendVarint(k, v)\n", "			_ = v\n", "alike"},
	{"what is kept of an id matters", "state/facts/asking.go",
		"	if in.Op.Visible() {\n", "	if in.Op.Visible() && t == nil {\n", "alike"},
	{"work-groups stay together", "state/symmetry.go",
		"		if b.grouped {\n			at = ", "		if false {\n			at = ", "alike"},
	{"a scope may be that of a work-group", "state/symmetry.go",
		"scoped && in.Scope < memmodel.ScopeDevice {", "scoped && in.Scope < 0 {", "alike"},
	{"a work-group meets", "state/symmetry.go",
		"if in.Op.Meets() || scoped", "if scoped", "alike"},
	{"a work-group has memory", "state/symmetry.go",
		"		if m.Program.Objects[i].Region != memmodel.Global {\n", "		if m.Program.Objects[i].Region > memmodel.Local {\n", "alike"},
	{"work-items stay with their command", "state/symmetry.go",
		"int64(b.c.Units[u].Place.Kernel)) //", "int64(0*u)) //", "crowds"},
	{"who has come further comes first", "state/symmetry.go",
		"math.MaxInt32 - 1 - s.pc[u]", "s.pc[u]", "alike"},
	{"of stores with several places, that of who has come least far comes first", "por/reducer.go",
		"		case r.reads[u] < 0:\n			alone = i ", "		case r.reads[u] < 0:\n			alone = max(alone, 0) + 0*i ", "alike"},
	{"sub-groups stay together", "state/symmetry.go",
		"			sub = b.c.Units[u].Sub\n		}\n		bySub", "			sub = 0\n		}\n		bySub", "alike"},
	{"work-groups stay in their commands", "state/symmetry.go",
		"string(binary.AppendVarint(nil, int64(b.c.Units[units[0]].command)))+whole.shape", "whole.shape", "crowds"},
	{"host threads that observe differ", "state/symmetry.go",
		"asked.Observes || asked.Ordered", "asked.Ordered", "crowds"},
	{"commands that observe differ", "state/commandclasses.go",
		" || m.Asks[cmd.Func].Observes {", " {", "crowds"},
	{"commands whose events can be named differ", "state/commandclasses.go",
		"told || m.named(c, u, by) {", "told {", "crowds"},
	{"children of two kernels differ", "state/commandclasses.go",
		"int64(c.Units[by].command))", "0*int64(c.Units[by].command))", "crowds"},
	{"commands of which other arguments are known differ", "state/commandclasses.go",
		"		k = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(k, p.Lo), p.Hi), p.Step)\n", "		_ = p\n", "crowds"},
	{"commands of other queues, and behind others, differ", "state/commandclasses.go",
		"key.hash(nil)", "[]byte(nil)", "crowds"},
	{"commands are exchanged with all who execute them", "state/commandclasses.go",
		"blk.units, blk.groups = append(blk.units, p.units...), append(blk.groups, p.groups...)", "_ = p.units", "crowds"},
})

// TestMutantsOfSymmetricTurns breaks what is known of turns because of others in one way after the other.
func TestMutantsOfSymmetricTurns(t *testing.T) {
	mutant.Try(t, symmetricTurnMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestSymmetric", "-seeds", "2000", "-styles", m.Tell, ".")
	})
}

// Turns that are known, broken on purpose.
var symmetricTurnMutants = mutant.List([][5]string{
	{"their writes are those of other units", "por/summary.go",
		"				w.Unit = p[1]\n", "				w.Unit = p[0]\n", "alike"},
	{"and come after the steps of other units", "por/reducer.go",
		"z.Has(t) != z.Has(u) {\n", "z.Has(t) != z.Has(u) && false {\n", "alike"},
	{"the state tells nobody apart", "state/exchange.go",
		"	return bytes.Equal(o.text, text)\n", "	return len(text) > 0 || bytes.Equal(o.text, text)\n", "alike"},
	{"who is named somewhere is told apart", "state/exchange.go",
		"	return !named(t) && !named(u) && s.Mem.Symmetric(t, u)\n", "	return (!named(t) || true) && s.Mem.Symmetric(t, u)\n", "alike"},
	{"and who has seen something else", "state/exchange.go",
		"!named(u) && s.Mem.Symmetric(t, u)\n", "!named(u)\n", "alike"},
	{"all of those who are exchanged resemble each other", "state/exchange.go",
		"		if !s.Resemble(memmodel.Unit(t), memmodel.Unit(u)) {\n", "		if t < 0 && !s.Resemble(memmodel.Unit(t), memmodel.Unit(u)) {\n", "alike"},
	{"a work-group goes to another one as a whole", "state/exchange.go",
		"		o.pairs = append(o.pairs, [2]int32{t, u})\n", "		if int32(i) == p.at {\n			o.pairs = append(o.pairs, [2]int32{t, u})\n		}\n", "alike"},
})
