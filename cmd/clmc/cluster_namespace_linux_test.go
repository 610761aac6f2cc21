package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inNamespace is the variable of the environment that tells the test that it runs in namespaces of its own.
const inNamespace = "CLMC_TEST_NAMESPACE"

// TestClusterNamespace has a worker on another network than the hub's, as on another machine: behind a link that is taken
// down now and then, so that packets vanish and no connection is closed. Where namespaces are not allowed the proxy of TestClusterKills has
// to do. What the worker finds is all that whoever asks learns.
func TestClusterNamespace(t *testing.T) {
	if os.Getenv(inNamespace) == "" {
		again(t)
		return
	}
	ip(t, "link set lo up")
	const hub = "10.9.8.1"
	n := &troupe{t: t, rng: rand.New(rand.NewPCG(8, 1)), dir: filepath.Join(t.TempDir(), "hub")}
	ip(t, "link add here type veth peer name there", "addr add "+hub+"/24 dev here", "link set here up")
	n.hub = clmc("hub", "--insecure", "--listen", hub+":4222", "--dir", n.dir)
	if err := n.hub.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.close)
	elsewhere(t, n, "nats://"+hub+":4222")

	search := []string{"explore", "--format", "json", "--progress", "never", "../../models/bench/lastzero", "-D", "n=14"}
	want := run(t, search...)
	cmd := clmc(append(search, "--no-work", "--cluster", "nats://"+hub+":4222")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	cuts := 0
	for {
		select {
		case err := <-ended:
			o := finished(t, err, &stdout, &stderr)
			if d := o.differs(&want); d != "" || o.Statistics.Steps != 0 {
				t.Errorf("after %d cuts: %s, %d steps\n%s", cuts, d, o.Statistics.Steps, o.stderr)
			}
			if t.Logf("%d cuts", cuts); cuts == 0 {
				t.Error("the link was never down")
			}
			return
		case <-time.After(time.Duration(100+n.rng.IntN(300)) * time.Millisecond):
			if cuts == 5 { // or it might never end
				continue
			}
			cuts++
			ip(t, "link set here down")
			time.Sleep(time.Duration(n.rng.IntN(1500)) * time.Millisecond)
			ip(t, "link set here up")
		}
	}
}

// again runs the test in namespaces of its own, where it may do with the network what it likes.
func again(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("without the ip command no network of its own can be made: only the proxy of TestClusterKills was tried")
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case len(out) == 0 && err != nil, strings.Contains(text, notAllowed):
		t.Skipf("namespaces are not allowed here: only the proxy of TestClusterKills was tried: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, text)
	default:
		t.Log(text)
	}
}

const notAllowed = "the network cannot be set up"

// ip has the ip command set up the network.
func ip(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: ip %s: %v\n%s", notAllowed, line, err, out)
		}
	}
}

// elsewhere starts a worker on a network of its own, at the other end of the link.
func elsewhere(t *testing.T, n *troupe, url string) {
	self := clmc("worker", "--cluster", url, "--workers", "1", "--progress", "never")
	set := "read go; ip link set lo up; ip addr add 10.9.8.2/24 dev there; ip link set there up; " +
		"while ! ip addr show there | grep -q LOWER_UP; do sleep 0.05; done; exec \"$0\" \"$@\""
	w := exec.Command("sh", append([]string{"-c", set}, self.Args...)...)
	w.Env, w.Stderr = self.Env, os.Stderr
	w.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	begin, err := w.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatalf("%s: %v", notAllowed, err)
	}
	n.workers = append(n.workers, w)
	ip(t, fmt.Sprintf("link set there netns %d", w.Process.Pid))
	for began := time.Now(); run(t, "cluster", "jobs", "--cluster", url).code != 0; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatal("the hub does not start")
		}
	}
	io.WriteString(begin, "go\n")
}
