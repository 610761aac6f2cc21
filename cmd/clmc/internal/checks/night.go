package checks

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/store/disk"
)

// Night is one run of a list of checks: it gives each job its turns, remembers what
// has ended and keeps what has not.
type Night struct {
	List    *List
	Jobs    []*Job
	Results *Results // nil without a store
	Desk    Desk
	Version string // of clmc
	// Try is how long a search is tried in memory before it is kept in a store: most
	// searches are over by then, and a store takes time and space.
	Try time.Duration
}

// QuickTry is the usual Try of a Night.
const QuickTry = 5 * time.Second

// Desk is where a night is run: it has the machine's resources to give, and somebody
// may look at it.
type Desk interface {
	// Search searches a job's model, in memory or, if there is a directory, with what
	// is kept in it.
	Search(ctx context.Context, j *Job, m *model.Model, dir string) (*explore.Result, error)
	// Device runs a job's model, of which the search has found what is expected, on the device that the list names.
	Device(ctx context.Context, j *Job, m *model.Model, d *report.Document) *report.OnDevice
	// Page is told what is known of a check that has been judged, the remembered result or else the
	// report, for those who want to look at its executions.
	Page(j *Job, m *model.Model, d *report.Document, r *report.Report)
	// Done shows what came of a check.
	Done(c *report.Check)
	// Remark says something that is not a result, and Tidied that so many results and
	// searches were removed which nothing has used.
	Remark(format string, args ...any)
	Tidied(removed int)
	// Broken says that clmc is at fault, Crashed that it has panicked with a job, and
	// both return what is to be said of the check.
	Broken(err error) error
	Crashed(j *Job, cause any, stack []byte) error
}

// Run runs the jobs and sums up.
func (n *Night) Run(ctx context.Context) *report.Summary {
	began := time.Now()
	told := map[*Job]bool{}
	Share(n.List.Budget, len(n.Jobs), n.Results != nil, time.Now, func(i int, share time.Duration) bool {
		j := n.Jobs[i]
		if !j.done && ctx.Err() == nil {
			n.bounded(ctx, j, share)
			if j.done {
				told[j] = true
				n.Desk.Done(j.Out)
			}
		}
		return j.done || ctx.Err() != nil
	})
	late, cancel := afterwards(ctx)
	defer cancel()
	var all []*report.Check
	inUse := map[string]bool{} // keys
	for _, j := range n.Jobs {
		if !j.done && j.Out.Status == "" && n.Results != nil { // it had no turn, but may need none
			n.turn(late, j, nil)
		}
		if !j.done && j.Out.Status == "" {
			j.finish(report.Unfinished, notStarted(ctx))
		}
		if !told[j] {
			n.Desk.Done(j.Out)
		}
		switch {
		case j.key == "" && j.Out.Status == report.Unfinished:
			inUse = nil // this one's is not known
		case inUse != nil:
			inUse[j.key] = true
		}
		all = append(all, j.Out)
	}
	if n.Results != nil && inUse != nil && n.Results.Prunable() {
		n.prune(inUse)
	}
	return report.NewSummary(n.Version, n.List.File, all, time.Since(began))
}

// prune makes the store forget what neither this run, whose checks have these
// keys, nor any other has used for long.
func (n *Night) prune(inUse map[string]bool) {
	removed, err := Prune(n.List.Store, time.Now().Add(-n.List.Keep), inUse)
	if removed > 0 {
		n.Desk.Tidied(removed)
	}
	if err != nil {
		n.Desk.Remark("the store cannot be tidied: %v", err)
	}
}

// lookUp is how long after an interrupt a run still looks up what is remembered.
const lookUp = time.Second / 2

// afterwards bounds what is done when there are no more turns: if somebody has interrupted the run, they
// wait for its end.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	rest := context.WithoutCancel(ctx)
	if ctx.Err() == nil {
		return context.WithCancel(rest)
	}
	return context.WithTimeout(rest, lookUp)
}

func notStarted(ctx context.Context) string {
	if ctx.Err() != nil {
		return "the run was interrupted before this check"
	}
	return "the time budget was used up before this check"
}

// bounded gives a job a turn of a share of the time, or as long as its own limit allows, loading its model included.
func (n *Night) bounded(ctx context.Context, j *Job, share time.Duration) {
	turn, cancel := j.limit(ctx, share)
	defer cancel()
	ownLimit := share == 0 || j.TimeLimit > 0 && j.TimeLimit <= share
	n.turn(turn, j, func(m *model.Model) (*report.Report, error) {
		rep, err := n.explore(turn, m, j)
		j.done = ownLimit || turn.Err() == nil || cputime.Met(turn) // else a longer turn may help
		return rep, err
	})
	// What needs too much memory needs it in a longer turn, too.
	if j.Out.Status == "" && ((ownLimit || cputime.Met(turn)) && ctx.Err() == nil || errors.Is(j.left, guard.ErrMemory)) {
		j.finish(report.Unfinished, j.left.Error())
		j.done = true
	}
}

// turn has a job's model explored, unless the result is remembered, or there is nobody to explore it. Whatever
// is wrong with it stays with it.
func (n *Night) turn(ctx context.Context, j *Job, explore func(*model.Model) (*report.Report, error)) {
	defer func() {
		if p := recover(); p != nil {
			j.fail(n.Desk.Crashed(j, p, debug.Stack()))
		}
	}()
	m, err := j.Load(ctx)
	if errors.Is(err, guard.ErrLeft) {
		j.leave(err, "the model was loaded")
		return
	}
	if err != nil {
		j.fail(err)
		return
	}
	doc := n.recall(m, j)
	var rep *report.Report
	if doc == nil && explore == nil {
		return
	}
	if doc == nil {
		rep, err = explore(m)
		if errors.Is(err, guard.ErrLeft) {
			j.leave(err, "the store of its search was opened")
			return
		}
		if Unfinished(err) {
			j.finish(report.Unfinished, err.Error()+"\nOr run the list again: kept searches continue from their last checkpoint")
			j.done = true
			return
		}
		if err != nil {
			j.fail(err)
			return
		}
		doc = rep.Document()
	}
	j.judge(m, doc)
	if j.Device != "" && j.Out.Status == report.Expected {
		n.onDevice(ctx, j, m, doc, explore != nil)
	}
	n.Desk.Page(j, m, doc, rep)
	j.done = j.done || j.Out.Status != report.Unfinished
	if n.remember(j, doc) {
		n.forget(j)
	}
}

// onDevice runs a job's model on a device, if there is time for that.
func (n *Night) onDevice(ctx context.Context, j *Job, m *model.Model, doc *report.Document, time bool) {
	if !time {
		j.finish(report.Unfinished, "not run on the device: there was no time for that")
		return
	}
	o := n.Desk.Device(ctx, j, m, doc)
	j.Out.Device, j.done = o, true
	switch o.Verdict {
	case "disagrees":
		j.finish(report.Unexpected, o.Text)
	case "not run", "not compared":
		j.finish(report.Unfinished, o.Text)
	}
}

// explore explores a model.
func (n *Night) explore(ctx context.Context, m *model.Model, j *Job) (*report.Report, error) {
	r, err := n.search(ctx, m, j)
	if err != nil {
		return nil, err
	}
	rep, err := m.Tell(ctx, r)
	if err != nil {
		return nil, n.Desk.Broken(err)
	}
	return rep, nil
}

// search searches in memory, and if that takes long and there is a store, there.
func (n *Night) search(ctx context.Context, m *model.Model, j *Job) (r *explore.Result, err error) {
	dir := SearchDir(n.List.Store, j.key)
	keep := j.key != "" && j.Explore.MaxStates == 0 && j.Explore.Liveness == nil // whose graph is in memory
	if !keep || !disk.Exists(dir) {
		quick, cancel := ctx, context.CancelFunc(func() {})
		if keep {
			quick, cancel = context.WithTimeout(ctx, n.Try)
		}
		r, err = n.Desk.Search(quick, j, m, "")
		cancel()
		if err != nil || !keep || !r.Paused || ctx.Err() != nil {
			return r, err
		}
	}
	say := func(format string, args ...any) { n.Desk.Remark("the search of "+j.Out.Name+": "+format, args...) }
	err = GoOn(dir, func() (err error) {
		r, err = n.Desk.Search(ctx, j, m, dir)
		return err
	}, say)
	return r, err
}

// recall finds the job's key and looks for a remembered result.
func (n *Night) recall(m *model.Model, j *Job) *report.Document {
	if n.Results == nil {
		return nil
	}
	var err error
	if j.key, err = Key(m.Program, &j.Options); err != nil {
		n.Desk.Remark("results cannot be remembered: %v", err)
		return nil
	}
	doc, err := n.Results.Load(j.key)
	if err != nil {
		n.Desk.Remark("the remembered result of %s is damaged and ignored: %v", j.Out.Name, err)
	}
	j.Out.Remembered = doc != nil
	return doc
}

// Remembers reports whether the result of a job is remembered, so that its model need not be searched.
func (n *Night) Remembers(m *model.Model, j *Job) bool {
	if n.Results == nil {
		return false
	}
	key, err := Key(m.Program, &j.Options)
	if err != nil {
		return false
	}
	doc, err := n.Results.Load(key)
	return err == nil && doc != nil
}

// remember keeps a result that another search cannot change, and reports whether
// it could.
func (n *Night) remember(j *Job, d *report.Document) bool {
	if j.key == "" || j.Out.Remembered || !j.final(d) {
		return false
	}
	err := n.Results.Save(j.key, d)
	if err != nil {
		n.Desk.Remark("the result of %s cannot be remembered: %v", j.Out.Name, err)
	}
	return err == nil
}

// forget removes the store of a job's search, whose result is remembered.
func (n *Night) forget(j *Job) {
	dir := SearchDir(n.List.Store, j.key)
	if !disk.Exists(dir) {
		return
	}
	if err := disk.Remove(dir); err != nil {
		n.Desk.Remark("the search of %s has ended, but not all of it could be removed: %v", j.Out.Name, err)
	}
}
