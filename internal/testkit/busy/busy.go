// Package busy is for tests of how long something takes, on machines that may do much else.
//
// It is for the tests of this module: its names may change at any time.
package busy

import (
	"fmt"
	"time"
)

// Watch tells how long something takes. Time on the clock alone says nothing where others compute, too; so does that of the processors where
// the test waits.
type Watch struct {
	began time.Time
	had   time.Duration
}

// Start starts a watch.
func Start() Watch { return Watch{time.Now(), spent()} }

// Over reports whether it has taken longer than a limit, by the clock and by what this process has had of the processors.
func (w Watch) Over(limit time.Duration) bool {
	return time.Since(w.began) > limit && spent()-w.had > limit
}

func (w Watch) String() string {
	return fmt.Sprintf("%v, and %v of the processors", time.Since(w.began).Round(time.Millisecond), (spent() - w.had).Round(time.Millisecond))
}
