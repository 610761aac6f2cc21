package hub_test

import (
	"slices"
	"testing"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
)

// BenchmarkDelay measures how long a batch takes from one worker to another. What is explored meanwhile may be explored twice.
func BenchmarkDelay(b *testing.B) {
	h, err := hub.Start(hub.Options{Listen: "127.0.0.1:0", Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	var links []*cluster.Link
	for order := range 2 {
		c, err := cluster.Dial(cluster.Server{URL: h.URL})
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Submit(b.Context(), job, "model.go", []byte("what it is about"), 0); err != nil {
			b.Fatal(err)
		}
		f, err := c.Open(b.Context(), job, []int{order})
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		links = append(links, f.Links()[0])
	}
	next := func(l *cluster.Link) {
		for {
			switch data, err := l.Next(); {
			case err != nil:
				b.Fatal(err)
			case data != nil:
				return
			}
			if !l.Wait() {
				b.Fatal("nothing comes")
			}
		}
	}
	for _, l := range links {
		if _, err := l.Next(); err != nil { // the description
			b.Fatal(err)
		}
	}
	var all []time.Duration
	for n := uint64(1); b.Loop(); n++ {
		for !links[0].Ready() {
			links[0].WaitBack()
		}
		began := time.Now()
		links[0].Publish(n, make([]byte, 2000))
		next(links[1])
		all = append(all, time.Since(began))
		next(links[0])
		for links[0].Acknowledged() != 0 {
		}
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(all[len(all)*9/10].Microseconds())/1000, "ms-nine-tenths")
}
