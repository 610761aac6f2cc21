package facts_test

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks what makes a round of several reads in one way after the other, and sees the table of
// such rounds fail; and what needs no order, and sees the table of that fail.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^Test(Returns|Unless|Relaxed)$", ".")
	})
}

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a round has not begun where one can come by without", "state/facts/returns.go",
		" || !doms.Dominates(h, e) || ", " || ", ""},
	{"whoever stores in a round is noticed", "state/facts/returns.go",
		"		case !private(&f.Code[i]):\n			return nil, false\n", "		case !private(&f.Code[i]):\n", ""},
	{"facts that were given up are none", "state/facts/facts.go",
		"	if facts.spent = nil; spent() {\n", "	if facts.spent = nil; false {\n", ""},
	{"what a work-item has written before is handed on", "state/facts/relaxed.go",
		"if !c.commute(a, b) ||", "if false && !c.commute(a, b) ||", ""},
	{"what comes before a count and not behind one is handed on to nobody", "state/facts/relaxed.go",
		"return !onward[pc].Accesses.Meets(releases) })", "return false })", ""},
	{"and what comes behind it tells nobody", "state/facts/relaxed.go",
		"return !behind.Has(pc) })", "return false })", ""},
	{"accesses of a counter commute, or barriers order them", "state/facts/relaxed.go",
		"c.counters.Has(i) && !c.unordered(i, sites) || ", "", ""},
	{"barriers order local counters alone", "state/facts/relaxed.go",
		"(!local || c.meet(s, t))", "(local || true) && c.meet(s, t)", ""},
	{"and those that a barrier parts", "state/facts/relaxed.go",
		"(!local || c.meet(s, t))", "!local", ""},
	{"modifications of two classes do not commute", "state/facts/relaxed.go",
		"class == unusedClass(c.f, t) && ", "", ""},
	{"nor those of which one synchronises with fewer", "state/facts/relaxed.go",
		" && a.Scope == b.Scope", "", ""},
	{"groups that meet are not ordered by barriers", "state/facts/relaxed.go",
		"case r == memmodel.Global && !c.crosses:", "case r == memmodel.Global:", ""},
	{"barriers that order global memory order it", "state/facts/relaxed.go",
		"		return NearGlobal\n", "		return Ever\n", ""},
	{"and others do not", "state/facts/relaxed.go",
		"		return NearGlobal\n", "		return NearLocal\n", ""},
	{"what is loaded before a count bounds what is loaded behind one", "state/facts/relaxed.go",
		" || written && !c.counters.Has(i)", " || written && false", ""},
	{"a barrier of device scope is a fence for other groups", "state/facts/relaxed.go",
		"(in.SubGroup || in.Scope > memmodel.ScopeWorkGroup)", "in.SubGroup", ""},
	{"a fence makes relaxed operations synchronise", "state/facts/relaxed.go",
		"case in.Op == ir.OpFence && in.Order != memmodel.Relaxed, ", "case ", ""},
	{"a result that is used tells who came first", "state/facts/class.go",
		"	if in.Op != ir.OpRMW || in.Dst >= 0 && f.LiveAt(pc+1, int(in.Dst)) {\n", "	if in.Op != ir.OpRMW {\n", ""},
	{"a scope that includes nobody orders nobody", "state/facts/chained.go",
		"		return s >= memmodel.ScopeDevice && !o.Kind.SVMAtomics()\n", "		return !o.Kind.SVMAtomics()\n", ""},
	{"the host may share memory with a kernel that runs", "state/facts/chained.go",
		"		return s >= memmodel.ScopeDevice && !o.Kind.SVMAtomics()\n", "		return s >= memmodel.ScopeDevice\n", ""},
	{"loads and stores in S are no links of a chain", "state/facts/chained.go",
		"		return in.Op == ir.OpRMW\n", "		return true\n", ""},
	{"nor is a chain what others interrupt", "state/facts/chained.go",
		"	return !c.links.Meets(c.others)\n", "	return true\n", ""},
	{"a fence in S is no link", "state/facts/chained.go",
		"in.Op == ir.OpFence && in.Order == memmodel.SeqCst || ", "", ""},
	{"edges of two regions do not compose", "state/facts/chained.go",
		"c.region >= 0 && c.region != int(o.Region) || ", "", ""},
})
