package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/clmc/clmc/internal/guard"
)

// Registrar does for keys what they may not do themselves. Whoever may use JetStream's own requests can have the server send any
// message to any subject, as an answer, a copy or a delivery, with the server's rights: so no key may, and each may ask the
// registrar, which answers only to where whoever asks may listen. Rights says who may ask for what.
type Registrar struct {
	c     *Cluster // with all rights
	o     RegistrarOptions
	epoch string // tells this registrar apart from one that was before it, or is beside it
	sub   *nats.Subscription
	ctx   context.Context
	end   context.CancelFunc
	calls guard.Group
	// submits has a place for a submission that is being read: a description may be large when it is unpacked.
	submits chan struct{}

	mu     sync.Mutex
	takers map[taker]*hold
	busy   map[string]load          // what is under way, by who has asked
	grown  map[string]chan struct{} // closed when a job's stream grows
	recent map[string]*recent       // by job
	more   chan struct{}            // closed when a job is submitted
	count  uint64                   // of submissions
	list   *overview
}

// RegistrarOptions say what a registrar allows.
type RegistrarOptions struct {
	// Check reports a description that is not that of the job with an id, or that workers of this version cannot take. Nil takes any.
	Check func(id string, description []byte) error
	// MaxJobs and MaxBytes bound what one asker's jobs take; 0 is no bound.
	MaxJobs  int
	MaxBytes int64
	// Log hears of what should not happen.
	Log func(format string, args ...any)
}

// overview is the list of jobs as it was at a time.
type overview struct {
	at   time.Time
	jobs []StreamInfo
	said map[string]JobState
}

// Bounds on what one key may have under way, and the registrar may remember.
const (
	maxBusy    = 2048
	maxBytes   = 64 << 20
	maxTakers  = 1 << 16
	forgetAt   = time.Hour
	listFor    = 500 * time.Millisecond
	maxAnswer  = 900 << 10
	pageOfJobs = 500
	readFor    = 2 * time.Second        // that a request to read waits for something new
	waitFor    = 20 * time.Second       // that one to hear of new jobs does
	lookEvery  = 250 * time.Millisecond // whether somebody else has appended something
	answerFor  = 10 * time.Second
)

// Serve begins to answer at the server that s names, with a key that may do all there.
func Serve(s Server, o RegistrarOptions) (*Registrar, error) {
	c, err := connect(s)
	if err != nil {
		return nil, err
	}
	r := &Registrar{c: c, o: o, epoch: rand.Text(), takers: map[taker]*hold{}, busy: map[string]load{}, submits: make(chan struct{}, 1), grown: map[string]chan struct{}{}, recent: map[string]*recent{}, more: make(chan struct{})}
	if r.o.Log == nil {
		r.o.Log = func(string, ...any) {}
	}
	r.ctx, r.end = context.WithCancel(context.Background())
	err = c.again(r.ctx, func(ctx context.Context) error {
		_, err := c.js.AccountInfo(ctx)
		return err
	})
	if err == nil {
		_, err = c.states(r.ctx)
	}
	if err == nil {
		r.sub, err = c.nc.QueueSubscribe(askPrefix+"*.*.>", "clmc-registrar", r.hear)
	}
	if err != nil {
		c.Close()
		return nil, s.explain(err)
	}
	return r, nil
}

// Close ends the registrar.
func (r *Registrar) Close() {
	r.end()
	r.sub.Unsubscribe()
	r.c.Close()
	r.calls.Wait()
}

// hear begins to answer a request. It answers to nobody but who has asked: an answer to another subject would be the registrar's word there.
func (r *Registrar) hear(m *nats.Msg) {
	a, err := parseAsked(m.Subject)
	if err != nil || !strings.HasPrefix(m.Reply, inboxOf(a.who)+".") || strings.ContainsAny(m.Reply, "*> \t") {
		return
	}
	if a.op == opHello { // in their order
		if extent(a.role, a.op) != Nothing {
			m.Respond([]byte(a.role))
		}
		return
	}
	if !r.begin(a.who, len(m.Data)) {
		r.answer(m, nil, fmt.Errorf("%w: too much is asked for with this key", errLater))
		return
	}
	r.calls.Go("a request", func() {
		defer r.finish(a.who, len(m.Data))
		defer func() {
			if cause := recover(); cause != nil { // whatever was asked, the others go on
				r.o.Log("a request for %s from %s: internal error: %v", a.op, a.who, cause)
				r.answer(m, nil, errors.New("internal error of the hub"))
			}
		}()
		ctx, cancel := context.WithTimeout(r.ctx, waitFor+answerFor)
		defer cancel()
		data, err := r.serve(ctx, &a, m)
		r.answer(m, data, err)
	})
}

// load is what somebody has under way.
type load struct{ requests, bytes int }

func (r *Registrar) begin(who string, bytes int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.busy[who]
	if r.ctx.Err() != nil || l.requests >= maxBusy || l.bytes+bytes > maxBytes {
		return false
	}
	r.busy[who] = load{l.requests + 1, l.bytes + bytes}
	return true
}

func (r *Registrar) finish(who string, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.busy[who]
	if l = (load{l.requests - 1, l.bytes - bytes}); l.requests > 0 {
		r.busy[who] = l
	} else {
		delete(r.busy, who)
	}
}

// answer answers a request, with what is JSON unless it is bytes.
func (r *Registrar) answer(m *nats.Msg, v any, err error) {
	to := nats.NewMsg(m.Reply)
	data, raw := v.([]byte)
	if err == nil && !raw {
		data, err = json.Marshal(v)
	}
	if err == nil {
		to.Data = data
	} else if text, err := json.Marshal(wrongOf(err)); err == nil {
		to.Header.Set(headError, string(text))
	}
	r.c.nc.PublishMsg(to)
}

// serve does what is asked, if whoever asks may.
func (r *Registrar) serve(ctx context.Context, a *asked, m *nats.Msg) (any, error) {
	var q request
	if text := m.Header.Get(headAsk); text != "" {
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			return nil, fmt.Errorf("the request cannot be read: %v", err)
		}
	}
	who := taker{a.who, q.Session, a.id}
	h, err := r.allow(ctx, a, who)
	if err != nil {
		return nil, err
	}
	switch a.op {
	case opSubmit:
		return r.submit(ctx, a, &q, m.Data)
	case opJobs:
		return r.jobs(ctx, a, q.Page)
	case opWait:
		return nil, r.wait(ctx, &q)
	case opState:
		s, err := r.c.direct.state(ctx, a.id)
		s.Askers = nil
		return s, err
	case opTake:
		return r.take(ctx, who)
	case opMessage:
		data, err := r.c.message(ctx, a.id, q.Seq)
		return data, err
	case opRead:
		return r.read(ctx, a.id, h, &q)
	case opAppend:
		return nil, r.append(ctx, a, &q, h, m.Data)
	case opReport, opCancel:
		return r.change(ctx, a, q.Change)
	case opRemove:
		defer r.forget(a.id)
		return nil, r.c.remove(ctx, a.id)
	case opWorkers:
		return r.workers(ctx, a)
	case opBeat:
		return nil, r.beat(ctx, a, q.Beat)
	case opLeave:
		return nil, r.leave(ctx, a, q.Leave)
	case opRoom:
		return nil, r.c.room(ctx)
	case opOrigin:
		return r.c.origin(ctx)
	}
	return nil, fmt.Errorf("%w: there is no request %q", ErrDenied, a.op)
}

// aboutJobs are the requests that name a job.
var aboutJobs = []string{opSubmit, opState, opTake, opMessage, opRead, opAppend, opReport, opCancel, opRemove}

// allow reports who may not do what is asked, and finds what is known of who has taken the job.
func (r *Registrar) allow(ctx context.Context, a *asked, who taker) (*hold, error) {
	e := extent(a.role, a.op)
	if about := slices.Contains(aboutJobs, a.op); about != (a.id != "") {
		return nil, fmt.Errorf("%w: there is no such request", ErrDenied)
	}
	switch e {
	case Any:
		return nil, nil
	case Own:
		if a.id == "" { // what is not theirs is left out
			return nil, nil
		}
		s, err := r.c.direct.state(ctx, a.id)
		if err == nil && !slices.Contains(s.Askers, a.who) {
			err = fmt.Errorf("%w: another key has submitted the job, or nobody has", ErrDenied)
		}
		return nil, err
	case Taken:
		r.mu.Lock()
		defer r.mu.Unlock()
		if h := r.takers[who]; h != nil {
			h.last = time.Now()
			return h, nil
		}
		return nil, errNotTaken
	}
	return nil, fmt.Errorf("%w: the key of a %s is not for that (%s)", ErrDenied, a.role, a.op)
}

// overview lists the jobs, as they were a moment ago.
func (r *Registrar) overview(ctx context.Context) (*overview, error) {
	r.mu.Lock()
	o := r.list
	r.mu.Unlock()
	if o != nil && time.Since(o.at) < listFor {
		return o, nil
	}
	jobs, said, err := r.c.direct.jobs(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(jobs, func(a, b StreamInfo) int { return strings.Compare(a.ID, b.ID) })
	o = &overview{time.Now(), jobs, said}
	r.mu.Lock()
	r.list = o
	r.mu.Unlock()
	return o, nil
}

// jobs lists those after a page that whoever asks may see.
func (r *Registrar) jobs(ctx context.Context, a *asked, page string) (*listed, error) {
	r.mu.Lock()
	l := &listed{Said: map[string]JobState{}, Epoch: r.epoch, Count: r.count}
	r.mu.Unlock()
	o, err := r.overview(ctx)
	if err != nil {
		return nil, err
	}
	for _, j := range o.jobs {
		s, said := o.said[j.ID]
		if j.ID <= page || extent(a.role, opJobs) == Own && !slices.Contains(s.Askers, a.who) {
			continue
		}
		if len(l.Jobs) == pageOfJobs {
			l.More = l.Jobs[len(l.Jobs)-1].ID
			break
		}
		j.Name = shortened(j.Name)
		l.Jobs = append(l.Jobs, j)
		if s.Askers = nil; said {
			l.Said[j.ID] = s
		}
	}
	return l, nil
}

// wait waits until a job is submitted after the list that whoever asks has seen.
func (r *Registrar) wait(ctx context.Context, q *request) error {
	r.mu.Lock()
	more, missed, most := r.more, q.Seq != r.count, waitFor
	r.mu.Unlock()
	if q.Name != r.epoch { // another has given that list
		missed, most = false, readFor
	}
	if missed {
		return nil
	}
	select {
	case <-more:
	case <-ctx.Done():
	case <-r.ctx.Done():
	case <-time.After(most):
	}
	return nil
}

// change changes what is said of a job, as far as it is for who asks to say.
func (r *Registrar) change(ctx context.Context, a *asked, c *Change) (JobState, error) {
	if c == nil {
		return JobState{}, errors.New("the request says nothing")
	}
	switch {
	case c.Cancel != (a.op == opCancel), c.Ask, c.Join < 0 || c.Join > maxJoin, !slices.Contains(Verdicts, c.Verdict):
		return JobState{}, fmt.Errorf("%w: no worker says that of a job", ErrDenied)
	}
	if a.op == opCancel {
		c = &Change{Cancel: true}
	}
	c.Name = ""
	// What is said of a job that is not there would stay for ever.
	if _, err := r.c.take(ctx, a.id); err != nil {
		return JobState{}, err
	}
	s, err := r.c.direct.change(ctx, a.id, c)
	s.Askers = nil
	r.mu.Lock()
	r.list = nil
	r.mu.Unlock()
	return s, err
}

// maxJoin bounds the workers of one process.
const maxJoin = 1 << 12

// workers lists processes. Who may not see a job does not see who works on it.
func (r *Registrar) workers(ctx context.Context, a *asked) ([]WorkerState, error) {
	all, err := r.c.direct.workers(ctx)
	if err != nil || extent(a.role, opJobs) != Own {
		return all, err
	}
	o, err := r.overview(ctx)
	for i := range all {
		if w := &all[i]; w.Job != "" && (err != nil || !slices.Contains(o.said[w.Job].Askers, a.who)) {
			w.Job = "of another key"
		}
	}
	return all, err
}

// beat notes what a process says of itself, under the name of its key.
func (r *Registrar) beat(ctx context.Context, a *asked, w *WorkerState) error {
	if w == nil || !isWord(w.ID) || w.Job != "" && !ValidID(w.Job) {
		return errors.New("no process says that of itself")
	}
	for _, text := range []*string{&w.Host, &w.Version, &w.Alone} {
		*text = shortened(*text)
	}
	w.Updated = time.Now().UTC()
	return r.c.direct.put(ctx, processOf(a, w.ID), w)
}

func (r *Registrar) leave(ctx context.Context, a *asked, id string) error {
	if !isWord(id) {
		return errors.New("there is no process of that name")
	}
	return r.c.direct.leave(ctx, processOf(a, id))
}

// processOf is under what a process is noted: one key says nothing of another's processes.
func processOf(a *asked, id string) string { return string(a.role) + "." + a.who + "." + id }

// isWord reports whether a text is short, and nothing but letters and digits.
func isWord(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	})
}
