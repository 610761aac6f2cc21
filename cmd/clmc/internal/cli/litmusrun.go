package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/whynot"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/models/litmus"
)

// litmusResult is what a test left behind. Tests run side by side, so none
// prints by itself.
type litmusResult struct {
	output  []byte // for standard output
	message string // for standard error
	code    int
	skipped bool           // the run was interrupted before the test
	report  *report.Report // for a page, if one is asked for
}

// runAll runs tests, some at a time, and returns a channel for each.
func (l *litmusFlags) runAll(ctx context.Context, files []string) []chan litmusResult {
	return someAtATime(l.jobs, "litmus", files, func(file string) litmusResult { return l.runTest(ctx, file) })
}

// someAtATime does something to each file, so many at a time and in their order, and returns a channel for each.
func someAtATime[R any](jobs int, name string, files []string, do func(file string) R) []chan R {
	results := make([]chan R, len(files))
	for i := range results {
		results[i] = make(chan R, 1)
	}
	next := make(chan int)
	guard.Go(name+" queue", func() {
		defer close(next)
		for i := range files {
			next <- i
		}
	})
	for range min(jobs, len(files)) {
		guard.Go(name+" test", func() {
			for i := range next {
				results[i] <- do(files[i])
			}
		})
	}
	return results
}

// runTest runs one test. Whatever is wrong with it stays with it.
func (l *litmusFlags) runTest(ctx context.Context, file string) (r litmusResult) {
	if ctx.Err() != nil {
		return litmusResult{skipped: true}
	}
	var message bytes.Buffer
	inner := &app{err: &message} // for what it says of errors and panics
	defer func() {
		if p := recover(); p != nil {
			inner.crash(fmt.Sprintf("%s: %v", file, p), debug.Stack())
			r.output = l.failure(file, fmt.Errorf("internal error: %v", p))
		}
		r.code, r.message = worse(r.code, inner.code), message.String()
	}()
	all := ctx
	ctx, cancel := l.limit(ctx)
	defer cancel()
	test, err := guard.Read(ctx, "load", func() (*model.Model, error) { return model.Litmus(file) })
	if all.Err() != nil && err != nil {
		return litmusResult{skipped: true}
	}
	if errors.Is(err, guard.ErrLeft) {
		err = notExplored(model.Target(file), err)
	}
	if err != nil {
		inner.failFor(err)
		return litmusResult{output: l.failure(file, err)}
	}
	if l.specs == "all" {
		return l.matrix(ctx, inner, test)
	}
	return l.explore(ctx, inner, test)
}

// litmusWidth is that of sentences below what herd's format has.
const litmusWidth = 100

// explore explores a test and words the result.
func (l *litmusFlags) explore(ctx context.Context, a *app, m *model.Model) (r litmusResult) {
	opt := l.searchOptions()
	opt.KeepSchedule = l.output.page == "" // nobody looks at it
	if l.output.page != "" {
		opt.Witnesses = maxWitnesses
	}
	opt.All = true // a test can have a race and divergence
	found := explore.Run(ctx, m.Program, opt)

	var flags []string
	r.code = exitVerified
	for _, v := range found.Violations {
		if f := strings.ReplaceAll(v.Kind.String(), " ", "-"); !slices.Contains(flags, f) {
			flags = append(flags, f)
		}
		if !model.HerdFlag(v.Kind.ID()) {
			r.code = exitViolation
			a.logf("%s: %v (%s)", v.Line, v.Kind, v.Kind.ID())
		}
	}
	if l.output.page != "" {
		rep, err := m.Tell(ctx, found)
		if err != nil {
			a.fail(exitInternal, fmt.Errorf("%s: %w\n%s", m.Name, err, pleaseReport))
		}
		r.report = rep
	}
	record := m.Record(found)
	if r.code == exitVerified {
		r.code = l.exit(record)
	}
	whyNot := l.whyNot(ctx, m, found)
	if l.format.value == "json" {
		r.output = jsonLine(struct {
			litmus.Record
			WhyNot   *whynot.Answer   `json:"why_not,omitempty"`
			Liveness *report.Liveness `json:"liveness,omitempty"`
		}{record, whyNot, report.NewLiveness(found.Live)})
		return r
	}
	var text bytes.Buffer
	m.Test.WriteHerd(&text, found.Outcomes, flags, record.Verdict == litmus.VerdictUnknown)
	if whyNot != nil {
		fmt.Fprintf(&text, "%v (%v): no execution without a violation has such an outcome.\n%s\n", litmus.Exists, m.Test.Cond, whyNot)
	}
	text.WriteString((&report.Report{Result: found, Width: litmusWidth}).Ends())
	for _, why := range found.Incomplete {
		a.logf("%s: not everything was explored: %s", m.Test.File, why)
	}
	r.output = text.Bytes()
	return r
}

// whyNot asks why no execution has the outcome that a test asks for, or wants to see excluded, if that is to be told
// and there is none; else it is nil.
func (l *litmusFlags) whyNot(ctx context.Context, m *model.Model, r *explore.Result) *whynot.Answer {
	if !l.why || !r.Complete || m.Test.Quantifier == litmus.Forall || m.Test.Judge(r.Outcomes).Positive > 0 {
		return nil
	}
	q := &question{cond: m.Test.Cond, vars: m.Test.Vars}
	return q.whyNot(ctx, m, r)
}

// exit is the exit code of a test.
func (l *litmusFlags) exit(r litmus.Record) int {
	switch {
	case l.expect && (r.Verdict == litmus.VerdictNo || r.Verdict == litmus.VerdictUndefined):
		return exitViolation
	case !r.Complete && r.Verdict != litmus.VerdictUndefined:
		return exitInconclusive
	}
	return exitVerified
}

// failure is the line of a file that is no test, among JSON.
func (l *litmusFlags) failure(file string, err error) []byte {
	if l.format.value != "json" {
		return nil
	}
	return jsonLine(struct {
		File    string `json:"file"`
		Verdict string `json:"verdict"`
		Error   string `json:"error"`
	}{file, "Error", err.Error()})
}

func jsonLine(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types above always marshal
	}
	return append(line, '\n')
}
