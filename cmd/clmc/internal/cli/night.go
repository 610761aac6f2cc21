package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/store/disk"
)

// night is one run of a list of checks.
type night struct {
	*app
	flags   *runFlags
	list    *checks.List
	results *checks.Results // nil without a store
	jobs    []*job
	began   time.Time
}

// job is one model to explore.
type job struct {
	*checks.Check
	target model.Target
	out    *report.Check
	key    string // under which the store keeps it; "" if it does not, or until its turn
	done   bool   // nothing more can come of it tonight
}

// expand finds the models that the checks name, and names the jobs.
func (n *night) expand() error {
	var errs []error
	taken := map[string]*checks.Check{}
	for _, c := range n.list.Checks {
		if c.Explore.Spec.Name == "" {
			c.Explore.Spec = memmodel.Specs[0]
		}
		models, err := model.Find(c.Model)
		if err == nil && strings.HasPrefix(c.Model, "@") {
			_, err = model.Shipped(c.Model)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d:%d: %w", c.At.File, c.At.Line, c.At.Col, err))
			continue
		}
		for _, t := range models {
			j, err := newJob(c, t, len(models) > 1)
			if other := taken[j.out.Name]; err == nil && other != nil {
				err = fmt.Errorf("%s:%d:%d: the check in line %d is called %q, too: give one of them a name of its own with name:",
					c.At.File, c.At.Line, c.At.Col, other.At.Line, j.out.Name)
			}
			if err != nil {
				errs = append(errs, err)
			}
			taken[j.out.Name] = c
			n.jobs = append(n.jobs, j)
		}
	}
	return errors.Join(errs...)
}

// newJob prepares the exploration of one of the models that a check names.
func newJob(c *checks.Check, t model.Target, several bool) (*job, error) {
	own := *c
	var err error
	if own.Expect, err = c.Expect.For(t.IsLitmus()); err != nil {
		return &job{out: &report.Check{}}, err
	}
	own.Explore.All = c.Explore.All || t.IsLitmus() // a test can have a race and divergence
	j := &job{Check: &own, target: t}
	j.out = &report.Check{
		Name: c.Name, Model: string(t), At: c.At, Spec: c.Explore.Spec.Name, Reduction: c.Explore.POR.String(),
		Defines: c.Defines, Expect: own.Expect.String(), Again: j.again(),
	}
	switch {
	case c.Name == "":
		j.out.Name = strings.TrimPrefix(j.again(), exploreAgain)
	case several:
		j.out.Name = c.Name + ": " + string(t)
	}
	return j, nil
}

// exploreAgain begins the command that explores a model of a list alone.
const exploreAgain = "clmc explore "

// again is the command that explores the model alone.
func (j *job) again() string {
	words := []string{exploreAgain + word(string(j.target))}
	for _, name := range sortedKeys(j.Defines) {
		words = append(words, "-D "+word(name+"="+j.Defines[name]))
	}
	if spec := j.Explore.Spec.Name; spec != memmodel.Specs[0].Name {
		words = append(words, "--spec "+spec)
	}
	if j.Explore.POR != 0 {
		words = append(words, "--por "+j.Explore.POR.String())
	}
	if n := j.Explore.Promises; n != 0 {
		words = append(words, "--promises "+explore.FormatPromises(n))
	}
	if j.LegacyWorkGroup {
		words = append(words, "--legacy-atomics work_group")
	}
	if j.Explore.All && !j.target.IsLitmus() {
		words = append(words, "--all")
	}
	if j.Explore.Exact {
		words = append(words, "--exact")
	}
	return strings.Join(words, " ")
}

// run runs the jobs and sums up.
func (n *night) run(ctx context.Context) *report.Summary {
	checks.Share(n.list.Budget, len(n.jobs), n.results != nil, time.Now, func(i int, share time.Duration) bool {
		j := n.jobs[i]
		if !j.done && ctx.Err() == nil {
			n.turn(ctx, j, share)
			if j.done {
				n.report(j)
			}
		}
		return j.done || ctx.Err() != nil
	})
	var all []*report.Check
	inUse := map[string]bool{} // keys
	for _, j := range n.jobs {
		if !j.done {
			if j.out.Status == "" {
				inUse = nil // this one's is not known
				j.finish(report.Unfinished, notStarted(ctx))
			}
			n.report(j)
		}
		if inUse != nil {
			inUse[j.key] = true
		}
		all = append(all, j.out)
		n.code = worse(n.code, exitOfStatus[j.out.Status])
	}
	if n.results != nil && inUse != nil && n.results.Prunable() {
		n.prune(inUse)
	}
	return report.NewSummary(version(), n.list.File, all, time.Since(n.began))
}

// prune makes the store forget what neither this run, whose checks have these
// keys, nor any other has used for long.
func (n *night) prune(inUse map[string]bool) {
	removed, err := checks.Prune(n.list.Store, time.Now().Add(-n.list.Keep), inUse)
	if removed > 0 && !n.flags.quiet {
		n.logf("removed from the store, for no run has used them for %v: results and searches, %d in all", n.list.Keep, removed)
	}
	if err != nil {
		n.logf("the store cannot be tidied: %v", err)
	}
}

func notStarted(ctx context.Context) string {
	if ctx.Err() != nil {
		return "the run was interrupted before it"
	}
	return "the time budget was used up before it"
}

// exitOfStatus is the exit code that a check calls for.
var exitOfStatus = map[report.Status]int{
	report.Expected:   exitVerified,
	report.Unexpected: exitViolation,
	report.Unfinished: exitInconclusive,
	report.Failed:     exitUsage,
}

// report prints what came of a job.
func (n *night) report(j *job) {
	if n.flags.format.value != "text" || n.flags.quiet && j.out.Status == report.Expected {
		return
	}
	j.out.Text(n.out)
	n.out.Flush()
}

// finish notes what came of the job so far.
func (j *job) finish(s report.Status, reason string) { j.out.Status, j.out.Reason = s, reason }

// turn explores a job's model for no longer than a share of the time, unless
// the result is remembered. Whatever is wrong with it stays with it.
func (n *night) turn(ctx context.Context, j *job, share time.Duration) {
	defer func() {
		if p := recover(); mapped(p) {
			n.crash(p, nil)
			j.fail(fmt.Errorf("%v", p))
		} else if p != nil {
			n.crash(fmt.Sprintf("%s: %v", j.target, p), debug.Stack())
			j.fail(fmt.Errorf("internal error: %v", p))
		}
	}()
	m, err := j.target.Load(load.Options{Defines: j.Defines, LegacyWorkGroup: j.LegacyWorkGroup})
	if err != nil {
		j.fail(err)
		return
	}
	doc := n.recall(m, j)
	if doc == nil {
		doc, err = n.explore(ctx, m, j, share)
		if checks.Unfinished(err) {
			j.finish(report.Unfinished, err.Error()+"\nOr run the list again: what is kept goes on from its last checkpoint")
			j.done = true
			return
		}
		if err != nil {
			j.fail(err)
			return
		}
	}
	j.judge(m, doc)
	j.done = j.done || j.out.Status != report.Unfinished
	if n.remember(j, doc) {
		n.forget(j)
	}
}

// fail notes that a model cannot be explored.
func (j *job) fail(err error) {
	j.finish(report.Failed, err.Error())
	j.done = true
}

// quickTry is how long a search is tried in memory before it is kept in a store:
// most searches are over by then, and a store takes time and space. Tests make it
// shorter.
var quickTry = 5 * time.Second

// explore explores a model for a share of the time.
func (n *night) explore(ctx context.Context, m *model.Model, j *job, share time.Duration) (*report.Document, error) {
	ctx, cancel := j.limit(ctx, share)
	defer cancel()
	r, err := n.search(ctx, m, j)
	if err != nil {
		return nil, err
	}
	rep, err := m.Report(r)
	if err != nil {
		n.code = worse(n.code, exitInternal)
		return nil, fmt.Errorf("%w\n%s", err, pleaseReport)
	}
	ownLimit := share == 0 || j.TimeLimit > 0 && j.TimeLimit <= share
	j.done = ownLimit || ctx.Err() == nil // else a longer turn may help
	return rep.Document(), nil
}

// search searches in memory, and if that takes long and there is a store, there.
func (n *night) search(ctx context.Context, m *model.Model, j *job) (r *explore.Result, err error) {
	dir := checks.SearchDir(n.list.Store, j.key)
	keep := j.key != "" && j.Explore.MaxStates == 0
	if !keep || !disk.Exists(dir) {
		quick, cancel := ctx, context.CancelFunc(func() {})
		if keep {
			quick, cancel = context.WithTimeout(ctx, quickTry)
		}
		r := n.searchOnce(quick, m, j, nil)
		cancel()
		if !keep || !r.Paused || ctx.Err() != nil {
			return r, nil
		}
	}
	say := func(format string, args ...any) { n.logf("the search of "+j.out.Name+": "+format, args...) }
	err = checks.GoOn(dir, func() (err error) {
		r, err = n.searchIn(ctx, m, j, dir)
		return err
	}, say)
	return r, storeError(dir, err)
}

// searchIn goes on with a job's search in a store, or begins it.
func (n *night) searchIn(ctx context.Context, m *model.Model, j *job, dir string) (*explore.Result, error) {
	x := j.flags(dir)
	x.storeFlags = n.flags.storeFlags
	d, err := n.openStore(x, m)
	if err != nil {
		return nil, err
	}
	notes := newNotes(d, newRecord(m, x))
	r := n.searchOnce(ctx, m, j, notes)
	if err := d.Close(); err != nil && r.Err == nil {
		r.Err = err
	}
	notes.end(r)
	return r, r.Err
}

// searchOnce searches in memory or, if there are notes, in their store.
func (n *night) searchOnce(ctx context.Context, m *model.Model, j *job, notes *notes) *explore.Result {
	p := n.startProgress(n.flags.progress.value, j.out.Name, j.Explore.MaxStates)
	defer p.stop()
	opt := j.Explore
	opt.Progress = p.sample
	opt.KeepSchedule = m.Test != nil // tests are many, and their schedules short
	n.flags.apply(&opt)
	if notes != nil {
		opt.Store = notes.disk
		confine(notes.disk.Mem())
		opt.Progress = func(s explore.Stats) { p.sample(s); notes.sample(s) }
	}
	return explore.Run(ctx, m.Program, opt)
}

// flags are those of clmc explore that explore the model alone, in a store.
func (j *job) flags(dir string) *exploreFlags {
	x := &exploreFlags{store: dir, defines: defines(j.Defines), searchFlags: searchFlags{legacy: legacyValue(j.LegacyWorkGroup)}, all: j.Explore.All, exact: j.Explore.Exact}
	x.spec.Spec, x.por.Mode, x.promises = j.Explore.Spec, j.Explore.POR, promisesValue(j.Explore.Promises)
	x.symmetry = !j.Explore.NoSymmetry
	return x
}

// limit bounds the time of a turn.
func (j *job) limit(ctx context.Context, share time.Duration) (context.Context, context.CancelFunc) {
	switch {
	case j.TimeLimit > 0 && (share == 0 || j.TimeLimit <= share):
		return context.WithTimeoutCause(ctx, j.TimeLimit, fmt.Errorf("the time limit of %v was met", j.TimeLimit))
	case share > 0:
		return context.WithTimeoutCause(ctx, share, fmt.Errorf("its share of the time budget, %v, was used up", share.Round(time.Millisecond)))
	}
	return context.WithCancel(ctx)
}

// judge compares a result with what is expected.
func (j *job) judge(m *model.Model, d *report.Document) {
	j.out.SetResult(d)
	found := checks.Found{
		Verdict: verdictNamed(d.Verdict), Kinds: d.Kinds(), Complete: d.Complete,
		Incomplete: strings.Join(d.Incomplete, "; "), All: j.Explore.All,
	}
	if c := m.Condition(d); c != nil {
		found.Condition, j.out.Condition = c.Verdict, c.Verdict
	}
	j.finish(j.Expect.Judge(found))
}

// recall finds the job's key and looks for a remembered result.
func (n *night) recall(m *model.Model, j *job) *report.Document {
	if n.results == nil {
		return nil
	}
	var err error
	if j.key, err = checks.Key(m.Program, &j.Options); err != nil {
		n.logf("results cannot be remembered: %v", err)
		return nil
	}
	doc, err := n.results.Load(j.key)
	if err != nil {
		n.logf("the remembered result of %s is damaged and ignored: %v", j.out.Name, err)
	}
	j.out.Remembered = doc != nil
	return doc
}

// remember keeps a result that another search cannot change, and reports whether
// it could.
func (n *night) remember(j *job, d *report.Document) bool {
	final := d.Complete || verdictNamed(d.Verdict) == explore.Violated && !j.Explore.All
	if j.key == "" || j.out.Remembered || !final {
		return false
	}
	err := n.results.Save(j.key, d)
	if err != nil {
		n.logf("the result of %s cannot be remembered: %v", j.out.Name, err)
	}
	return err == nil
}

// forget removes the store of a job's search, whose result is remembered.
func (n *night) forget(j *job) {
	dir := checks.SearchDir(n.list.Store, j.key)
	if !disk.Exists(dir) {
		return
	}
	if err := disk.Remove(dir); err != nil {
		n.logf("the search of %s has ended, but not all of it could be removed: %v", j.out.Name, err)
	}
}

// verdictNamed is the inverse of a verdict's String.
func verdictNamed(name string) explore.Verdict {
	for v := explore.Verified; v < explore.Inconclusive; v++ {
		if v.String() == name {
			return v
		}
	}
	return explore.Inconclusive
}
