package cluster

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// asking is the way to the jobs of whoever may do nothing but ask the registrar.
type asking struct {
	nc      *nats.Conn
	role    Role
	who     string
	session string // tells this connection apart from others with the same key

	mu   sync.Mutex
	seen request // of the list of jobs that was seen last
}

// What a message has in its header: what is asked, and what is wrong.
const (
	headAsk   = "Clmc-Ask"
	headError = "Clmc-Error"
)

// request is what is asked beside what the subject says. The body of the message is what is to be stored.
type request struct {
	Session  string       `json:"session,omitempty"`
	Name     string       `json:"name,omitempty"`
	Replicas int          `json:"replicas,omitempty"`
	Seq      uint64       `json:"seq,omitempty"`
	Before   uint64       `json:"before,string,omitempty"` // the hash of all messages before Seq,
	Chain    uint64       `json:"chain,string,omitempty"`  // and of these and Seq
	Page     string       `json:"page,omitempty"`
	Change   *Change      `json:"change,omitempty"`
	Beat     *WorkerState `json:"beat,omitempty"`
	Leave    string       `json:"leave,omitempty"`
	Link     uint64       `json:"link,omitempty,string"` // of the worker that has written a batch (memberOf)
}

// wrong is an error on its way.
type wrong struct {
	Kind string `json:"kind"`
	Code uint16 `json:"code,omitempty"`
	Text string `json:"text"`
}

// ErrDenied tells that a key may not do what was asked.
var ErrDenied = errors.New("this key may not do that")

// errNotTaken tells that a job must be taken first: the registrar may have been started anew.
var errNotTaken = errors.New("the job has not been taken")

// errLater tells that there is no answer now.
var errLater = errors.New("the hub is busy")

// kinds are errors that are told apart by who has asked.
var kinds = map[string]error{
	"no job": ErrNoJob, "broken": ErrBroken, "denied": ErrDenied, "not taken": errNotTaken, "later": errLater, "other": errNoMatch,
	"no message": jetstream.ErrMsgNotFound, "no stream": jetstream.ErrNoStreamResponse, "timeout": context.DeadlineExceeded,
}

// errNoMatch tells that the stream does not have what whoever reads it has read.
var errNoMatch = errors.New("the stream has other messages than were read")

// told is an error that has come from the registrar.
type told struct {
	text string
	is   error
}

func (t *told) Error() string { return t.text }
func (t *told) Unwrap() error { return t.is }

func (w *wrong) error() error {
	if w.Kind == "api" {
		return &jetstream.APIError{Code: 500, ErrorCode: jetstream.ErrorCode(w.Code), Description: w.Text}
	}
	if is := kinds[w.Kind]; is != nil {
		return &told{w.Text, is}
	}
	return errors.New(w.Text)
}

// wrongOf is an error as it is sent.
func wrongOf(err error) *wrong {
	w := &wrong{Text: shortened(err.Error())}
	var e *jetstream.APIError
	for _, kind := range []string{"no job", "broken", "denied", "not taken", "later", "other", "no message", "no stream", "timeout"} {
		if errors.Is(err, kinds[kind]) {
			w.Kind = kind
			return w
		}
	}
	if errors.As(err, &e) {
		w.Kind, w.Code, w.Text = "api", uint16(e.ErrorCode), e.Description
	}
	return w
}

// greet asks the registrar what this client may do; nil if there is none.
func (c *Cluster) greet() (*asking, error) {
	inbox := c.nc.NewRespInbox()
	sub, err := c.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	for began := time.Now(); time.Since(began) < c.tempo.patience; time.Sleep(c.tempo.retry) {
		hub := strings.HasPrefix(c.nc.ConnectedServerName(), SyncingServer)
		for _, r := range Roles {
			to := asked{role: r, who: c.who, op: opHello}
			if err := c.nc.PublishRequest(to.subject(), inbox, nil); err != nil {
				return nil, err
			}
		}
		// The server answers what goes to nobody at once, and says as soon that something is denied; of those that it lets through the first counts.
		nobody := 0
		ctx, cancel := context.WithTimeout(context.Background(), c.tempo.ask)
		flushed := c.nc.FlushWithContext(ctx)
		for flushed == nil {
			m, err := sub.NextMsgWithContext(ctx)
			if err != nil {
				break
			}
			if m.Header.Get("Status") == "503" {
				if nobody++; nobody == len(Roles) {
					break
				}
				continue
			}
			if role := Role(m.Data); m.Header.Get(headError) == "" {
				cancel()
				return &asking{nc: c.nc, role: role, who: c.who, session: rand.Text()}, nil
			}
		}
		cancel()
		if !hub && flushed == nil {
			return nil, nil
		}
	}
	return nil, nats.ErrTimeout
}

// ask asks for something, and waits for the answer.
func (a *asking) ask(ctx context.Context, op, id string, r *request, body []byte) ([]byte, error) {
	to := asked{a.role, a.who, op, id}
	r.Session = a.session
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	m := nats.NewMsg(to.subject())
	m.Header.Set(headAsk, string(text))
	m.Data = body
	answer, err := a.nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return nil, err
	}
	if text := answer.Header.Get(headError); text != "" {
		var w wrong
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			return nil, err
		}
		return nil, w.error()
	}
	return answer.Data, nil
}

// askFor asks for something that is written as JSON.
func askFor[T any](ctx context.Context, a *asking, op, id string, r *request) (v T, err error) {
	data, err := a.ask(ctx, op, id, r, nil)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(data, &v)
}

func (a *asking) submit(ctx context.Context, id, name string, message []byte, replicas int) (s JobState, err error) {
	data, err := a.ask(ctx, opSubmit, id, &request{Name: name, Replicas: replicas}, message)
	if err != nil {
		if errors.Is(err, ErrDenied) {
			err = fmt.Errorf("%w: a worker's key works on jobs; to submit one use asker.nk of the hub", err)
		}
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// listed is a part of the list of jobs.
type listed struct {
	Jobs []StreamInfo
	Said map[string]JobState
	More string // the id after which the next part begins; "" if there is none

	Epoch string // of the registrar, and how much was submitted to it before
	Count uint64
}

func (a *asking) jobs(ctx context.Context) (all []StreamInfo, said map[string]JobState, err error) {
	said = map[string]JobState{}
	for page := ""; ; {
		l, err := askFor[listed](ctx, a, opJobs, "", &request{Page: page})
		if err != nil {
			return nil, nil, err
		}
		if page == "" {
			a.mu.Lock()
			a.seen = request{Name: l.Epoch, Seq: l.Count}
			a.mu.Unlock()
		}
		all = append(all, l.Jobs...)
		for id, s := range l.Said {
			said[id] = s
		}
		if page = l.More; page == "" {
			return all, said, nil
		}
	}
}

func (a *asking) wait(ctx context.Context) error {
	a.mu.Lock()
	seen := a.seen
	a.mu.Unlock()
	_, err := a.ask(ctx, opWait, "", &seen, nil)
	return err
}

func (a *asking) state(ctx context.Context, id string) (JobState, error) {
	return askFor[JobState](ctx, a, opState, id, &request{})
}

func (a *asking) take(ctx context.Context, id string) (*taken, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	t, err := askFor[taken](ctx, a, opTake, id, &request{})
	return &t, err
}

// again does something to a job, having taken it once more if the registrar does not know of that.
func (a *asking) again(ctx context.Context, id string, do func() error) error {
	err := do()
	if errors.Is(err, errNotTaken) {
		if _, err := a.take(ctx, id); err != nil {
			return err
		}
		err = do()
	}
	return err
}

func (a *asking) message(ctx context.Context, id string, seq uint64) (data []byte, err error) {
	err = a.again(ctx, id, func() error {
		data, err = a.ask(ctx, opMessage, id, &request{Seq: seq}, nil)
		return err
	})
	return data, err
}

func (a *asking) member(link uint64) uint64 { return memberOf(a.who, a.session, link) }

func (a *asking) append(ctx context.Context, id, subject string, link uint64, message []byte) error {
	return a.again(ctx, id, func() error {
		_, err := a.ask(ctx, opAppend, id, &request{Name: subject, Link: link}, message)
		return err
	})
}

func (a *asking) change(ctx context.Context, id string, change *Change) (s JobState, err error) {
	op := opReport
	if change.Cancel {
		op = opCancel
	}
	err = a.again(ctx, id, func() error {
		s, err = askFor[JobState](ctx, a, op, id, &request{Change: change})
		return err
	})
	return s, err
}

func (a *asking) remove(ctx context.Context, id string) error {
	_, err := a.ask(ctx, opRemove, id, &request{}, nil)
	return err
}

func (a *asking) workers(ctx context.Context) ([]WorkerState, error) {
	return askFor[[]WorkerState](ctx, a, opWorkers, "", &request{})
}

func (a *asking) beat(ctx context.Context, w *WorkerState) error {
	_, err := a.ask(ctx, opBeat, "", &request{Beat: w}, nil)
	return err
}

func (a *asking) leave(ctx context.Context, id string) error {
	_, err := a.ask(ctx, opLeave, "", &request{Leave: id}, nil)
	return err
}

func (a *asking) room(ctx context.Context) error {
	_, err := a.ask(ctx, opRoom, "", &request{}, nil)
	return err
}

func (a *asking) origin(ctx context.Context) (string, error) {
	return askFor[string](ctx, a, opOrigin, "", &request{})
}

// heard is a source that asks the registrar for what comes after what was read.
type heard struct{ a *asking }

func (a *asking) from(context.Context, *Feed, uint64) (source, error) { return heard{a}, nil }

// fetch implements source. It says what was read, so that what follows is of the same stream.
func (h heard) fetch(f *Feed) error {
	ctx, cancel := context.WithTimeout(f.ctx, f.c.tempo.fetch)
	defer cancel()
	r := &request{Name: f.subject, Seq: f.seen()}
	if r.Seq > 0 { // nobody else changes them
		r.Before, r.Chain = f.chains[r.Seq-1], f.chains[r.Seq]
	}
	data, err := h.a.ask(ctx, opRead, f.id, r, nil)
	if err != nil {
		return err
	}
	for len(data) > 0 {
		var m []byte
		if m, data, err = cutFrame(data); err != nil {
			return err
		}
		if err := f.take(f.seen()+1, m); err != nil {
			return err
		}
	}
	return nil
}

// Messages are packed one after the other, each with its length.

func appendFrame(to, message []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(to, uint32(len(message))), message...)
}

const frameBytes = 4

func cutFrame(data []byte) (message, rest []byte, err error) {
	if len(data) < frameBytes {
		return nil, nil, errors.New("the hub's answer is cut")
	}
	n := binary.LittleEndian.Uint32(data)
	if data = data[frameBytes:]; uint64(n) > uint64(len(data)) {
		return nil, nil, errors.New("the hub's answer is cut")
	}
	return data[:n:n], data[n:], nil
}
