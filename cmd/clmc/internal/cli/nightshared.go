package cli

import (
	"context"
	"errors"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
)

// A list on a cluster. Each search of it is a job like any other: there all are from the beginning on, so that workers
// begin with others than this process does, and those that take long are worked on by several. Who comes to a check that others
// have finished reads what they have found. So nothing is handed out, and nothing need be taken back from who has died.

// shares reports whether others can help with the search of a check, which flags ask for, too.
func (d *desk) shares(j *checks.Job, x *exploreFlags) bool {
	opt := x.options()
	opt.Exact = x.exact
	return opt.Shareable() == nil && j.Explore.Liveness == nil // which one process answers
}

// submit submits the searches of all checks that are not remembered. What is wrong with one is said when its turn comes.
func (d *desk) submit(ctx context.Context, n *checks.Night) {
	for _, j := range n.Jobs {
		m, err := j.Load(ctx)
		if err != nil || ctx.Err() != nil || n.Remembers(m, j) {
			continue
		}
		if x := d.exploreFlags(j, ""); d.shares(j, x) {
			if _, _, err := d.part.submit(ctx, x, m); err != nil {
				d.logf("%s: %v", j.Out.Name, err)
				return // the others fare no better
			}
		}
	}
}

// sayJudged says what the verdict of a check's job is, if it is over, once what is known has been set aside.
func (p *part) sayJudged(x *exploreFlags, m *model.Model, r *explore.Result) {
	j, err := newJob(m, x)
	if err != nil {
		return // as when it was submitted
	}
	if id, err := j.id(); err == nil {
		p.sayOver(context.Background(), id, r, true)
	}
}

// searchCheck searches for a check, together with whoever else works on it. What is wrong with the store is an error, as it is without a
// cluster: a search that is lost begins again. What is wrong with the job's stream leaves the check unfinished, and is among the reasons.
func (p *part) searchCheck(ctx context.Context, j *checks.Job, x *exploreFlags, m *model.Model) (*explore.Result, error) {
	id, _, err := p.submitInTime(ctx, x, m)
	switch {
	case errors.Is(err, guard.ErrLeft):
		return unsubmitted(x, err), nil
	case err != nil:
		return nil, err
	}
	x.maxStates = j.Explore.MaxStates
	r, err := p.searchShared(ctx, id, x, m, func(ctx context.Context, opt *explore.Options) *explore.Result {
		opt.KeepSchedule, opt.Beyond = m.Test != nil, j.Explore.Beyond
		return p.searchWith(ctx, x, m, opt)
	})
	if err == nil && x.store != "" && !errors.Is(r.Err, cluster.ErrBroken) && !errors.Is(r.Err, cluster.ErrNoJob) {
		err = storeError(x.store, r.Err)
	}
	return r, err
}
