package hub_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
)

const job = "0123456789abcdef0123456789abcdef"

func start(t *testing.T, o hub.Options) *hub.Hub {
	t.Helper()
	h, err := hub.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// use does all that those do who submit jobs and work on them.
func use(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	if _, err := c.Submit(t.Context(), job, "model.go", []byte("what it is about"), 0); err != nil {
		t.Fatal(err)
	}
	work(t, c, 1)
}

// work does all that those do who work on jobs.
func work(t *testing.T, c *cluster.Cluster, order int) {
	t.Helper()
	ctx := t.Context()
	if d, err := c.Description(ctx, job); err != nil || string(d) != "what it is about" {
		t.Fatalf("%q, %v", d, err)
	}
	if _, err := c.UpdateJob(ctx, job, cluster.Change{Join: 1}); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Job(ctx, job); err != nil || s.Joined == 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	if jobs, said, err := c.Jobs(ctx); err != nil || len(jobs) != 1 || len(said) != 1 {
		t.Fatalf("%v, %v, %v", jobs, said, err)
	}
	if err := c.Beat(ctx, &cluster.WorkerState{ID: "w"}); err != nil {
		t.Fatal(err)
	}
	if all, err := c.Workers(ctx); err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if err := c.Leave(ctx, "w"); err != nil {
		t.Fatal(err)
	}
	f, err := c.Open(ctx, job, []int{order})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := f.Links()[0]
	for {
		if b, err := l.Next(); err != nil {
			t.Fatal(err)
		} else if b == nil {
			break
		}
	}
	l.Publish(1, []byte("batch"))
	for l.Acknowledged() != 1 {
		if !l.WaitBack() {
			t.Fatal("nothing to be waited for")
		}
		if _, err := l.Next(); err != nil {
			t.Fatal(err)
		}
	}
}

// A hub on another address than this machine's lets in only those who have its keys, and only as far as they may go.
func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	h := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: dir})
	if !h.Secure || !strings.HasPrefix(h.URL, "tls://") {
		t.Fatalf("%+v", h)
	}
	for _, name := range []string{"ca.key", "worker.nk", "asker.nk", "admin.nk"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	other := t.TempDir()
	start(t, hub.Options{Listen: "0.0.0.0:0", Dir: other})
	for name, s := range map[string]cluster.Server{
		"without anything":       {URL: h.URL},
		"without a key":          {URL: h.URL, CA: h.CA},
		"without TLS":            {URL: strings.Replace(h.URL, "tls:", "nats:", 1), NKey: h.Worker},
		"with another's key":     {URL: h.URL, CA: h.CA, NKey: filepath.Join(other, "worker.nk")},
		"without a certificate":  {URL: h.URL, NKey: h.Worker},
		"with another authority": {URL: h.URL, CA: filepath.Join(other, "ca.pem"), NKey: h.Worker},
	} {
		if c, err := cluster.Dial(s); err == nil {
			t.Errorf("%s it is let in", name)
			c.Close()
		} else if !strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: it is not said what to do: %v", name, err)
		}
	}
	asker, worker, admin := by(t, h, h.Asker), by(t, h, h.Worker), by(t, h, h.Admin)
	use(t, asker)
	if _, err := worker.Submit(t.Context(), other32, "model.go", []byte("another"), 0); !errors.Is(err, cluster.ErrDenied) || !strings.Contains(err.Error(), "asker.nk") {
		t.Errorf("a worker submits a job: %v", err)
	}
	work(t, worker, 2)
	for what, err := range map[string]error{
		"removes": worker.Remove(t.Context(), job), "cancels": change(worker, job, cluster.Change{Cancel: true}),
	} {
		if !errors.Is(err, cluster.ErrDenied) {
			t.Errorf("a worker %s a job: %v", what, err)
		}
	}
	if err := admin.Remove(t.Context(), job); err != nil {
		t.Errorf("an administrator does not remove a job: %v", err)
	}
	use(t, admin)
	if err := asker.Remove(t.Context(), job); !errors.Is(err, cluster.ErrDenied) {
		t.Errorf("an asker removes another's job: %v", err)
	}
}

const other32 = "fedcba9876543210fedcba9876543210"

// by connects with a key.
func by(t *testing.T, h *hub.Hub, key string) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Dial(cluster.Server{URL: h.URL, CA: h.CA, NKey: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func change(c *cluster.Cluster, id string, x cluster.Change) error {
	_, err := c.UpdateJob(context.Background(), id, x)
	return err
}

// A hub of this machine's needs no keys; one that is told to be insecure has none; and jobs and keys are there when a hub is started again.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	h := start(t, hub.Options{Listen: "127.0.0.1:0", Dir: dir})
	if h.Secure {
		t.Error("a hub of this machine's has keys")
	}
	c, err := cluster.Dial(cluster.Server{URL: h.URL})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Syncs() {
		t.Error("a hub may lose what it has acknowledged")
	}
	use(t, c)
	c.Close()
	if _, err := hub.Start(hub.Options{Listen: "127.0.0.1:0", Dir: dir}); !errors.Is(err, hub.ErrInUse) {
		t.Errorf("a second hub: %v", err)
	}
	h.Close()
	h = start(t, hub.Options{Listen: "0.0.0.0:0", Dir: dir, Insecure: true})
	if h.Secure {
		t.Error("a hub that is told to be insecure has keys")
	}
	if c, err = cluster.Dial(cluster.Server{URL: h.URL}); err != nil {
		t.Fatal(err)
	}
	if jobs, _, err := c.Jobs(t.Context()); err != nil || len(jobs) != 1 || jobs[0].Batches != 1 {
		t.Errorf("%+v, %v", jobs, err)
	}
	c.Close()
	h.Close()
	before := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: dir})
	key, err := os.ReadFile(before.Worker)
	if err != nil {
		t.Fatal(err)
	}
	before.Close()
	after := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: dir})
	if again, err := os.ReadFile(after.Worker); err != nil || string(again) != string(key) {
		t.Errorf("the key has changed: %v", err)
	}
}

// A hub whose port is taken says so at once.
func TestPortTaken(t *testing.T) {
	h := start(t, hub.Options{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	began := time.Now()
	if _, err := hub.Start(hub.Options{Listen: strings.TrimPrefix(h.URL, "nats://"), Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("a second hub: %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("that took %v", took)
	}
}

// Who names the hub in a way that its certificate does not is told so: to trust another certificate would not help.
func TestOtherName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only there this machine has more addresses of its own than one asks for")
	}
	h := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: t.TempDir()})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(h.URL, "tls://"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Dial(cluster.Server{URL: "tls://127.0.0.2:" + port, CA: h.CA, NKey: h.Worker})
	if err == nil {
		c.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "not 127.0.0.2") || !strings.Contains(err.Error(), "--listen") || strings.Contains(err.Error(), "--tls-ca") {
		t.Errorf("%v", err)
	}
}

// Addresses that are none are refused.
func TestListen(t *testing.T) {
	for _, listen := range []string{"a b", "127.0.0.1:x", "127.0.0.1:70000", "::1:4222:", "\x1b[31m"} {
		if h, err := hub.Start(hub.Options{Listen: listen, Dir: t.TempDir()}); err == nil {
			t.Errorf("%q: it listens at %s", listen, h.URL)
			h.Close()
		}
	}
}
