package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
)

// part is this process's part in the jobs of a cluster.
type part struct {
	*app
	c    *cluster.Cluster
	me   cluster.WorkerState
	quit chan struct{}
	news chan struct{} // the process does something else now
	done guard.Group

	stats     atomic.Pointer[explore.Stats]
	now       atomic.Pointer[atWork]
	cancelled atomic.Bool // the job that was worked on last
}

// atWork is a job that the process works on.
type atWork struct {
	id     string
	feed   *cluster.Feed
	cancel context.CancelCauseFunc
	links  int
	began  time.Time
	told   bool // that nothing can be published
}

// startPart connects, and begins to say what this process does.
func (a *app) startPart(f *clusterFlags) (*part, error) {
	c, err := f.dial()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // for people only
	p := &part{app: a, c: c, quit: make(chan struct{}), news: make(chan struct{}, 1)}
	p.me = cluster.WorkerState{ID: fmt.Sprintf("%016x", rand.Uint64()), Host: host, Process: os.Getpid(), Version: version()}
	p.done.Go("heartbeats", p.beat)
	return p, nil
}

func (p *part) stop() {
	close(p.quit)
	p.done.Wait()
	p.c.Leave(context.Background(), p.me.ID) // it is forgotten anyway
	p.c.Close()
}

// beat says every few seconds, and when that changes, what this process does, and looks whether it still should.
func (p *part) beat() {
	tick := time.NewTicker(cluster.BeatEvery)
	defer tick.Stop()
	for {
		w := p.now.Load()
		p.say(w)
		if w != nil {
			p.look(w)
		}
		select {
		case <-p.quit:
			return
		case <-p.news:
		case <-tick.C:
		}
	}
}

// turnTo notes what the process does now. Others who look for work hear of it at once.
func (p *part) turnTo(w *atWork) {
	p.now.Store(w)
	select {
	case p.news <- struct{}{}:
	default: // it is about to be said
	}
}

// say says what this process does. That it cannot be said is no reason to stop.
func (p *part) say(w *atWork) {
	s := p.me
	if w != nil {
		s.Job, s.Searches, s.Seconds = w.id, w.links, time.Since(w.began).Seconds()
		if t := p.stats.Load(); t != nil {
			s.States, s.Steps, s.Published, s.Read = t.States, t.Steps, t.Shared.Published, t.Shared.Read
		}
		if since, why := w.feed.Trouble(); why != nil {
			s.Alone = fmt.Sprintf("since %s: %v", since.UTC().Format(time.RFC3339), why)
		}
	}
	p.c.Beat(context.Background(), &s)
}

// errCancelled is why a search ends whose job was cancelled.
var errCancelled = errors.New("the job was cancelled")

// aloneFor is how long nothing can be published before it is said.
const aloneFor = 10 * time.Second

// look looks after a job: whether it was cancelled, and whether what is found gets to the others.
func (p *part) look(w *atWork) {
	if s, err := p.c.Job(context.Background(), w.id); err == nil && s.State == cluster.JobCancelled {
		p.cancelled.Store(true)
		w.cancel(errCancelled)
	}
	switch since, why := w.feed.Trouble(); {
	case why == nil && w.told:
		w.told = false
		p.logf("job %s: the server answers again; results are shared", w.id)
	case why != nil && !w.told && time.Since(since) > aloneFor:
		w.told = true
		p.logf("job %s: no results have been shared since %s: %v\nThe search continues alone, and tries again", w.id, since.Format(time.TimeOnly), why)
		if cluster.IsFull(why) {
			p.c.UpdateJob(context.Background(), w.id, cluster.Change{Full: true})
		}
	}
}

// join opens a job's stream for so many workers of this process, or for one that only watches.
func (p *part) join(ctx context.Context, id string, workers int) (*cluster.Feed, error) {
	s, err := p.c.UpdateJob(ctx, id, cluster.Change{Join: workers})
	first := s.Joined - workers
	if err != nil { // it is only that two workers may take the same way
		first = 2 + rand.IntN(1<<20)
	}
	if s.State == cluster.JobCancelled {
		return nil, fmt.Errorf("job %s: %w", id, errCancelled)
	}
	orders := make([]int, max(workers, 1))
	for i := range orders {
		orders[i] = first + i
	}
	return p.c.Open(ctx, id, orders)
}

// leaveFor is how long somebody who has to leave a job may take to do so.
const leaveFor = 3 * time.Second

// searcher is a search that takes its links and bounds from the options, and all else from where it was made.
type searcher func(ctx context.Context, opt *explore.Options) *explore.Result

// searchShared searches, together with whoever else works on the job. The result is not complete if the job's
// stream was not to be relied on, or if this process had to leave before the job was over. If the server has lost some of
// what was read it begins again, with what is left; if it has lost all its jobs, having offered it this one again.
func (p *part) searchShared(ctx context.Context, id string, x *exploreFlags, m *model.Model, search searcher) (*explore.Result, error) {
	origin, unknown := p.c.Origin(ctx)
	for {
		r, err := p.searchOnce(ctx, id, x, m, search)
		why := err
		if err == nil {
			why = r.Err
		}
		switch {
		case ctx.Err() != nil:
			return r, err
		case errors.Is(why, cluster.ErrNoJob) && unknown == nil && p.offerAgain(ctx, &origin, id, x, m):
			p.logf("job %s: the server has lost all its jobs. This one is offered again, and the search starts again", id)
		case err == nil && errors.Is(why, cluster.ErrCut):
			p.logf("%v\nThe search starts again, from what is left", r.Err)
		default:
			return r, err
		}
	}
}

// offerAgain submits a job once more that is not there because the server has lost all jobs since it had another origin, and not because somebody has
// removed it. It reports whether the job is there then: who may not submit jobs leaves that to others.
func (p *part) offerAgain(ctx context.Context, origin *string, id string, x *exploreFlags, m *model.Model) bool {
	now, err := p.c.Origin(ctx)
	if err != nil || now == *origin {
		return false
	}
	*origin = now
	same, _, err := p.submit(ctx, x, m)
	if err != nil { // somebody else may have been there before
		_, err := p.c.Replicas(ctx, id)
		return err == nil
	}
	return same == id
}

func (p *part) searchOnce(ctx context.Context, id string, x *exploreFlags, m *model.Model, search searcher) (*explore.Result, error) {
	ctx, free := x.limit(ctx)
	defer free()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := x.processors()
	if x.noWork { // it takes no order from those who work
		workers = 0
	}
	feed, err := p.join(context.WithoutCancel(ctx), id, workers)
	if err != nil {
		return nil, err
	}
	defer feed.Close()
	// Who has to leave may still publish what it has, but not for long.
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(leaveFor, feed.Close) })
	defer stop()
	w := &atWork{id: id, feed: feed, cancel: cancel, links: workers, began: time.Now()}
	p.stats.Store(nil)
	p.cancelled.Store(false)
	p.turnTo(w)
	defer p.turnTo(nil)
	opt := x.optionsFor(m)
	for _, l := range feed.Links() {
		opt.Links = append(opt.Links, l)
	}
	opt.Progress = func(s explore.Stats) { p.stats.Store(&s) }
	r := search(ctx, &opt)
	p.sayOver(ctx, id, r, r.Verdict != explore.Violated || len(m.Known) == 0)
	return r, nil
}

// sayOver says of a job that it is over, if it is and its stream says so, without which others have to go on with it, and what the verdict is once it is judged: before there is a report, which sets
// them aside, findings that are known are among the others.
func (p *part) sayOver(ctx context.Context, id string, r *explore.Result, judged bool) {
	if !r.Told || r.Err != nil || r.Paused || !r.Complete && r.Verdict != explore.Violated {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor) // nothing depends on it
	defer cancel()
	over := cluster.Change{Done: true}
	if judged {
		over.Verdict = r.Verdict.String()
	}
	p.c.UpdateJob(ctx, id, over)
}

// exploreShared submits the search of a model to a cluster, and works on it with whoever else does.
func (a *app) exploreShared(ctx context.Context, x *exploreFlags, m *model.Model, files *files, tally map[explore.Verdict]int) error {
	p, err := a.startPart(&x.clusterFlags)
	if err != nil {
		return err
	}
	defer p.stop()
	id, s, err := p.submitInTime(ctx, x, m)
	switch {
	case errors.Is(err, guard.ErrLeft):
		return a.conclude(ctx, x, m, unsubmitted(x, err), files, tally)
	case err != nil:
		return inputError{err}
	}
	if s.State == cluster.JobDone {
		p.logf("job %s: other workers have finished it; this is their result", id)
	} else {
		p.logf("job %s at %s", id, p.c.URL())
	}
	p.warnOfPowerLoss(ctx, id)
	r, err := p.searchShared(ctx, id, x, m, func(ctx context.Context, opt *explore.Options) *explore.Result {
		if x.noWork {
			return explore.Watch(ctx, m.Program, *opt)
		}
		return p.searchWith(ctx, x, m, opt)
	})
	if err != nil {
		return asInput(err)
	}
	switch {
	case p.cancelled.Load():
		p.logf("job %s: %v", id, errCancelled)
	case errors.Is(r.Err, cluster.ErrNoJob):
		p.logf("job %s was removed while workers were on it; the same command starts it again", id)
	case r.Paused:
		p.sayHowToAttach(id, x)
	}
	if r.Err != nil {
		p.failFor(inputError{r.Err})
	}
	err = a.conclude(ctx, x, m, r, files, tally)
	if len(m.Known) > 0 {
		p.sayOver(ctx, id, r, true)
	}
	return err
}

// submit submits the search of a model, which may be there already.
func (p *part) submit(ctx context.Context, x *exploreFlags, m *model.Model) (id string, s cluster.JobState, err error) {
	j, err := newJob(m, x)
	if err != nil {
		return id, s, err
	}
	if id, err = j.id(); err != nil {
		return id, s, err
	}
	text, err := j.text()
	if err != nil {
		return id, s, err
	}
	s, err = p.c.Submit(ctx, id, m.Name, text, x.replicas)
	return id, s, err
}

// submitInTime is submit, but not when ctx is done: then the error is guard.ErrLeft, whatever was under way just then.
func (p *part) submitInTime(ctx context.Context, x *exploreFlags, m *model.Model) (string, cluster.JobState, error) {
	type asked struct {
		id string
		s  cluster.JobState
	}
	j, err := guard.Await(ctx, "submit", func() (j asked, err error) {
		j.id, j.s, err = p.submit(context.WithoutCancel(ctx), x, m)
		return j, err
	})
	return j.id, j.s, err
}

// unsubmitted is the result of a search that has not begun, since there was no time left, as err says.
func unsubmitted(x *exploreFlags, err error) *explore.Result {
	opt := x.options()
	return &explore.Result{Verdict: explore.Inconclusive, Incomplete: []string{fmt.Sprintf("%v while its job was submitted", err)}, Spec: opt.Spec, POR: opt.POR}
}

// warnOfPowerLoss says that a power loss may cost the job, where that is so.
func (p *part) warnOfPowerLoss(ctx context.Context, id string) {
	if n, err := p.c.Replicas(ctx, id); err == nil && n == 1 && !p.c.Syncs() {
		p.logf("note: the server keeps one copy of the job, and acknowledges results before they are on its disk. If its machine loses power, the job may start again. The setting sync: always, or three servers, prevent that")
	}
}

// sayHowToAttach says how to come back to a job that goes on.
func (p *part) sayHowToAttach(id string, x *exploreFlags) {
	at := 0
	if workers, err := p.c.Workers(context.Background()); err == nil {
		for _, w := range workers {
			if w.Job == id && w.ID != p.me.ID {
				at += w.Searches
			}
		}
	}
	p.logf("job %s is unfinished; %d other workers are on it. To join it again, repeat the command; to end it for all: clmc cluster cancel%s %s", id, at, x.words(), id)
}
