package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clmc/clmc/internal/guard"
)

// Feed is what this process knows of a job's stream: all its messages, read once for all links.
//
// Each message says how far its worker had read, and the hash of what it had read (head). What it says rests on that, and
// on nothing that was only acknowledged. The feed keeps the hash of all that it has read, up to each message; so it
// knows messages of workers that have read something else: the stream had another end then, which the server has lost.
// They are left out, as if they had never been sent. A feed that has itself read what is lost notices when it finds another
// message, or none, in the place of the last one that it has read: then it is at its end.
type Feed struct {
	c       *Cluster
	id      string
	subject string // of batches
	ctx     context.Context
	cancel  context.CancelFunc
	start   uint64 // the last message when the feed was opened
	done    guard.Group

	mu      sync.Mutex
	moved   chan struct{} // closed, and made anew, when anything below changes
	chains  []uint64      // the hash of messages 1..i at i; of none, 0, first
	kept    []message     // those that some link has yet to take
	first   int           // the number of batches before kept
	bytes   int           // of kept
	links   []*Link
	err     error // why nothing more will come
	strange int   // messages that were left out
	garbage int   // messages that are no batches
	trouble trouble
}

// Strange is the number of messages that were left out: no worker has written them, or their workers had read what is not in the stream.
func (f *Feed) Strange() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.strange + f.garbage
}

// trouble is that nothing can be published.
type trouble struct {
	since time.Time // when it began; zero if there is none
	why   error
}

// note notes what came of an attempt to publish.
func (t *trouble) note(err error) {
	switch {
	case err == nil:
		*t = trouble{}
	case t.since.IsZero():
		*t = trouble{time.Now(), err}
	default:
		t.why = err
	}
}

// message is a batch as it came.
type message struct {
	seq   uint64
	head  head
	batch []byte
}

// What a feed keeps for links that have not taken it yet, and how many messages it asks for at a time.
const (
	maxKept   = 8 << 20
	maxAtOnce = 64
)

// Open begins to read a job's stream, with a link for each of these orders (share.Member).
func (c *Cluster) Open(ctx context.Context, id string, orders []int) (*Feed, error) {
	if most := c.nc.MaxPayload(); most < int64(maxMessage) {
		return nil, fmt.Errorf("%s: the server takes messages of at most %d bytes; set its max_payload to at least %d", c.url, most, maxMessage)
	}
	if err := checkID(id); err != nil {
		return nil, err
	}
	var t *taken
	err := c.again(ctx, func(ctx context.Context) (err error) {
		t, err = c.way.take(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if t.Subject == "" {
		return nil, fmt.Errorf("job %s: %w: nothing can be published to it", id, ErrBroken)
	}
	if t.Lossy != "" {
		return nil, fmt.Errorf("job %s: %w: %s\nRemove it with 'clmc cluster remove', and let clmc make its stream", id, ErrBroken, t.Lossy)
	}
	f := &Feed{c: c, id: id, subject: t.Subject, start: t.Last, moved: make(chan struct{}), chains: []uint64{0}}
	f.ctx, f.cancel = context.WithCancel(ctx)
	for _, order := range orders {
		f.links = append(f.links, newLink(f, order))
	}
	f.done.Go("the job's stream", f.run)
	return f, nil
}

// Close ends the feed and all its links.
func (f *Feed) Close() {
	f.cancel()
	f.done.Wait()
}

// Links returns the feed's links.
func (f *Feed) Links() []*Link { return f.links }

// Err returns why the stream cannot be relied on, or nil.
func (f *Feed) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Trouble says since when nothing could be published, and why; the zero time if it could.
func (f *Feed) Trouble() (time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.trouble.since, f.trouble.why
}

// change changes what links look at, and wakes up those that wait for it.
func (f *Feed) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.moved)
	f.moved = make(chan struct{})
}

// fail ends the feed for good.
func (f *Feed) fail(err error) {
	f.change(func() {
		if f.err == nil {
			f.err = fmt.Errorf("job %s: %w", f.id, err)
		}
	})
}

// seen is the number of the last message that was read.
func (f *Feed) seen() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return uint64(len(f.chains) - 1)
}

// consumerFor is how long the server keeps a consumer that nobody asks anything of.
const consumerFor = time.Minute

// run reads the stream until the feed is closed, or something is wrong with the stream.
func (f *Feed) run() {
	short := 0
	for f.ctx.Err() == nil {
		from, err := f.source()
		if errors.Is(err, errShorter) {
			if short++; short < f.c.tempo.shortLimit {
				err = nil
			}
		}
		if from != nil {
			short = 0
			err = f.read(from)
		}
		if errors.Is(err, ErrBroken) || errors.Is(err, ErrNoJob) {
			f.fail(err)
			return
		}
		select {
		case <-f.ctx.Done():
		case <-time.After(f.c.tempo.retry):
		}
	}
}

// ErrCut tells that the server has lost the end of the stream, some of which was read: who has read it cannot go on, and
// may begin again from the first message.
var ErrCut = fmt.Errorf("%w: the server has lost some of what it had", ErrBroken)

// errShorter is an ErrCut that may not be one: a new leader of a cluster may take a moment until it knows all that was acknowledged.
var errShorter = fmt.Errorf("%w: it is shorter than it was", ErrCut)

// source returns one that goes on where the feed is, if the stream still has what was read. Each of its questions has the
// time of an answer for itself: over a connection that is slow and no more all of them together would never get through.
func (f *Feed) source() (source, error) {
	t, err := answer(f, func(ctx context.Context) (*taken, error) { return f.c.way.take(ctx, f.id) })
	if err != nil {
		return nil, err
	}
	seen := f.seen()
	switch {
	case t.Lossy != "":
		return nil, fmt.Errorf("%w: it has been changed, and now %s", ErrBroken, t.Lossy)
	case t.Subject != f.subject:
		return nil, fmt.Errorf("%w: it was removed and created again", ErrCut)
	case t.Last < seen:
		return nil, errShorter
	case t.First > 1:
		return nil, fmt.Errorf("%w: its first %d messages are gone", ErrBroken, t.First-1)
	}
	// Messages that were lost before they were read cannot be waited for.
	f.change(func() { f.start = min(f.start, t.Last) })
	for seq := max(seen, 1); seq <= min(seen+1, t.Last); seq++ {
		data, err := answer(f, func(ctx context.Context) ([]byte, error) { return f.c.way.message(ctx, f.id, seq) })
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil, fmt.Errorf("%w: message %d is missing", ErrBroken, seq)
		case err != nil:
			return nil, err
		case seq == seen && chained(f.chains[seq-1], data) != f.chains[seq]: // nobody else changes them
			return nil, fmt.Errorf("%w: message %d is not the one that was read", ErrCut, seq)
		}
	}
	return answer(f, func(ctx context.Context) (source, error) { return f.c.way.from(ctx, f, seen) })
}

// answer asks a question once, in the time that an answer may take.
func answer[T any](f *Feed, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := f.c.briefly(f.ctx)
	defer cancel()
	return ask(ctx)
}

// source hands on the messages of a stream, in their order.
type source interface {
	fetch(*Feed) error // asks once for some, and waits a while if there are none
}

// consumed is a source that a consumer of JetStream's is.
type consumed struct{ jetstream.Consumer }

func (c consumed) fetch(f *Feed) error { return f.fetch(c.Consumer) }

// from makes a consumer that begins after a message.
func (c *direct) from(ctx context.Context, f *Feed, after uint64) (source, error) {
	s, err := c.stream(ctx, f.id)
	if err != nil {
		return nil, err
	}
	consumer, err := s.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1,
		AckPolicy: jetstream.AckNonePolicy, InactiveThreshold: consumerFor, Replicas: 1, MemoryStorage: true,
	})
	if err != nil {
		return nil, err
	}
	return consumed{consumer}, nil
}

// read reads from a source until it fails. Only errors that wrap ErrBroken are for good.
func (f *Feed) read(from source) error {
	for f.ctx.Err() == nil {
		if !f.room() {
			return nil
		}
		if err := from.fetch(f); err != nil {
			return err
		}
	}
	return nil
}

// errAgain tells that something was lost on the way: it is to be asked for again.
var errAgain = errors.New("a message was lost on the way")

// fetch asks once for messages.
func (f *Feed) fetch(consumer jetstream.Consumer) error {
	ctx, cancel := context.WithTimeout(f.ctx, f.c.tempo.fetch)
	defer cancel()
	batch, err := consumer.Fetch(maxAtOnce, jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(f.c.tempo.heartbeat))
	if err != nil {
		return err
	}
	for m := range batch.Messages() {
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		switch seq, next := meta.Sequence.Stream, f.seen()+1; {
		case seq > next:
			return errAgain
		case seq == next:
			err = f.take(seq, m.Data())
		}
		if err != nil {
			return err
		}
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// room waits until there is room for messages, unless some link waits for one.
func (f *Feed) room() bool {
	for {
		f.mu.Lock()
		full, moved := f.bytes > maxKept, f.moved
		for _, l := range f.links {
			full = full && !l.waiting
		}
		f.mu.Unlock()
		if !full {
			return true
		}
		select {
		case <-moved:
		case <-f.ctx.Done():
			return false
		}
	}
}

// take adds a message to what is known.
func (f *Feed) take(seq uint64, data []byte) error {
	if seq == 1 {
		if _, err := unpackDescription(data); err != nil {
			return fmt.Errorf("%w: %w", ErrBroken, err)
		}
		f.change(func() { f.chains = append(f.chains, chained(0, data)) })
		return nil
	}
	h, batch, err := unseal(data)
	if err != nil && f.skipped() >= maxGarbage {
		return fmt.Errorf("%w: message %d: %w, and %d before it were none either", ErrBroken, seq, err, maxGarbage)
	}
	f.change(func() {
		f.chains = append(f.chains, chained(f.chains[seq-1], data))
		if err != nil { // nothing rests on it: whoever has read it has skipped it, too
			f.garbage++
			return
		}
		if h.read == 0 || h.read >= seq || f.chains[h.read] != h.chain {
			f.strange++
			return
		}
		f.kept = append(f.kept, message{seq, h, batch})
		f.bytes += len(batch)
		for _, l := range f.links {
			l.heard(seq, &h)
		}
	})
	return nil
}

// maxGarbage bounds the messages of a stream that no worker can have written.
const maxGarbage = 10_000

// skipped is the number of messages that no worker can have written.
func (f *Feed) skipped() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.garbage
}

// forget lets go of what all links have taken. f.mu is held.
func (f *Feed) forget() {
	least := f.first + len(f.kept)
	for _, l := range f.links {
		least = min(least, l.next)
	}
	for f.first < least {
		f.bytes -= len(f.kept[0].batch)
		f.kept[0] = message{}
		f.kept = f.kept[1:]
		f.first++
	}
}
