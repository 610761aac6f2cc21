// Package sarif writes a summary of checks in the Static Analysis Results
// Interchange Format, for services that show what analyses find. It is apart from
// the other formats because it alone needs a library.
//
// It is a part of clmc and not of its Go API, which is models/check: it may change
// with any version.
package sarif

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/report/explain"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state"
)

// project is where clmc lives, for tools that want to know.
const project = "https://github.com/clmc/clmc"

// unmet is the rule that a check breaks which did not find what it expects.
const unmet = "unmet-expectation"

// Write writes a summary in version 2.1.0 of the format. Results are the unexpected
// violations, with their schedules, and the expectations that were not met; checks
// that could not be explored or did not end are notifications.
func Write(w io.Writer, s *report.Summary) error {
	return document(s).PrettyWrite(w)
}

func document(s *report.Summary) *sarif.Report {
	run := sarif.NewRunWithInformationURI("clmc", project)
	run.Tool.Driver.WithVersion(s.Version)
	for _, k := range state.Kinds() {
		rule := run.AddRule(k.ID()).WithName(k.String()).WithShortDescription(multi(k.String())).WithHelpURI(project + "/blob/main/explore/report/explain/" + k.ID() + ".md")
		if page, ok := explain.Explain(k.ID()); ok {
			rule.WithHelp(sarif.NewMultiformatMessageString().WithText(page).WithMarkdown(page))
		}
	}
	run.AddRule(unmet).WithName("unmet expectation").
		WithShortDescription(multi("a check did not find what its list expects"))
	invocation := sarif.NewInvocation().WithExecutionSuccessful(s.Counts[report.Failed]+s.Counts[report.Unfinished] == 0)
	for _, c := range s.Checks {
		addKnown(run, c)
		switch c.Status {
		case report.Unexpected:
			addResults(run, c)
		case report.Failed:
			invocation.AddToolExecutionNotification(notification(c, "error"))
		case report.Unfinished:
			invocation.AddToolExecutionNotification(notification(c, "warning"))
		}
	}
	run.AddInvocation(invocation)
	addScopes(run, s)
	doc := sarif.NewReport()
	doc.AddRun(run)
	return doc
}

// scopes is the property of a run that has what the verdicts of its checks cover.
const scopes = "clmc/scopes"

// covered is what the verdict of a check covers.
type covered struct {
	Check   string        `json:"check"`
	Verdict string        `json:"verdict"`
	Scope   *report.Scope `json:"scope"`
}

// addScopes says for which data and sizes nothing goes wrong in checks, as far as that is known. They have no results to say it of.
func addScopes(run *sarif.Run, s *report.Summary) {
	var list []covered
	for _, c := range s.Checks {
		if r := c.Result(); r != nil && r.Scope != nil {
			list = append(list, covered{c.Name, r.Verdict, r.Scope})
		}
	}
	if len(list) > 0 {
		run.WithProperties(sarif.NewPropertyBag().Add(scopes, list))
	}
}

// addResults adds what is unexpected about a check.
func addResults(run *sarif.Run, c *report.Check) {
	before := len(run.Results)
	for _, t := range c.Result().Violations {
		if slices.Contains(strings.Fields(c.Expect), t.ID) {
			continue
		}
		r := run.CreateResultForRule(t.ID).WithLevel("error").WithMessage(text(t.Message))
		r.AddLocation(location(t.At, ""))
		if c := t.Consequence; c != nil {
			r.AddRelatedLocation(location(c.At, "consequence: "+c.ID+": "+c.Message))
		}
		if len(t.Steps) > 0 {
			r.AddCodeFlow(codeFlow(t))
		}
	}
	if len(run.Results) == before {
		run.CreateResultForRule(unmet).WithLevel("error").
			WithMessage(text(c.Name + ": " + c.Reason)).AddLocation(location(c.At, ""))
	}
}

// addKnown adds findings that are known and set aside, and notes those that no longer occur.
func addKnown(run *sarif.Run, c *report.Check) {
	for _, k := range c.Known {
		at := trace.Pos{File: k.File, Line: k.Line}
		for _, message := range k.Found {
			run.CreateResultForRule(k.ID).WithLevel("note").WithMessage(text(message)).AddLocation(location(at, "")).
				AddSuppression(sarif.NewSuppression().WithKind("inSource").WithJustification(k.Reason))
		}
		if k.Lost {
			run.CreateResultForRule(unmet).WithLevel("note").
				WithMessage(text(fmt.Sprintf("%s: %s at %s:%d is listed as known, and no longer occurs", c.Name, k.ID, k.File, k.Line))).AddLocation(location(k.Said, ""))
		}
	}
}

func notification(c *report.Check, level string) *sarif.Notification {
	return sarif.NewNotification().WithLevel(level).
		WithMessage(text(c.Name + ": " + c.Reason)).AddLocation(location(c.At, ""))
}

// codeFlow is a schedule: the steps in order, whoever takes them.
func codeFlow(t *trace.Trace) *sarif.CodeFlow {
	flow := sarif.NewThreadFlow()
	last := map[int]trace.Pos{} // of each lane: what has no place of its own happens where it was
	for i := range t.Steps {
		s := &t.Steps[i]
		at := *s.Pos
		if at.Line == 0 {
			at = cmp.Or(last[s.Lane], t.At)
		}
		last[s.Lane] = at
		flow.AddLocation(sarif.NewThreadFlowLocation().WithExecutionOrder(s.ID).
			WithLocation(location(at, fmt.Sprintf("%s: %s", &t.Lanes[s.Lane], s.Op))))
	}
	return sarif.NewCodeFlow().AddThreadFlow(flow)
}

// location is a place in a file, with a remark if there is one.
func location(p trace.Pos, remark string) *sarif.Location {
	l := sarif.NewLocation()
	if p.File != "" {
		physical := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri(p.File)))
		if p.Line > 0 {
			physical.WithRegion(sarif.NewRegion().WithStartLine(p.Line).WithStartColumn(max(p.Col, 1)))
		}
		l.WithPhysicalLocation(physical)
	}
	if remark != "" {
		l.WithMessage(text(remark))
	}
	return l
}

// uri is a file's path as a relative reference.
func uri(path string) string {
	u := url.URL{Path: filepath.ToSlash(filepath.Clean(path))}
	return u.String()
}

func text(s string) *sarif.Message { return sarif.NewTextMessage(s) }

func multi(s string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(s)
}
