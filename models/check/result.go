package check

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/state"
)

// Verdict is what a search concludes. The zero Verdict concludes nothing.
type Verdict int

// The verdicts.
const (
	Inconclusive Verdict = iota // nothing goes wrong in what was explored, which is not everything
	Violated                    // some execution goes wrong
	Verified                    // every execution was explored, and none goes wrong
)

// String returns the verdict's name in lower case.
func (v Verdict) String() string {
	switch v {
	case Verified:
		return "verified"
	case Violated:
		return "violated"
	}
	return "inconclusive"
}

// The judgements of a litmus test's condition.
const (
	ConditionHolds     = litmus.VerdictOk        // "Ok"
	ConditionFails     = litmus.VerdictNo        // "No"
	ConditionUndefined = litmus.VerdictUndefined // "Undefined": the test has a data race or diverges
	ConditionUnknown   = litmus.VerdictUnknown   // "Unknown": what was explored does not decide
)

// Result is what a search found.
type Result struct {
	Model      string // as it was named
	Spec       string // the reading of the specification
	Verdict    Verdict
	Violations []Violation
	// Incomplete says why not every execution was explored; empty if every one was.
	Incomplete []string
	// Outcomes are the values that the model observes, by name, or of a litmus test
	// those of its variables: each that some execution without violation ends with.
	Outcomes []map[string]int64
	// Scope is what the verdict covers, of a kernel file without violations, or of a model in Go with variables that are cl.Any; nil if it is not known.
	Scope *Scope
	// Condition is the judgement of a litmus test's condition, and "" for other models.
	Condition string

	States     int // that are different
	Steps      int // from one state to the next, by visible operations
	Executions int // that were completed
	Elapsed    time.Duration

	report *report.Report
}

// Violation is something that goes wrong in some execution.
type Violation struct {
	ID      string // of its kind: "CL1001"; 'clmc explain CL1001' says more
	Kind    string // its name: "data race"
	Message string // what happened, in one sentence
	// File, Line and Column are the place in the model where it was found; Line is 0
	// if there is none.
	File         string
	Line, Column int
	// Variable is that of a data race or of an uninitialised read, and else "".
	Variable string
	// Replay names the execution, for the option of that name. It is "" for a place
	// that no execution reaches (CL1012).
	Replay string
}

// newResult makes a result of a report.
func newResult(m *model.Model, rep *report.Report) (*Result, error) {
	found := rep.Result
	r := &Result{
		Model: rep.Model, Spec: found.Spec.Name, Verdict: verdicts[found.Verdict],
		Incomplete: found.Incomplete, Outcomes: found.Outcomes,
		States: found.Stats.States, Steps: found.Stats.Steps, Executions: found.Stats.Ends, Elapsed: found.Stats.Elapsed,
		report: rep,
	}
	if rep.Condition != nil {
		r.Condition = rep.Condition.Verdict
	}
	r.Scope = newScope(rep.Document().Scope)
	for _, t := range rep.Traces {
		v, err := newViolation(m, found, t)
		if err != nil {
			return nil, err
		}
		r.Violations = append(r.Violations, v)
	}
	return r, nil
}

// verdicts are those of package explore.
var verdicts = map[explore.Verdict]Verdict{explore.Verified: Verified, explore.Violated: Violated, explore.ButForKnown: Verified, explore.Inconclusive: Inconclusive}

func newViolation(m *model.Model, found *explore.Result, t *trace.Trace) (v Violation, err error) {
	v = Violation{
		ID: t.ID, Kind: t.Kind, Message: t.Message,
		File: t.At.File, Line: t.At.Line, Column: t.At.Col, Variable: t.Location,
	}
	if t.ViolationKind() != state.Unreachable {
		v.Replay, err = encode(m, found.Spec, t)
	}
	return v, err
}

// String returns the report that 'clmc explore' prints.
func (r *Result) String() string {
	var b strings.Builder
	r.report.Text(&b) // a strings.Builder takes everything
	return b.String()
}

// WriteJSON writes the report as JSON of the schema clmc.result/1, which docs/json.md
// in clmc's repository describes.
func (r *Result) WriteJSON(w io.Writer) error { return r.report.JSON(w) }

// Err returns nil if every execution was explored and none goes wrong, and, if the
// model is a litmus test, its condition holds. Otherwise the error says in a few
// lines which of that is not so, and how to repeat an execution that goes wrong.
func (r *Result) Err() error {
	switch {
	case len(r.Violations) > 0:
		return r.violated()
	case r.Condition == ConditionFails:
		return fmt.Errorf("the condition does not hold: %s", r.report.Condition.Text)
	case r.Verdict != Verified:
		return fmt.Errorf("inconclusive: %s", strings.Join(r.Incomplete, "; "))
	case r.Condition != "" && r.Condition != ConditionHolds:
		return fmt.Errorf("the condition is not decided: %s", r.report.Condition.Text)
	}
	return nil
}

// violated words the first violation.
func (r *Result) violated() error {
	v := &r.Violations[0]
	text := v.ID + ": " + v.Message
	if more := len(r.Violations) - 1; more > 0 {
		text += fmt.Sprintf("\n(and %d more, see the report)", more)
	}
	if v.Replay != "" {
		text += fmt.Sprintf("\nTo repeat this execution alone, add to the call: check.Replay(%q)", v.Replay)
	}
	return errors.New(text)
}
