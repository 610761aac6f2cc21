package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfSettingAside breaks what keeps executions apart that differ in who is told of what, and sees some be lost.
func TestMutantsOfSettingAside(t *testing.T) {
	mutant.Try(t, asideMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		if out, survived := m.Survives(t, "-run", "^(TestToldByChance|TestAsideRepeated)$", "."); !survived {
			return out, false
		}
		return m.Survives(t, "-run", "^TestRacesSetAside$/^told$", "-seeds", "150", "-styles", m.Tell, ".")
	})
}

// What is kept where races are set aside (memmodel.KeepSync), left out.
var asideMutants = mutant.List([][5]string{
	{"what has raced is told from what has not", "state/state.go",
		"		kind |= pastRace\n", "", "glob"},
	{"an execution that has raced has no outcome", "explore/ends.go",
		"	if s.behind != nil || n.PastRace {\n", "	if s.behind != nil {\n", "glob"},
	{"rounds that tell something are kept", "explore/explore.go",
		"	if opt.Aside {\n", "	if false {\n", "glob"},
	{"a round that tells something is a step", "explore/explore.go",
		" && !s.por.Learns(at, u, f.dpor.Loc, c) {", " {", "glob"},
	{"also where it is plain to see", "por/spin.go",
		"	if r.Learns(s, u, x, c) {\n		return false\n	}\n", "", "glob"},
	{"by a fence to come", "por/spin.go",
		"(m.Operation(s, u).Instr.Order.Acquires() || m.Ahead(s, u, facts.Ever).Acquires) && s.Mem", "m.Operation(s, u).Instr.Order.Acquires() && s.Mem", "glob"},
	{"or at once", "por/spin.go",
		"(m.Operation(s, u).Instr.Order.Acquires() || m.Ahead(s, u, facts.Ever).Acquires) && s.Mem", "m.Ahead(s, u, facts.Ever).Acquires && s.Mem", "glob"},
	{"what a message carries is told by it", "memmodel/dominate.go",
		"			if !m.L.knows(m.view(u), m.snap(m.srcs[i].snap), u) {\n", "			if c.segment == 0 && c.at == len(list)-1-back && !m.L.knows(m.view(u), m.snap(m.srcs[i].snap), u) {\n", "glob"},
	{"a round that releases something is a step", "por/spin.go",
		" &&\n		(m.Keep&memmodel.KeepSync == 0 || !after.Mem.Releases(x, memmodel.Msg(c.Back)))\n", "\n", "glob"},
	{"what is promised for that can be repeated", "explore/concretise.go",
		"			where, _ := loadbuffering.Everywhere(m)\n", "			where, _ := loadbuffering.Anywhere(m)\n", "glob"},
	{"loads of a round of several may tell something", "por/spin.go",
		" && !r.learned(before, u, round)\n", "\n", "glob"},
	{"by a fence to come, too", "por/spin.go",
		"	return m.Ahead(s, u, facts.Ever).Acquires || code[round.To]", "	return code[round.To]", "glob"},
	{"its first load", "por/spin.go",
		"Acquires || code[round.To].Order.Acquires() ||", "Acquires ||", "glob"},
	{"and those between", "por/spin.go",
		"		slices.ContainsFunc(round.Between, func(pc int32) bool { return code[pc].Order.Acquires() })\n", "		false\n", "glob"},
	{"who adds may be told something by who has added before", "por/eager.go",
		" || m.Keep&memmodel.KeepSync != 0 && c.Layout.Timed() && m.Ahead(s, u, facts.Ever).Acquires:", ":", "glob"},
	{"who reads what a read-modify-write has taken may be told something", "memmodel/drop.go",
		"	tells := c.Keep&KeepSync != 0 && m.publishes(x, i)\n", "	tells := false\n", "glob"},
	{"who has only added may be told something by a fence", "por/loadbuffering/commuting.go",
		"(seen[c].continuing == several || a.m.sync)", "seen[c].continuing == several", "glob"},
	{"rounds that tell something make hops", "por/loadbuffering/poedges.go",
		" && !l.mustAcquire[n] &&", " &&", "glob"},
	{"and those with fences", "por/loadbuffering/poedges.go",
		"	return in.Op == ir.OpFence && !h.m.sync || in", "	return in.Op == ir.OpFence || in", "glob"},
	{"what a fence acquires later", "por/loadbuffering/acquire.go",
		" || m.acquiresAfter(fn, pc)\n", "\n", "glob"},
	{"and who tries in vain releases nothing", "por/loadbuffering/acquire.go",
		"\t\t\t\t\tdumb[n.cell] = false\n", "", "glob"},
})
