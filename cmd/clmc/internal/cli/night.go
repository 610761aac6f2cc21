package cli

import (
	"context"
	"fmt"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/store/disk"
)

// desk is where a night of checks is run: a checks.Desk that searches under the
// flags of clmc run, and prints.
type desk struct {
	*app
	whole context.Context // of the run: done only when it is interrupted
	flags *runFlags
	list  *checks.List
	pages *pages // nil if none are asked for
	part  *part  // in the jobs of a cluster; nil if there is none
	// devices are those that checks name, by how they name them.
	devices map[string]*deskDevice
}

// exitOfStatus is the exit code that a check calls for.
var exitOfStatus = map[report.Status]int{
	report.Expected:   exitVerified,
	report.Unexpected: exitViolation,
	report.Unfinished: exitInconclusive,
	report.Failed:     exitUsage,
}

// Page implements checks.Desk.
func (d *desk) Page(j *checks.Job, m *model.Model, doc *report.Document, rep *report.Report) {
	if d.part != nil && rep != nil && len(m.Known) > 0 {
		d.part.sayJudged(d.exploreFlags(j, ""), m, rep.Result)
	}
	if d.pages == nil || len(doc.Violations) == 0 && j.Out.Status == report.Expected {
		return
	}
	var err error
	if rep == nil {
		rep, err = m.Recall(doc)
	}
	if err == nil {
		err = d.pages.write(j, m, rep)
	}
	if err != nil {
		d.logf("%s: %v", j.Out.Name, err)
		d.code = worse(d.code, exitUsage)
	}
}

// Done implements checks.Desk.
func (d *desk) Done(c *report.Check) {
	code := exitOfStatus[c.Status]
	if c.Device.Disagrees() {
		code = exitDevice
	}
	d.code = worse(d.code, code)
	if d.flags.format.value != "text" || d.flags.quiet && c.Status == report.Expected {
		return
	}
	c.Text(d.out)
	d.out.Flush()
}

// Remark implements checks.Desk.
func (d *desk) Remark(format string, args ...any) { d.logf(format, args...) }

// Tidied implements checks.Desk.
func (d *desk) Tidied(removed int) {
	if !d.flags.quiet {
		d.logf("removed %[2]d results and searches from the store: no run used them for %[1]v", d.list.Keep, removed)
	}
}

// Broken implements checks.Desk.
func (d *desk) Broken(err error) error {
	d.code = worse(d.code, exitInternal)
	return fmt.Errorf("%w\n%s", err, pleaseReport)
}

// Crashed implements checks.Desk.
func (d *desk) Crashed(j *checks.Job, cause any, stack []byte) error {
	if mapped(cause) {
		d.crash(cause, nil)
		return fmt.Errorf("%v", cause)
	}
	d.crash(fmt.Sprintf("%s: %v", j.Target, cause), stack)
	return fmt.Errorf("internal error: %v", cause)
}

// Search implements checks.Desk.
func (d *desk) Search(ctx context.Context, j *checks.Job, m *model.Model, dir string) (*explore.Result, error) {
	x := d.exploreFlags(j, dir)
	switch {
	case d.part != nil && d.shares(j, x):
		x.page = d.flags.pages
		return d.part.searchCheck(ctx, j, x, m)
	case dir == "":
		return d.search(ctx, j, m, nil), nil
	}
	// No limit ends this: with one shorter than opening takes, a search would never get on.
	kept, err := guard.Await(d.whole, "store", func() (*disk.Store, error) { return d.openOrMake(x, m) })
	if err != nil {
		return nil, err
	}
	notes := newNotes(kept, newRecord(m, x))
	r := d.search(ctx, j, m, notes)
	if err := kept.Close(); err != nil && r.Err == nil {
		r.Err = err
	}
	notes.end(r)
	return r, storeError(dir, r.Err)
}

// search searches in memory or, if there are notes, in their store.
func (d *desk) search(ctx context.Context, j *checks.Job, m *model.Model, notes *notes) *explore.Result {
	p := d.startProgress(d.flags.progress.value, j.Out.Name, j.Explore.MaxStates)
	defer p.stop()
	opt := j.Explore
	opt.Progress, opt.First = p.sample, p.answered
	opt.KeepSchedule = m.Test != nil // tests are many, and their schedules short
	if d.pages != nil {
		opt.Witnesses = maxWitnesses
	}
	d.flags.apply(&opt)
	if notes != nil {
		opt.Store = notes.disk
		confine(notes.disk.Mem())
		opt.Progress = func(s explore.Stats) { p.sample(s); notes.sample(s) }
	}
	return searchWithin(ctx, m, opt)
}

// exploreFlags are those of clmc explore that explore a job's model alone, in a store.
func (d *desk) exploreFlags(j *checks.Job, dir string) *exploreFlags {
	x := &exploreFlags{
		store: dir, storeFlags: d.flags.storeFlags, defines: defines(j.Defines),
		searchFlags: searchFlags{legacy: legacyValue(j.LegacyWorkGroup), workers: 1, progress: d.flags.progress}, all: j.Explore.All, exact: j.Explore.Exact,
	}
	x.spec.Spec, x.por.Mode, x.promises = j.Explore.Spec, j.Explore.POR, promisesValue(j.Explore.Promises)
	x.symmetry = !j.Explore.NoSymmetry
	x.kernel.options, x.known = j.Kernels, j.Known
	x.device.name = j.Device
	return x
}
