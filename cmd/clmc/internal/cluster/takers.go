package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What the registrar does for who works on a job: a connection takes the job, reads what others have found, and appends what rests on that.

// taker is a connection that works on a job.
type taker struct{ who, session, id string }

// hold is what the registrar knows of a taker.
type hold struct {
	subject string // of the job's batches
	read    uint64 // the last message that it has been sent, or has shown to have read
	last    time.Time
}

// take notes that a connection works on a job.
func (r *Registrar) take(ctx context.Context, who taker) (*taken, error) {
	t, err := r.c.take(ctx, who.id)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.takers[who]; h != nil && h.subject == t.Subject {
		h.last = time.Now()
		return t, nil
	}
	if len(r.takers) >= maxTakers {
		for w, h := range r.takers {
			if time.Since(h.last) > forgetAt {
				delete(r.takers, w)
			}
		}
	}
	if len(r.takers) >= maxTakers {
		return nil, errLater
	}
	r.takers[who] = &hold{subject: t.Subject, last: time.Now()}
	return t, nil
}

// forget forgets a job that is gone.
func (r *Registrar) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = nil
	delete(r.recent, id)
	for w := range r.takers {
		if w.id == id {
			delete(r.takers, w)
		}
	}
	if g := r.grown[id]; g != nil {
		close(g)
		delete(r.grown, id)
	}
}

// read returns messages that come after what was read, if the stream still has that, and waits a while if there are none.
func (r *Registrar) read(ctx context.Context, id string, h *hold, q *request) ([]byte, error) {
	if q.Name != h.subject {
		return nil, errNoMatch
	}
	if q.Seq > 0 {
		data, err := r.at(ctx, id, h, q.Seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && chained(q.Before, data) != q.Chain {
			return nil, errNoMatch
		}
		if err != nil {
			return nil, err
		}
		r.hasRead(h, q.Seq)
	}
	deadline := time.Now().Add(readFor)
	for {
		r.mu.Lock()
		if r.grown[id] == nil {
			r.grown[id] = make(chan struct{})
		}
		grown := r.grown[id]
		r.mu.Unlock()
		if all := r.hand(id, h, q.Seq); all != nil {
			return all, nil
		}
		t, err := r.c.take(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case t.Subject != h.subject || t.Last < q.Seq:
			return nil, errNoMatch
		case t.Last > q.Seq:
			return r.collect(ctx, id, h, q.Seq+1, min(t.Last, q.Seq+maxAtOnce))
		case time.Now().After(deadline):
			return []byte{}, nil
		}
		select {
		case <-grown:
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.ctx.Done():
			return nil, errLater
		}
	}
}

// at returns a message.
func (r *Registrar) at(ctx context.Context, id string, h *hold, seq uint64) ([]byte, error) {
	r.mu.Lock()
	kept := r.kept(id, h.subject, seq)
	r.mu.Unlock()
	if kept != nil {
		return kept[0], nil
	}
	return r.c.message(ctx, id, seq)
}

// collect reads messages of a stream, as many as an answer has room for.
func (r *Registrar) collect(ctx context.Context, id string, h *hold, from, to uint64) ([]byte, error) {
	s, err := r.c.stream(ctx, id)
	if err != nil {
		return nil, err
	}
	var all []byte
	for seq := from; seq <= to; seq++ {
		m, err := s.GetMsg(ctx, seq)
		if err != nil {
			return nil, err
		}
		if seq > from && len(all)+len(m.Data)+frameBytes > maxAnswer {
			break
		}
		all = appendFrame(all, m.Data)
		r.hasRead(h, seq)
	}
	return all, nil
}

func (r *Registrar) hasRead(h *hold, seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.read = max(h.read, seq)
}

// append appends a batch of somebody who has read what it rests on.
func (r *Registrar) append(ctx context.Context, a *asked, q *request, h *hold, message []byte) error {
	head, _, err := unseal(message)
	if err != nil {
		return fmt.Errorf("%w: what is not a batch is not added to a job: %w", ErrDenied, err)
	}
	if head.worker != memberOf(a.who, q.Session, q.Link) {
		return fmt.Errorf("%w: the batch is in the name of another worker", ErrDenied)
	}
	r.mu.Lock()
	read, subject := h.read, h.subject
	r.mu.Unlock()
	if head.read == 0 || head.read > read {
		return fmt.Errorf("%w: the batch rests on message %d, and this connection has read %d", ErrDenied, head.read, read)
	}
	if err := r.ownersQuota(ctx, a.id, int64(len(message))); err != nil {
		return err
	}
	ack, err := r.c.js.Publish(ctx, subject, message)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(a.id, subject, ack.Sequence, message)
	if g := r.grown[a.id]; g != nil {
		close(g)
		delete(r.grown, a.id)
	}
	return nil
}
