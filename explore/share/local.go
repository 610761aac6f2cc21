package share

import (
	"sync"
	"sync/atomic"
)

// Local is a log in memory, for workers of one process.
type Local struct {
	mu      sync.Mutex
	batches [][]byte
	size    atomic.Int64 // how many they are
}

// Link returns the link of a worker that takes its ways in that order.
func (l *Local) Link(order int) Link {
	return &local{log: l, self: Member{ID: uint64(order), Order: order}}
}

// local is the link of one worker to a log in memory.
type local struct {
	log   *Local
	self  Member
	acked uint64 // the last batch that was published
	told  uint64 // of which Acknowledged has told
	read  int    // batches
}

func (l *local) Self() Member { return l.self }
func (l *local) Ready() bool  { return true }
func (l *local) Wait() bool   { return false } // all that can be there is

func (l *local) Publish(number uint64, batch []byte) {
	l.log.mu.Lock()
	l.log.batches = append(l.log.batches, batch)
	l.log.mu.Unlock()
	l.log.size.Add(1)
	l.acked = number
}

func (l *local) Acknowledged() uint64 {
	if l.told == l.acked {
		return 0
	}
	l.told++
	return l.told
}

func (l *local) Next() ([]byte, error) {
	if int64(l.read) >= l.log.size.Load() {
		return nil, nil
	}
	l.log.mu.Lock()
	defer l.log.mu.Unlock()
	l.read++
	return l.log.batches[l.read-1], nil
}
