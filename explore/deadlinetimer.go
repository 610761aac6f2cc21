package explore

import (
	"sync/atomic"
	"time"

	"github.com/clmc/clmc/internal/guard"
)

// deadlineTimer tells a search when it is time to look up from its work. It rings at
// intervals, whatever a visit takes, and asking whether it has costs one load.
type deadlineTimer struct {
	rung atomic.Bool   // since it was last asked
	done chan struct{} // closed when it need not ring any more
}

// set starts the alarm.
func (a *deadlineTimer) set(interval time.Duration) {
	a.done = make(chan struct{})
	tick := time.NewTicker(interval)
	guard.Go("alarm", func() {
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				a.rung.Store(true)
			case <-a.done:
				return
			}
		}
	})
}

// end stops it.
func (a *deadlineTimer) end() { close(a.done) }

// ringing reports whether it has rung since it was last asked.
func (a *deadlineTimer) ringing() bool { return a.rung.Load() && a.rung.Swap(false) }
