package trial

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks what is said of repairs.
func TestMutants(t *testing.T) { mutant.TryTests(t, mutants) }

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a repair that leaves what it is for is not printed", "internal/trial/trial.go",
		"	case same(t, mended.Program, r):\n", "	case false && same(t, mended.Program, r):\n", "TestRepairs"},
	{"what is not searched to the end is not verified", "internal/trial/trial.go",
		"	case r.Verdict != explore.Violated:\n		say(t, NotToEnd)\n", "	case r.Verdict != explore.Violated:\n		say(t, Verified)\n", "TestRepairs"},
	{"repairs that are made together verify", "internal/trial/trial.go",
		"	if !verified(r) {\n		return false\n	}\n	advise", "	advise", "TestTogether"},
	{"what helps for another reason is no part of a repair", "internal/trial/trial.go",
		"if !absorbed && lastRepair(u)", "if !absorbed && false && lastRepair(u)", "TestTogether"},
	{"what helps at the same memory is a part of a repair", "internal/trial/trial.go",
		".Kind && !sharesMemory(t, u) && ", ".Kind && ", "TestTogether|TestLocksOfOldForms"},
	{"a barrier that is put somewhere orders all that is found wanting", "internal/trial/trial.go",
		"			b.Flags = both\n", "", "TestLastBlock"},
	{"what a barrier is to order besides is said of it", "internal/trial/trial.go",
		"widened(parts, w.Changes[0]):", "false:", "TestLastBlock"},
	{"what fences hand over by is memory that two races share", "internal/trial/trial.go",
		"			out[t.Why[i].Through] = true\n", "", "TestLocksOfOldForms"},
	{"a fence reaches all who may take the lock", "explore/trace/handover.go",
		" && q.includesOthers(a, f.instr.Scope, l) && q.includesOthers(b, f.instr.Scope, l) {", " {", "TestLocksOfOldForms"},
	{"a repair that was tried in vain is told as such", "internal/trial/trial.go",
		"	last.Idea = strings.TrimSpace(", "	_ = strings.TrimSpace(", "TestRepairs"},
	{"the changes of all repairs are one repair's", "internal/trial/trial.go",
		"		last.Changes = append(last.Changes, p.changes...)\n", "		last.Changes = parts[0].changes\n", "TestTogether"},
	{"what is not needed is not advised", "internal/trial/trial.go",
		"r != nil && verified(r) {\n			parts = fewer", "r != nil && verified(r) && false {\n			parts = fewer", "TestTogether"},
	{"what cannot be made is an idea", "internal/trial/trial.go",
		"			t.Why[i].Changes = nil\n		}\n		return\n", "			_ = i\n		}\n		return\n", "TestRepairs"},
})
