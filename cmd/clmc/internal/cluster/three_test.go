package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// asServer is the variable of the environment that makes the test's binary a server: a oneOfThree.
const asServer = "CLMC_TEST_SERVER"

func TestMain(m *testing.M) {
	if text := os.Getenv(asServer); text != "" {
		serve(text)
	}
	os.Exit(m.Run())
}

// oneOfThree is one server of a cluster.
type oneOfThree struct {
	Name, Dir string
	Port      int   // for clients
	Own       int   // for the other servers
	Routes    []int // those of all three
}

// serve is a server until whoever has started it ends.
func serve(text string) {
	var o oneOfThree
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	var routes []*url.URL
	for _, p := range o.Routes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", p)})
	}
	s, err := server.NewServer(&server.Options{
		ServerName: o.Name, Host: "127.0.0.1", Port: o.Port, JetStream: true, StoreDir: o.Dir, NoSigs: true, NoLog: true,
		Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: o.Own}, Routes: routes,
	})
	if err != nil {
		panic(err)
	}
	s.Start()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// freePorts returns ports that nobody listens on.
func freePorts(t *testing.T, n int) (ports []int) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// three starts a cluster of three servers, each a process, and returns them by name.
func three(t *testing.T) (all map[string]*exec.Cmd, urls []string) {
	t.Helper()
	all = map[string]*exec.Cmd{}
	ports := freePorts(t, 6)
	for i := range 3 {
		o := oneOfThree{fmt.Sprintf("s%d", i), t.TempDir(), ports[i], ports[3+i], ports[3:]}
		text, err := json.Marshal(&o)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Stderr = os.Stderr
		cmd.Env = append(os.Environ(), asServer+"="+string(text))
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		all[o.Name] = cmd
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	// Until they have a leader they answer nothing, and until it knows all of them there is no room for three replicas.
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := submitAt(t, strings.Join(urls, ","))
		if err == nil {
			return all, urls
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("there are no three servers: %v", err)
		}
	}
}

// submitAt submits the job to servers that may not be ready.
func submitAt(t *testing.T, urls string) error {
	at := usual() // until they have a leader they answer nothing
	at.patience = 2 * time.Second
	c, err := Dial(Server{URL: urls, Name: "test", tempo: &at})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Submit(t.Context(), testJob, "model.go", []byte("what it is about"), 0)
	return err
}

// Three servers keep a job three times. When one of them is killed, the one that leads its stream, all go on where they were.
func TestThreeServers(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("a server that is one of several ends where words have 32 bits: an unaligned 64-bit atomic operation of its own")
	}
	servers, urls := three(t)
	c := dial(t, strings.Join(urls, ","), nil)
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
			leader := servers[s.CachedInfo().Cluster.Leader]
			if err := leader.Process.Kill(); err != nil {
				t.Fatal(err)
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
