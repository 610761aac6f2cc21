package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/badnet"
	"github.com/clmc/clmc/internal/testkit/thorough"
)

var (
	schedules = flag.Int("schedules", thorough.Of(1, 10), "random schedules of kills of TestClusterKills")
	fromSeed  = flag.Uint64("from", 0, "the first of their seeds")
)

// sharedSearch is a search that takes long enough to be killed, and what one worker alone finds, which is found out once.
type sharedSearch struct {
	args []string
	want func() outcome
}

// wrongSums is manyOutcomes with an assertion that some execution violates.
var wrongSums = strings.Replace(manyOutcomes, `	cl.Observe("sum"`, "\tcl.Assert(sum%11 != 3, \"no sum is 3 modulo 11\")\n"+`	cl.Observe("sum"`, 1)

func sharedSearches(t *testing.T) []sharedSearch {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var all []sharedSearch
	for _, search := range []struct {
		code int // the first is derived in the model, the last from its assertion
		args []string
	}{
		{0, []string{"../../models/bench/lastzero", "-D", fmt.Sprint("n=", thorough.Of(13, 15))}},
		{0, []string{file("many.go", manyOutcomes), "-D", "rounds=5"}},
		{1, []string{file("wrong.go", wrongSums), "-D", "rounds=5", "--all"}},
	} {
		args := append([]string{"explore", "--format", "json", "--progress", "never"}, search.args...)
		all = append(all, sharedSearch{args, sync.OnceValue(func() outcome {
			o := run(t, args...)
			if o.code != search.code {
				t.Errorf("%v: exit code %d alone", args, o.code)
			}
			return o
		})})
	}
	return all
}

// ids are the kinds of violation that were found.
func (o *outcome) ids() (ids []string) {
	for _, v := range o.Violations {
		ids = append(ids, v.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// differs says how an outcome differs from what one worker alone finds. Which executions go on after a
// violation on another path depends on the order; all others do not.
func (o *outcome) differs(want *outcome) string {
	switch {
	case o.code != want.code, o.Verdict != want.Verdict, o.Complete != want.Complete:
		return fmt.Sprintf("exit code %d, %s, complete %v; want %d, %s, %v", o.code, o.Verdict, o.Complete, want.code, want.Verdict, want.Complete)
	case !slices.Equal(o.ids(), want.ids()):
		return fmt.Sprintf("%v, want %v", o.ids(), want.ids())
	case want.Verdict == "verified" && !reflect.DeepEqual(o.Outcomes, want.Outcomes):
		return fmt.Sprintf("%d outcomes, want %d", len(o.Outcomes), len(want.Outcomes))
	}
	return ""
}

// troupe is a hub and workers, which are killed.
type troupe struct {
	t       *testing.T
	rng     *rand.Rand
	port    int
	dir     string
	hub     *exec.Cmd
	workers []*exec.Cmd
	proxy   *badnet.Proxy
}

func (n *troupe) direct() string { return fmt.Sprintf("nats://127.0.0.1:%d", n.port) }

// url is a way to the hub, good or bad.
func (n *troupe) url() string {
	if n.rng.IntN(2) == 0 {
		return n.proxy.URL()
	}
	return n.direct()
}

func (n *troupe) startHub() {
	n.hub = clmc("hub", "--listen", fmt.Sprintf("127.0.0.1:%d", n.port), "--dir", n.dir)
	if err := n.hub.Start(); err != nil {
		n.t.Fatal(err)
	}
	listening(n.t, fmt.Sprintf("127.0.0.1:%d", n.port))
}

// listening waits until somebody listens on an address: a hub does when all that it writes at its start is there.
func listening(t *testing.T, at string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", at); err == nil {
			c.Close()
			return
		}
		if time.Since(began) > 2*time.Minute {
			t.Fatal("the hub does not start")
		}
	}
}

func (n *troupe) startWorker() {
	w := clmc("worker", "--cluster", n.url(), "--workers", "1", "--progress", "never")
	if err := w.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.workers = append(n.workers, w)
}

// kill kills a process without notice.
func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

func (n *troupe) close() {
	for _, w := range n.workers {
		w.Process.Signal(syscall.SIGCONT)
		kill(w)
	}
	kill(n.hub)
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func newTroupe(t *testing.T, rng *rand.Rand) *troupe {
	n := &troupe{t: t, rng: rng, port: freePort(t), dir: filepath.Join(t.TempDir(), "hub")}
	n.proxy = badnet.New(t, fmt.Sprintf("127.0.0.1:%d", n.port))
	n.startHub()
	t.Cleanup(n.close)
	return n
}

// trouble makes some, and returns what.
func (n *troupe) trouble() string {
	w := n.workers[n.rng.IntN(len(n.workers))]
	switch n.rng.IntN(7) {
	case 0:
		kill(w)
		n.workers = slices.DeleteFunc(n.workers, func(x *exec.Cmd) bool { return x == w })
		n.startWorker()
		return "a worker was killed"
	case 1:
		n.startWorker()
		return "a worker has joined"
	case 2:
		w.Process.Signal(syscall.SIGSTOP)
		time.AfterFunc(time.Duration(n.rng.IntN(2000))*time.Millisecond, func() { w.Process.Signal(syscall.SIGCONT) })
		return "a worker was stopped"
	case 3:
		kill(n.hub)
		time.Sleep(time.Duration(n.rng.IntN(300)) * time.Millisecond)
		n.startHub()
		return "the hub was killed"
	case 4:
		n.proxy.Cut()
		return "connections were cut"
	case 5:
		n.proxy.Stall(time.Duration(n.rng.IntN(1500)) * time.Millisecond)
		return "the network stood still"
	}
	n.proxy.Delay(time.Duration(n.rng.IntN(10)) * time.Millisecond)
	return "the network has become slow"
}

// TestClusterKills has processes work on one search and kills, stops and cuts them off from each other at random, the
// hub among them, and whoever asked, which asks again. What comes of it is what one worker alone finds.
func TestClusterKills(t *testing.T) {
	searches := sharedSearches(t)
	troubles := 0
	for i := range *schedules {
		seed := *fromSeed + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			n := newTroupe(t, rng)
			s := &searches[int(seed)%len(searches)]
			for range 1 + rng.IntN(2) {
				n.startWorker()
			}
			o, what := n.endure(s)
			troubles += len(what)
			want := s.want()
			if d := o.differs(&want); d != "" {
				t.Errorf("%v: %s\nafter %q\n%s", s.args, d, what, o.stderr)
			}
		})
	}
	t.Logf("%d troubles in %d schedules", troubles, *schedules)
	if troubles < thorough.Of(1, 3)**schedules {
		t.Errorf("only %d troubles in %d schedules: the searches are too small to say anything", troubles, *schedules)
	}
}

// mostTroubles bounds the troubles of one search: with more it might never end.
const mostTroubles = 12

// endure asks for a search, until there is an answer, and makes trouble meanwhile.
func (n *troupe) endure(s *sharedSearch) (o outcome, what []string) {
	for {
		cmd := clmc(append(slices.Clone(s.args), "--cluster", n.direct())...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			n.t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		killed := false
		for done := false; !done; {
			select {
			case err := <-ended:
				done = true
				o = finished(n.t, err, &stdout, &stderr)
			case <-time.After(time.Duration(20+n.rng.IntN(250)) * time.Millisecond):
				switch {
				case len(what) >= mostTroubles:
				case n.rng.IntN(8) == 0:
					cmd.Process.Kill()
					killed = true
					what = append(what, "whoever asked was killed")
				default:
					what = append(what, n.trouble())
				}
			}
		}
		// The hub may have been away just when it was asked for.
		if !killed && !(o.code == 2 && len(what) > 0 && strings.Contains(what[len(what)-1], "hub")) {
			return o, what
		}
	}
}

// TestClusterGain has two processes do together what one does alone, each less than the whole.
func TestClusterGain(t *testing.T) {
	thorough.Only(t, "a cluster that works, and one whose parts are killed")
	t.Parallel()
	n := newTroupe(t, rand.New(rand.NewPCG(1, 1)))
	search := []string{"explore", "--format", "json", "--progress", "never", "../../models/bench/lastzero", "-D", "n=14"}
	alone := run(t, search...)
	// Whoever asks comes when the worker is at work on it.
	first := clmc(append(search, "--no-work", "--cluster", n.direct())...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	n.startWorker()
	n.proxy.Delay(0)
	for began := time.Now(); !regexp.MustCompile(`[1-9][0-9,]* facts published|done`).MatchString(n.look()); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the worker does not work on it")
		}
	}
	kill(first)
	o := run(t, append(search, "--cluster", n.direct())...)
	if d := o.differs(&alone); d != "" {
		t.Error(d)
	}
	if got, all := o.Statistics.States, alone.Statistics.States; got >= all {
		t.Errorf("%d states were explored here, and alone they are %d", got, all)
	} else {
		t.Logf("%d of %d states were explored here", got, all)
	}
}

// look says what jobs and workers there are.
func (n *troupe) look() string {
	return run(n.t, "cluster", "jobs", "--cluster", n.direct()).stdout + run(n.t, "cluster", "workers", "--cluster", n.direct()).stdout
}

// TestClusterWatch asks for what others find, and works on nothing itself.
func TestClusterWatch(t *testing.T) {
	t.Parallel()
	n := newTroupe(t, rand.New(rand.NewPCG(4, 1)))
	n.startWorker()
	for model, code := range map[string]int{"@kernel_dot": 0, "@kernel_dot_wrongflag": 1} {
		o := run(t, "explore", "--no-work", "--format", "json", "--cluster", n.direct(), model)
		if o.code != code || o.Statistics.Steps != 0 {
			t.Errorf("%s: exit code %d, want %d, and %d steps\n%s%s", model, o.code, code, o.Statistics.Steps, o.stdout, o.stderr)
		}
	}
	for _, w := range n.workers {
		kill(w)
	}
	n.workers = nil
	if o := unattended(t, ".", "--cluster", n.direct(), "@spinlock"); o.code != 3 || !strings.Contains(o.stderr, "repeat the command") {
		t.Errorf("exit code %d, want 3, as nobody works on it\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// unattended asks for a search that nobody works on, in a folder, with more and more time, until there is enough to submit it.
func unattended(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	for limit := time.Second; ; limit *= 2 {
		o := in(t, dir, append([]string{"explore", "--no-work", "--time-limit", limit.String()}, args...)...)
		if limit > time.Minute || o.code != 3 || !strings.Contains(o.stdout+o.stderr, "while it") {
			return o
		}
	}
}

// TestClusterInNoTime asks a hub whose answers take so long that there is no time left when a search has been submitted: it is not
// finished, which is no error, with clmc explore and with clmc run.
func TestClusterInNoTime(t *testing.T) {
	thorough.Only(t, "a cluster that works, and one whose parts are killed")
	t.Parallel()
	n := newTroupe(t, rand.New(rand.NewPCG(9, 1)))
	n.proxy.Delay(700 * time.Millisecond)
	list := filepath.Join(t.TempDir(), "list.yaml")
	if err := os.WriteFile(list, []byte("checks: [{model: \"@spinlock\"}]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"explore", "--time-limit", "1s", "@spinlock"}, {"run", "--budget", "1s", list}} {
		o := run(t, append(args, "--progress", "never", "--cluster", n.proxy.URL())...)
		if strings.Contains(o.stdout+o.stderr, "loaded") || strings.Contains(o.stdout, "before it") { // a machine that does much else takes a while to come so far
			args[2] = "10s"
			n.proxy.Delay(3 * time.Second)
			o = run(t, append(args, "--progress", "never", "--cluster", n.proxy.URL())...)
		}
		if o.code != 3 || !strings.Contains(o.stdout, "was met while its job was submitted") && !strings.Contains(o.stdout, "was used up while its job was submitted") {
			t.Errorf("%v: exit code %d, want 3, as it could not be submitted in time\n%s%s", args, o.code, o.stdout, o.stderr)
		}
	}
}

// TestClusterCancel ends a job for all who work on it, until somebody asks again.
func TestClusterCancel(t *testing.T) {
	t.Parallel()
	n := newTroupe(t, rand.New(rand.NewPCG(5, 1)))
	ask := func() (*exec.Cmd, *bytes.Buffer) {
		cmd := clmc("explore", "--cluster", n.direct(), "../../models/bench/lastzero", "-D", "n=24")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kill(cmd) })
		return cmd, &stderr
	}
	state := func(want string) (id string) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
			if out := n.look(); strings.Contains(out, want) {
				id, _, _ = strings.Cut(out, " ")
				return id
			} else if time.Since(began) > time.Minute {
				t.Fatalf("want %q:\n%s", want, out)
			}
		}
	}
	asked, stderr := ask()
	id := state(": open")
	if o := run(t, "cluster", "cancel", "--cluster", n.direct(), id); o.code != 0 {
		t.Fatal(o.stderr)
	}
	asked.Wait()
	if code := asked.ProcessState.ExitCode(); code != 3 || !strings.Contains(stderr.String(), "was cancelled") {
		t.Errorf("exit code %d, want 3:\n%s", code, stderr.String())
	}
	state(": cancelled")
	asked, stderr = ask()
	id = state(": open")
	if o := run(t, "cluster", "remove", "--cluster", n.direct(), id); o.code != 0 {
		t.Fatal(o.stderr)
	}
	asked.Wait()
	if code := asked.ProcessState.ExitCode(); code != 2 || !strings.Contains(stderr.String(), "was removed") || strings.Contains(stderr.String(), "Attach to it") {
		t.Errorf("removed: exit code %d, want 2:\n%s", code, stderr.String())
	}
}

// TestClusterLost takes all that a hub has from it, while somebody waits for a job, and while a worker is on one whose asker has been killed: both offer their job
// again, and it ends as it should.
func TestClusterLost(t *testing.T) {
	thorough.Only(t, "a cluster that works, and one whose parts are killed")
	t.Parallel()
	n := newTroupe(t, rand.New(rand.NewPCG(6, 1)))
	listed := func(count int) {
		t.Helper()
		for began := time.Now(); strings.Count(n.look(), ": open") != count; time.Sleep(100 * time.Millisecond) {
			if time.Since(began) > 2*time.Minute {
				t.Fatalf("want %d jobs:\n%s", count, n.look())
			}
		}
	}
	ask := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := clmc(append([]string{"explore", "--progress", "never", "--cluster", n.direct()}, args...)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kill(cmd) })
		return cmd, &out
	}
	lose := func() {
		kill(n.hub)
		if err := os.RemoveAll(n.dir); err != nil {
			t.Fatal(err)
		}
		n.startHub()
	}
	waits, out := ask("--no-work", "@kernel_dot_wrongflag")
	listed(1)
	lose()
	listed(1)
	n.startWorker()
	waits.Wait()
	if code := waits.ProcessState.ExitCode(); code != 1 || !strings.Contains(out.String(), "offered again") || !strings.Contains(out.String(), "CL1001") {
		t.Errorf("exit code %d, want 1\n%s", code, out)
	}
	long, _ := ask("--no-work", "../../models/bench/lastzero", "-D", "n=24")
	for began := time.Now(); !strings.Contains(n.look(), "    1 searches at work"); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("nobody is on it:\n%s", n.look())
		}
	}
	kill(long)
	lose()
	listed(1)
}

// TestClusterRun runs a list with workers, which ends as it does alone, and again, when all is there already.
func TestClusterRun(t *testing.T) {
	t.Parallel()
	n := newTroupe(t, rand.New(rand.NewPCG(2, 1)))
	n.startWorker()
	list := "../../models/shipped/checks.yaml"
	alone := run(t, "run", "--progress", "never", list)
	for range 2 {
		o := run(t, "run", "--progress", "never", "--cluster", n.direct(), list)
		if o.code != alone.code || strings.Count(o.stdout, "\n") != strings.Count(alone.stdout, "\n") {
			t.Errorf("exit code %d, want %d:\n%s%s", o.code, alone.code, o.stdout, o.stderr)
		}
	}
}

// TestClusterCommands looks after jobs.
func TestClusterCommands(t *testing.T) {
	t.Parallel()
	n := newTroupe(t, rand.New(rand.NewPCG(3, 1)))
	at := []string{"--cluster", n.direct()}
	cluster := func(code int, want string, args ...string) string {
		t.Helper()
		cmd := clmc(append(append([]string{"cluster"}, args...), at...)...)
		var o outcome
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			o.code = cmd.ProcessState.ExitCode()
		}
		o.stdout, o.stderr = stdout.String(), stderr.String()
		if o.code != code || !strings.Contains(o.stdout+o.stderr, want) {
			t.Errorf("clmc cluster %v: exit code %d, want %d and %q:\n%s%s", args, o.code, code, want, o.stdout, o.stderr)
		}
		return o.stdout
	}
	cluster(0, "", "jobs")
	if o := run(t, append([]string{"explore", "@kernel_dot_wrongflag"}, at...)...); o.code != 1 || !strings.Contains(o.stdout, "CL1001") {
		t.Errorf("exit code %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	id, _, _ := strings.Cut(cluster(0, "done: violated", "jobs"), " ")
	cluster(0, `"state": "done"`, "jobs", "--format", "json")
	cluster(0, "", "workers")
	cluster(0, "cancelled", "cancel", id)
	cluster(0, "cancelled", "jobs")
	cluster(0, "removed", "remove", id)
	cluster(2, "there is no such job", "remove", id)
	cluster(2, "hexadecimal", "remove", "x")
	cluster(2, "want jobs, workers, cancel or remove", "tidy")
	cluster(2, "name the jobs", "cancel")
	if out := cluster(0, "", "jobs"); out != "" {
		t.Errorf("there is still %s", out)
	}
	for _, flag := range []string{"--exact", "--no-cache"} {
		if o := run(t, append([]string{"explore", "@kernel_dot", flag}, at...)...); o.code != 2 || !strings.Contains(o.stderr, flag) {
			t.Errorf("%s: exit code %d\n%s", flag, o.code, o.stderr)
		}
	}
}

// recipe is a command of docs/distribution.md for two desktops.
var recipe = regexp.MustCompile("(?m)^clmc .*$")

// TestDistributionPage tries what docs/distribution.md says of two desktops, in its own commands: with another port, for
// which the address stands, and with a model that is there.
func TestDistributionPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/distribution.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(page), "## Two desktops\n")
	part, _, _ = strings.Cut(part, "\n## ")
	commands := recipe.FindAllString(part, -1)
	if len(commands) != 5 {
		t.Fatalf("the page has %q", commands)
	}
	port := fmt.Sprint(freePort(t))
	here, there := t.TempDir(), t.TempDir()
	words := func(command string) []string {
		command = strings.NewReplacer("--listen 192.168.1.2", "--listen 0.0.0.0:"+port, "192.168.1.2:4222", "127.0.0.1:"+port, "model.go", "@kernel_dot_wrongflag").Replace(command)
		return strings.Fields(command)[1:]
	}
	start := func(dir, command string) *exec.Cmd {
		cmd := clmc(words(command)...)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kill(cmd) })
		return cmd
	}
	start(here, commands[0])
	listening(t, "127.0.0.1:"+port) // what it writes at its start is there by then
	for _, name := range []string{"ca.pem", "worker.nk", "asker.nk"} {
		text, err := os.ReadFile(filepath.Join(here, "clmc-hub", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(there, name), text, 0o600)
		}
		if err != nil || len(text) == 0 {
			t.Fatalf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	start(there, commands[1])
	do := func(dir string, code int, command string) string {
		t.Helper()
		cmd := clmc(words(command)...)
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		o := finished(t, cmd.Run(), &stdout, &stderr)
		if o.code != code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", command, o.code, code, o.stdout, o.stderr)
		}
		return o.stdout
	}
	if out := do(here, 1, commands[2]); !strings.Contains(out, "CL1001") {
		t.Errorf("%s", out)
	}
	id, _, _ := strings.Cut(do(here, 0, commands[3]), " ")
	remove := strings.TrimSuffix(commands[4], "ID") + id
	do(there, 2, strings.NewReplacer("clmc-hub/", "", "asker", "worker").Replace(remove))
	do(here, 0, remove)
	if out := do(here, 0, commands[3]); out != "" {
		t.Errorf("there is still %s", out)
	}
}
