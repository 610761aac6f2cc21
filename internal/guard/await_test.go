package guard

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAwait(t *testing.T) {
	failed := errors.New("failed")
	if n, err := Await(context.Background(), "work", func() (int, error) { return 7, failed }); n != 7 || err != failed {
		t.Error(n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	end := sync.OnceFunc(func() { close(release) })
	defer end()
	time.AfterFunc(10*time.Second, end) // where the test fails
	if n, err := Await(ctx, "work", func() (int, error) { cancel(); <-release; return 7, nil }); n != 0 || err != ErrLeft {
		t.Errorf("%v, %v, want to be told that nobody waits any more", n, err)
	}
	late, cancel := context.WithTimeoutCause(context.Background(), 0, errors.New("the limit was met"))
	defer cancel()
	if _, err := Await(late, "work", func() (int, error) { <-release; return 7, nil }); !errors.Is(err, ErrLeft) || err.Error() != "the limit was met" {
		t.Errorf("%v, want ErrLeft in the words of the limit", err)
	}
	if _, err := Await(ctx, "work", func() (int, error) { t.Error("begun, though ctx is done"); return 7, nil }); err != ErrLeft {
		t.Error(err)
	}
	defer func() {
		c, ok := recover().(*Crash)
		if !ok || c.Cause != "thrown" || !strings.Contains(c.String(), "thrown") || !strings.Contains(c.String(), "TestAwait") {
			t.Errorf("%v, want the panic with its own stack", c)
		}
	}()
	Await(context.Background(), "work", func() (int, error) { panic("thrown") })
}

// What takes more memory than it may is given up; what only leaves garbage behind is not; and what goes on after it was given up ends the process.
func TestAwaitMemory(t *testing.T) {
	defer Memory.Store(Memory.Load())
	defer func(f func(error)) { Overrun = f }(Overrun)
	overrun := make(chan error, 1)
	Overrun = func(err error) { overrun <- err }
	Memory.Store(64 << 20)
	if err := garbage(48 << 20); err != nil {
		t.Errorf("garbage: %v", err)
	}
	stop, ended, failing := make(chan struct{}), make(chan struct{}), time.After(10*time.Second)
	_, err := Read(context.Background(), "work", func() (int, error) {
		defer close(ended)
		var all [][]byte
		for {
			select {
			case <-stop:
				return len(all), nil
			case <-time.After(time.Millisecond):
				if len(all) < 256 {
					all = append(all, make([]byte, 1<<20))
				}
			case <-failing:
				return len(all), nil
			}
		}
	})
	if !errors.Is(err, ErrMemory) || !errors.Is(err, ErrLeft) || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("%v", err)
	}
	select {
	case err := <-overrun:
		if !errors.Is(err, ErrMemory) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it goes on")
	}
	close(stop)
	<-ended
}

// garbage leaves so many bytes behind, which nobody collects who does not look after the memory, and ends when that has been done.
func garbage(n int64) error {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	_, err := Read(context.Background(), "work", func() (int, error) {
		before := inUse(objects)
		var last []byte
		for inUse(objects) < before+n {
			last = make([]byte, 1<<20)
		}
		for range 1000 {
			if inUse(objects) < before+n/2 {
				return len(last), nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		return 0, errors.New("nobody has looked")
	})
	return err
}

// What is given up for want of time or of memory is told so, and ends.
func TestAnalyse(t *testing.T) {
	defer Memory.Store(Memory.Load())
	defer func(f func(error)) { Overrun = f }(Overrun)
	Overrun = func(error) {} // it ends too late to be seen here where it is not told
	Memory.Store(64 << 20)
	for _, want := range []string{"the limit was met", "too much memory"} {
		ctx, cancel := context.Background(), context.CancelFunc(func() {})
		if want == "the limit was met" { // it ends when the work has begun, and not before
			ctx, cancel = context.WithTimeoutCause(ctx, 200*time.Millisecond, errors.New(want))
		}
		ended, began := make(chan bool, 1), time.Now()
		_, err := Analyse(ctx, "work", func(spent func() bool) (int, error) {
			var all [][]byte
			for !spent() && time.Since(began) < 10*time.Second {
				if time.Sleep(time.Millisecond); want == "too much memory" && len(all) < 100 {
					all = append(all, make([]byte, 1<<20))
				}
			}
			ended <- spent()
			runtime.KeepAlive(all)
			return 7, nil
		})
		cancel()
		if !errors.Is(err, ErrLeft) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if !<-ended {
			t.Errorf("%s: it is not told", want)
		}
	}
}

// A context ends when the process takes more memory than it may.
func TestWithin(t *testing.T) {
	ctx, free := Within(context.Background(), 32<<20)
	defer free()
	var all [][]byte
	for began := time.Now(); ctx.Err() == nil && time.Since(began) < 10*time.Second; time.Sleep(time.Millisecond) {
		if len(all) < 200 {
			all = append(all, make([]byte, 1<<20))
		}
	}
	if err := Left(ctx); ctx.Err() == nil || !errors.Is(err, ErrMemory) || !errors.Is(err, ErrLeft) || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("%v, with %d MiB", err, len(all))
	}
	if len(all) < 30 {
		t.Errorf("%d MiB were too many", len(all))
	}
	runtime.KeepAlive(all)
	ctx, free = Within(context.Background(), 32<<20)
	free()
	if err := Left(ctx); err != ErrLeft {
		t.Error(err)
	}
}
