package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfOvertaken breaks what tells whether a promise may be read before a step in one way after the other.
func TestMutantsOfOvertaken(t *testing.T) {
	mutant.Try(t, overtakenMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		if m.Tell == "" {
			return m.Survives(t, "-run", "^(TestLift|TestLiftLooks|TestCertainOfEach)$", "../por")
		}
		return m.Survives(t, "-run", "^(TestOvertaken|TestLoadsStandInForNothing|TestPromisesReduced|TestPromisesEverywhere)$", "-seeds", "100", "-styles", m.Tell, ".")
	})
}

var overtakenMutants = mutant.List([][5]string{
	{"others get their turn when they may read a promise of what is written below", "por/turn.go",
		"\t\tt.Early && (t.Below.Any || t.Below.ReadsPromised(t.Unit))\n", "\t\tfalse\n", "overtaken"},
	{"what can be promised is early", "state/matters.go",
		"	return q.m.Traits.Promises && fn >= 0 && q.where.Writes[fn][s.pc[u]]\n", "	return q.m == nil && fn >= 0\n", "overtaken"},
	{"a read may see what depends on another one of its unit", "por/summary.go",
		"return r.Kind == Look && r.Unit", "return r.Unit", "overtaken"},
	{"a read is another one of its unit, below a step", "por/summary.go",
		"(w.Loc == s.Loc || w.Loc == Somewhere):\n		w.Kind = Again\n", "(w.Loc == s.Loc || w.Loc == Somewhere):\n", "overtaken"},
	{"a read is another one of its unit, in a step", "por/summary.go",
		"w.Loc == s.Loc && !first {\n", "false {\n", ""},
	{"what is certain of several early writes is certain of each", "por/summary.go",
		"	w.Readers &= o.Readers\n", "	w.Readers |= o.Readers\n", ""},
	{"only what depends on a step depends on its read", "por/summary.go",
		"	case w.Kind == Early && depends && w.Loc", "	case w.Kind == Early && w.Loc", ""},
	{"only what depends on a read of its location follows that", "por/summary.go",
		" && depends && w.Loc == s.Loc && s.Loc >= 0:", " && depends:", "overtaken"},
	{"nothing written nowhere follows a read of nothing", "por/summary.go",
		" && s.Loc >= 0:", ":", ""},
	{"a read somewhere may be another one", "por/summary.go",
		"(w.Loc == s.Loc || w.Loc == Somewhere):\n		w.Kind = Again\n", "w.Loc == s.Loc:\n		w.Kind = Again\n", ""},
	{"writes on no cycle stand in for others", "por/loadbuffering/representatives.go",
		"with[a] = with[a] || near[a] != 0 &&", "with[a] = with[a] || false &&", "overtaken"},
	{"no load does", "por/loadbuffering/representatives.go",
		"	if p.Op == ir.OpLoad || ", "	if ", "lb,overtaken"},
	{"those of another kind do", "por/loadbuffering/representatives.go",
		"(p.Op == ir.OpStore) != (q.Op == ir.OpStore) ||", "p.Alu != q.Alu || p.Op != q.Op ||", "overtaken"},
})
