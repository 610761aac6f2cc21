package cluster

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/clmc/clmc/internal/testkit/badnet"
	"github.com/clmc/clmc/internal/testkit/thorough"
)

var (
	schedules = flag.Int("schedules", thorough.Of(4, 10), "random schedules of troubles")
	fromSeed  = flag.Uint64("from", 0, "the first of their seeds")
	shard     = flag.String("shard", "1/1", "the share of them to try: i/n, i from 1")
)

// hurried is the tempo of who is quick to notice troubles, and to mend them.
func hurried() *tempo {
	return &tempo{
		patience: 20 * time.Second, ask: 200 * time.Millisecond, retry: 10 * time.Millisecond,
		reconnect: 20 * time.Millisecond, ping: 200 * time.Millisecond,
		fetch: 500 * time.Millisecond, heartbeat: 50 * time.Millisecond, shortLimit: 4,
		back:       time.Second,
		offerAgain: 5 * time.Millisecond, offerMost: 50 * time.Millisecond, offer: 300 * time.Millisecond,
	}
}

// TestTroubles has workers share what they make while connections are cut, stalled and delayed, the server is restarted, loses
// its latest messages, has no room, and has the job removed and made anew; while workers die and others join. Whatever happens, nobody
// reads a batch without all that it rests on: what its worker had read, and what it no longer repeats since it was acknowledged.
func TestTroubles(t *testing.T) {
	var i, n int
	if _, err := fmt.Sscanf(*shard, "%d/%d", &i, &n); err != nil || i < 1 || i > n {
		t.Fatalf("-shard %s: want i/n", *shard)
	}
	var all counts
	for seed := *fromSeed + uint64(i-1); seed < *fromSeed+uint64(*schedules); seed += uint64(n) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { all.add(endureTroubles(t, seed)) })
	}
	t.Logf("%+v", all)
	if *schedules >= 4 && n == 1 && (all.Read < 100 || all.Ended == 0) || *schedules >= 10 && n == 1 && (all.Read < 1000 || all.Strange == 0 || all.Refused == 0) {
		t.Errorf("too little has happened to say anything: %+v", all)
	}
}

// counts are what happened.
type counts struct{ Read, Ended, Strange, Refused, Cut, Restarts, Losses, Anew int }

func (c *counts) add(d counts) {
	c.Read += d.Read
	c.Ended += d.Ended
	c.Strange += d.Strange
	c.Refused += d.Refused
	c.Cut += d.Cut
	c.Restarts += d.Restarts
	c.Losses += d.Losses
	c.Anew += d.Anew
}

// scene is a server in trouble, and those who work with it.
type scene struct {
	t    *testing.T
	rng  *rand.Rand
	dir  string
	port int
	s    *server.Server
	kept string // a copy of the server's files, made before
	over chan struct{}
	wait sync.WaitGroup

	mu      sync.Mutex
	counts  counts
	proxies []*badnet.Proxy
	kill    []chan struct{}
}

func (s *scene) start() {
	o := &server.Options{Host: "127.0.0.1", Port: s.port, JetStream: true, StoreDir: s.dir, NoSigs: true, NoLog: true, SyncAlways: true}
	srv, err := server.NewServer(o)
	if err != nil {
		s.t.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		s.t.Fatal("the server does not start")
	}
	s.s, s.port = srv, srv.Addr().(*net.TCPAddr).Port
}

func (s *scene) stop() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

func (s *scene) url() string { return "nats://127.0.0.1:" + strconv.Itoa(s.port) }

// dial connects past the proxies.
func (s *scene) dial() *Cluster {
	c, err := Dial(Server{URL: s.url(), Name: "test", tempo: hurried()})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// submit makes the job's stream.
func (s *scene) submit() {
	c := s.dial()
	defer c.Close()
	if _, err := c.Submit(s.t.Context(), testJob, "model.go", []byte("what it is about"), 1); err != nil {
		s.t.Fatal(err)
	}
}

func endureTroubles(t *testing.T, seed uint64) counts {
	s := &scene{t: t, rng: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir(), port: -1, over: make(chan struct{})}
	s.start()
	defer func() { s.stop() }()
	s.submit()
	for range 2 + s.rng.IntN(2) {
		s.join()
	}
	for range 12 {
		time.Sleep(time.Duration(s.rng.IntN(250)) * time.Millisecond)
		s.trouble()
		if t.Failed() {
			break
		}
	}
	time.Sleep(200 * time.Millisecond)
	s.end()

	// Whoever comes last reads it all.
	c := s.dial()
	defer c.Close()
	f, err := c.Open(t.Context(), testJob, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := newMember(f.Links()[0])
	if err := m.read(); err != nil {
		t.Errorf("who comes last: %v", err)
	}
	s.counts.Strange += f.Strange()
	return s.counts
}

// end lets everything through again, and waits until all workers have noticed that it is over.
func (s *scene) end() {
	for _, p := range s.proxies {
		p.Delay(0)
	}
	close(s.over)
	ended := make(chan struct{})
	go func() { s.wait.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		panic("a worker does not come to its end, though nothing troubles it any more")
	}
}

// trouble makes some.
func (s *scene) trouble() {
	s.mu.Lock()
	var p *badnet.Proxy
	if len(s.proxies) > 0 {
		p = s.proxies[s.rng.IntN(len(s.proxies))]
	}
	s.mu.Unlock()
	switch s.rng.IntN(16) {
	case 0, 1:
		p.Cut()
	case 2:
		p.Stall(time.Duration(s.rng.IntN(600)) * time.Millisecond)
	case 3:
		p.Delay(time.Duration(s.rng.IntN(20)) * time.Millisecond)
	case 4:
		s.counts.Restarts++
		s.stop()
		time.Sleep(time.Duration(s.rng.IntN(100)) * time.Millisecond)
		s.start()
	case 5, 6:
		s.stop()
		s.keep()
		s.start()
	case 7, 8, 12, 13, 14, 15:
		if s.kept == "" {
			return
		}
		s.counts.Losses++
		s.stop()
		s.lose()
		s.start()
	case 9:
		s.counts.Anew++
		c := s.dial()
		if err := c.removeStream(s.t.Context(), testJob); err != nil {
			s.t.Error(err)
		}
		c.Close()
		time.Sleep(time.Duration(s.rng.IntN(100)) * time.Millisecond)
		s.kept = ""
		s.submit()
	case 10:
		s.fill()
	case 11:
		s.mu.Lock()
		victim := s.kill[s.rng.IntN(len(s.kill))]
		s.mu.Unlock()
		select {
		case victim <- struct{}{}:
		default:
		}
		s.join()
	}
}

// keep copies the server's files.
func (s *scene) keep() {
	s.kept = filepath.Join(s.t.TempDir(), "kept")
	if err := os.CopyFS(s.kept, os.DirFS(s.dir)); err != nil {
		s.t.Fatal(err)
	}
}

// lose brings the server back to what was kept.
func (s *scene) lose() {
	s.dir = filepath.Join(s.t.TempDir(), "lost")
	if err := os.CopyFS(s.dir, os.DirFS(s.kept)); err != nil {
		s.t.Fatal(err)
	}
}

// fill leaves the stream no room for a while.
func (s *scene) fill() {
	c := s.dial()
	defer c.Close()
	st, err := c.js.Stream(s.t.Context(), streamOf(testJob))
	if err != nil {
		s.t.Error(err)
		return
	}
	cfg := st.CachedInfo().Config
	cfg.MaxBytes = int64(st.CachedInfo().State.Bytes) + int64(s.rng.IntN(2000)) + 1
	if _, err := c.js.UpdateStream(s.t.Context(), cfg); err != nil {
		s.t.Error(err)
		return
	}
	time.Sleep(time.Duration(s.rng.IntN(200)) * time.Millisecond)
	cfg.MaxBytes = -1
	if _, err := c.js.UpdateStream(s.t.Context(), cfg); err != nil {
		s.t.Error(err)
	}
}

// join adds a worker. Whenever it is at its end, it begins again as another one.
func (s *scene) join() {
	p := badnet.New(s.t, "127.0.0.1:"+strconv.Itoa(s.port))
	kill := make(chan struct{}, 1)
	s.mu.Lock()
	s.proxies = append(s.proxies, p)
	s.kill = append(s.kill, kill)
	rng := rand.New(rand.NewPCG(s.rng.Uint64(), 1))
	s.mu.Unlock()
	s.wait.Go(func() {
		for !s.isOver() {
			c, err := Dial(Server{URL: p.URL(), Name: "test", tempo: hurried()})
			if err != nil {
				time.Sleep(20 * time.Millisecond)
				continue
			}
			s.live(c, rng, kill)
			c.Close()
		}
	})
}

func (s *scene) isOver() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// live is the life of one worker.
func (s *scene) live(c *Cluster, rng *rand.Rand, kill chan struct{}) {
	f, err := c.Open(s.t.Context(), testJob, []int{0})
	if err != nil {
		time.Sleep(10 * time.Millisecond)
		return
	}
	defer f.Close()
	l := f.Links()[0]
	m := newMember(l)
	defer func() {
		s.mu.Lock()
		s.counts.Strange += f.Strange()
		s.counts.Read += m.batches
		s.mu.Unlock()
	}()
	for !s.isOver() {
		select {
		case <-kill:
			return
		default:
		}
		err := m.read()
		switch {
		case errors.Is(err, errUnfounded):
			s.t.Error(err)
			return
		case err != nil: // it may begin again
			s.mu.Lock()
			s.counts.Ended++
			if errors.Is(err, ErrCut) {
				s.counts.Cut++
			}
			s.mu.Unlock()
			return
		}
		m.acknowledged()
		if l.Ready() {
			m.publish(rng)
		}
		if _, why := f.Trouble(); IsFull(why) {
			s.mu.Lock()
			s.counts.Refused++
			s.mu.Unlock()
		}
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond)
	}
}

// member is a worker that makes things, one after the other, and says what it has made and what it knows of.
type member struct {
	l       *Link
	made    int
	acked   int // of the things that it has made, so many are known to be in the stream
	sent    map[uint64]said
	number  uint64
	knows   map[uint64]int // of each worker's things the first so many
	batches int
}

// said is what a batch says: its worker's things From to To, and what the worker knows.
type said struct {
	Worker   uint64
	From, To int
	Knows    map[uint64]int
	Padding  string
}

func newMember(l *Link) *member {
	return &member{l: l, sent: map[uint64]said{}, knows: map[uint64]int{}}
}

var errUnfounded = errors.New("a batch was read without something that it rests on")

// read reads what there is.
func (m *member) read() error {
	for {
		data, err := m.l.Next()
		if err != nil || data == nil {
			return err
		}
		m.batches++
		var b said
		if err := json.Unmarshal(data, &b); err != nil {
			return fmt.Errorf("%w: %w", errUnfounded, err)
		}
		if b.Worker == m.l.Self().ID {
			continue
		}
		for w, n := range b.Knows {
			if own := w == m.l.Self().ID; !own && m.knows[w] < n || own && m.made < n {
				return fmt.Errorf("%w: %d things of %x, of which only %d were read", errUnfounded, n, w, m.knows[w])
			}
		}
		if b.From > m.knows[b.Worker]+1 {
			return fmt.Errorf("%w: things from %d on of %x, of which only %d were read", errUnfounded, b.From, b.Worker, m.knows[b.Worker])
		}
		m.knows[b.Worker] = max(m.knows[b.Worker], b.To)
	}
}

// acknowledged notes what need not be repeated.
func (m *member) acknowledged() {
	for n := m.l.Acknowledged(); n != 0; n = m.l.Acknowledged() {
		if b := m.sent[n]; b.From <= m.acked+1 {
			m.acked = max(m.acked, b.To)
		}
		delete(m.sent, n)
	}
}

// publish says what was made and is not known to be in the stream, and a little more.
func (m *member) publish(rng *rand.Rand) {
	m.made += rng.IntN(3)
	m.number++
	b := said{Worker: m.l.Self().ID, From: m.acked + 1, To: m.made, Knows: maps.Clone(m.knows), Padding: strings.Repeat("x", rng.IntN(500))}
	m.sent[m.number] = b
	data, err := json.Marshal(&b)
	if err != nil {
		panic(err)
	}
	m.l.Publish(m.number, data)
}
