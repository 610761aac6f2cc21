package share

import (
	"sync"
	"sync/atomic"
)

// Local is a log in memory, for workers of one process.
type Local struct {
	mu      sync.Mutex   // guards batches
	batches [][]byte     // in their order
	size    atomic.Int64 // how many they are
}

// NewLocal returns an empty log.
func NewLocal() *Local { return &Local{} }

// Link returns the link of a worker that takes its ways in that order: there is one of each order.
func (l *Local) Link(order int) *LocalLink {
	return &LocalLink{log: l, self: Member{ID: uint64(order), Order: order}}
}

// LocalLink is the link of one worker to a log in memory.
type LocalLink struct {
	log   *Local // which it leads to
	self  Member // the worker
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

// WaitBack implements Link.
func (l *LocalLink) WaitBack() bool { return false }

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
