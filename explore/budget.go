package explore

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// PromisesTime bounds the search with promises where that without them, which comes first, has come to its end. The zero value is
// ten times as much work as that one took.
type PromisesTime struct {
	Times int           // as many times as much work, but work of some seconds at least; math.MaxInt is no bound
	For   time.Duration // or so long
}

// Unlimited is the PromisesTime that is no bound.
var Unlimited = PromisesTime{Times: math.MaxInt}

const (
	usualTimes = 10
	unlimited  = "unlimited" // as users write it
	mostTimes  = 1e6         // that they may ask for
)

// leastWork is what the search with promises may do in any case, as state.Effort.Done counts it: work of about ten seconds. A first search
// may take no time at all. It is work that is counted, and not time, so that a machine which is slow, or has other things to do, comes to the same
// verdict.
const leastWork = 1 << 23

// ParsePromisesTime reads an Options.PromisesTime as users write it: a duration, 10x or unlimited.
func ParsePromisesTime(s string) (PromisesTime, error) {
	if s == unlimited {
		return Unlimited, nil
	}
	if times, ok := strings.CutSuffix(s, "x"); ok {
		if n, err := strconv.Atoi(times); err == nil && n > 0 && n <= mostTimes {
			return PromisesTime{Times: n}, nil
		}
	} else if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return PromisesTime{For: d}, nil
	}
	return PromisesTime{}, fmt.Errorf("%q: want a duration such as 30s, a multiple of what the search without load buffering takes such as 10x, or %s", s, unlimited)
}

// String is the inverse of ParsePromisesTime.
func (t PromisesTime) String() string {
	switch {
	case t == Unlimited:
		return unlimited
	case t.For > 0:
		return t.For.String()
	}
	return strconv.Itoa(t.times()) + "x"
}

func (t PromisesTime) times() int {
	if t.Times == 0 {
		return usualTimes
	}
	return t.Times
}

// work is how much work the search with promises may do after a first one that has done so much, at least some; 0 for any.
func (t PromisesTime) work(first int, least int64) int64 {
	switch {
	case t.For > 0 || t == Unlimited:
		return 0
	case int64(first) > math.MaxInt64/int64(t.times()):
		return math.MaxInt64
	}
	return max(int64(t.times())*int64(first), least)
}

// errUndecided is why a search with promises ends that has spent what there is for it.
var errUndecided = errors.New("whether load buffering makes a difference was not decided in the time for that (--promises-time)")

// bound bounds what is left to do, if the search without promises has come to its end. It returns what is to be done when the search is over.
// docs/exploration/promises.md, "First without".
func (s *search) bound() (over func()) {
	t := s.opt.PromisesTime
	if s.result.Promises == 0 || s.stats.FirstWork == 0 || t == Unlimited || s.result.Shared { // who leaves a job cannot say that it is over
		return func() {}
	}
	began, stop := s.pace.now(), func() bool { return true }
	s.m.Effort.Count(t.work(s.stats.FirstWork, s.pace.work))
	if t.For > 0 {
		stop = time.AfterFunc(t.For, s.m.Effort.Tire).Stop
	}
	return func() {
		stop()
		s.m.Effort.Rest() // there is more to do: to tell of what was found
		if s.paused == errUndecided.Error() {
			s.result.Undecided = max(s.pace.now().Sub(began), 1)
		}
	}
}
