package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clmc/clmc/internal/model"
)

// Run explores the executions of a model and returns what was found. An error means
// that there was nothing to explore: the model or an option is at fault, and the
// error says where and what to do. When ctx ends, the search does, with what it has
// found by then.
//
// Any number of searches may run at a time.
func Run(ctx context.Context, name string, options ...Option) (*Result, error) {
	c, err := configure(options)
	if err != nil {
		return nil, err
	}
	c.takeGiven()
	m, err := c.load(model.Target(name))
	if err != nil {
		return nil, err
	}
	if c.replay != "" {
		return c.repeat(m)
	}
	if c.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.limit, fmt.Errorf("the time limit of %v was met", c.limit))
		defer cancel()
	}
	opt := c.search
	opt.All = opt.All || m.Test != nil // a test can have a race and divergence
	m, rep, err := m.Explored(ctx, opt)
	if err != nil {
		return nil, err
	}
	return newResult(m, rep)
}

// load loads the model.
func (c *config) load(t model.Target) (*model.Model, error) {
	if c.source != nil {
		return t.Parse(*c.source, c.loading)
	}
	found, err := model.Find(string(t))
	switch {
	case err != nil:
		return nil, err
	case len(found.Models) != 1:
		return nil, fmt.Errorf("%s: the folder holds %d models, and one is checked here: name a file, or a folder that holds no other model", t, len(found.Models))
	}
	return found.Models[0].Load(c.loading)
}

// repeat repeats one execution.
func (c *config) repeat(m *model.Model) (*Result, error) {
	f, err := decode(c.replay)
	if err != nil {
		return nil, err
	}
	if given := c.search.Spec.Name; given != "" && given != f.Spec {
		return nil, fmt.Errorf("the execution to repeat is one of OpenCL %s, not %s: leave out either check.Replay or check.Spec", f.Spec, given)
	}
	rep, err := m.Repeat(f)
	if err != nil {
		return nil, fmt.Errorf("%s: the execution cannot be repeated: what was wrong is mended, or the model has changed otherwise; leave out check.Replay: %w", m.Name, err)
	}
	return newResult(m, rep)
}

// TB is the part of testing.TB that Verify needs.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
}

// Verify fails a test unless every execution of a model was explored and none goes
// wrong, and, if the model is a litmus test, its condition holds. It logs the report.
// A model that cannot be loaded ends the test.
//
// The search ends, and the test fails, when the test's context does, or shortly
// before the test's own deadline, so that what was found by then is told.
func Verify(t TB, name string, options ...Option) *Result {
	t.Helper()
	ctx, cancel := within(t)
	defer cancel()
	r, err := Run(ctx, name, options...)
	if err != nil {
		t.Fatalf("%v", err)
		return nil // not with a testing.TB, which ends the goroutine
	}
	t.Logf("%s", r)
	if err := r.Err(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return r
}

// within bounds a search by the test's context, and by its deadline if it has one.
func within(t TB) (context.Context, context.CancelFunc) {
	if timed, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := timed.Deadline(); ok {
			end = end.Add(-min(maxTelling, time.Until(end)/10))
			return context.WithDeadlineCause(t.Context(), end, errors.New("the time that the test has (-timeout) was used up"))
		}
	}
	return context.WithCancel(t.Context())
}

// maxTelling bounds the time that is kept for telling what was found.
const maxTelling = 5 * time.Second
