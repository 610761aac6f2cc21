package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/explore/share"
)

// streamPrefix begins the names of jobs' streams; the id of the job follows.
const streamPrefix = "clmc-job-"

func streamOf(id string) string      { return streamPrefix + id }
func descriptionOf(id string) string { return "clmc.job." + id + ".job" }
func batchesOf(id string) string     { return "clmc.job." + id + ".batch." }

// ErrNoJob tells that there is no job of that id.
var ErrNoJob = errors.New("there is no such job")

// ErrBroken tells that a job's stream has lost something or may do, or holds what no worker has written: nobody can
// go on with the job.
var ErrBroken = errors.New("the job's stream is broken")

// ValidID reports whether an id is one that a job can have: it becomes a part of subjects and names.
func ValidID(id string) bool {
	return len(id) == 32 && strings.Trim(id, "0123456789abcdef") == ""
}

// streamConfig is how a job's stream is made: it loses nothing, and when it is full it takes no more. The subject of its
// batches is its own, so that whoever has worked on a job that was removed and made anew does not publish into the new one.
func streamConfig(id, name string, replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        streamOf(id),
		Description: name,
		Subjects:    []string{descriptionOf(id), batchesOf(id) + fmt.Sprintf("%016x", rand.Uint64())},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		Replicas:    replicas,
		DenyDelete:  true,
		DenyPurge:   true,
	}
}

// batchSubject is the subject of a stream's batches; "" if it has none.
func batchSubject(id string, c *jetstream.StreamConfig) string {
	for _, s := range c.Subjects {
		if strings.HasPrefix(s, batchesOf(id)) {
			return s
		}
	}
	return ""
}

// lossy says why a stream that is set up like this may lose or change a message; "" if it does not.
func lossy(c *jetstream.StreamConfig) string {
	switch {
	case c.Discard != jetstream.DiscardNew && (c.MaxBytes > 0 || c.MaxMsgs > 0):
		return "when it is full it discards its oldest messages"
	case c.Discard != jetstream.DiscardNew:
		return "its discard policy is not new"
	case c.Retention != jetstream.LimitsPolicy:
		return "it does not retain messages that have been read"
	case c.MaxAge > 0 || c.AllowMsgTTL:
		return "its messages expire"
	case c.MaxMsgsPerSubject > 0:
		return "it keeps few messages of a subject"
	case !c.DenyDelete || !c.DenyPurge || c.AllowRollup:
		return "its messages can be deleted"
	case c.SubjectTransform != nil || c.Mirror != nil || len(c.Sources) > 0:
		return "its messages are not just what was published"
	case c.NoAck:
		return "it does not acknowledge what it stores"
	case c.Storage != jetstream.FileStorage:
		return "it is in memory only"
	}
	return ""
}

// Submit submits a job, which may be there already, and returns what is said of it. With 0 replicas there are as many as the server
// can have, up to three.
func (c *Cluster) Submit(ctx context.Context, id, name string, description []byte, replicas int) (s JobState, err error) {
	message, err := packDescription(description)
	if err != nil {
		return s, err
	}
	err = c.again(ctx, func(ctx context.Context) (err error) {
		s, err = c.way.submit(ctx, id, name, message, replicas)
		return err
	})
	if err != nil {
		return s, fmt.Errorf("the job cannot be submitted: %w", c.because(err))
	}
	return s, nil
}

// submit makes a job's stream, unless it is there, and puts the description of the job into it.
func (c *direct) submit(ctx context.Context, id, name string, message []byte, replicas int) (s JobState, err error) {
	if err := c.makeJob(ctx, id, name, message, replicas); err != nil {
		return s, err
	}
	return c.change(ctx, id, &Change{Ask: true, Name: name})
}

func (c *direct) makeJob(ctx context.Context, id, name string, message []byte, replicas int) error {
	if err := c.makeStream(ctx, id, name, replicas); err != nil {
		return err
	}
	// Whoever is second finds it there.
	_, err := c.js.Publish(ctx, descriptionOf(id), message, jetstream.WithExpectLastSequence(0))
	if isTaken(err) {
		return nil
	}
	return err
}

// isTaken reports whether an error says that a stream has a message already.
func isTaken(err error) bool {
	var e *jetstream.APIError
	return errors.As(err, &e) && (e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// codeAlone is the server's code for being asked for replicas when it is not one of a cluster.
const codeAlone jetstream.ErrorCode = 10074

// wantReplicas is how many servers keep a job where there are so many.
const wantReplicas = 3

func (c *direct) makeStream(ctx context.Context, id, name string, replicas int) error {
	if _, err := c.js.Stream(ctx, streamOf(id)); err == nil || !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	return c.replicated(replicas, func(n int) error {
		_, err := c.js.CreateStream(ctx, streamConfig(id, name, n))
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil // somebody else has just made it
		}
		return err
	})
}

// replicated makes something with so many replicas, or as many as there can be.
func (c *direct) replicated(replicas int, make func(n int) error) error {
	if replicas > 0 {
		return c.stored(func() error { return make(replicas) })
	}
	err := c.stored(func() error { return make(wantReplicas) })
	var e *jetstream.APIError
	if errors.As(err, &e) && e.ErrorCode == codeAlone {
		return c.stored(func() error { return make(1) })
	}
	if errors.As(err, &e) && strings.Contains(e.Description, "no suitable peers") {
		return fmt.Errorf("%w\nNot enough servers of the cluster are there for %d replicas; wait for them, or say --replicas 1", err, wantReplicas)
	}
	return err
}

// codeNoStore is the server's code for having no place for a new stream's messages.
const codeNoStore jetstream.ErrorCode = 10049

// stored has a stream made, and once more when the server found no place for it: having answered that its last stream is
// removed it removes the directories that are empty then, and may take one that it has just made for the next stream.
func (c *direct) stored(make func() error) error {
	err := make()
	var e *jetstream.APIError
	if errors.As(err, &e) && e.ErrorCode == codeNoStore {
		time.Sleep(c.tempo.retry)
		return make()
	}
	return err
}

// A description's message: magic, checksum, and the description, compressed.
const (
	descriptionMagic = "clmJ"
	maxDescription   = 64 << 20 // when it is not compressed
)

func packDescription(text []byte) ([]byte, error) {
	if len(text) > maxDescription {
		return nil, fmt.Errorf("the description of the job, with all sources, has %d bytes; at most %d can be sent", len(text), maxDescription)
	}
	b := bytes.NewBuffer(binary.LittleEndian.AppendUint64([]byte(descriptionMagic), xxh3.Hash(text)))
	z := gzip.NewWriter(b)
	z.Write(text) // into memory
	if err := z.Close(); err != nil {
		return nil, err
	}
	if b.Len() > share.MaxBatch {
		return nil, fmt.Errorf("the description of the job, with all sources, has %d bytes when it is compressed; at most %d can be sent", b.Len(), share.MaxBatch)
	}
	return b.Bytes(), nil
}

func unpackDescription(b []byte) ([]byte, error) {
	n := len(descriptionMagic)
	if len(b) < n+8 || string(b[:n]) != descriptionMagic {
		return nil, errors.New("it does not begin with a job's description")
	}
	z, err := gzip.NewReader(bytes.NewReader(b[n+8:]))
	if err != nil {
		return nil, fmt.Errorf("the job's description: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, maxDescription+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the job's description: %w", err)
	case len(text) > maxDescription:
		return nil, errors.New("the job's description is too large")
	case xxh3.Hash(text) != binary.LittleEndian.Uint64(b[n:]):
		return nil, fmt.Errorf("the job's description: %w", errSum)
	}
	return text, nil
}

// Description reads what a job is about.
func (c *Cluster) Description(ctx context.Context, id string) (text []byte, err error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	err = c.again(ctx, func(ctx context.Context) error {
		if _, err := c.way.take(ctx, id); err != nil {
			return err
		}
		data, err := c.way.message(ctx, id, 1)
		if err != nil {
			return fmt.Errorf("job %s: its description cannot be read: %w", id, err)
		}
		if text, err = unpackDescription(data); err != nil {
			return fmt.Errorf("job %s: %w: %w", id, ErrBroken, err)
		}
		return nil
	})
	return text, err
}

// checkID reports what is not the id of a job.
func checkID(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("%q is not the id of a job: want 32 hexadecimal digits, as 'clmc cluster jobs' shows them", id)
	}
	return nil
}

// taken is what is known of a job's stream by whoever works on it.
type taken struct {
	Subject  string // of batches; "" if there is none
	First    uint64 // the numbers of its first and last message
	Last     uint64
	Lossy    string // why it may lose something; "" if it does not
	Replicas int
}

// take looks at a job's stream.
func (c *direct) take(ctx context.Context, id string) (*taken, error) {
	s, err := c.stream(ctx, id)
	if err != nil {
		return nil, err
	}
	info := s.CachedInfo()
	return &taken{batchSubject(id, &info.Config), info.State.FirstSeq, info.State.LastSeq, lossy(&info.Config), info.Config.Replicas}, nil
}

// message reads a message of a job's stream.
func (c *direct) message(ctx context.Context, id string, seq uint64) ([]byte, error) {
	s, err := c.stream(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := s.GetMsg(ctx, seq)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// member implements way: nobody looks after the names here.
func (c *direct) member(link uint64) uint64 { return link }

// append appends a message to a job's stream.
func (c *direct) append(ctx context.Context, _, subject string, _ uint64, message []byte) error {
	_, err := c.js.Publish(ctx, subject, message)
	return err
}

// stream finds a job's stream.
func (c *direct) stream(ctx context.Context, id string) (jetstream.Stream, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	s, err := c.js.Stream(ctx, streamOf(id))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("job %s: %w", id, ErrNoJob)
	}
	if err != nil {
		return nil, fmt.Errorf("job %s: %w", id, err)
	}
	return s, nil
}

// StreamInfo is what a job's stream holds.
type StreamInfo struct {
	ID       string
	Name     string
	Batches  uint64
	Bytes    uint64
	Replicas int
	Created  time.Time
	Last     time.Time // of the last batch
	Lossy    string    // why the stream may lose something, if it may
}

// streams lists the jobs that are there.
func (c *direct) streams(ctx context.Context) ([]StreamInfo, error) {
	var all []StreamInfo
	list := c.js.ListStreams(ctx, jetstream.WithStreamListSubject("clmc.job.>"))
	for info := range list.Info() {
		id, ok := strings.CutPrefix(info.Config.Name, streamPrefix)
		if !ok || !ValidID(id) {
			continue
		}
		all = append(all, StreamInfo{
			ID: id, Name: info.Config.Description, Batches: max(info.State.Msgs, 1) - 1, Bytes: info.State.Bytes,
			Replicas: info.Config.Replicas, Created: info.Created, Last: info.State.LastTime, Lossy: lossy(&info.Config),
		})
	}
	return all, list.Err()
}

// removeStream removes all that a job has stored.
func (c *direct) removeStream(ctx context.Context, id string) error {
	err := c.js.DeleteStream(ctx, streamOf(id))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("job %s: %w", id, ErrNoJob)
	}
	return err
}

// Replicas returns the number of servers that keep a job.
func (c *Cluster) Replicas(ctx context.Context, id string) (int, error) {
	ctx, cancel := c.soon(ctx)
	defer cancel()
	t, err := c.way.take(ctx, id)
	if err != nil {
		return 0, err
	}
	return t.Replicas, nil
}
