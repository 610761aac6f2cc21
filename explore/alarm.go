package explore

import (
	"sync/atomic"
	"time"

	"github.com/clmc/clmc/internal/guard"
)

// alarm tells a search when it is time to look up from its work. It rings at
// intervals, whatever a visit takes, and asking whether it has costs one load.
type alarm struct {
	rung atomic.Bool   // since it was last asked
	done chan struct{} // closed when it need not ring any more
}

// now tells the time. Only the difference of two times matters, which the
// monotonic clock gives: one that is set meanwhile makes no difference. Tests do that.
var now = time.Now

// alarmEvery is the interval. Bounds on time are met about as exactly. Tests
// make it shorter.
var alarmEvery = 50 * time.Millisecond

// set starts the alarm.
func (a *alarm) set() {
	a.done = make(chan struct{})
	tick := time.NewTicker(alarmEvery)
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
func (a *alarm) end() { close(a.done) }

// ringing reports whether it has rung since it was last asked.
func (a *alarm) ringing() bool { return a.rung.Load() && a.rung.Swap(false) }
