package sarif

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/models/load"
)

const race = `package main

import "github.com/clmc/clmc/models/cl"

var x int32

func kernel() { x = int32(cl.GetGlobalID(0)) }

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// night is a summary with a check of every status, and two that are unexpected.
func night(t *testing.T) *report.Summary {
	t.Helper()
	check := func(line int, name, source, expect string, status report.Status, reason string) *report.Check {
		c := &report.Check{Name: name, Model: name, At: trace.Pos{File: "checks.yaml", Line: line, Col: 5}, Expect: expect, Status: status, Reason: reason}
		if status == report.Failed {
			return c
		}
		p, err := load.Source(name, []byte(source), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := report.New(name, p, explore.Run(context.Background(), p, explore.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		c.SetResult(rep.Document())
		return c
	}
	verified := strings.ReplaceAll(race, "NDRange1D(2, 1)", "NDRange1D(1, 1)")
	return report.NewSummary("v1.2.3", "checks.yaml", []*report.Check{
		check(2, "verified.go", verified, "verified", report.Expected, ""),
		check(3, "race.go", race, "verified", report.Unexpected, "expected verified, found CL1001"),
		check(4, "verified.go", verified, "CL1004", report.Unexpected, "expected CL1004, found no violation"),
		check(5, "verified.go", verified, "CL1001", report.Unfinished, "the time limit of 5s was met"),
		check(6, "bad.go", "", "verified", report.Failed, "bad.go:1:1: the package is called lib & <co>, not main\nname it main"),
		check(7, "race.go", race, "CL1001", report.Expected, ""),
	}, 7*time.Second)
}

// TestSARIF validates the summary against the schema of SARIF 2.1.0, which
// comes with the library.
func TestSARIF(t *testing.T) {
	s := night(t)
	if err := document(s).Validate(); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := Write(&text, s); err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(text.Bytes(), &doc); err != nil {
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
