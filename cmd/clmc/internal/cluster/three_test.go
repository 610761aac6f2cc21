package cluster

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// three starts a cluster of three servers.
func three(t *testing.T) (all []*server.Server) {
	t.Helper()
	ports := make([]int, 3)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = l.Addr().(*net.TCPAddr).Port
		l.Close()
	}
	var routes []*url.URL
	for _, p := range ports {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", p)})
	}
	for i, p := range ports {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprintf("s%d", i), Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: p}, Routes: routes,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		all = append(all, s)
	}
	wait(t, "a leader", func() bool {
		for _, s := range all {
			if !s.ReadyForConnections(time.Second) {
				return false
			}
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(all) {
				return true
			}
		}
		return false
	})
	return all
}

// Three servers keep a job three times. When one of them dies, the one that leads its stream, all go on where they were.
func TestThreeServers(t *testing.T) {
	servers := three(t)
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.ClientURL())
	}
	c := dial(t, strings.Join(urls, ","))
	if err := c.Submit(t.Context(), testJob, "model.go", []byte("what it is about"), 0); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Replicas(t.Context(), testJob); err != nil || n != 3 {
		t.Fatalf("%d replicas, %v", n, err)
	}
	f := open(t, c, 0, 1)
	read := make([]int, 2)
	const n = 60
	published := uint64(0)
	for i := range n {
		if i == n/2 {
			s, err := c.js.Stream(t.Context(), streamOf(testJob))
			if err != nil {
				t.Fatal(err)
			}
			leader := s.CachedInfo().Cluster.Leader
			for _, s := range servers {
				if s.Name() == leader {
					s.Shutdown()
				}
			}
		}
		published++
		wait(t, "room", f.Links()[0].Ready)
		if i == 0 {
			for k, l := range f.Links() {
				read[k] += len(drain(t, l))
			}
		}
		f.Links()[0].Publish(published, fmt.Appendf(nil, "batch %d", i))
	}
	acked := 0
	wait(t, "all batches", func() bool {
		for k, l := range f.Links() {
			read[k] += len(drain(t, l))
		}
		for f.Links()[0].Acknowledged() != 0 {
			acked++
		}
		return acked == n && read[0] >= n && read[1] == read[0]
	})
	if f.Strange() != 0 || f.Err() != nil {
		t.Errorf("%d batches were left out, %v", f.Strange(), f.Err())
	}
}
