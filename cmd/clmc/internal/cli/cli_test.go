package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

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
		b := newBar(&stderr, "m", limit)
		b.show(explore.Stats{States: 500, Depth: 7})
		b.clear()
		if !strings.Contains(stderr.String(), "m: 500 states") {
			t.Errorf("limit %d: got %q", limit, &stderr)
		}
	}
	c := &counter{total: 2}
	c.draw(io.Discard)
	c.add()
	c.hide()
	c.add()
	c.stop()
}

// TestEstimates sees that an estimate says when a search ends only if that can be foreseen, and that of a
// long name the end is shown.
func TestEstimates(t *testing.T) {
	for states, want := range map[int]string{2000: "25 to 50 % done, 20s to 60s left (stable for 10s)", math.MaxInt / 2: "no estimate yet"} {
		rate := 50.0
		if states > 2000 { // far beyond what a duration holds, also with words of 32 bits
			rate = 0.001
		}
		if got := timeLeft(1000, rate, &estimate{States: states, Low: states, High: 2 * states, Since: 500}); got != want {
			t.Errorf("of %d states: %q, want %q", states, got, want)
		}
	}
	for rate, want := range map[float64]string{50: "no estimate yet", 500: "", 0: ""} { // after 20 s, and after 2
		if got := timeLeft(1000, rate, nil); got != want {
			t.Errorf("without an estimate: %q, want %q", got, want)
		}
	}
	if got := short("models/shipped/kernel_dot/main.go", 12); got != "…dot/main.go" {
		t.Errorf("got %q", got)
	}
	if got := short("m.go", 2); got != "m.go" {
		t.Errorf("got %q", got)
	}
}

// TestLines checks that a log is told now and then how far a search has come.
func TestLines(t *testing.T) {
	var stderr bytes.Buffer
	l := &lineProgress{&stderr, "m.go", time.Second}
	s := explore.Stats{States: 40000, Path: 12, Frontier: 3456, Elapsed: 10 * time.Second}
	l.show(s)
	s.Estimate = explore.Estimate{States: 100000, Low: 50000, High: 400000}
	l.show(s)
	got := regexp.MustCompile(`memory [0-9.]+ .iB`).ReplaceAllString(stderr.String(), "memory M")
	want := `clmc: m.go: 40,000 states, 4,000/s, no estimate yet, memory M, frontier 3,456, depth 12, 10s
clmc: m.go: 40,000 states, 4,000/s, 10 to 80 % done, 2s to 90s left (stable for 10s), memory M, frontier 3,456, depth 12, 10s
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestQuietLogs checks that short runs leave no trace in a log: standard error
// is not a terminal here.
func TestQuietLogs(t *testing.T) {
	var stderr bytes.Buffer
	p := (&app{err: &stderr}).startProgress("auto", "m", 0)
	p.sample(explore.Stats{States: 1})
	if d := p.display.interval(); d != time.Minute {
		t.Errorf("a line each %v", d)
	}
	p.stop()
	if stderr.Len() > 0 {
		t.Errorf("got %q", &stderr)
	}
}

func TestRoughly(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0s", 1.4: "1s", 119: "119s", 120: "2m", 7100: "118m", 7200: "2h", 200000: "2d", 1e9: "32y", 1e18: ">1000y"} {
		if got := roughly(seconds); got != want {
			t.Errorf("roughly(%g) = %q, want %q", seconds, got, want)
		}
	}
}
