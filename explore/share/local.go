package share

import (
	"sync"
	"sync/atomic"
)

// Local is a log in memory, for workers of one process.
type Local struct {
	began   uint64 // batches that it began with
	mu      sync.Mutex
	batches [][]byte
	size    atomic.Int64 // how many they are
}

// NewLocal returns a log that begins with batches of an earlier one.
func NewLocal(batches [][]byte) *Local {
	l := &Local{began: uint64(len(batches)), batches: batches}
	l.size.Store(int64(len(batches)))
	return l
}

// orders bounds the orders of a local log's workers.
const orders = 1 << 16

// Link returns the link of a worker that takes its ways in that order, and has read so
// many batches before.
func (l *Local) Link(order, read int) *LocalLink {
	return &LocalLink{log: l, read: read, self: Member{ID: l.began*orders + uint64(order), Order: order}}
}

// LocalLink is the link of one worker to a log in memory.
type LocalLink struct {
	log   *Local
	self  Member
	acked uint64 // the last batch that was published
	told  uint64 // of which Acknowledged has told
	read  int    // batches
}

// Self implements Link.
func (l *LocalLink) Self() Member { return l.self }

// Ready implements Link.
func (l *LocalLink) Ready() bool { return true }

// Wait implements Link: all that can be there is.
func (l *LocalLink) Wait() bool { return false }

// Publish implements Link.
func (l *LocalLink) Publish(number uint64, batch []byte) {
	l.log.mu.Lock()
	l.log.batches = append(l.log.batches, batch)
	l.log.mu.Unlock()
	l.log.size.Add(1)
	l.acked = number
}

// Acknowledged implements Link.
func (l *LocalLink) Acknowledged() uint64 {
	if l.told == l.acked {
		return 0
	}
	l.told++
	return l.told
}

// Position returns the number of batches that the worker has read.
func (l *LocalLink) Position() int { return l.read }

// Since returns the batches that the worker has read since it had read so many.
func (l *LocalLink) Since(from int) [][]byte {
	l.log.mu.Lock()
	defer l.log.mu.Unlock()
	return l.log.batches[from:l.read]
}

// Next implements Link.
func (l *LocalLink) Next() ([]byte, error) {
	if int64(l.read) >= l.log.size.Load() {
		return nil, nil
	}
	l.log.mu.Lock()
	defer l.log.mu.Unlock()
	l.read++
	return l.log.batches[l.read-1], nil
}
