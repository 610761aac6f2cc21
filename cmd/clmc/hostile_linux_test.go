package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// evil are pieces of names and texts that a terminal obeys, or that make a line
// read otherwise than it is.
var evil = []string{
	"\x1b[2J", "\x1b]0;title\a", "\x1b[31m", "\u009b2J", "\x7f", "\b\b\b", "\u202e", "\u2066", "\u200f", "\u061c",
	"\ufeff", "\u2028", "\U000e0041", "\x9b", "\xff\xfe", "\xc3", "\r", "\x0c", "plain", "é",
}

// nasty returns some of them. In text, all is UTF-8.
func nasty(rng *rand.Rand, text bool) string {
	s := "a"
	for range 1 + rng.IntN(4) {
		s += evil[rng.IntN(len(evil))]
	}
	if text {
		s = strings.ToValidUTF8(s, "")
	}
	return s + "z"
}

// safe fails unless what was printed or written can be looked at.
func safe(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: not UTF-8: %.300q", what, text)
	}
	for i, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			t.Errorf("%s: %q is there: %.200q", what, r, text[max(0, i-100):])
			return
		}
	}
}

// TestHostileNames names files, checks, messages and constants after what
// terminals obey, and damages what clmc reads back: of all that it prints and
// writes, nothing is obeyed.
func TestHostileNames(t *testing.T) {
	rng, seed := strikeRand(t, 3)
	rounds := strikes()
	for i := range rounds {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		put := func(name, text string) string {
			if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			return at(name)
		}
		look := func(args ...string) {
			out, err := clmc(args...).CombinedOutput()
			if code := exitOf(err); code < 0 || code > 3 {
				t.Errorf("seed %d, round %d, %q: %v: %s", seed, i, args, err, out)
			}
			safe(t, fmt.Sprintf("seed %d, round %d, %q", seed, i, args), string(out))
			for _, name := range []string{"bug.svg", "bug.dot", "bug.json", "out.json", "out.xml", "out.sarif"} {
				if text, err := os.ReadFile(at(name)); err == nil {
					safe(t, fmt.Sprintf("seed %d, round %d, %q: %s", seed, i, args, name), string(text))
				}
			}
		}
		name := nasty(rng, false)
		model := put(name+".go", hostileModel(nasty(rng, true), nasty(rng, true)))
		look("explore", model, "--all", "--graph", at("bug.svg"), "--graph", at("bug.dot"), "--trace", at("bug.json"))
		look("explore", model, "--all", "--format", "json")
		look("explore", model, "--progress", "json", "-D", "n="+nasty(rng, false))
		look("explore", model, "-D", nasty(rng, false), "--spec", nasty(rng, false))
		look("replay", at("bug.json"))
		look("explore", put(name+"-2.go", "package main\n\nfunc main() { \""+nasty(rng, true)+"\" }\n"))
		look("explore", put(name+"-3.go", nasty(rng, false)))
		look("explore", at(nasty(rng, false)), at(nasty(rng, false)+".go"))
		look(nasty(rng, false), "--"+nasty(rng, false))

		look("litmus", put(name+".litmus", "OpenCL "+nasty(rng, false)+"\n{ [x]=0; }\n"+hostileThread+nasty(rng, false)))
		look("litmus", put(name+"-2.litmus", "OpenCL "+strings.ReplaceAll(nasty(rng, true), "\r", "")+"\n{ [x]=0; }\n"+hostileThread))
		look("litmus", "--format", "json", dir)

		list := put("list.yaml", "checks:\n  - {model: "+strconv.Quote(filepath.Base(model))+", expect: verified, name: "+quoted(nasty(rng, true)+"\n"+nasty(rng, true))+"}\n")
		look("run", list, "--json", at("out.json"), "--junit", at("out.xml"), "--sarif", at("out.sarif"))
		look("run", list, "--format", "junit")
		look("run", put("bad.yaml", "checks:\n  - {model: x.go, "+quoted(nasty(rng, true))+": 1}\n"))
		look("run", put("bad2.yaml", nasty(rng, false)))

		look("replay", put("trace.json", fmt.Sprintf(`{"schema": %s}`, quoted(nasty(rng, true)))))
		look("replay", put("trace.json", fmt.Sprintf(`{"schema": "clmc.trace/1", %s: 1}`, quoted(nasty(rng, true)))))
		look("replay", put("trace.json", fmt.Sprintf(`{"schema": "clmc.trace/1", "model": %s, "id": "CL1001", "location": %[1]s}`, quoted(nasty(rng, true)))))

		store := at(name + ".store")
		look("explore", "--store", store, "--max-states", "3", put("many.go", manyOutcomes))
		note := fmt.Sprintf(`{"schema": "clmc.status/1", "model": %s, "spec": %[1]s, "reduction": %[1]s, "state": %q, "verdict": %[1]s, "incomplete": [%[1]s]}`,
			quoted(nasty(rng, true)), []string{"paused", "finished", "failed"}[rng.IntN(3)])
		if err := os.WriteFile(filepath.Join(store, "status.json"), []byte(note), 0o666); err != nil {
			t.Fatal(err)
		}
		look("status", store)
		look("status", "--format", "json", store)
		if err := os.WriteFile(filepath.Join(store, "clmc-store"), []byte("clmc store, format "+nasty(rng, false)), 0o666); err != nil {
			t.Fatal(err)
		}
		look("resume", store)
	}
}

// quoted writes text as JSON, and YAML, do, which leave much of it as it is.
func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// hostileModel fails an assertion, and races, in a line with a comment.
func hostileModel(message, comment string) string {
	comment = strings.NewReplacer("\r", "", "\ufeff", "").Replace(comment)
	return `package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var x int32

func k() {
	x = 1 // ` + comment + `
	cl.Observe(` + strconv.Quote(message+"\nverdict: verified") + `, x)
	cl.Assert(x == 2, ` + strconv.Quote(message+"\nverdict: verified") + `)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n, n))
	cl.Finish()
}
`
}

const hostileThread = `P0 (global atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
scopeTree (device (work_group P0))
exists (0:r0=0)
`

// TestForgedVerdict names a model, a check and a message so that they would make
// lines of their own.
func TestForgedVerdict(t *testing.T) {
	dir := t.TempDir()
	forged := "m\nverdict: verified: no violation in any execution\n.go"
	model := filepath.Join(dir, forged)
	if err := os.WriteFile(model, []byte(hostileModel("message", "comment")), 0o666); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "list.yaml")
	if err := os.WriteFile(list, []byte("checks:\n  - {model: "+quoted(forged)+", expect: verified}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"explore", model}, {"explore", "-q", model}, {"explore", "-D", "n=x", model}, {"explore", "--all", dir}, {"run", list}} {
		o := run(t, args...)
		for line := range strings.Lines(o.stdout + o.stderr) {
			if strings.HasPrefix(line, "verdict: verified") {
				t.Errorf("%q prints a line of its own: %s%s", args, o.stdout, o.stderr)
			}
		}
	}
}

// TestPipesAndDevices names what is no file where one is wanted, and files that
// have no end: each is refused at once.
func TestPipesAndDevices(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"pipe.go", "pipe.litmus", "pipe.yaml", "pipe.json", "folder.go", "folder.litmus", "folder.yaml"} {
		var err error
		if strings.HasPrefix(name, "pipe") {
			err = syscall.Mkfifo(at(name), 0o666)
		} else {
			err = os.Mkdir(at(name), 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"zero.go": "/dev/zero", "zero.litmus": "/dev/zero", "zero.yaml": "/dev/zero", "null.go": "/dev/null"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"huge.go", "huge.litmus", "huge.yaml", "huge.json"} { // with holes
		if err := os.WriteFile(at(name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(at(name), 1<<40); err != nil {
			t.Skip(err)
		}
	}
	sub := at("sub")
	if err := os.Mkdir(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(sub, "a.go"), 0o666); err != nil {
		t.Fatal(err)
	}
	store := at("store")
	if o := run(t, "explore", "--store", store, "--max-states", "3", write(t, "model.go", manyOutcomes)); o.code != 3 {
		t.Fatal(o.stderr)
	}
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"explore", at("pipe.go")}, "is a pipe"},
		{[]string{"explore", at("pipe.litmus")}, "is a pipe"},
		{[]string{"litmus", at("pipe.litmus")}, "is a pipe"},
		{[]string{"litmus", at("pipe.go")}, "is a pipe"},
		{[]string{"run", at("pipe.yaml")}, "is a pipe"},
		{[]string{"replay", at("pipe.json")}, "is a pipe"},
		{[]string{"explore", sub}, "is a pipe"},
		{[]string{"explore", at("zero.go")}, "is a device"},
		{[]string{"explore", at("zero.litmus")}, "is a device"},
		{[]string{"litmus", "/dev/zero"}, "is a device"},
		{[]string{"run", at("zero.yaml")}, "is a device"},
		{[]string{"run", "/dev/zero"}, "is a device"},
		{[]string{"replay", "/dev/zero"}, "is a device"},
		{[]string{"explore", at("null.go")}, "is a device"},
		{[]string{"run", at("folder.yaml")}, "is a folder"},
		{[]string{"replay", dir}, "is a folder"},
		{[]string{"explore", at("huge.go")}, "larger than 1 MiB"},
		{[]string{"litmus", at("huge.litmus")}, "1 MiB"},
		{[]string{"run", at("huge.yaml")}, "larger than 1 MiB"},
		{[]string{"replay", at("huge.json")}, "larger than 64 MiB"},
	} {
		quickly(t, 2, test.says, test.args...)
	}
	for _, name := range []string{"status.json", "clmc-store"} {
		path := filepath.Join(store, name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Fatal(err)
		}
		quickly(t, 2, "", "status", store)
	}
	quickly(t, 2, "is a pipe", "resume", store)
}

// quickly runs a command that must come to its end by itself.
func quickly(t *testing.T, code int, says string, args ...string) {
	t.Helper()
	cmd := clmc(args...)
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	guard.Stop()
	if out := both.String(); exitOf(err) != code || !strings.Contains(out, says) || !strings.HasPrefix(out, "clmc: ") || strings.Contains(out, "goroutine ") {
		t.Errorf("%q: exit code %d: %.500s", args, exitOf(err), out)
	}
}

// TestHangup closes the terminal: the search is kept, unless it was told to go on.
func TestHangup(t *testing.T) {
	hup := make(chan os.Signal, 1) // a command is not to inherit that this run of the tests ignores it, as by nohup
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	model := write(t, "model.go", manyOutcomes)
	for _, ignored := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "store")
		cmd := clmc("explore", "--store", dir, "-D", "n=5", "-D", "rounds=5", model)
		if ignored {
			cmd = exec.Command("/bin/sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, cmd.Args...)...)
			cmd.Env = append(os.Environ(), asCommand+"=1")
		}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(time.Minute)
		for !strings.Contains(run(t, "status", dir).stdout, "running, process") && time.Now().Before(deadline) {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond)
		cmd.Process.Signal(syscall.SIGHUP)
		if ignored {
			time.Sleep(500 * time.Millisecond)
			if !strings.Contains(run(t, "status", dir).stdout, "running, process") {
				t.Error("a hangup that was to be ignored ended the search")
			}
			cmd.Process.Signal(syscall.SIGTERM)
		}
		err := cmd.Wait()
		if exitOf(err) != 3 || !strings.Contains(stderr.String(), "the search is kept. Go on with: clmc resume") {
			t.Errorf("ignored: %v, exit code %d: %s", ignored, exitOf(err), &stderr)
		}
	}
}

// TestUmask checks the rights of all that is written as a result.
func TestUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	list := at("list.yaml")
	if err := os.WriteFile(list, []byte("checks:\n  - {model: \"@mp_relaxed\", expect: CL1001}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, "run", list, "--store", at("cache"), "--json", at("1"), "--junit", at("2"), "--sarif", at("3"))
	run(t, "explore", "@mp_relaxed", "--graph", at("4.svg"), "--graph", at("5.dot"), "--trace", at("6.json"), "--store", at("store"))
	remembered, _ := filepath.Glob(at("cache/results/*.json"))
	if len(remembered) != 1 {
		t.Fatal(remembered)
	}
	for _, path := range append(remembered, at("1"), at("2"), at("3"), at("4.svg"), at("5.dot"), at("6.json"), at("store/clmc-store"), at("store/status.json")) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestReadOnlyCache runs a list with a store that is not to be written: what it
// remembers is used, and stays, however old it is.
func TestReadOnlyCache(t *testing.T) {
	dir := t.TempDir()
	store, old := filepath.Join(dir, "cache"), time.Now().Add(-1000*time.Hour)
	lists := []string{"checks:\n  - {model: \"@mp_relaxed\", expect: CL1001}\n", "checks:\n  - {model: \"@kernel_dot\"}\n"}
	for i, text := range lists {
		lists[i] = filepath.Join(dir, fmt.Sprint(i, ".yaml"))
		if err := os.WriteFile(lists[i], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if o := run(t, "run", lists[i], "--store", store); o.code != 0 {
			t.Fatal(o.stdout, o.stderr)
		}
	}
	files, _ := filepath.Glob(filepath.Join(store, "results", "*.json"))
	for _, name := range files {
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	results := filepath.Join(store, "results")
	if err := os.Chmod(results, 0o555); err != nil {
		t.Fatal(err)
	}
	if o := run(t, "run", lists[0], "--store", store); o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, "remembered") {
		t.Errorf("%+v", o)
	}
	if now, _ := filepath.Glob(filepath.Join(results, "*.json")); len(files) != 2 || len(now) != 2 {
		t.Errorf("%v, and before %v", now, files)
	}
	if err := os.Chmod(results, 0o777); err != nil {
		t.Fatal(err)
	}
	if o := run(t, "run", lists[0], "--store", store); !strings.Contains(o.stderr, "removed 1 ") {
		t.Errorf("what is old stays where it could go: %+v", o)
	}
}
