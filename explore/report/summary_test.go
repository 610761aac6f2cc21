package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
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
	golden(t, "summary.txt", b.String())
}

func TestSummaryJUnit(t *testing.T) {
	got := written(t, night(t).JUnit)
	golden(t, "summary.xml", got)
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

// TestSARIF validates the summary against the schema of SARIF 2.1.0, which
// comes with the library.
func TestSARIF(t *testing.T) {
	s := night(t)
	if err := s.sarif().Validate(); err != nil {
		t.Fatal(err)
	}
	text := written(t, s.SARIF)
	var doc struct {
		Version string
		Runs    []struct {
			Invocations []struct {
				ExecutionSuccessful        bool
				ToolExecutionNotifications []struct{ Level string }
			}
			Tool struct {
				Driver struct {
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				CodeFlows []struct {
					ThreadFlows []struct{ Locations []any }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	if doc.Version != "2.1.0" || len(run.Results) != 2 || len(run.Invocations[0].ToolExecutionNotifications) != 2 || run.Invocations[0].ExecutionSuccessful {
		t.Fatalf("got %+v", doc)
	}
	race, missing := run.Results[0], run.Results[1]
	if race.RuleID != "CL1001" || run.Tool.Driver.Rules[race.RuleIndex].ID != "CL1001" || len(race.CodeFlows[0].ThreadFlows[0].Locations) == 0 ||
		race.Locations[0].PhysicalLocation.ArtifactLocation.URI != "race.go" {
		t.Errorf("the race is %+v", race)
	}
	if missing.RuleID != unmet || missing.Locations[0].PhysicalLocation.Region.StartLine != 4 {
		t.Errorf("the unmet expectation is %+v", missing)
	}
}

func TestURI(t *testing.T) {
	for path, want := range map[string]string{"a.go": "a.go", "./x/../a b.go": "a%20b.go", "c:d.go": "./c:d.go"} {
		if got := uri(path); got != want {
			t.Errorf("uri(%q) = %q, want %q", path, got, want)
		}
	}
	if strings.Contains(uri("a?b#c"), "?") {
		t.Error("a question mark begins a query")
	}
}
