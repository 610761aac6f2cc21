package guard

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// ErrLeft is why a result is not there that Await has not waited for.
var ErrLeft = errors.New("interrupted")

// late is ErrLeft where a limit on time is the reason.
type late struct{ error }

func (late) Is(target error) bool { return target == ErrLeft }

func (l late) Unwrap() error { return l.error }

// Late reports whether a context has ended as a limit on time, or one like it, was met: the words are those of its cause then.
func Late(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// Left says why a context that is done has ended what it was for: an ErrLeft, in the words of the cause if that is a limit.
func Left(ctx context.Context) error {
	if cause := context.Cause(ctx); Late(ctx) || errors.Is(cause, ErrMemory) {
		return late{cause}
	}
	return ErrLeft
}

// Await returns what f does, which cannot be interrupted, or ErrLeft as soon as ctx is done, in the words of the
// cause if that is a limit on time. Then f goes on by itself: it must not change what anybody else looks at, and
// the process should be about to end or not mind. A panic in f goes on in the caller, as if that had called f.
func Await[T any](ctx context.Context, name string, f func() (T, error)) (T, error) {
	return await(ctx, name, &gauge{}, func(func() bool) (T, error) { return f() })
}

// Read is Await for what reads or analyses what may come from anybody: it is given up, too, when it takes more than Memory.
func Read[T any](ctx context.Context, name string, f func() (T, error)) (T, error) {
	return await(ctx, name, newGauge(Memory.Load()), func(func() bool) (T, error) { return f() })
}

// Analyse is Read for what asks now and then whether it was given up, as spent says from then on, and ends soon.
func Analyse[T any](ctx context.Context, name string, f func(spent func() bool) (T, error)) (T, error) {
	return await(ctx, name, newGauge(Memory.Load()), f)
}

func await[T any](ctx context.Context, name string, memory *gauge, f func(spent func() bool) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
		crash *Crash
	}
	if ctx.Err() != nil {
		return *new(T), Left(ctx)
	}
	done, ended := make(chan result, 1), make(chan struct{})
	var spent atomic.Bool
	Go(name, func() {
		var r result
		defer func() {
			if cause := recover(); cause != nil {
				r.crash = &Crash{cause, debug.Stack()}
			}
			done <- r
			close(ended)
		}()
		r.value, r.err = f(spent.Load)
	})
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case r := <-done:
			if r.crash != nil {
				panic(r.crash)
			}
			return r.value, r.err
		case <-ctx.Done():
			spent.Store(true)
			return *new(T), Left(ctx)
		case <-tick.C:
			if memory.over(1) {
				spent.Store(true)
				Go("memory", func() { memory.attend(ended) })
				return *new(T), memory.err()
			}
		}
	}
}

// Crash is a panic that has come from another goroutine.
type Crash struct {
	Cause any
	Stack []byte // of that goroutine
}

func (c *Crash) String() string { return fmt.Sprintf("%v\n\n%s", c.Cause, c.Stack) }
