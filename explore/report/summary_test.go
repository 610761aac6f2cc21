package report

import (
	"bytes"
	"encoding/xml"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/testkit/golden"
)

// night is a summary with a check of every status.
func night(t *testing.T) *Summary {
	t.Helper()
	check := func(line int, name, expect string, status Status, reason string) *Check {
		c := &Check{Name: name + ".go", Model: name + ".go", At: trace.Pos{File: "checks.yaml", Line: line, Col: 5, Source: "  - model: " + name + ".go"},
			Spec: "3.0", Reduction: "sleep", Expect: expect, Status: status, Reason: reason, Again: "clmc explore " + name + ".go"}
		if status != Failed {
			c.SetResult(reported(t, name, loaded(t, name), explore.Options{}).Document())
		}
		return c
	}
	remembered := check(2, "verified", "verified", Expected, "")
	remembered.Remembered = true
	unfinished := check(5, "wide", "CL1001", Unfinished, "the time limit of 5s was met")
	unfinished.Verdict, unfinished.Violations, unfinished.result.Violations = "inconclusive", nil, nil
	return NewSummary("v1.2.3", "checks.yaml", []*Check{
		remembered,
		check(3, "race", "verified", Unexpected, "expected verified, found CL1001"),
		check(4, "verified", "CL1004", Unexpected, "expected CL1004, found no violation"),
		unfinished,
		check(6, "bad", "verified", Failed, "bad.go:1:1: the package is called lib & <co>, not main\nname it main"),
		check(7, "divergence", "CL1003", Expected, ""),
	}, 7*time.Second)
}

func TestSummaryText(t *testing.T) {
	var b bytes.Buffer
	s := night(t)
	for _, c := range s.Checks {
		c.Text(&b)
	}
	s.Text(&b)
	golden.File(t, "testdata/summary.txt", b.String())
}

func TestSummaryJUnit(t *testing.T) {
	got := written(t, night(t).JUnit)
	golden.File(t, "testdata/summary.xml", got)
	var back junitSuites
	if err := xml.Unmarshal([]byte(got), &back); err != nil {
		t.Fatal(err)
	}
	count := [3]int{}
	for _, c := range back.Suite.Cases {
		for i, detail := range []*junitDetail{c.Failure, c.Error, c.Skipped} {
			if detail != nil {
				count[i]++
			}
		}
	}
	if s := back.Suite; count != [3]int{s.Failures, s.Errors, s.Skipped} || count != [3]int{2, 1, 1} || s.Tests != 6 {
		t.Errorf("%d failures, errors and skipped tests of %d", count, s.Tests)
	}
}

func TestSummaryJSON(t *testing.T) {
	validate(t, SummarySchema, written(t, night(t).JSON))
}
