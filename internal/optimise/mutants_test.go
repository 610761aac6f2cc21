package optimise

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks what results rest on, and sees dearer ones, or some that do not verify.
func TestMutants(t *testing.T) { mutant.TryTests(t, mutants) }

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a core says nothing of wider scopes", "internal/optimise/cheapest.go",
		"		if !p.dims[d].weaker(x[d], c.x[d]) {\n", "		if p.dims[d].kind != scopeDim && !p.dims[d].weaker(x[d], c.x[d]) {\n", "TestBruteForce|TestLitmus"},
	{"a schedule that does not fit refutes nothing", "explore/named.go",
		"	if slices.Contains(choices, n.raw) && n.is(meaningOf(m, s, u, n.raw)) {\n", "	if len(choices) > 0 || slices.Contains(choices, n.raw) {\n", "TestCosts|TestLitmus|TestBruteForce|TestRepair"},
	{"what is printed when the time is over has been verified", "internal/optimise/optimise.go",
		"			case a.verdict == verified:\n				if f.confirm(x) {\n					return x\n				}\n",
		"			case a.verdict != violated:\n				f.confirmed, f.confirmedTexts = x, f.rewritten(f.strengths(x))\n				return x\n", "TestTime"},
	{"only a text that has been searched is known to verify", "internal/optimise/check.go",
		"\"%q %q\\n\", name, texts[name])\n	}\n	return sha256", "\"%q\\n\", name)\n	}\n	return sha256", "TestBruteForce|TestCosts"},
	{"what is kept of another search is not taken", "internal/optimise/store.go",
		"*o.Cost, p.target, o.Version)", "nil, p.target, nil)", "TestStoreOfOthers"},
	{"a line that was not written whole counts for nothing", "internal/optimise/store.go",
		"		l.put([]byte(\"\\n\")) // what was not written whole ends here\n", "", "TestResume"},
	{"a violation that is kept is asked first, as when it was found", "internal/optimise/store.go",
		"			return answer{violated, f, i}, true\n", "			return answer{violated, f, min(i, -1)}, true\n", "TestResume"},
	{"of several searches the first that goes wrong counts", "internal/optimise/check.go",
		"				for _, stop := range stops[i+1:] {\n", "				for _, stop := range stops {\n", "TestWorkers|TestAsk"},
	{"facts that read strengths are found again", "state/facts/strength.go",
		"		if code != f.Program.Funcs[fn] {\n", "		if false && code != f.Program.Funcs[fn] {\n", "TestAgain"},
	{"no operation has an order that is illegal for it", "internal/optimise/dims.go",
		"		return o != memmodel.Release && o != memmodel.AcqRel\n", "		return true\n", "TestCosts|TestWith"},
	{"a fence keeps the kinds of memory that its function uses", "internal/optimise/dims.go",
		"v != 0 && f&needs == needs", "v != 0", "TestLoopholes"},
	{"a function without accesses is what its caller is", "internal/optimise/problem.go",
		"		if len(all) > 0 || call == 0 {\n", "		if call >= 0 {\n", "TestLoopholes"},
	{"a scope reaches the units that may access the cell", "internal/optimise/units.go",
		"s > least && meet(ids, a, b)", "s > least && p.opt.anyScope && meet(ids, a, b)", "TestLoopholes"},
	{"cores with a dimension in common cost once", "internal/optimise/cheapest.go",
		"return used[o.d] })", "return false && used[o.d] })", "TestCosts|TestLitmus"},
	{"what is exact says nothing of others", "internal/optimise/cheapest.go",
		"	if c.exact {\n		return slices.Equal(c.x, x)\n", "	if false {\n		return slices.Equal(c.x, x)\n", "TestExact"},
	{"a fence that is not there is not printed", "internal/optimise/dims.go",
		"now != s.Strength || s.added {", "now != s.Strength {", "TestRepair"},
	{"the units of a model are looked for as long as there is time", "internal/optimise/units.go",
		"m.Effort.Tired() || spent()", "m.Effort.Tired() && spent()", "TestNotAllUnits"},
	{"units of an execution that was not followed to its end may not be all", "internal/optimise/units.go",
		"len(l.cast) > maxUnits || !l.whole", "len(l.cast) > maxUnits", "TestNotAllUnits"},
	{"what could not be decided is no result", "internal/optimise/optimise.go",
		"			case a.verdict == verified:\n				if f.confirm(x) {", "			case a.verdict != violated:\n				if f.confirm(x) {", "TestInconclusive"},
	{"fences name the memory that their functions use, whatever costs less", "internal/optimise/dims.go",
		"	if p.opt.anyFlags {\n", "	if p.opt.Strongest {\n", "TestLoopholes"},
	{"a barrier that is mended names no memory that it need not", "internal/optimise/repair.go",
		"	r.narrow(now, &m)\n", "", "TestRepairNarrow"},
	{"barriers at which others stand go with the one to which not all come", "internal/optimise/repairmove.go",
		"!slices.Contains(more.gone, &all[i]) {", "len(more.gone) == len(y.gone) {", "TestRepairDivergent"},
	{"a barrier that was added on the way is not kept if it is not needed", "internal/optimise/repairmove.go",
		"		if !r.mends(r.written(less)) {\n", "		if len(y.gone) > 0 {\n", "TestRepairDivergent"},
	{"a barrier moves as it was written", "internal/optimise/repairmove.go",
		"stacked{{s, b.of.Flags, b.as}}", "stacked{{s, b.of.Flags, \"\"}}", "TestRepairAsWritten"},
	{"a condition that reads memory is not parted", "internal/mend/part.go",
		"strings.ContainsAny(rest, \"[.;=", "strings.ContainsAny(rest, \".;=", "TestRepairDivergent"},
	{"a condition whose variable has changed is not parted", "internal/mend/part.go",
		" || changes(before, id) || ", " || ", "TestRepairDivergent"},
	{"what costs less than all that is told is found", "internal/optimise/repair.go",
		"	for len(done) < maxRepairs {\n", "	for len(out.Found) < maxRepairs {\n", "TestRepairNarrow"},
})
