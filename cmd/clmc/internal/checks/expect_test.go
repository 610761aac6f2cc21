package checks

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/litmus"
)

// TestJudge goes through what can be expected and found. The third column says
// what follows: a search that was cut short decides nothing that the rest of
// the executions could change.
func TestJudge(t *testing.T) {
	var (
		verifiedModel = Found{Verdict: explore.Verified, Complete: true}
		cut           = Found{Verdict: explore.Inconclusive, Incomplete: "cut"}
		undecided     = Found{Verdict: explore.Inconclusive, Incomplete: "undecided", Undecided: true}
		first         = func(kinds ...string) Found { return Found{Verdict: explore.Violated, Kinds: kinds} }
		all           = func(kinds ...string) Found {
			return Found{Verdict: explore.Violated, Kinds: kinds, All: true, Complete: true}
		}
		someOf = func(kinds ...string) Found {
			return Found{Verdict: explore.Violated, Kinds: kinds, All: true, Incomplete: "cut"}
		}
		test = func(verdict string, complete bool, kinds ...string) Found {
			f := Found{Verdict: explore.Verified, Kinds: kinds, All: true, Complete: complete, Incomplete: "cut", Condition: verdict}
			if len(kinds) > 0 {
				f.Verdict = explore.Violated
			}
			return f
		}
	)
	for i, c := range []struct {
		expect string
		found  Found
		want   report.Status
	}{
		{"verified", verifiedModel, report.Expected},
		{"verified", first("CL1001"), report.Unexpected},
		{"verified", someOf("CL1001"), report.Unexpected}, // more executions do not take it away
		{"verified", cut, report.Unfinished},
		{"verified", undecided, report.Expected},
		{"verified", Found{Verdict: explore.Violated, Kinds: []string{"CL1001"}, Undecided: true}, report.Unexpected}, // which is never dropped
		{"CL1001", undecided, report.Unfinished}, // it may come with load buffering

		{"CL1001", first("CL1001"), report.Expected},
		{"CL1001", first("CL1003"), report.Unexpected},
		{"CL1001", verifiedModel, report.Unexpected},
		{"CL1001", cut, report.Unfinished},
		{"CL1001 CL1003", first("CL1003"), report.Expected}, // either: the search stops at the first
		{"CL1001 CL1003", all("CL1003"), report.Unexpected}, // with all: both
		{"CL1001 CL1003", all("CL1003", "CL1001"), report.Expected},
		{"CL1001 CL1003", someOf("CL1003"), report.Unfinished},           // the other may yet come
		{"CL1001 CL1003", someOf("CL1003", "CL1001"), report.Unfinished}, // and so may a third
		{"CL1001", all("CL1001", "CL1003"), report.Unexpected},
		{"CL1001", someOf("CL1001", "CL1003"), report.Unexpected},

		{"holds", test(litmus.VerdictOk, true), report.Expected},
		{"holds", test(litmus.VerdictNo, true), report.Unexpected},
		{"holds", test(litmus.VerdictUndefined, true, "CL1001"), report.Unexpected},
		{"holds", test(litmus.VerdictUnknown, false), report.Unfinished},
		{"holds", test(litmus.VerdictOk, false), report.Unfinished}, // a race would make it undefined
		{"holds", test(litmus.VerdictNo, false), report.Unexpected}, // undefined would be unexpected, too
		{"holds", test(litmus.VerdictUnknown, false, "CL1002"), report.Unexpected},
		{"fails", test(litmus.VerdictNo, true), report.Expected},
		{"fails", test(litmus.VerdictOk, true), report.Unexpected},
		{"fails", test(litmus.VerdictOk, false), report.Unexpected},
		{"fails", test(litmus.VerdictNo, false), report.Unfinished},
		{"undefined", test(litmus.VerdictUndefined, true, "CL1003"), report.Expected},
		{"undefined", test(litmus.VerdictUndefined, false, "CL1001"), report.Expected},
		{"undefined", test(litmus.VerdictOk, true), report.Unexpected},
		{"undefined", test(litmus.VerdictOk, false), report.Unfinished},
		{"undefined", test(litmus.VerdictUnknown, false), report.Unfinished},
		{"CL1001", test(litmus.VerdictUndefined, true, "CL1001"), report.Expected},
		{"verified all-data", scoped(report.Scope{}), report.Expected},
		{"verified all-data", scoped(report.Scope{Data: []report.Datum{{Name: "a", Covers: report.AnyCovered}}}), report.Expected},
		{"verified all-data", scoped(report.Scope{Data: []report.Datum{{Name: "a", Covers: report.AnyCovered}, {Name: "n", Covers: report.GivenCovered}}}), report.Unexpected},
		{"verified all-data", Found{Verdict: explore.Verified, Complete: true}, report.Unexpected}, // not known
		{"verified all-data", Found{Verdict: explore.Inconclusive, Incomplete: "cut"}, report.Unfinished},
		{"verified all-data", Found{Verdict: explore.Violated, Kinds: []string{"CL1001"}}, report.Unexpected},
	} {
		var e Expectation
		for _, word := range strings.Fields(c.expect) {
			if err := e.add(word); err != nil {
				t.Fatal(err)
			}
		}
		got, why := e.Judge(c.found)
		if got != c.want || (why == "") != (got == report.Expected && !c.found.Undecided) {
			t.Errorf("%d: expecting %s, %+v is %s (%q), want %s", i, c.expect, c.found, got, why, c.want)
		}
	}
}

// scoped is a model that is verified, with what the verdict covers.
func scoped(s report.Scope) Found {
	return Found{Verdict: explore.Verified, Complete: true, Scope: &s}
}

// TestJudgeOutcomes goes through what can be expected and found of outcomes.
func TestJudgeOutcomes(t *testing.T) {
	for i, c := range []struct {
		word            string
		expected, found []string
		verdict         explore.Verdict
		complete        bool
		want            report.Status
	}{
		{verified, nil, []string{"r=1"}, explore.Verified, true, report.Expected}, // nothing is said of them
		{verified, []string{"r=0", "r=1"}, []string{"r=1", "r=0"}, explore.Verified, true, report.Expected},
		{verified, []string{"r=0"}, []string{"r=0", "r=1"}, explore.Verified, true, report.Unexpected},
		{verified, []string{"r=0", "r=1"}, []string{"r=0"}, explore.Verified, true, report.Unexpected},
		{verified, []string{"r=0"}, []string{"r=1"}, explore.Inconclusive, false, report.Unexpected}, // the rest takes no outcome away
		{verified, []string{"r=0", "r=1"}, []string{"r=0"}, explore.Inconclusive, false, report.Unfinished},
		{"CL1001", []string{"r=0", "r=1"}, []string{"r=0"}, explore.Violated, false, report.Expected}, // it stopped at the race
		{"CL1001", []string{"r=0"}, []string{"r=1"}, explore.Violated, false, report.Unexpected},
	} {
		e := Expectation{outcomes: c.expected}
		if err := e.add(c.word); err != nil {
			t.Fatal(err)
		}
		f := Found{Verdict: c.verdict, Complete: c.complete, Incomplete: "cut", Outcomes: c.found}
		if c.verdict == explore.Violated {
			f.Kinds = []string{c.word}
		}
		if got, why := e.Judge(f); got != c.want || (why == "") != (got == report.Expected) {
			t.Errorf("%d: %+v of %+v is %s (%q), want %s", i, e, f, got, why, c.want)
		}
	}
}
