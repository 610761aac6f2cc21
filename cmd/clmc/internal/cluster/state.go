package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What people and idle workers look at: which jobs there are, and who is at work. No verdict depends on it, nor on any clock.

// The buckets.
const (
	jobsBucket    = "clmc-jobs"
	workersBucket = "clmc-workers"
)

// JobState is what is said of a job. The zero JobState is that of one of which nothing is said: it is open.
type JobState struct {
	Name    string `json:"name"`
	State   string `json:"state"` // one of those below
	Verdict string `json:"verdict,omitempty"`
	Joined  int    `json:"joined"`         // workers that have joined so far
	Full    bool   `json:"full,omitempty"` // some worker could not publish for want of space
	// Ended counts the workers that it has ended: their budgets were not enough to begin it, or they have crashed. Why says how, of the last one.
	Ended int    `json:"ended,omitempty"`
	Why   string `json:"why,omitempty"`
	// Askers are the keys that have submitted it, as the registrar notes them.
	Askers []string `json:"askers,omitempty"`
}

// MostEnded is how many workers a job may end. Then no other begins it.
const MostEnded = 2

// GivenUp reports whether nobody is to begin the job any more, since it has ended too many.
func (s *JobState) GivenUp() bool { return s.Ended >= MostEnded }

// Change is what is to be said of a job from now on. Whoever says the same twice says it once, but for Join and Ended.
type Change struct {
	Ask     bool   // somebody wants it done: it is open, if it was cancelled
	Name    string // what the model is called, unless it has a name
	Join    int    // so many workers join it
	Full    bool   // one of them finds no room
	Done    bool   // it has come to its end
	Verdict string // then, once it is judged
	Ended   string // it has ended a worker: why
	Cancel  bool   // nobody is to go on with it
	asker   string // who asks
}

// Bounds on what is said of a job, whoever says it.
const (
	maxText   = 300
	maxAskers = 100
)

// Verdicts are those that can be said of a job.
var Verdicts = []string{"", "verified", "violated", "inconclusive", "verified but for known"}

// apply changes what is said.
func (c *Change) apply(s *JobState) {
	if s.State == "" {
		s.State = JobOpen
	}
	if c.Ask && s.State == JobCancelled {
		s.State = JobOpen
	}
	if s.Name == "" {
		s.Name = shortened(c.Name)
	}
	if c.asker != "" && !slices.Contains(s.Askers, c.asker) && len(s.Askers) < maxAskers {
		s.Askers = append(s.Askers, c.asker)
	}
	s.Joined = min(s.Joined+max(c.Join, 0), maxJoined)
	s.Full = s.Full || c.Full
	if c.Ended != "" {
		s.Ended, s.Why = min(s.Ended+1, maxJoined), shortened(c.Ended)
	}
	if c.Done {
		s.State = JobDone
		if c.Verdict != "" {
			s.Verdict = c.Verdict
		}
	}
	if c.Cancel {
		s.State = JobCancelled
	}
}

// maxJoined bounds counts.
const maxJoined = 1 << 30

// shortened cuts a text that is too long to be shown.
func shortened(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "..."
}

// The states of a job.
const (
	JobOpen      = "open"
	JobDone      = "done"
	JobCancelled = "cancelled"
)

// WorkerState is what a process says of itself every few seconds.
type WorkerState struct {
	ID        string    `json:"id"`
	Host      string    `json:"host"`
	Process   int       `json:"process"`
	Version   string    `json:"version"`
	Job       string    `json:"job,omitempty"`
	Searches  int       `json:"searches"` // at work on it
	States    int       `json:"states"`
	Steps     int       `json:"steps"`
	Seconds   float64   `json:"seconds"` // on this job
	Published int       `json:"published"`
	Read      int       `json:"read"`
	Alone     string    `json:"alone,omitempty"` // since when, and why, nothing could be published
	Updated   time.Time `json:"updated"`
}

// Workers are taken for gone when nothing has been heard of them for so long.
const (
	BeatEvery   = 5 * time.Second
	goneAfter   = 6 * BeatEvery
	maxAttempts = 20
)

// bucket finds a bucket, or makes it.
func (c *direct) bucket(ctx context.Context, name string, ttl time.Duration) (jetstream.KeyValue, error) {
	kv, err := c.js.KeyValue(ctx, name)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, err
	}
	err = c.replicated(0, func(n int) error {
		kv, err = c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, TTL: ttl, Replicas: n})
		if errors.Is(err, jetstream.ErrBucketExists) {
			kv, err = c.js.KeyValue(ctx, name)
		}
		return err
	})
	return kv, err
}

func (c *direct) states(ctx context.Context) (jetstream.KeyValue, error) {
	return c.bucket(ctx, jobsBucket, 0)
}

func (c *direct) beats(ctx context.Context) (jetstream.KeyValue, error) {
	return c.bucket(ctx, workersBucket, goneAfter)
}

// UpdateJob changes what is said of a job, and returns what is said then. It may be changed twice.
func (c *Cluster) UpdateJob(ctx context.Context, id string, change Change) (s JobState, err error) {
	err = c.again(ctx, func(ctx context.Context) error {
		s, err = c.way.change(ctx, id, &change)
		return err
	})
	return s, err
}

func (c *direct) change(ctx context.Context, id string, change *Change) (JobState, error) {
	var s JobState
	kv, err := c.states(ctx)
	if err != nil {
		return s, err
	}
	for range maxAttempts {
		s = JobState{State: JobOpen}
		write := kv.Create
		entry, err := kv.Get(ctx, id)
		switch {
		case err == nil:
			write = func(ctx context.Context, id string, text []byte, _ ...jetstream.KVCreateOpt) (uint64, error) {
				return kv.Update(ctx, id, text, entry.Revision())
			}
			json.Unmarshal(entry.Value(), &s) // what cannot be read is written anew
		case !errors.Is(err, jetstream.ErrKeyNotFound):
			return s, err
		}
		change.apply(&s)
		text, err := json.Marshal(&s)
		if err != nil {
			return s, err
		}
		if _, err = write(ctx, id, text); err == nil {
			return s, nil
		} else if !isTaken(err) && !errors.Is(err, jetstream.ErrKeyExists) {
			return s, err
		}
	}
	return s, fmt.Errorf("job %s: its state is changed all the time", id)
}

// Job returns what is said of a job.
func (c *Cluster) Job(ctx context.Context, id string) (JobState, error) {
	ctx, cancel := c.briefly(ctx)
	defer cancel()
	return c.way.state(ctx, id)
}

func (c *direct) state(ctx context.Context, id string) (JobState, error) {
	s := JobState{State: JobOpen}
	kv, err := c.states(ctx)
	if err != nil {
		return s, err
	}
	entry, err := kv.Get(ctx, id)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return s, nil
	case err != nil:
		return s, err
	}
	return s, json.Unmarshal(entry.Value(), &s)
}

// Remove removes a job, with all that was found.
func (c *Cluster) Remove(ctx context.Context, id string) error {
	if err := checkID(id); err != nil {
		return err
	}
	tried := false
	return c.again(ctx, func(ctx context.Context) error {
		first := !tried
		tried = true
		err := c.way.remove(ctx, id)
		if !first && errors.Is(err, ErrNoJob) { // the answer may have been lost
			return nil
		}
		return c.because(err)
	})
}

func (c *direct) remove(ctx context.Context, id string) error {
	gone := c.removeStream(ctx, id)
	if gone != nil && !errors.Is(gone, ErrNoJob) {
		return gone
	}
	kv, err := c.states(ctx) // what is said of a job that is gone goes, too
	if err != nil {
		return err
	}
	return errors.Join(gone, kv.Purge(ctx, id))
}

// Beat says what a process does.
func (c *Cluster) Beat(ctx context.Context, w *WorkerState) error {
	ctx, cancel := c.briefly(ctx)
	defer cancel()
	w.Updated = time.Now().UTC()
	return c.way.beat(ctx, w)
}

func (c *direct) beat(ctx context.Context, w *WorkerState) error { return c.put(ctx, w.ID, w) }

// put notes what a process says of itself under a key.
func (c *direct) put(ctx context.Context, key string, w *WorkerState) error {
	kv, err := c.beats(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	_, err = kv.Put(ctx, key, text)
	return err
}

// Leave says that a process has ended.
func (c *Cluster) Leave(ctx context.Context, id string) error {
	ctx, cancel := c.briefly(ctx)
	defer cancel()
	return c.way.leave(ctx, id)
}

func (c *direct) leave(ctx context.Context, id string) error {
	kv, err := c.beats(ctx)
	if err != nil {
		return err
	}
	return kv.Purge(ctx, id)
}

// Workers lists the processes that were heard of in the last half minute, in the order of their hosts.
func (c *Cluster) Workers(ctx context.Context) ([]WorkerState, error) {
	ctx, cancel := c.briefly(ctx)
	defer cancel()
	all, err := c.way.workers(ctx)
	slices.SortFunc(all, func(a, b WorkerState) int {
		if n := strings.Compare(a.Host, b.Host); n != 0 {
			return n
		}
		return a.Process - b.Process
	})
	return all, err
}

func (c *direct) workers(ctx context.Context) ([]WorkerState, error) {
	kv, err := c.beats(ctx)
	if err != nil {
		return nil, err
	}
	var all []WorkerState
	err = values(ctx, kv, func(_ string, w WorkerState) { all = append(all, w) })
	return all, err
}

// Jobs lists the jobs that are there, the oldest first, with what is said of them.
func (c *Cluster) Jobs(ctx context.Context) ([]StreamInfo, map[string]JobState, error) {
	ctx, cancel := c.soon(ctx)
	defer cancel()
	all, said, err := c.way.jobs(ctx)
	slices.SortFunc(all, func(a, b StreamInfo) int { return a.Created.Compare(b.Created) })
	return all, said, err
}

func (c *direct) jobs(ctx context.Context) ([]StreamInfo, map[string]JobState, error) {
	all, err := c.streams(ctx)
	if err != nil {
		return nil, nil, err
	}
	kv, err := c.states(ctx)
	if err != nil {
		return nil, nil, err
	}
	said := map[string]JobState{}
	err = values(ctx, kv, func(id string, s JobState) { said[id] = s })
	return all, said, err
}

// values hands on what is in a bucket. What cannot be read is left out.
func values[T any](ctx context.Context, kv jetstream.KeyValue, each func(key string, v T)) error {
	w, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-w.Updates():
			if e == nil {
				return nil
			}
			var v T
			if json.Unmarshal(e.Value(), &v) == nil {
				each(e.Key(), v)
			}
		}
	}
}

// roomKey is where it is tried whether there is room for anything. What is there says nothing of any worker.
const roomKey = "room"

// Room returns an error if the server takes nothing more. Then nobody can say of a job that it is full, either.
func (c *Cluster) Room(ctx context.Context) error {
	ctx, cancel := c.briefly(ctx)
	defer cancel()
	return c.way.room(ctx)
}

func (c *direct) room(ctx context.Context) error {
	kv, err := c.beats(ctx)
	if err != nil {
		return err
	}
	_, err = kv.Put(ctx, roomKey, nil)
	return err
}

// Origin tells the server apart from one that it has become when all its jobs were lost, as with its folder.
func (c *Cluster) Origin(ctx context.Context) (origin string, err error) {
	err = c.again(ctx, func(ctx context.Context) (err error) {
		origin, err = c.way.origin(ctx)
		return err
	})
	return origin, err
}

// origin is when the bucket of the jobs' states was made.
func (c *direct) origin(ctx context.Context) (string, error) {
	kv, err := c.states(ctx)
	if err != nil {
		return "", err
	}
	status, err := kv.Status(ctx)
	if err != nil {
		return "", err
	}
	bucket, ok := status.(*jetstream.KeyValueBucketStatus)
	if !ok {
		return "", fmt.Errorf("a bucket of kind %T", status)
	}
	return bucket.StreamInfo().Created.UTC().Format(time.RFC3339Nano), nil
}

// IsFull reports whether an error of publishing says that the server has no room.
func IsFull(err error) bool {
	var e *jetstream.APIError
	return errors.As(err, &e) && slices.Contains(codesFull, e.ErrorCode)
}

// codesFull are the server's codes for having no room: for the account, at all, on the disk, in the stream.
var codesFull = []jetstream.ErrorCode{10002, 10023, 10047, 10077}

// Wait waits until there may be a job that was not there before, or for a moment.
func (c *Cluster) Wait(ctx context.Context) {
	asking, cancel := context.WithTimeout(ctx, waitFor+c.tempo.ask)
	defer cancel()
	if err := c.way.wait(asking); err != nil { // the hub is away
		c.direct.wait(ctx)
	}
}

// wait waits for a moment: who looks after the streams itself has to look.
func (c *direct) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-time.After(lookAgain + rand.N(lookAgain)):
	}
	return nil
}

// lookAgain is how long it is waited at least before jobs are looked for again.
const lookAgain = time.Second
