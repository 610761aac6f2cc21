package cluster

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/clmc/clmc/explore/share"
)

// startServer starts a server in this process, with its files in a folder.
func startServer(t testing.TB, dir string, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

func dial(t testing.TB, url string, at *tempo) *Cluster {
	t.Helper()
	c, err := Dial(Server{URL: url, Name: "test", tempo: at})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

var _ share.Link = (*Link)(nil)

const testJob = "0123456789abcdef0123456789abcdef"

func open(t testing.TB, c *Cluster, orders ...int) *Feed {
	t.Helper()
	f, err := c.Open(t.Context(), testJob, orders)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// drain reads what there is.
func drain(t testing.TB, l *Link) (all []string) {
	t.Helper()
	for {
		b, err := l.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return all
		}
		all = append(all, string(b))
	}
}

// waitBack is l.WaitBack, which has to end.
func waitBack(t testing.TB, l *Link) bool {
	t.Helper()
	over := time.AfterFunc(time.Minute, func() { panic("it waits for its own batches without end") })
	defer over.Stop()
	return l.WaitBack()
}

// wait waits for something to become true.
func wait(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// All links read what all have published in one order, whoever joins late as well, and batches are acknowledged when they
// have been read back.
func TestLinks(t *testing.T) {
	s := startServer(t, t.TempDir(), nil)
	c := dial(t, s.ClientURL(), nil)
	if _, err := c.Submit(t.Context(), testJob, "model.go", []byte("what it is about"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Submit(t.Context(), testJob, "another/model.go", []byte("what it is about"), 0); err != nil {
		t.Fatalf("submitted twice: %v", err)
	}
	if d, err := c.Description(t.Context(), testJob); err != nil || string(d) != "what it is about" {
		t.Fatalf("%q, %v", d, err)
	}
	first := open(t, c, 0, 1)
	a, b := first.Links()[0], first.Links()[1]
	links := []*Link{a, b}
	acked := []uint64{0, 0}
	const n = 20
	for _, l := range links {
		if got := drain(t, l); got != nil {
			t.Fatalf("the stream begins with %q", got)
		}
	}
	read := make([][]string, 2)
	for i := range n {
		for k, l := range links {
			for !l.Ready() {
				if !waitBack(t, l) {
					t.Fatal("nothing to be waited for")
				}
				read[k] = append(read[k], drain(t, l)...)
			}
			l.Publish(uint64(i+1), fmt.Appendf(nil, "%d of %d", i+1, k))
		}
	}
	for k, l := range links {
		for acked[k] < n {
			if m := l.Acknowledged(); m > 0 {
				acked[k] = m
			} else if !waitBack(t, l) {
				t.Fatal("nothing to be waited for")
			} else {
				read[k] = append(read[k], drain(t, l)...)
			}
		}
		if l.Acknowledged() != 0 {
			t.Error("more batches are acknowledged than were published")
		}
	}
	late := open(t, c, 2).Links()[0]
	all := drain(t, late)
	if len(all) != 2*n {
		t.Fatalf("who joins late reads %d batches, want %d: %q", len(all), 2*n, all)
	}
	for k, l := range links {
		wait(t, "the rest", func() bool { read[k] = append(read[k], drain(t, l)...); return len(read[k]) == len(all) })
		if fmt.Sprint(read[k]) != fmt.Sprint(all) {
			t.Errorf("link %d has read %q, and who joins late %q", k, read[k], all)
		}
	}
	if first.seen() != 2*n+1 || first.bytes != 0 {
		t.Errorf("%d messages were seen, and %d bytes are kept", first.seen(), first.bytes)
	}
}

// A batch is acknowledged when it was read back, and not when the server says that it has it: what comes before it in the stream has been read then, too.
// Reading is on hold in between, as it is where nobody takes what was read; a fetch that is under way may still bring the batch, and then it is tried again.
func TestAcknowledgedWhenReadBack(t *testing.T) {
	at := hurried()
	f := open(t, submitted(t, at), 0)
	l := f.Links()[0]
	drain(t, l)
	for try := uint64(1); try <= 10; try++ {
		n := f.seen()
		f.change(func() { f.bytes += maxKept + 1 })
		time.Sleep(2 * at.fetch)
		l.Publish(try, []byte("batch"))
		wait(t, "the server's answer", func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return l.flight == 0
		})
		acknowledged := l.Acknowledged()
		seen := f.seen()
		if acknowledged != 0 && seen == n {
			t.Fatalf("batch %d is acknowledged, and was not read back", acknowledged)
		}
		f.change(func() { f.bytes -= maxKept + 1 })
		wait(t, "the batch", func() bool { return acknowledged == try || l.Acknowledged() == try })
		if drain(t, l); seen == n {
			return
		}
	}
	t.Error("reading was never on hold")
}

// A batch says how far its worker had read, and what; and who has read something else, or not so far, leaves it out.
func TestRestsOnWhatWasRead(t *testing.T) {
	c := submitted(t, hurried())
	f := open(t, c, 0)
	l := f.Links()[0]
	drain(t, l)
	other := open(t, c, 1).Links()[0]
	drain(t, other)
	other.Publish(1, []byte("first"))
	if b, err := next(t, l); err != nil || string(b) != "first" {
		t.Fatalf("%q, %v", b, err)
	}
	l.Publish(1, []byte("second"))
	wait(t, "the batch", func() bool { drain(t, l); return f.seen() == 3 })
	drain(t, l)
	var chains []uint64 // by the number of the message: the description, "first" and "second"
	f.change(func() { chains = slices.Clone(f.chains) })
	data, err := c.way.message(t.Context(), f.id, 3)
	if err != nil {
		t.Fatal(err)
	}
	if h, _, err := unseal(data); err != nil || h.read != 2 || h.chain != chains[2] {
		t.Errorf("%+v, %v: want what was read, message 2", h, err)
	}
	for _, of := range []head{{read: 3, chain: chains[3] + 1}, {read: 2, chain: chains[3]}, {}, {read: 9, chain: chains[3]}, {read: 3, chain: chains[3]}} {
		text := "left out"
		if of.read == 3 && of.chain == chains[3] {
			text = "third"
		}
		of.worker, of.number = 9, 1
		if _, err := c.js.Publish(t.Context(), f.subject, seal(&of, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := next(t, l); err != nil || string(b) != "third" || f.Strange() != 4 {
		t.Errorf("%q, %v, and %d messages are left out, want the third batch and 4", b, err, f.Strange())
	}
}

// Who waits for what others say waits for as long as they have nothing to say.
func TestWait(t *testing.T) {
	at := hurried()
	c := submitted(t, at)
	f := open(t, c, 0)
	l := f.Links()[0]
	drain(t, l)
	come := make(chan bool)
	go func() { come <- l.Wait() }()
	select {
	case got := <-come:
		t.Fatalf("the wait is over, though nobody has said anything: %v", got)
	case <-time.After(2 * at.back):
	}
	other := open(t, c, 1).Links()[0]
	drain(t, other)
	other.Publish(1, []byte("batch"))
	if got := <-come; !got {
		t.Error("what another has said is not noticed")
	}
	drain(t, l)
	go func() { come <- l.Wait() }()
	f.Close()
	if <-come {
		t.Error("something is to be read from a feed that is closed")
	}
}

// Who waits for batches of its own to be read back hears when none is under way and there is room for the next one, also if the
// server's answer to the last one comes after that was read back; and gives up if there never is.
func TestWaitBack(t *testing.T) {
	at := hurried()
	at.back *= 3 // a busy machine comes to everything else within this time
	f := open(t, submitted(t, at), 0)
	l := f.Links()[0]
	drain(t, l)
	waited := func() (came bool, took time.Duration) {
		began := time.Now()
		came = waitBack(t, l)
		return came, time.Since(began)
	}
	if came, took := waited(); !came || took >= at.back {
		t.Errorf("%v after %v, with nothing under way", came, took)
	}
	unanswered := func(n int) { f.change(func() { l.flight += n }) }
	unanswered(maxFlight)
	began := time.Now() // this goroutine may be kept from waiting while the timer runs
	time.AfterFunc(at.back/30, func() { unanswered(-maxFlight) })
	if came, _ := waited(); !came || l.Ready() != true || time.Since(began) < at.back/30 {
		t.Errorf("%v after %v, when the answers come", came, time.Since(began))
	}
	unanswered(maxFlight)
	if came, took := waited(); came || took < at.back || took > 10*at.back {
		t.Errorf("%v after %v, want %v", came, took, at.back)
	}
}
