package report

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/state/ir"
)

// TestScopeVerdict goes through data, and what a verdict says of them.
func TestScopeVerdict(t *testing.T) {
	at := ir.Pos{Line: 1}
	given := func(name, value string) ir.Datum {
		return ir.Datum{Name: name, Scalar: value != "", Value: value, Decides: true, Why: "decides a branch", At: at}
	}
	for i, c := range []struct {
		known bool
		data  []ir.Datum
		want  string // in the verdict
		unmet string // what stands in the way of all data
	}{
		{false, nil, "in any execution (", "does not know"},
		{true, nil, "in any execution, for all data (", ""},
		{true, []ir.Datum{{Name: "a"}}, "for all data (", ""},
		{true, []ir.Datum{{Name: "a"}, given("idx", ""), given("n", "8")}, "for all data but idx, n=8 (", "depends on idx (decides a branch at k.cl:1), n=8 (decides"},
		{true, []ir.Datum{given("a", ""), given("b", ""), given("c", ""), given("d", ""), given("e", ""), given("f", "")}, "but a, b, c, d, 2 more (", "e (decides"},
	} {
		p := &ir.Program{Data: c.data, HasData: c.known, Sources: []ir.Source{{Name: "k.cl", Text: "x\n"}}}
		r, err := New("k.cl", p, &explore.Result{Verdict: explore.Verified, Complete: true})
		if err != nil {
			t.Fatal(err)
		}
		if v := r.Verdict(); !strings.Contains(v, c.want) {
			t.Errorf("%d: %s, want %s", i, v, c.want)
		}
		if ok := r.Require([]string{AllData}); ok != (c.unmet == "") || !ok && !strings.Contains(r.Unmet[0], c.unmet) {
			t.Errorf("%d: %v %q, want %q", i, ok, r.Unmet, c.unmet)
		}
		if r.Require([]string{AllSizes}) {
			t.Errorf("%d: a search is about all sizes", i)
		}
		r, err = New("k.cl", p, &explore.Result{Verdict: explore.Violated})
		if err != nil || !r.Require([]string{AllData, AllSizes}) || strings.Contains(r.Verdict(), "data but") || r.Document().Scope != nil {
			t.Errorf("%d: a violation, %v: %s", i, err, r.Verdict())
		}
	}
}
