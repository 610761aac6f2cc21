package cluster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/internal/testkit/badnet"
)

// submitted returns a connection to a server with a job.
func submitted(t testing.TB, at *tempo) *Cluster {
	t.Helper()
	c := dial(t, startServer(t, t.TempDir(), nil).ClientURL(), at)
	if _, err := c.Submit(t.Context(), testJob, "model.go", []byte("what it is about"), 0); err != nil {
		t.Fatal(err)
	}
	return c
}

// next waits for a batch, or for why there will be none.
func next(t testing.TB, l *Link) (b []byte, err error) {
	t.Helper()
	wait(t, "a batch", func() bool {
		b, err = l.Next()
		return b != nil || err != nil
	})
	return b, err
}

// A message that no worker has written is skipped and counted by all who read it, and the job goes on; too many are a broken stream.
func TestHostileMessage(t *testing.T) {
	for name, message := range map[string][]byte{
		"empty": nil, "garbage": []byte(strings.Repeat("garbage", 20)),
		"a bit flipped": func() []byte { m := seal(&head{worker: 1, number: 1, read: 1}, []byte("batch")); m[20] ^= 1; return m }(),
		"cut":           seal(&head{worker: 1, number: 1, read: 1}, []byte("batch"))[:30],
	} {
		t.Run(name, func(t *testing.T) {
			c := submitted(t, nil)
			f := open(t, c, 0)
			l := f.Links()[0]
			drain(t, l)
			if _, err := c.js.Publish(t.Context(), f.subject, message); err != nil {
				t.Fatal(err)
			}
			wait(t, "the message", func() bool { return f.Strange() == 1 })
			drain(t, l)
			wait(t, "room", l.Ready)
			l.Publish(1, []byte("batch"))
			if b, err := next(t, l); err != nil || string(b) != "batch" {
				t.Errorf("%q, %v", b, err)
			}
			late := open(t, c, 1)
			if b, err := next(t, late.Links()[0]); err != nil || string(b) != "batch" || late.Strange() != 1 {
				t.Errorf("who joins late: %q, %v, %d messages skipped", b, err, late.Strange())
			}
			f.change(func() { f.garbage = maxGarbage })
			if _, err := c.js.Publish(t.Context(), f.subject, message); err != nil {
				t.Fatal(err)
			}
			defer time.AfterFunc(10*time.Second, f.Close).Stop() // that it notices nothing is noticed
			if _, err := next(t, l); !errors.Is(err, ErrBroken) {
				t.Errorf("%v, want %v", err, ErrBroken)
			}
			if l.Ready() {
				t.Error("it would publish still")
			}
		})
	}
}

// A stream that may lose what it has is not relied on.
func TestLossyStream(t *testing.T) {
	c := dial(t, startServer(t, t.TempDir(), nil).ClientURL(), nil)
	for what, change := range map[string]func(*jetstream.StreamConfig){
		"discard old":    func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld },
		"maximum age":    func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"work queue":     func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy },
		"interest":       func(c *jetstream.StreamConfig) { c.Retention = jetstream.InterestPolicy },
		"deletion":       func(c *jetstream.StreamConfig) { c.DenyDelete = false },
		"purging":        func(c *jetstream.StreamConfig) { c.DenyPurge = false },
		"one a subject":  func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 },
		"memory":         func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage },
		"no acknowledge": func(c *jetstream.StreamConfig) { c.NoAck = true },
		"transform": func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: ">", Destination: "other.>"}
		},
	} {
		t.Run(what, func(t *testing.T) {
			cfg := streamConfig(testJob, "model.go", 1)
			change(&cfg)
			err := c.stored(func() error {
				_, err := c.js.CreateStream(t.Context(), cfg)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.js.DeleteStream(t.Context(), cfg.Name)
			if f, err := c.Open(t.Context(), testJob, []int{0}); !errors.Is(err, ErrBroken) {
				t.Errorf("%v, want %v", err, ErrBroken)
				f.Close()
			}
		})
	}
}

// Who has read what the server has lost is at its end, whether the stream is shorter then, has grown again, or was made
// anew; and so is whoever reads a stream that was removed.
func TestCut(t *testing.T) {
	for _, what := range []string{"shorter", "grown again", "made anew", "removed"} {
		t.Run(what, func(t *testing.T) {
			s := &scene{t: t, dir: t.TempDir(), port: -1}
			s.start()
			defer func() { s.stop() }()
			s.submit()
			c := s.dial()
			defer c.Close()
			f := open(t, c, 0)
			l := f.Links()[0]
			drain(t, l)
			s.stop()
			s.keep()
			s.start()
			const n = 3
			for i := range n {
				wait(t, "room", l.Ready)
				l.Publish(uint64(i+1), []byte("what will be lost"))
			}
			for range n {
				if _, err := next(t, l); err != nil {
					t.Fatal(err)
				}
			}
			s.stop()
			s.lose()
			s.start()
			other := s.dial()
			defer other.Close()
			switch what {
			case "grown again":
				o := open(t, other, 0).Links()[0]
				drain(t, o)
				for i := range 2 * n {
					wait(t, "room", o.Ready)
					o.Publish(uint64(i+1), []byte("something else"))
				}
			case "made anew", "removed":
				if err := other.Remove(t.Context(), testJob); err != nil {
					t.Fatal(err)
				}
				if what == "made anew" {
					s.submit()
				}
			}
			defer time.AfterFunc(10*time.Second, f.Close).Stop() // that it notices nothing is noticed
			var err error
			for err == nil { // what was published may be there twice
				_, err = next(t, l)
			}
			if gone := errors.Is(err, ErrNoJob); !errors.Is(err, ErrCut) && !gone || gone && what != "removed" && what != "made anew" {
				t.Errorf("%v, want %v", err, ErrCut)
			}
		})
	}
}

// A server that found no place for a stream is asked once more, and only that is asked twice.
func TestNoStore(t *testing.T) {
	c := &Cluster{direct: &direct{tempo: *hurried()}}
	gone := &jetstream.APIError{Code: 500, ErrorCode: codeNoStore}
	other := &jetstream.APIError{Code: 400, ErrorCode: codeAlone}
	for _, x := range []struct {
		answers []error
		want    error
	}{
		{[]error{nil}, nil},
		{[]error{gone, nil}, nil},
		{[]error{gone, gone}, gone},
		{[]error{gone, other}, other},
		{[]error{other}, other},
	} {
		asked := 0
		err := c.stored(func() error {
			asked++
			return x.answers[asked-1]
		})
		if err != x.want || asked != len(x.answers) {
			t.Errorf("%v: %v after %d, want %v", x.answers, err, asked, x.want)
		}
	}
}

// Who has worked on a job that was removed and made anew publishes nothing into the new one, not even before it notices.
func TestMadeAnew(t *testing.T) {
	c := submitted(t, nil)
	was := open(t, c, 0).subject
	if err := c.Remove(t.Context(), testJob); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Submit(t.Context(), testJob, "model.go", []byte("what it is about"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := c.js.Publish(t.Context(), was, []byte("batch")); !errors.Is(err, jetstream.ErrNoStreamResponse) {
		t.Errorf("published into the new one: %v", err)
	}
}

// A stream that has no room keeps nobody from reading, is said to be full, and takes what there is when it has room.
func TestFull(t *testing.T) {
	at := hurried()
	c := submitted(t, at)
	s, err := c.js.Stream(t.Context(), streamOf(testJob))
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	cfg.MaxBytes = 2000
	if _, err := c.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	f := open(t, c, 0)
	l := f.Links()[0]
	drain(t, l)
	l.Publish(1, make([]byte, 3000))
	began := time.Now()
	if waitBack(t, l) {
		t.Error("something has come")
	}
	if took := time.Since(began); took < at.back || took > 10*at.back {
		t.Errorf("it was waited for %v, want %v", took, at.back)
	}
	if since, why := f.Trouble(); since.IsZero() || !IsFull(why) {
		t.Errorf("the trouble is %v", why)
	}
	if l.Acknowledged() != 0 {
		t.Error("what is not there is acknowledged")
	}
	cfg.MaxBytes = -1
	if _, err := c.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	wait(t, "what there is", func() bool { return l.Acknowledged() == 1 })
	if b, err := l.Next(); err != nil || len(b) != 3000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// A server that takes nothing more, not even what is said of jobs and workers, is known to be full.
func TestNoRoom(t *testing.T) {
	c := dial(t, startServer(t, t.TempDir(), func(o *server.Options) { o.JetStreamMaxStore = 64 << 10 }).ClientURL(), nil)
	if _, err := c.Submit(t.Context(), testJob, "model.go", []byte("what it is about"), 0); err != nil {
		t.Fatal(err)
	}
	if err := c.Room(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := open(t, c, 0)
	for i := 0; ; i++ {
		if _, err := c.js.Publish(t.Context(), f.subject, make([]byte, 16<<10)); err != nil {
			break
		}
		if i > 10 {
			t.Fatal("it is never full")
		}
	}
	if err := c.Room(t.Context()); !IsFull(err) {
		t.Errorf("there is room: %v", err)
	}
	if all, err := c.Workers(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("the workers are %+v, %v", all, err)
	}
}

// The largest batch gets through, and nobody who has not asked reads more than there is room for.
func TestLargeBatches(t *testing.T) {
	c := submitted(t, nil)
	f := open(t, c, 0, 1)
	a, b := f.Links()[0], f.Links()[1]
	drain(t, a)
	drain(t, b)
	const n = 40
	for i := range n {
		wait(t, "room", a.Ready)
		a.Publish(uint64(i+1), slices.Repeat([]byte{byte(i)}, share.MaxBatch))
		for a.Acknowledged() != 0 {
		}
		drainBytes(t, a)
	}
	f.mu.Lock()
	kept := f.bytes
	f.mu.Unlock()
	if most := maxKept + maxAtOnce*share.MaxBatch; kept > most {
		t.Errorf("%d bytes are kept, want at most %d", kept, most)
	}
	for i := range n {
		if got, err := next(t, b); err != nil || len(got) != share.MaxBatch || got[0] != byte(i) {
			t.Fatalf("batch %d: %d bytes, %v", i, len(got), err)
		}
	}
}

func drainBytes(t testing.TB, l *Link) {
	for {
		if b, err := l.Next(); err != nil {
			t.Fatal(err)
		} else if b == nil {
			return
		}
	}
}

// Jobs are listed with what is said of them, and removed with it; workers are listed until they leave.
func TestStates(t *testing.T) {
	c := submitted(t, nil)
	ctx := t.Context()
	if s, err := c.Job(ctx, testJob); err != nil || s.State != JobOpen {
		t.Errorf("%+v, %v", s, err)
	}
	for range 3 {
		if _, err := c.UpdateJob(ctx, testJob, Change{Join: 1}); err != nil {
			t.Fatal(err)
		}
	}
	jobs, said, err := c.Jobs(ctx)
	if err != nil || len(jobs) != 1 || jobs[0].ID != testJob || jobs[0].Name != "model.go" || said[testJob].Joined != 3 {
		t.Errorf("%+v, %+v, %v", jobs, said, err)
	}
	for _, id := range []string{"b", "a"} {
		if err := c.Beat(ctx, &WorkerState{ID: id, Host: id}); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := c.Workers(ctx); err != nil || len(all) != 2 || all[0].ID != "a" {
		t.Errorf("%+v, %v", all, err)
	}
	if err := c.Leave(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if all, err := c.Workers(ctx); err != nil || len(all) != 1 || all[0].ID != "b" {
		t.Errorf("%+v, %v", all, err)
	}
	if err := c.Remove(ctx, testJob); err != nil {
		t.Fatal(err)
	}
	if jobs, said, err := c.Jobs(ctx); err != nil || len(jobs)+len(said) != 0 {
		t.Errorf("%+v, %+v, %v", jobs, said, err)
	}
	if s, err := c.UpdateJob(ctx, testJob, Change{Join: 1}); err != nil || s.Joined != 1 {
		t.Errorf("of a job that was removed it is said: %+v, %v", s, err)
	}
	if err := c.Remove(ctx, testJob); !errors.Is(err, ErrNoJob) {
		t.Error(err)
	}
	if err := c.Remove(ctx, "../x"); err == nil {
		t.Error("any text is an id")
	}
}

// Messages may hold anything.
func FuzzMessages(f *testing.F) {
	f.Add(seal(&head{worker: 1, number: 2, read: 3, chain: 4}, []byte("batch")))
	description, err := packDescription([]byte("what it is about"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(description)
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, batch, err := unseal(data); err == nil && string(seal(&h, batch)) != string(data) {
			t.Errorf("%x is read as %+v, %x", data, h, batch)
		}
		unpackDescription(data)
	})
}

// Addresses with passwords, and what is none, are refused, and no message has the password.
func TestAddresses(t *testing.T) {
	for url, want := range map[string]string{
		"":                                "name the server",
		"nats://u:secret@host":            "remove user and password from the address",
		"nats://a:4222,nats://u:secret@b": "remove user and password from the address",
		"http://host":                     "not a scheme",
		"nats://":                         "want an address",
		"nats://127.0.0.1:1":              "clmc hub",
	} {
		_, err := Dial(Server{URL: url})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %q", url, err, want)
		}
	}
}

// Whoever imports the search or the Go API gets nothing of NATS, and only the command's hub is a server.
func TestDependencies(t *testing.T) {
	const module = "github.com/clmc/clmc"
	list := func(args ...string) []string {
		out, err := exec.Command("go", append([]string{"list", "-deps"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	named := func(list []string, what string) (all []string) {
		for _, p := range list {
			if strings.Contains(p, what) {
				all = append(all, p)
			}
		}
		return all
	}
	library := list(module+"/explore/...", module+"/models/...", module+"/memmodel/...", module+"/state/...", module+"/por/...", module+"/store/...", module+"/internal/...")
	if !slices.Contains(library, module+"/models/check") {
		t.Fatal("the Go API is not listed")
	}
	if bad := named(library, "nats"); bad != nil {
		t.Errorf("the library imports %q", bad)
	}
	client := list(module + "/cmd/clmc/internal/cluster")
	if bad := named(client, "nats-server"); bad != nil || named(client, "nats.go") == nil {
		t.Errorf("the client imports %q", fmt.Sprint(bad))
	}
}

// What is asked for while the server is away is asked for again, until it is back.
func TestAway(t *testing.T) {
	s := &scene{t: t, dir: t.TempDir(), port: -1}
	s.start()
	defer func() { s.stop() }()
	c := s.dial()
	defer c.Close()
	for _, do := range []struct {
		what string
		do   func() error
	}{
		{"submit", func() error {
			_, err := c.Submit(t.Context(), testJob, "model.go", []byte("what it is about"), 0)
			return err
		}},
		{"read the description", func() error { _, err := c.Description(t.Context(), testJob); return err }},
		{"change the state", func() error {
			_, err := c.UpdateJob(t.Context(), testJob, Change{Join: 1})
			return err
		}},
		{"open", func() error {
			f, err := c.Open(t.Context(), testJob, []int{0})
			if err == nil {
				f.Close()
			}
			return err
		}},
	} {
		s.stop()
		done := make(chan error, 1)
		go func() { done <- do.do() }()
		time.Sleep(500 * time.Millisecond)
		s.start()
		if err := <-done; err != nil {
			t.Errorf("%s: %v", do.what, err)
		}
	}
}

// A connection that brings each answer in time, but not the answers to all questions of a beginning one after the other, is slow
// and no more: the stream is read over it. There are about seven answers in a beginning, of 0.2 s each here.
func TestSlowAnswers(t *testing.T) {
	s := &scene{t: t, dir: t.TempDir(), port: -1}
	s.start()
	defer func() { s.stop() }()
	s.submit()
	p := badnet.New(t, "127.0.0.1:"+strconv.Itoa(s.port))
	p.Delay(100 * time.Millisecond)
	at := hurried()
	at.ask, at.fetch, at.heartbeat, at.ping = time.Second, 3*time.Second, time.Second, 5*time.Second
	c, err := Dial(Server{URL: p.URL(), Name: "test", tempo: at})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	f, err := c.Open(ctx, testJob, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Links()[0].Next(); err != nil || ctx.Err() != nil || f.seen() == 0 { // there is one message, the description
		t.Errorf("the stream was not read: %v, %v, message %d", err, ctx.Err(), f.seen())
	}
}

// skipping is a consumer that delivers one message, which is not the next one.
type skipping struct {
	jetstream.Consumer
	one delivered
}

func (s *skipping) Fetch(int, ...jetstream.FetchOpt) (jetstream.MessageBatch, error) {
	return &s.one, nil
}

// delivered is a message, and a batch of no other.
type delivered struct {
	jetstream.Msg
	data []byte
	seq  uint64
}

func (d *delivered) Error() error { return nil }
func (d *delivered) Data() []byte { return d.data }

func (d *delivered) Messages() <-chan jetstream.Msg {
	c := make(chan jetstream.Msg, 1)
	c <- d
	close(c)
	return c
}

func (d *delivered) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: d.seq}}, nil
}

// What is delivered after a message that got lost on the way is not taken: the lost one is asked for first.
func TestSkipped(t *testing.T) {
	f := open(t, submitted(t, nil), 0)
	drain(t, f.Links()[0])
	f.Close() // so that nobody else reads
	data := seal(&head{worker: 1, number: 1, read: 1, chain: f.chains[1]}, []byte("batch"))
	for seq, want := range map[uint64]error{3: errAgain, 4: errAgain, 1: nil} {
		if err := f.fetch(&skipping{one: delivered{seq: seq, data: data}}); err != want || f.seen() != 1 {
			t.Errorf("message %d: %v, want %v; %d messages are read", seq, err, want, f.seen())
		}
	}
	if err := f.fetch(&skipping{one: delivered{seq: 2, data: data}}); err != nil || f.seen() != 2 {
		t.Errorf("the next message: %v; %d messages are read", err, f.seen())
	}
}
