package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/explore/whynot"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/models/litmus"
)

// witnessDocument is what --witness prints as JSON.
type witnessDocument struct {
	Schema     string                 `json:"schema"`
	Model      string                 `json:"model"`
	Spec       string                 `json:"spec"`
	Condition  string                 `json:"condition"`
	Answer     string                 `json:"answer"` // found, none or unknown
	Incomplete []string               `json:"incomplete"`
	Outcome    map[string]json.Number `json:"outcome,omitempty"`
	Execution  *trace.Trace           `json:"execution,omitempty"`
	WhyNot     *whynot.Answer         `json:"why_not,omitempty"` // if there is none
}

// question is what --witness asks for.
type question struct {
	cond litmus.Cond
	vars []string // of the condition
}

// holds reports whether an outcome in which names have these values is what is asked for.
func (q *question) holds(value func(name string) (int64, bool)) bool {
	holds, known := q.cond.Eval(value)
	return holds && known
}

// witness looks for an execution without a violation whose outcome has what was asked for, and
// shows it.
func (a *app) witness(ctx context.Context, x *exploreFlags, m *model.Model, files *files) error {
	q, err := questionOf(x.witness, m)
	if err != nil {
		return inputError{err}
	}
	opt := x.options()
	opt.All, opt.Aside, opt.Exact, opt.Witnesses, opt.Wanted = true, true, x.exact, 1, q.holds
	x.apply(&opt)
	r := a.run(ctx, m, opt, &x.searchFlags)
	if err := q.check(m, r); err != nil && len(r.Witnesses) == 0 {
		return inputError{err}
	}
	doc := &witnessDocument{Schema: "clmc.witness/1", Model: m.Name, Spec: r.Spec.Name, Condition: q.cond.String(), Answer: "none", Incomplete: []string{}}
	switch {
	case len(r.Witnesses) > 0:
		if err := doc.show(m, r, q); err != nil {
			a.fail(exitInternal, fmt.Errorf("%s: %w\n%s", m.Name, err, pleaseReport))
			return nil
		}
	case !r.Complete:
		doc.Answer, doc.Incomplete = "unknown", r.Incomplete
	case slices.ContainsFunc(q.vars, func(v string) bool { return wrongOnly(m, r, v) }):
		doc.WhyNot = &whynot.Answer{Reason: whynot.Undefined, Text: "Only executions with a violation reach the place where it is observed, and their outcomes mean nothing (rule 9.3)"}
	default:
		doc.WhyNot = q.whyNot(ctx, m, r)
	}
	a.code = worse(a.code, map[string]int{"found": exitVerified, "none": exitViolation, "unknown": exitInconclusive}[doc.Answer])
	if x.format.value == "json" {
		err = report.WriteJSON(a.out, doc)
	} else {
		a.tellWitness(doc, r, x.full)
	}
	if err != nil || doc.Execution == nil {
		return err
	}
	if err := a.drawWitness(doc, m, r, files, x.full); err != nil || files.trace == nil {
		return err
	}
	f := report.NewWitnessFile(m.Name, m.Program, r.Spec, x.defines, doc.Execution, doc.Condition, q.vars, doc.Outcome)
	f.Launch = x.kernel.options.Flags()
	if err := files.trace.fill(f.Save); err != nil {
		return inputError{err}
	}
	a.logf("clmc replay %s repeats the execution", shell.Word(files.trace.Name()))
	return nil
}

// leastWhy is how long it is asked, at the least, why there is no execution; else for as long as the search has taken.
const leastWhy = time.Second

// whyNot asks which rules forbid what was asked for.
func (q *question) whyNot(ctx context.Context, m *model.Model, r *explore.Result) *whynot.Answer {
	ctx, cancel := cputime.Within(ctx, max(leastWhy, r.Stats.Elapsed))
	defer cancel()
	ask := whynot.Question{Holds: q.cond.Eval, Values: litmus.Constants(q.cond), Stop: func() bool { return ctx.Err() != nil }}
	return whynot.Ask(m.Program, r.Spec, ask, r.LoadBuffering && r.Promises == 0)
}

// show makes the document that of the execution that was found.
func (d *witnessDocument) show(m *model.Model, r *explore.Result, q *question) (err error) {
	for _, o := range r.Outcomes {
		if schedule, ok := r.Witnesses[explore.OutcomeKey(o)]; ok {
			d.Answer, d.Outcome = "found", r.Names.Numbers(o)
			if d.Execution, _, err = trace.Repeat(m.Program, r.Spec, schedule, time.Time{}, q.vars...); err != nil {
				continue
			}
			d.Execution = report.Valued(d.Execution, func() (valued *trace.Trace) {
				if p := m.Valued(); p != nil {
					valued, _, _ = trace.Repeat(p, r.Spec, schedule, time.Time{}, q.vars...)
				}
				return valued
			})
		}
	}
	return err
}

// drawWitness writes the files that show an execution.
func (a *app) drawWitness(doc *witnessDocument, m *model.Model, r *explore.Result, files *files, full bool) error {
	only := *r // nothing else is on the page
	only.Violations, only.Outcomes = nil, []map[string]int64{explore.Bits(doc.Outcome)}
	rep, err := m.Report(&only)
	if err != nil {
		return err
	}
	rep.Full, rep.Witnesses = full, []*trace.Trace{doc.Execution}
	if err := files.show(rep); err != nil {
		return err
	}
	return files.draw(rep.Shown(doc.Execution))
}

// questionOf reads what is asked for: a condition, or exists for that of a litmus test.
func questionOf(text string, m *model.Model) (*question, error) {
	if strings.TrimSpace(text) == "exists" {
		if m.Test == nil {
			return nil, errors.New("--witness exists: only a litmus test has a condition of its own")
		}
		text = m.Test.Cond.String()
	}
	cond, vars, err := litmus.ParseCondition(text)
	if err != nil {
		return nil, fmt.Errorf("--witness: %w\nWrite a condition such as 'x==1 && 1:r0==0', over what outcomes have", err)
	}
	if m.Test != nil {
		for _, v := range vars {
			if !slices.Contains(m.Test.Vars, v) {
				return nil, fmt.Errorf("--witness: outcomes of the test hold %[2]s, not %[1]s: list it under locations", v, strings.Join(m.Test.Vars, ", "))
			}
		}
	}
	return &question{litmus.Typed(cond, m.Unsigned), vars}, nil
}

// check reports names that stand for no value of any execution, or for several of one.
func (q *question) check(m *model.Model, r *explore.Result) error {
	for _, v := range q.vars {
		switch long := r.Names.Of(v); {
		case len(long) > 1:
			return fmt.Errorf("--witness: %s is the name of several values: %s", visible.Line(v), visible.Line(strings.Join(long, ", ")))
		case wrongOnly(m, r, v):
		case len(long) == 0 && r.Complete && len(r.Outcomes) > 0:
			return fmt.Errorf("--witness: no execution observes %s; outcomes have %s", visible.Line(v), visible.Line(strings.Join(r.Names.All(), ", ")))
		}
	}
	return nil
}

// wrongOnly reports whether only executions that go wrong may have a value of that name.
func wrongOnly(m *model.Model, r *explore.Result, name string) bool {
	known := slices.ContainsFunc(r.Names.All(), func(n string) bool { return n == name || strings.HasSuffix(n, ":"+name) })
	return !known && len(r.Names.Of(name)) == 0 && len(r.Violations) > 0 && m.Observes(name)
}

// tellWitness writes the answer for people.
func (a *app) tellWitness(doc *witnessDocument, r *explore.Result, full bool) {
	fmt.Fprintf(a.out, "%s, OpenCL %s\n\n", visible.Line(doc.Model), doc.Spec)
	switch doc.Answer {
	case "found":
		w := columns()
		if w == 0 {
			w = 120
		}
		shown := (&report.Report{Full: full}).Shown(doc.Execution)
		fmt.Fprintf(a.out, "An execution with %s:\n  %s\n\n%s\n", visible.Line(doc.Condition), visible.Line(explore.TextOf(doc.Outcome)), report.Schedule(shown, w))
	case "none":
		fmt.Fprintf(a.out, "No execution without a violation ends with %s: all were explored (%d states).\n\n%s\n", visible.Line(doc.Condition), r.Stats.States, doc.WhyNot)
	}
	if ids := kindsOf(r); len(ids) > 0 {
		fmt.Fprintf(a.out, "Some executions go wrong (%s); they have no outcome.\n", strings.Join(ids, ", "))
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
