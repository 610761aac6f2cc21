package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
)

const testJob = "0123456789abcdef0123456789abcdef"

// atHub returns a part in what a hub has, where there is a job that nobody can read, and what stops the hub.
func atHub(t *testing.T) (p *part, stop func()) {
	h, err := hub.Start(hub.Options{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(h.Close)
	t.Cleanup(stop)
	c, err := cluster.Dial(cluster.Server{URL: h.URL, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.Submit(t.Context(), testJob, "model.go", []byte("no job"), 0); err != nil {
		t.Fatal(err)
	}
	return &part{app: &app{err: io.Discard}, c: c}, stop
}

// A worker comes back to a job of which the server has not told it, being away, and does not to one that it cannot read.
func TestWorkerComesBack(t *testing.T) {
	p, stop := atHub(t)
	w := &worker{part: p, flags: &workerFlags{}, left: map[string]bool{}}
	w.tryOn(t.Context(), testJob)
	if !w.left[testJob] {
		t.Error("it comes back to a job that it cannot read")
	}
	stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	w.tryOn(ctx, testJob)
	if w.left[testJob] {
		t.Error("it does not come back when the server does")
	}
}

// Who only watches takes none of the orders in which workers search: the first worker takes that of a search alone.
func TestWatcherTakesNoOrder(t *testing.T) {
	p, _ := atHub(t)
	var orders [][]int
	for _, workers := range []int{0, 2, 0, 1} {
		f, err := p.join(t.Context(), testJob, workers)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var of []int
		for _, l := range f.Links() {
			of = append(of, l.Self().Order)
		}
		orders = append(orders, of)
	}
	if got := fmt.Sprint(orders); got != "[[0] [0 1] [2] [2]]" {
		t.Errorf("orders %s", got)
	}
}

// A job that has ended two workers is begun by no third one.
func TestEndsNoThird(t *testing.T) {
	p, _ := atHub(t)
	for i := range cluster.MostEnded + 1 {
		w := &worker{part: p, flags: &workerFlags{timeLimit: time.Nanosecond}, left: map[string]bool{}}
		id, err := w.pick(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i == cluster.MostEnded {
			if id != "" {
				t.Error("a third worker begins it")
			}
			break
		}
		if id != testJob {
			t.Fatalf("worker %d finds %q", i, id)
		}
		if w.tryOn(t.Context(), id); w.over == nil {
			t.Fatal("its bounds are not enough, and it goes on")
		}
	}
	lines, err := jobLines(t.Context(), p.c)
	if err != nil || len(lines) != 1 || lines[0].State != "given up" || !strings.Contains(lines[0].Why, "ended 2 workers: the time limit") {
		t.Errorf("%+v, %v", lines, err)
	}
}
