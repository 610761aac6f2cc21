package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
)

const workerLong = `Work on the searches that are on a server, until interrupted. clmc explore --cluster and
clmc run --cluster submit them. A worker can start, end or be killed at any time: its results are on the
server, and others continue from there.

The limits are those of this worker. When it meets one, it leaves the job to others.`

const workerExample = `  clmc worker --cluster nats://127.0.0.1:4222
  clmc worker --cluster tls://hub.example:4222 --tls-ca ca.pem --nkey worker.nk --workers 8
  clmc worker --cluster nats://127.0.0.1:4222 --until-idle --mem 8GiB`

// workerFlags are the flags of clmc worker.
type workerFlags struct {
	clusterFlags
	storeFlags
	store     string
	workers   int
	maxStates int
	timeLimit time.Duration
	cpuLimit  time.Duration
	progress  choiceValue
	untilIdle bool
}

func (a *app) workerCommand() *cobra.Command {
	w := &workerFlags{progress: progressValue()}
	cmd := &cobra.Command{
		Use:     "worker --cluster URL",
		Short:   "Work on the searches that are on a server",
		Long:    workerLong,
		Example: workerExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !w.used() {
				return errors.New("name the server with --cluster, as in --cluster nats://127.0.0.1:4222")
			}
			if err := (&searchFlags{workers: w.workers, maxStates: w.maxStates, timeLimit: w.timeLimit, cpuLimit: w.cpuLimit}).check(); err != nil {
				return err
			}
			if err := w.storeFlags.check(); err != nil {
				return err
			}
			return a.work(cmd.Context(), w)
		},
	}
	f := cmd.Flags()
	w.clusterFlags.register(f, "the NATS server, such as `nats://host:4222`")
	f.IntVar(&w.workers, "workers", 0, "search on `N` processors at a time (0: all)")
	f.StringVar(&w.store, "store", "", "keep visited states in the folder `DIR`, so that a job can outgrow memory")
	w.storeFlags.register(f)
	f.IntVar(&w.maxStates, "max-states", 0, "leave a job after `N` states (0: no limit)")
	f.DurationVar(&w.timeLimit, "time-limit", 0, "leave a job after a `duration` such as 30m (0: no limit)")
	f.DurationVar(&w.cpuLimit, "cpu-limit", 0, "leave a job after so much processor time of this process, a `duration` such as 30m (0: no limit)")
	f.BoolVar(&w.untilIdle, "until-idle", false, "end when there is nothing to do")
	f.Var(&w.progress, "progress", progressHelp)
	return cmd
}

// worker is a process that works on whatever is there.
type worker struct {
	*part
	flags *workerFlags
	left  map[string]bool // jobs that it cannot, or need not, go on with
	over  error           // why the worker is at its end, if it is
}

// work works on jobs until there is none, or the context is done.
func (a *app) work(ctx context.Context, f *workerFlags) error {
	p, err := a.startPart(&f.clusterFlags)
	if err != nil {
		return err
	}
	defer p.stop()
	w := &worker{part: p, flags: f, left: map[string]bool{}}
	a.logf("working on the jobs at %s", p.c.URL())
	for ctx.Err() == nil {
		id, err := w.pick(ctx)
		if err != nil {
			if ctx.Err() == nil {
				a.logf("the jobs cannot be listed: %v", err)
			}
		} else if id != "" {
			w.tryOn(ctx, id)
			if w.over != nil {
				return nil // it was told
			}
			a.code = exitVerified // a job's trouble is its own
			continue
		} else if f.untilIdle {
			return nil
		}
		w.c.Wait(ctx)
	}
	return nil
}

// pick chooses an open job, one of those with the fewest workers; "" if there is none.
func (w *worker) pick(ctx context.Context) (string, error) {
	jobs, said, err := w.c.Jobs(ctx)
	if err != nil {
		return "", err
	}
	others, err := w.c.Workers(ctx)
	if err != nil {
		return "", err
	}
	at := map[string]int{}
	for _, o := range others {
		at[o.Job] += o.Searches
	}
	there := map[string]bool{}
	for _, j := range jobs {
		there[j.ID] = true
	}
	maps.DeleteFunc(w.left, func(id string, _ bool) bool { return !there[id] }) // it may be submitted again
	best, ties := "", 0
	for _, j := range jobs {
		s := said[j.ID].State
		if state := said[j.ID]; w.left[j.ID] || s != "" && s != cluster.JobOpen || state.GivenUp() {
			continue
		}
		switch {
		case best == "" || at[j.ID] < at[best]:
			best, ties = j.ID, 1
		case at[j.ID] == at[best]:
			if ties++; rand.IntN(ties) == 0 {
				best = j.ID
			}
		}
	}
	return best, nil
}

// tryOn works on a job, to which the worker does not come back, unless the server was away when it began, or the job is gone: it may be offered again.
func (w *worker) tryOn(ctx context.Context, id string) {
	w.left[id] = true
	defer func() {
		if w.code == exitInternal { // a panic, which was told
			w.sayEnded(id, "it crashed")
		}
	}()
	w.guard(func() error {
		err := w.workOn(ctx, id)
		if cluster.Unanswered(err) || errors.Is(err, cluster.ErrNoJob) {
			delete(w.left, id)
		}
		return err
	})
}

// workOn works on a job until it is over, or the worker has to leave it.
func (w *worker) workOn(ctx context.Context, id string) error {
	text, err := w.c.Description(ctx, id)
	if err != nil {
		return err
	}
	j, x, m, err := w.read(ctx, id, text)
	if err != nil {
		return err
	}
	x.workers, x.maxStates, x.timeLimit, x.cpuLimit, x.progress = w.flags.workers, w.flags.maxStates, w.flags.timeLimit, w.flags.cpuLimit, w.flags.progress
	x.storeFlags = w.flags.storeFlags
	if w.flags.store != "" {
		x.store = filepath.Join(w.flags.store, id)
	}
	w.logf("job %s: working on %s", id, j.Record.Model)
	r, err := w.searchShared(ctx, id, x, m, func(ctx context.Context, opt *explore.Options) *explore.Result {
		opt.KeepSchedule = true       // whoever asked for it makes the report,
		opt.Beyond = len(m.Known) > 0 // and looks beyond races; but without that nobody knows whether there is more than what is known
		return w.searchWith(ctx, x, m, opt)
	})
	if err != nil {
		return err
	}
	w.logf("job %s: %s", id, w.outcome(id, m, r))
	if len(m.Known) > 0 {
		w.sayOver(ctx, id, r, true)
	}
	return r.Err
}

// read reads a job within the worker's own bounds. A worker whose bounds are not enough cannot take back what it has begun, so it ends, and says of the job
// that it has ended a worker.
func (w *worker) read(ctx context.Context, id string, text []byte) (*job, *exploreFlags, *model.Model, error) {
	type described struct {
		j *job
		x *exploreFlags
		m *model.Model
	}
	ctx, free := (&searchFlags{timeLimit: w.flags.timeLimit, cpuLimit: w.flags.cpuLimit}).limit(ctx)
	defer free()
	d, err := guard.Read(ctx, "load", func() (d described, err error) {
		d.j, d.x, d.m, err = readJob(id, text)
		return d, err
	})
	if errors.Is(err, guard.ErrLeft) {
		if guard.Late(ctx) || ctx.Err() == nil { // nobody has interrupted it
			w.sayEnded(id, err.Error())
		}
		w.over = fmt.Errorf("job %s: not begun: %w while it was loaded", id, err)
		return nil, nil, nil, w.over
	}
	return d.j, d.x, d.m, err
}

// sayEnded says of a job that it has ended this worker.
func (w *worker) sayEnded(id, why string) {
	ctx, cancel := context.WithTimeout(context.Background(), leaveFor)
	defer cancel()
	w.c.UpdateJob(ctx, id, cluster.Change{Ended: why})
}

// outcome says in a line what came of a worker's part.
func (w *worker) outcome(id string, m *model.Model, r *explore.Result) string {
	switch {
	case w.cancelled.Load():
		delete(w.left, id) // it may be asked for again
		return "left: " + errCancelled.Error()
	case r.Verdict == explore.Inconclusive:
		return "left: " + strings.Join(r.Incomplete, "; ")
	}
	rep, err := m.Report(r)
	if err != nil {
		return err.Error()
	}
	return rep.Verdict()
}

// searchWith searches in memory or, if one is named, with a store.
func (p *part) searchWith(ctx context.Context, x *exploreFlags, m *model.Model, opt *explore.Options) *explore.Result {
	x.apply(opt)
	if x.store == "" {
		return p.run(ctx, m, *opt, &x.searchFlags)
	}
	d, err := p.openStore(ctx, x, m)
	if err != nil {
		return &explore.Result{Verdict: explore.Inconclusive, Incomplete: []string{err.Error()}, Err: err}
	}
	opt.Store = d
	confine(d.Mem())
	r := p.run(ctx, m, *opt, &x.searchFlags)
	if err := d.Close(); err != nil && r.Err == nil {
		r.Err = err
	}
	return r
}
