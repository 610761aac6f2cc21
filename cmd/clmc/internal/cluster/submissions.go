package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// What the registrar does for who submits a job: a stream with settings that are the same for all, within a quota.

// submit makes a job's stream with settings that are the same for all, within the asker's quota.
func (r *Registrar) submit(ctx context.Context, a *asked, q *request, message []byte) (s JobState, err error) {
	if err := r.check(ctx, a.id, message); err != nil {
		return s, err
	}
	there, err := r.c.take(ctx, a.id)
	switch {
	case errors.Is(err, ErrNoJob):
		err = r.quota(ctx, a.who, 1, int64(len(message)))
	case err == nil && there.Last > 0 && r.o.Check == nil: // the id says what the description is where that can be checked
		err = r.same(ctx, a.id, message)
	}
	if err != nil {
		return s, err
	}
	// Whose it is is known before it is there.
	if s, err = r.c.direct.change(ctx, a.id, &Change{Ask: true, Name: q.Name, asker: a.who}); err != nil {
		return s, err
	}
	if !slices.Contains(s.Askers, a.who) {
		return s, fmt.Errorf("%d keys have submitted this job, and no more can", len(s.Askers))
	}
	if err := r.c.makeJob(ctx, a.id, shortened(q.Name), message, min(max(q.Replicas, 0), maxReplicas)); err != nil {
		return s, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = nil
	r.count++
	close(r.more)
	r.more = make(chan struct{})
	s.Askers = nil
	return s, nil
}

// check reports a description that is none, or another job's.
func (r *Registrar) check(ctx context.Context, id string, message []byte) error {
	select {
	case r.submits <- struct{}{}:
		defer func() { <-r.submits }()
	case <-ctx.Done():
		return ctx.Err()
	}
	text, err := unpackDescription(message)
	if err != nil || r.o.Check == nil {
		return err
	}
	return r.o.Check(id, text)
}

// maxReplicas is how many JetStream can have.
const maxReplicas = 5

// same reports a description that is another than that of a job which is there.
func (r *Registrar) same(ctx context.Context, id string, message []byte) error {
	data, err := r.c.message(ctx, id, 1)
	if err == nil && string(data) != string(message) {
		err = fmt.Errorf("%w: there is another job of this id", ErrDenied)
	}
	return err
}

// quota reports an asker whose jobs would take more than they may.
func (r *Registrar) quota(ctx context.Context, who string, jobs int, bytes int64) error {
	if r.o.MaxJobs == 0 && r.o.MaxBytes == 0 {
		return nil
	}
	o, err := r.overview(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range o.jobs {
		if slices.Contains(o.said[j.ID].Askers, who) {
			jobs++
			bytes += int64(j.Bytes)
		}
	}
	full := func(what string) error {
		return &jetstream.APIError{Code: 400, ErrorCode: codeQuota, Description: "the jobs of this key take all that they may: " + what}
	}
	switch {
	case r.o.MaxJobs > 0 && jobs > r.o.MaxJobs:
		return full(fmt.Sprintf("%d jobs", r.o.MaxJobs))
	case r.o.MaxBytes > 0 && bytes > r.o.MaxBytes:
		return full(fmt.Sprintf("%d bytes", r.o.MaxBytes))
	}
	return nil
}

// codeQuota is JetStream's code for an account that takes all that it may.
const codeQuota jetstream.ErrorCode = 10002

// ownersQuota is the quota of who has submitted a job first.
func (r *Registrar) ownersQuota(ctx context.Context, id string, bytes int64) error {
	if r.o.MaxBytes == 0 {
		return nil
	}
	o, err := r.overview(ctx)
	if err != nil {
		return err
	}
	if askers := o.said[id].Askers; len(askers) > 0 {
		return r.quota(ctx, askers[0], 0, bytes)
	}
	return nil
}
