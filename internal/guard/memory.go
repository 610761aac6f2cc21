package guard

import (
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

func newGauge() *gauge { return &gauge{inUse(), Memory.Load()} }

// inUse is how much memory objects take, garbage among them.
func inUse() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// over reports whether it is more than it may, times part.
func (g *gauge) over(part int64) bool {
	most := g.most / collectAt * part
	if g.most == 0 || inUse()-g.from < most {
		return false
	}
	runtime.GC()
	return inUse()-g.from >= most
}

func (g *gauge) err() error {
	return late{fmt.Errorf("%w: more than the %d MiB that reading and analysing may take (--mem sets another bound)", ErrMemory, g.most>>20)}
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
