package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/clmc/clmc/explore/share"
)

// Link is one worker's end of a job's stream: a share.Link.
//
// A batch counts as acknowledged when it has been read back, and not when the server says that it has it: then the
// stream up to where the worker has read, which each batch names by its hash, holds all that the worker no longer repeats.
type Link struct {
	f      *Feed
	self   share.Member
	number uint64 // of which the worker's name is made (memberOf)
	out    chan outgoing

	// Of the goroutine that searches.
	last time.Time // when something was handed over
	told uint64    // the message up to which the worker has read, or knows its own to be there

	// Under the feed's lock.
	next    int             // the number of the batch to take next
	taken   uint64          // the number of the last message that was taken
	from    uint64          // who has published it
	back    []own           // batches of its own that were read back, and not asked for yet
	pending map[uint64]bool // numbers of batches that were handed over and have not been read back
	flight  int             // messages that are being published, or are to be
	waiting bool
}

// outgoing is a batch that is to be published.
type outgoing struct {
	number  uint64
	message []byte
}

// own is a batch of the link's own.
type own struct{ number, seq uint64 }

// maxFlight bounds the messages that are handed over and not acknowledged, and hurry is how long one that is under way
// keeps others waiting.
const (
	maxFlight = 4
	hurry     = 2 * time.Millisecond
)

func newLink(f *Feed, order int) *Link {
	number := rand.Uint64()
	l := &Link{f: f, self: share.Member{ID: f.c.way.member(number), Order: order}, number: number, out: make(chan outgoing, maxFlight), pending: map[uint64]bool{}}
	f.done.Go("publishing", l.publish)
	return l
}

// Self implements share.Link.
func (l *Link) Self() share.Member { return l.self }

// Ready implements share.Link.
func (l *Link) Ready() bool {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	return l.f.err == nil && l.room()
}

// room reports whether it is time for another batch. The feed's lock is held.
func (l *Link) room() bool {
	return l.flight == 0 || l.flight < maxFlight && time.Since(l.last) >= hurry
}

// Publish implements share.Link.
func (l *Link) Publish(number uint64, batch []byte) {
	l.last = time.Now()
	f := l.f
	f.mu.Lock()
	defer f.mu.Unlock()
	read := max(l.taken, l.told)
	if f.err != nil || read == 0 || len(batch) > share.MaxBatch {
		return
	}
	h := head{worker: l.self.ID, number: number, read: read, chain: f.chains[read]}
	select {
	case l.out <- outgoing{number, seal(&h, batch)}:
		l.flight++
		l.pending[number] = true
	default: // it was not asked whether there is room
	}
}

// Acknowledged implements share.Link.
func (l *Link) Acknowledged() uint64 {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if len(l.back) == 0 {
		return 0
	}
	o := l.back[0]
	l.back = l.back[1:]
	l.told = max(l.told, o.seq)
	return o.number
}

// heard notes that a message has been read. The feed's lock is held.
func (l *Link) heard(seq uint64, h *head) {
	if h.worker == l.self.ID && l.pending[h.number] { // it may be there twice
		delete(l.pending, h.number)
		l.back = append(l.back, own{h.number, seq})
	}
}

// Next implements share.Link.
func (l *Link) Next() ([]byte, error) {
	f := l.f
	for {
		f.mu.Lock()
		if i := l.next - f.first; i < len(f.kept) {
			m := f.kept[i]
			l.next++
			l.taken, l.from = m.seq, m.head.worker
			full := f.bytes > maxKept
			f.forget()
			if full {
				close(f.moved)
				f.moved = make(chan struct{})
			}
			f.mu.Unlock()
			return m.batch, nil
		}
		seen, start, moved, err := uint64(len(f.chains)-1), max(f.start, 1), f.moved, f.err
		l.taken = max(l.taken, seen) // the description is not handed out
		f.mu.Unlock()
		if err != nil || seen >= start {
			return nil, err
		}
		l.pause(moved)
		if f.ctx.Err() != nil {
			return nil, nil
		}
	}
}

// From implements share.Signed.
func (l *Link) From() uint64 {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	return l.from
}

// pause waits for a change, with room made for whatever comes.
func (l *Link) pause(moved chan struct{}) {
	l.setWaiting(true)
	defer l.setWaiting(false)
	select {
	case <-moved:
	case <-l.f.ctx.Done():
	}
}

func (l *Link) setWaiting(on bool) {
	l.f.mu.Lock()
	l.waiting = on
	l.f.mu.Unlock()
}

// hopeless is how long it is waited for own batches to come back though nothing seems to be wrong: the log of a job
// that others have come to the end of need not be there any more.
const hopeless = time.Minute

// Wait implements share.Link.
func (l *Link) Wait() bool {
	return l.wait(func(time.Duration) (enough, useless bool) { return false, false })
}

// WaitBack implements share.Link. A batch may be read back before the server's answer to it comes; that is when there is room for the next one.
func (l *Link) WaitBack() bool {
	return l.wait(func(waited time.Duration) (enough, useless bool) {
		pending := len(l.pending) > 0
		return !pending && l.room(), (!pending || !l.f.trouble.since.IsZero()) && waited > l.f.c.tempo.back || waited > hopeless
	})
}

// wait waits until there is something to be read, or was read back, or until it is enough, or useless, which is asked under the feed's lock.
func (l *Link) wait(until func(waited time.Duration) (enough, useless bool)) bool {
	f := l.f
	began := time.Now()
	tick := time.NewTicker(f.c.tempo.retry)
	defer tick.Stop()
	l.setWaiting(true)
	defer l.setWaiting(false)
	for {
		f.mu.Lock()
		ready := len(l.back) > 0 || l.next-f.first < len(f.kept) || f.err != nil
		enough, useless := until(time.Since(began))
		moved := f.moved
		f.mu.Unlock()
		switch {
		case f.ctx.Err() != nil:
			return false
		case ready || enough:
			return true
		case useless:
			return false
		}
		select {
		case <-moved:
		case <-tick.C:
		case <-f.ctx.Done():
		}
	}
}

// publish sends what is handed over, one message after the other.
func (l *Link) publish() {
	for {
		select {
		case <-l.f.ctx.Done():
			return
		case m := <-l.out:
			l.offer(m)
			l.f.change(func() { l.flight-- })
		}
	}
}

var errAway = errors.New("the server cannot be reached")

// offer offers a message to the server until it takes it: it may be back, or have room, in a moment. That it may have it
// twice then does no harm.
func (l *Link) offer(m outgoing) {
	f, at := l.f, &l.f.c.tempo
	for pause := at.offerAgain; ; pause = min(2*pause, at.offerMost) {
		ctx, cancel := context.WithTimeout(f.ctx, at.offer)
		err := f.c.way.append(ctx, f.id, f.subject, l.number, m.message)
		cancel()
		if errors.Is(err, nats.ErrReconnectBufExceeded) { // which nothing is kept in
			err = errAway
		}
		if f.ctx.Err() != nil {
			return
		}
		over := err == nil
		f.change(func() {
			over = over || f.err != nil || !l.pending[m.number]
			f.trouble.note(err)
		})
		if over {
			return
		}
		select {
		case <-f.ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}
