package guard

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// ErrMemory is why Read gives up what takes more memory than it may.
var ErrMemory = errors.New("it takes too much memory")

// Memory is how many bytes what Read waits for may take beyond what is in use when it begins; 0 is no bound.
var Memory atomic.Int64

// Overrun is told that something which was given up goes on to take memory, and does not return.
var Overrun = func(err error) { panic(err) }

const (
	lookEvery = 10 * time.Millisecond
	// collectAt is the part of the bound at which garbage is collected, to see what is in use: the system has no more left then than as much again.
	collectAt = 2
)

// gauge looks after the memory that something takes.
type gauge struct {
	from, most int64
}

func newGauge(most int64) *gauge { return &gauge{inUse(objects), most} }

// What objects take: all, garbage among them, and those that the last collection of garbage has left.
const (
	objects = "/memory/classes/heap/objects:bytes"
	living  = "/gc/heap/live:bytes"
)

// inUse is how much memory some objects take.
func inUse(which string) int64 {
	s := []metrics.Sample{{Name: which}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// more is how much more memory is in use than there was at least so far: at first there may have been garbage.
func (g *gauge) more(which string) int64 {
	now := inUse(which)
	g.from = min(g.from, now)
	return now - g.from
}

// over reports whether it is more than it may, times part.
func (g *gauge) over(part int64) bool {
	most := g.most / collectAt * part
	if g.most == 0 || g.more(objects) < most {
		return false
	}
	runtime.GC()
	return g.more(living) >= most
}

func (g *gauge) err() error {
	return late{fmt.Errorf("%w: more than the %d MiB that reading and analysing may take (--mem sets another bound)", ErrMemory, g.most>>20)}
}

// Within returns a context that is cancelled when the process takes so many bytes more than it does now, with ErrMemory as its
// cause. Whoever asks for it frees it.
func Within(ctx context.Context, most int64) (within context.Context, free func()) {
	within, cancel := context.WithCancelCause(ctx)
	memory := newGauge(most * collectAt)
	Go("memory", func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-within.Done():
				return
			case <-tick.C:
				if memory.over(1) {
					cancel(fmt.Errorf("%w: more than %d MiB (--mem sets another bound)", ErrMemory, most>>20))
					return
				}
			}
		}
	})
	return within, func() { cancel(nil) }
}

// attend looks after what was given up, until it ends: what it takes nobody else has.
func (g *gauge) attend(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(lookEvery):
			if g.over(collectAt) {
				Overrun(g.err())
				return
			}
		}
	}
}
