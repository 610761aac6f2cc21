package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
)

func TestCrashIsReported(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{out: bufio.NewWriter(io.Discard), err: &stderr}
	a.guard(func() error { panic("out of cheese") })
	if a.code != exitInternal {
		t.Errorf("the exit code is %d, want %d", a.code, exitInternal)
	}
	for _, want := range []string{"internal error: out of cheese", "github.com/clmc/clmc/issues", "goroutine "} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("the message does not contain %q:\n%s", want, &stderr)
		}
	}
}

func TestErrorIsReported(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{out: bufio.NewWriter(io.Discard), err: &stderr}
	a.guard(func() error { return errors.New("no such thing") })
	if a.code != exitUsage || stderr.String() != "clmc: no such thing\n" {
		t.Errorf("exit code %d, message %q", a.code, &stderr)
	}
}

// TestWorse checks that the graver exit code wins, whatever the order.
func TestWorse(t *testing.T) {
	order := []int{exitVerified, exitInconclusive, exitViolation, exitUsage, exitInternal}
	for i, a := range order {
		for j, b := range order {
			if got, want := worse(a, b), order[max(i, j)]; got != want {
				t.Errorf("worse(%d, %d) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

// TestProgressIsSampled checks that a display shows the latest counters and
// stops when told to.
func TestProgressIsSampled(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{err: &stderr}
	p := a.startProgress("json", "m", 0)
	p.sample(explore.Stats{States: 1})
	p.sample(explore.Stats{States: 2})
	p.display.show(*p.latest.Load())
	p.stop()
	if !strings.HasPrefix(stderr.String(), `{"model":"m","states":2,`) {
		t.Errorf("got %s", &stderr)
	}
}

// TestBar draws where nobody looks, for the race detector.
func TestBar(t *testing.T) {
	for _, limit := range []int{0, 1000} {
		var stderr bytes.Buffer
		a := &app{err: &stderr}
		p := a.startProgress("always", "m", limit)
		p.sample(explore.Stats{States: 500, Depth: 7})
		p.display.show(*p.latest.Load())
		p.stop()
		if !strings.Contains(stderr.String(), "500 states") {
			t.Errorf("limit %d: got %q", limit, &stderr)
		}
	}
	c := (&app{err: io.Discard}).startCounter("always", 2)
	c.add()
	c.hide()
	c.add()
	c.stop()
}
