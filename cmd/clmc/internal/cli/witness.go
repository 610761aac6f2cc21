package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/models/litmus"
)

// witnessDocument is what --witness prints as JSON.
type witnessDocument struct {
	Schema     string           `json:"schema"`
	Model      string           `json:"model"`
	Spec       string           `json:"spec"`
	Condition  string           `json:"condition"`
	Answer     string           `json:"answer"` // found, none or unknown
	Incomplete []string         `json:"incomplete"`
	Outcome    map[string]int64 `json:"outcome,omitempty"`
	Execution  *trace.Trace     `json:"execution,omitempty"`
}

// witness looks for an execution without a violation whose outcome has what was asked for, and
// shows it.
func (a *app) witness(ctx context.Context, x *exploreFlags, m *model.Model, files *files) error {
	cond, vars, err := conditionOf(x.witness, m)
	if err != nil {
		return inputError{err}
	}
	observed, last := map[string]bool{}, map[string]int64{}
	opt := x.options()
	opt.All, opt.Exact, opt.KeepSchedule = true, x.exact, true
	x.apply(&opt)
	opt.Witness = func(outcome map[string]int64) bool {
		for name := range outcome {
			observed[name] = true
		}
		if slices.ContainsFunc(vars, func(v string) bool { _, ok := outcome[v]; return !ok }) {
			return false
		}
		last = outcome
		return cond.Eval(func(name string) (int64, bool) { v, ok := outcome[name]; return v, ok })
	}
	r := a.run(ctx, m, opt, &x.searchFlags)
	for _, v := range vars {
		if len(observed) > 0 && !observed[v] {
			return inputError{fmt.Errorf("--witness: no execution observes %s; outcomes have %s", v, strings.Join(slices.Sorted(maps.Keys(observed)), ", "))}
		}
	}
	doc := &witnessDocument{Schema: "clmc.witness/1", Model: m.Name, Spec: r.Spec.Name, Condition: cond.String(), Answer: "none", Incomplete: []string{}}
	switch {
	case r.Witness != nil:
		doc.Answer, doc.Outcome = "found", last
		if doc.Execution, err = trace.Build(m.Program, r.Spec, *r.Witness); err != nil {
			a.fail(exitInternal, fmt.Errorf("%s: %w\n%s", m.Name, err, pleaseReport))
			return nil
		}
	case !r.Complete:
		doc.Answer, doc.Incomplete = "unknown", r.Incomplete
	}
	a.code = worse(a.code, map[string]int{"found": exitVerified, "none": exitViolation, "unknown": exitInconclusive}[doc.Answer])
	if x.format.value == "json" {
		err = report.WriteJSON(a.out, doc)
	} else {
		a.tellWitness(doc, r)
	}
	if err != nil || doc.Execution == nil {
		return err
	}
	return files.draw(doc.Execution)
}

// conditionOf reads what is asked for: a condition, or exists for that of a litmus test.
func conditionOf(text string, m *model.Model) (litmus.Cond, []string, error) {
	if strings.TrimSpace(text) == "exists" {
		if m.Test == nil {
			return nil, nil, fmt.Errorf("--witness exists: only a litmus test has a condition of its own")
		}
		text = m.Test.Cond.String()
	}
	cond, vars, err := litmus.ParseCondition(text)
	if err != nil {
		return nil, nil, fmt.Errorf("--witness: %w\nWrite a condition such as 'x==1 && 1:r0==0', over what outcomes have", err)
	}
	if m.Test != nil {
		for _, v := range vars {
			if !slices.Contains(m.Test.Vars, v) {
				return nil, nil, fmt.Errorf("--witness: outcomes of the test have no %s, but %s: list it under locations", v, strings.Join(m.Test.Vars, ", "))
			}
		}
	}
	return cond, vars, nil
}

// tellWitness writes the answer for people.
func (a *app) tellWitness(doc *witnessDocument, r *explore.Result) {
	fmt.Fprintf(a.out, "%s, OpenCL %s\n\n", visible.Line(doc.Model), doc.Spec)
	switch doc.Answer {
	case "found":
		w := columns()
		if w == 0 {
			w = 120
		}
		fmt.Fprintf(a.out, "An execution with %s:\n  %s\n\n%s\n", visible.Line(doc.Condition), visible.Line(explore.OutcomeKey(doc.Outcome)), report.Schedule(doc.Execution, w))
	case "none":
		fmt.Fprintf(a.out, "No execution without a violation ends with %s: all were explored (%d states). Which rules forbid it is not told.\n", visible.Line(doc.Condition), r.Stats.States)
	}
	if ids := kindsOf(r); len(ids) > 0 {
		fmt.Fprintf(a.out, "Some executions go wrong (%s) and have no outcome.\n", strings.Join(ids, ", "))
	}
	switch doc.Answer {
	case "unknown":
		fmt.Fprintf(a.out, "witness: unknown: %s\n", strings.Join(doc.Incomplete, "; "))
	default:
		fmt.Fprintf(a.out, "witness: %s\n", doc.Answer)
	}
}

// kindsOf lists the ids of the violations that were found, each once.
func kindsOf(r *explore.Result) (ids []string) {
	for _, v := range r.Violations {
		if id := v.Kind.ID(); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
