// Package cputime bounds the processor time that a process takes. A machine that has other things to do makes no difference to it,
// as it does to a bound on time.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package cputime

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/clmc/clmc/internal/guard"
)

// errUnknown is returned where the system does not tell how much a process takes.
var errUnknown = errors.New("this system does not tell how much processor time a process takes; use --time-limit")

// Check returns an error, for users, if a bound is none, or cannot be kept on this system. A bound of 0 is none at all.
func Check(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("--cpu-limit %v: want a positive duration, or 0 for no bound", d)
	}
	if _, ok := Spent(); d > 0 && !ok {
		return fmt.Errorf("--cpu-limit: %w", errUnknown)
	}
	return nil
}

// met is the cause of a context's end when a bound is met. It is one on time.
type met struct{ limit time.Duration }

func (m met) Error() string        { return fmt.Sprintf("the CPU limit of %v was met", m.limit) }
func (m met) Is(target error) bool { return target == context.DeadlineExceeded }

// Met reports whether a context has ended as a bound on processor time was met.
func Met(ctx context.Context) bool {
	var m met
	return errors.As(context.Cause(ctx), &m)
}

// shortest and longest are the pauses between two looks at the time.
const (
	shortest = 5 * time.Millisecond
	longest  = time.Second
)

// Limit returns a context that ends when the process has taken so much more processor time, all of its threads together. A bound of 0 is none.
func Limit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	began, ok := Spent()
	if limit == 0 || !ok {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	guard.Go("cpu limit", func() {
		for left := limit; left > 0; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause(left)):
			}
			now, _ := Spent()
			left = limit - (now - began)
		}
		cancel(met{limit})
	})
	return ctx, func() { cancel(nil) }
}

// Within is like Limit for what must not take long, whoever waits for it: where the system does not tell how much the process takes, the limit is one
// of time. A limit that is not positive has been met.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := Spent(); !ok || limit <= 0 {
		return context.WithTimeout(ctx, limit)
	}
	return Limit(ctx, limit)
}

// pause is how long the process may be left alone that may still take so much: it takes no more than all processors give.
func pause(left time.Duration) time.Duration {
	return min(max(left/time.Duration(runtime.NumCPU()), shortest), longest)
}
