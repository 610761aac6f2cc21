package cputime

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/guard"
)

// TestLimit has a process that works meet its bound, and one that waits not.
func TestLimit(t *testing.T) {
	if _, ok := Spent(); !ok {
		t.Skip("this system does not tell")
	}
	ctx, cancel := Limit(context.Background(), 50*time.Millisecond)
	defer cancel()
	from, _ := Spent()
	for n := 1; ctx.Err() == nil; n++ {
		if now, _ := Spent(); now-from > 10*time.Second {
			t.Fatalf("%v, and it is not over", now-from)
		}
	}
	if now, _ := Spent(); now-from < 40*time.Millisecond {
		t.Errorf("over after %v", now-from)
	}
	if cause := context.Cause(ctx); !Met(ctx) || !guard.Late(ctx) || cause.Error() != "the CPU limit of 50ms was met" {
		t.Errorf("%v: met %v, late %v", cause, Met(ctx), guard.Late(ctx))
	}
	if _, err := guard.Await(ctx, "work", func() (int, error) { return 0, nil }); !errors.Is(err, guard.ErrLeft) || err.Error() != "the CPU limit of 50ms was met" {
		t.Errorf("%v, want ErrLeft in the words of the limit", err)
	}
	below, stop := context.WithTimeout(ctx, time.Hour)
	defer stop()
	if !guard.Late(below) || !Met(below) {
		t.Error("a context below it does not tell")
	}

	waits, done := Limit(context.Background(), time.Hour)
	time.Sleep(20 * time.Millisecond)
	if waits.Err() != nil {
		t.Errorf("a process that waits: %v", context.Cause(waits))
	}
	if done(); Met(waits) || guard.Late(waits) {
		t.Error("one that is left has met its bound")
	}
	none, leave := Limit(context.Background(), 0)
	if none.Err() != nil {
		t.Error("no bound is one")
	}
	leave()
}

// TestWithin has a process that waits, and limits that are none.
func TestWithin(t *testing.T) {
	if _, ok := Spent(); !ok {
		t.Skip("this system does not tell")
	}
	waits, done := Within(context.Background(), 10*time.Second)
	defer done()
	if _, timed := waits.Deadline(); timed {
		t.Error("what waits is late")
	}
	for _, limit := range []time.Duration{0, -time.Second} {
		over, done := Within(context.Background(), limit)
		if done(); over.Err() != context.DeadlineExceeded {
			t.Errorf("%v has not been met", limit)
		}
	}
}

func TestCheck(t *testing.T) {
	for d, wrong := range map[time.Duration]bool{0: false, time.Second: false, -time.Second: true} {
		if err := Check(d); (err != nil) != wrong {
			t.Errorf("%v: %v", d, err)
		}
	}
	for left, want := range map[time.Duration]time.Duration{0: shortest, time.Hour: longest} {
		if got := pause(left); got != want {
			t.Errorf("%v with %v left, want %v", got, left, want)
		}
	}
}
