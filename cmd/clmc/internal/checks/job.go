package checks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/memmodel"
)

// Job is one model to explore: that of a check, or one of those in its folder.
type Job struct {
	*Check
	Target model.Target
	Out    *report.Check
	key    string // under which the store keeps it; "" if it does not, or until its turn
	done   bool   // nothing more can come of it tonight
	left   error  // why its last turn ended before it searched, if it did
}

// Load loads the model of the job, with what the list says is known of it. The job is explored accordingly from then on.
func (j *Job) Load(ctx context.Context) (*model.Model, error) {
	opt := model.Options{Defines: j.Defines, LegacyWorkGroup: j.LegacyWorkGroup, Kernels: j.Kernels}
	m, err := guard.Read(ctx, "load", func() (*model.Model, error) { return j.Target.Load(opt) })
	if err == nil {
		j.know(m)
	}
	return m, err
}

// Jobs finds the models that the checks of a list name, and names the jobs.
func (l *List) Jobs() ([]*Job, error) {
	var jobs []*Job
	var errs []error
	taken := map[string]*Check{}
	for _, c := range l.Checks {
		if c.Explore.Spec.Name == "" {
			c.Explore.Spec = memmodel.Specs[0]
		}
		found, err := c.find()
		if err == nil && strings.HasPrefix(c.Model, "@") {
			_, err = model.Shipped(c.Model)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d:%d: %w", c.At.File, c.At.Line, c.At.Col, err))
			continue
		}
		l.Folders, l.Left = l.Folders || found.Folders, append(l.Left, found.Left...)
		for _, t := range found.Models {
			j, err := newJob(c, t, len(found.Models) > 1)
			if other := taken[j.Out.Name]; err == nil && other != nil {
				//lint:ignore ST1005 name: is a field of the list
				err = fmt.Errorf("%s:%d:%d: the check in line %d has the name %q, too: give one of them another name with name:",
					c.At.File, c.At.Line, c.At.Col, other.At.Line, j.Out.Name)
			}
			if err != nil {
				errs = append(errs, err)
			}
			taken[j.Out.Name] = c
			jobs = append(jobs, j)
		}
	}
	return jobs, errors.Join(errs...)
}

// find finds the models of a check.
func (c *Check) find() (*model.Found, error) {
	if c.Alone {
		return &model.Found{Models: []model.Target{model.Target(c.Model)}}, nil
	}
	return model.Find(c.Model)
}

// newJob prepares the exploration of one of the models that a check names.
func newJob(c *Check, t model.Target, several bool) (*Job, error) {
	own := *c
	expect, err := c.stated(t)
	if err == nil {
		own.Expect, err = expect.For(t.IsLitmus())
	}
	if err != nil {
		return &Job{Out: &report.Check{}}, err
	}
	own.Explore.All = c.Explore.All || t.IsLitmus() // a test can have a race and divergence
	j := &Job{Check: &own, Target: t}
	j.Out = &report.Check{
		Name: c.Name, Model: string(t), At: c.At, Spec: c.Explore.Spec.Name, Reduction: c.Explore.POR.String(),
		Defines: c.Defines, Expect: own.Expect.String(), Again: j.again(),
	}
	switch {
	case c.Name == "":
		j.Out.Name = strings.TrimPrefix(j.again(), exploreAgain)
	case several:
		j.Out.Name = c.Name + ": " + string(t)
	}
	return j, nil
}

// exploreAgain begins the command that explores a model of a list alone.
const exploreAgain = "clmc explore "

// again is the command that explores the model alone.
func (j *Job) again() string {
	words := []string{exploreAgain + shell.Word(string(j.Target))}
	for _, name := range slices.Sorted(maps.Keys(j.Defines)) {
		words = append(words, "-D "+shell.Word(name+"="+j.Defines[name]))
	}
	for _, w := range j.Kernels.Flags() {
		words = append(words, shell.Word(w))
	}
	if spec := j.Explore.Spec.Name; spec != memmodel.Specs[0].Name {
		words = append(words, "--spec "+spec)
	}
	if j.Explore.POR != 0 {
		words = append(words, "--por "+j.Explore.POR.String())
	}
	if without := j.Explore.Without; without != 0 {
		words = append(words, "--analysis "+(explore.AllAnalyses&^without).String())
	}
	if n := j.Explore.Promises; n != 0 {
		words = append(words, "--promises "+explore.FormatPromises(n))
	}
	if t := j.Explore.PromisesTime; t != (explore.PromisesTime{}) {
		words = append(words, "--promises-time "+t.String())
	}
	if j.LegacyWorkGroup {
		words = append(words, "--legacy-atomics work_group")
	}
	if j.Explore.All && !j.Target.IsLitmus() {
		words = append(words, "--all")
	}
	if model, fairness := j.Explore.Liveness.Words(); model != "" {
		words = append(words, "--liveness "+shell.Word(model))
		if fairness == liveness.Strong.String() {
			words = append(words, "--fairness "+fairness)
		}
	}
	if j.Explore.Exact {
		words = append(words, "--exact")
	}
	return strings.Join(words, " ")
}

// leave notes that a turn has ended before it searched, as if it had had none.
func (j *Job) leave(err error, while string) {
	j.done, j.left = false, fmt.Errorf("%w while %s", err, while)
}

// finish notes what came of the job so far.
func (j *Job) finish(s report.Status, reason string) { j.Out.Status, j.Out.Reason = s, reason }

// fail notes that a model cannot be explored.
func (j *Job) fail(err error) {
	j.finish(report.Failed, err.Error())
	j.done = true
}

// limit bounds the time of a turn.
func (j *Job) limit(ctx context.Context, share time.Duration) (context.Context, context.CancelFunc) {
	ctx, free := cputime.Limit(ctx, j.CPULimit)
	ctx, cancel := j.limitTime(ctx, share)
	return ctx, func() { cancel(); free() }
}

func (j *Job) limitTime(ctx context.Context, share time.Duration) (context.Context, context.CancelFunc) {
	switch {
	case j.TimeLimit > 0 && (share == 0 || j.TimeLimit <= share):
		return context.WithTimeoutCause(ctx, j.TimeLimit, fmt.Errorf("the time limit of %v was met", j.TimeLimit))
	case share > 0:
		return context.WithTimeoutCause(ctx, share, fmt.Errorf("its share of the time budget, %v, was used up", share.Round(time.Millisecond)))
	}
	return context.WithCancel(ctx)
}

// judge compares a result with what is expected.
func (j *Job) judge(m *model.Model, d *report.Document) {
	j.Out.SetResult(d)
	found := Found{
		Verdict: explore.ParseVerdict(d.Verdict), Kinds: d.Kinds(), Complete: d.Complete,
		Incomplete: strings.Join(d.Incomplete, "; "), All: j.Explore.All, Scope: d.Scope,
		Undecided: j.UndecidedOK && j.Explore.Liveness == nil && d.Promises.FirstAll && d.Promises.Undecided > 0,
	}
	for _, o := range d.Outcomes {
		found.Outcomes = append(found.Outcomes, explore.TextOf(o))
	}
	if c := m.Condition(d); c != nil {
		found.Condition, j.Out.Condition = c.Verdict, c.Verdict
	}
	j.finish(j.Expect.Judge(found))
}

// know adds to what a model says is known what the list does. A search goes on after that.
func (j *Job) know(m *model.Model) {
	for _, text := range j.Known {
		if k, err := report.ParseKnown(text); err == nil {
			k.Said = j.knownAt
			m.Known = append(m.Known, k)
		}
	}
	m.Sets(&j.Explore)
}

// final reports whether another search cannot change a result.
func (j *Job) final(d *report.Document) bool {
	return d.Complete || explore.ParseVerdict(d.Verdict) == explore.Violated && !j.Explore.All
}
