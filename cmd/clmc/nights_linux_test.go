package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/thorough"
)

// kept is a store with a search that a run of a list has kept.
type kept struct {
	list, store string
	states      int
}

// keptOnce makes one: a search is kept after some seconds, so that it is copied
// for each test. A machine that does much else is given more time, until there is one.
var keptOnce = sync.OnceValues(func() (*kept, error) {
	dir, err := os.MkdirTemp("", "clmc-kept")
	if err != nil {
		return nil, err
	}
	shared = append(shared, dir)
	k := &kept{list: filepath.Join(dir, "list.yaml"), store: filepath.Join(dir, "store")}
	list := "checks:\n  - {model: model.go, define: {n: 5, rounds: 5}}\n"
	err = errors.Join(os.WriteFile(filepath.Join(dir, "model.go"), []byte(manyOutcomes), 0o666), os.WriteFile(k.list, []byte(list), 0o666))
	if err != nil {
		return nil, err
	}
	for budget := time.Duration(thorough.Of(1, 8)) * time.Second; ; budget *= 2 {
		if out, err := clmc("run", "--store", k.store, "--mem", "32MiB", "--budget", budget.String(), k.list).CombinedOutput(); exitOf(err) != 3 {
			return nil, errors.Join(err, errors.New(string(out)))
		}
		if k.states, err = statesIn(k.store); err == nil && k.states > leastKept || budget > 2*time.Minute {
			return k, err
		}
	}
})

// leastKept is how many states a search must have that is kept for tests: what is lost of few would not be seen.
const leastKept = 10_000

// copyKept copies the store with the kept search.
func copyKept(t *testing.T) *kept {
	t.Helper()
	k, err := keptOnce()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.CopyFS(dir, os.DirFS(k.store)); err != nil {
		t.Fatal(err)
	}
	return &kept{k.list, dir, k.states}
}

// search returns the directory of the only search in a store.
func (k *kept) search(t *testing.T) string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(k.store, "searches", "????????????????????????????????"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v %v", dirs, err)
	}
	return dirs[0]
}

// statesIn reads the number of states of the only search in a store.
func statesIn(dir string) (int, error) {
	notes, err := filepath.Glob(filepath.Join(dir, "searches", "????????????????????????????????", "status.json"))
	if err != nil || len(notes) != 1 {
		return 0, errors.Join(err, errors.New("not one search"))
	}
	text, err := os.ReadFile(notes[0])
	var note struct{ States int }
	return note.States, errors.Join(err, json.Unmarshal(text, &note))
}

func exitOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// night runs the list with a short budget, by way of a shell that may set limits.
func (k *kept) night(t *testing.T, limits string, attr *syscall.SysProcAttr) (code int, out string) {
	t.Helper()
	return k.nightOf(t, time.Duration(thorough.Of(500, 1500))*time.Millisecond, limits, attr)
}

// nightOf runs it with a budget, and with more where nothing has begun.
func (k *kept) nightOf(t *testing.T, budget time.Duration, limits string, attr *syscall.SysProcAttr) (code int, out string) {
	t.Helper()
	for ; ; budget *= 4 {
		code, out = k.shell(t, limits, attr, `run --store "$STORE" --mem 32MiB --checkpoint-every 100ms --budget `+budget.String()+` "$LIST"`)
		if !tooSlow.MatchString(out) || budget > time.Minute {
			return code, out
		}
	}
}

// tooSlow is what is said where there was not the time to begin, on a machine that does much else.
var tooSlow = regexp.MustCompile(`was used up before|was met while|was used up while`)

// resume goes on with the search for a while.
func (k *kept) resume(t *testing.T, limits string, attr *syscall.SysProcAttr) (code int, out string) {
	t.Helper()
	t.Setenv("SEARCH", k.search(t))
	for limit := 500 * time.Millisecond; ; limit *= 4 {
		code, out = k.shell(t, limits, attr, `resume "$SEARCH" --mem 32MiB --time-limit `+limit.String())
		if !tooSlow.MatchString(out) || limit > time.Minute {
			return code, out
		}
	}
}

func (k *kept) shell(t *testing.T, limits string, attr *syscall.SysProcAttr, args string) (code int, out string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", limits+"\nexec \"$CLMC\" "+args)
	cmd.Env = append(os.Environ(), asCommand+"=1", "CLMC="+self, "STORE="+k.store, "LIST="+k.list)
	cmd.SysProcAttr = attr
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	err = cmd.Run()
	if exitOf(err) < 0 {
		t.Skipf("cannot be tried here: %v", err)
	}
	return exitOf(err), both.String()
}

// asides lists what was moved aside in a store.
func (k *kept) asides(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(k.store, "searches", "*.aside-*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// goesOn checks that the search that was kept is still there, and that a night
// without trouble goes on with it. On a machine that does much else a short one does not come to the first new state.
func (k *kept) goesOn(t *testing.T) {
	t.Helper()
	var code, states int
	var out string
	var err error
	for budget := 1500 * time.Millisecond; states == 0 && budget < 3*time.Minute; budget *= 3 {
		code, out = k.nightOf(t, budget, "", nil)
		if states, err = statesIn(k.store); err != nil {
			break
		}
	}
	if code != 3 || err != nil || states < k.states || !strings.Contains(out, "continuing the search in the store") || len(k.asides(t)) > 0 {
		t.Errorf("the search was lost: exit code %d, %v, %d states, and there were %d\n%s", code, err, states, k.states, out)
	}
}

// TestTroubledNights lets the system fail in the middle of the nights: a run of
// the list says what the matter is, and no trouble makes it give up the search
// that it finds.
func TestTroubledNights(t *testing.T) {
	unprivileged := &syscall.SysProcAttr{ // not even root may read what it has no rights to
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getgid(), Size: 1}},
	}
	for _, test := range []struct {
		what    string
		limits  string // in the shell
		trouble func(search string) error
		mend    func(search string) error
		attr    *syscall.SysProcAttr
		code    int
		says    string
	}{
		{what: "no more files", limits: "ulimit -n 14", code: 2, says: "too many open files\n.*Raise the limit"},
		{what: "files may not grow", limits: "ulimit -f 1", code: 3, says: "the disk is full: file too large\n.*Free some space"},
		{what: "a directory that cannot be written", attr: unprivileged, code: 2, says: "permission denied\n.*Make the folder and all files in it readable and writable",
			trouble: func(dir string) error { return os.Chmod(filepath.Join(dir, "db"), 0o555) },
			mend:    func(dir string) error { return os.Chmod(filepath.Join(dir, "db"), 0o777) }},
		{what: "a directory that cannot be read", attr: unprivileged, code: 2, says: "permission denied\n.*Make the folder and all files in it readable and writable",
			trouble: func(dir string) error { return os.Chmod(filepath.Join(dir, "db"), 0) },
			mend:    func(dir string) error { return os.Chmod(filepath.Join(dir, "db"), 0o777) }},
		{what: "a file that cannot be read", attr: unprivileged, code: 2, says: "permission denied\n.*Make the folder and all files in it readable and writable",
			trouble: func(dir string) error { return os.Chmod(filepath.Join(dir, "clmc-store"), 0) },
			mend:    func(dir string) error { return os.Chmod(filepath.Join(dir, "clmc-store"), 0o666) }},
		// A process's memory cannot be read where nothing is mapped: an error of the device.
		{what: "a disk that fails", code: 2, says: "input/output error\n.*The disk or the system failed",
			trouble: func(dir string) error {
				return errors.Join(os.Rename(dir+"/db/MANIFEST", dir+"/db/kept"), os.Symlink("/proc/self/mem", dir+"/db/MANIFEST"))
			},
			mend: func(dir string) error { return os.Rename(dir+"/db/kept", dir+"/db/MANIFEST") }},
	} {
		t.Run(test.what, func(t *testing.T) {
			if test.what != "no more files" && test.what != "a file that cannot be read" && test.what != "a disk that fails" {
				thorough.Only(t, "other trouble")
			}
			k := copyKept(t)
			if test.trouble != nil {
				if err := test.trouble(k.search(t)); err != nil {
					t.Fatal(err)
				}
			}
			for what, run := range map[string]func(*testing.T, string, *syscall.SysProcAttr) (int, string){"run": k.night, "resume": k.resume} {
				code, out := run(t, test.limits, test.attr)
				bad := strings.Contains(out, "begins again") || strings.Contains(out, "damaged") || strings.Contains(out, "goroutine ")
				if bad || code != test.code || !regexp.MustCompile(test.says).MatchString(out) {
					t.Errorf("%s: exit code %d, want %d: %s", what, code, test.code, out)
				}
			}
			if test.mend != nil {
				if err := test.mend(k.search(t)); err != nil {
					t.Fatal(err)
				}
			}
			k.goesOn(t)
		})
	}
}

// TestNoMemory takes address space away, more and more, down from where a run cannot
// open its search any more. Whatever it dies of, it takes the search with it in no case. (A run that
// dies for want of address space while Badger writes can leave a store without all the states of its
// checkpoint: see docs/store.md.)
func TestNoMemory(t *testing.T) {
	k := copyKept(t)
	said := 0
	for _, kib := range []string{"1300000", "1150000", "1000000", "750000", "500000", "250000"} {
		code, out := k.night(t, "ulimit -v "+kib, nil)
		if code == 2 && strings.Contains(out, "cannot allocate memory") && !strings.Contains(out, "goroutine ") {
			said++
		}
		if strings.Contains(out, "begins again") || len(k.asides(t)) > 0 || code != 2 && code != 3 {
			t.Errorf("ulimit -v %s: exit code %d: %.2000s", kib, code, out)
		}
		t.Logf("ulimit -v %s: exit code %d: %.300s", kib, code, out)
	}
	if said == 0 {
		t.Log("the runtime itself was the first to need memory")
	}
	k.goesOn(t)
}

// TestLostSearches damages kept searches, or puts others in their place: only
// then a search begins again, and what was there is moved aside as it was.
func TestLostSearches(t *testing.T) {
	other := half(t, write(t, "model.go", manyOutcomes))
	for what, spoil := range map[string]func(dir string) error{
		"damage": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "db", "MANIFEST"), []byte("none"), 0o666)
		},
		"no database": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "db")) },
		"another format": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "clmc-store"), []byte("clmc store, format 1\nmemory 33554432\n"), 0o666)
		},
		"another search": func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(other)))
		},
	} {
		t.Run(what, func(t *testing.T) {
			if what != "damage" && what != "another search" {
				thorough.Only(t, "other damage")
			}
			k := copyKept(t)
			search := k.search(t)
			if err := spoil(search); err != nil {
				t.Fatal(err)
			}
			before := contents(t, search)
			code, out := k.night(t, "", nil)
			asides := k.asides(t)
			if code != 3 || !strings.Contains(out, "it begins again: ") || len(asides) != 1 || !strings.Contains(out, asides[0]) {
				t.Fatalf("exit code %d, aside %q: %s", code, asides, out)
			}
			for name, text := range before {
				if name != "lock" && contents(t, asides[0])[name] != text {
					t.Errorf("%s is not what it was", name)
				}
			}
			if o := run(t, "status", search); !strings.Contains(o.stdout, "Go on with") {
				t.Errorf("no new search: %s%s", o.stdout, o.stderr)
			}
		})
	}
}

// TestClusterLostSearch runs the list on a cluster, where a search that is lost begins again as well.
func TestClusterLostSearch(t *testing.T) {
	n := newTroupe(t, rand.New(rand.NewPCG(10, 1)))
	k := copyKept(t)
	if err := os.WriteFile(filepath.Join(k.search(t), "clmc-store"), []byte("none"), 0o666); err != nil {
		t.Fatal(err)
	}
	var o outcome
	for budget := 500 * time.Millisecond; ; budget *= 4 { // more where nothing has begun
		o = run(t, "run", "--progress", "never", "--store", k.store, "--mem", "32MiB", "--budget", budget.String(), "--cluster", n.direct(), k.list)
		if !tooSlow.MatchString(o.stdout+o.stderr) || budget > time.Minute {
			break
		}
	}
	damaged := k.asides(t)
	if o.code != 3 || !strings.Contains(o.stderr, "and the search starts again") || len(damaged) != 1 || strings.Contains(o.stdout, "damaged") {
		t.Errorf("exit code %d, aside %q:\n%s%s", o.code, damaged, o.stdout, o.stderr)
	}
}

// contents reads all files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTwoNights runs a list twice at a time: the second leaves the search to the
// first, and says so.
func TestTwoNights(t *testing.T) {
	k := copyKept(t)
	first := clmc("run", "--store", k.store, "--mem", "32MiB", "--budget", "1m", k.list)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer first.Wait()
	defer first.Process.Kill()
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(run(t, "status", k.search(t)).stdout, "running, process") {
		if time.Now().After(deadline) {
			t.Fatal("the first run does not begin")
		}
		time.Sleep(20 * time.Millisecond)
	}
	code, out := k.night(t, "", nil)
	if code != 3 || !strings.Contains(out, "the store is in use by process") || !strings.Contains(out, "1 unfinished") || strings.Contains(out, "begins again") {
		t.Errorf("exit code %d: %s", code, out)
	}
	first.Process.Signal(syscall.SIGTERM)
	first.Wait()
	k.goesOn(t)
}

// TestNightOnFullDisk fills the disk before a run of a list, in several degrees,
// and before clmc resume: the search is unfinished, and goes on when there is room.
func TestNightOnFullDisk(t *testing.T) {
	k := copyKept(t)
	t.Setenv("STORE", k.store)
	t.Setenv("LIST", k.list)
	// On a slow machine compactions are left to the next start, and need as much room as the store.
	out := onSmallDisk(t, `
mount -o remount,size=128m "$DISK" || exit 77
cp -r "$STORE" store
SEARCH=$(echo store/searches/*)
for left in 12M 6M 1M 64K 0; do
	head -c 200M /dev/zero > filler 2> /dev/null
	truncate -s -$left filler
	echo "left: $left"
	$CLMC run --store store --mem 32MiB --checkpoint-every 100ms --budget 1500ms "$LIST" 2>&1
	echo "run: exit code $?"
	$CLMC resume "$SEARCH" --mem 32MiB --time-limit 1s 2>&1
	echo "resume: exit code $?"
	$CLMC explore --store new --mem 32MiB @kernel_dot 2>&1
	echo "explore: exit code $?"
	rm -rf filler new
done
$CLMC run --store store --mem 32MiB --checkpoint-every 100ms --budget 1500ms "$LIST" 2>&1
echo "after: exit code $?"
ls store/searches
cat "$SEARCH"/status.json
`)
	degrees := strings.Split(out, "left: ")
	last := degrees[len(degrees)-1]
	for _, d := range degrees[1:] {
		for _, text := range []string{"run: exit code 3", "resume: exit code 3", "explore: exit code 3", "the disk is full", "Free some space, and start again"} {
			if !strings.Contains(d, text) {
				t.Errorf("does not say %q: %s", text, d)
			}
		}
	}
	if strings.Contains(out, "begins again") || strings.Contains(out, "aside") || strings.Contains(out, "damaged") || strings.Contains(out, "goroutine ") {
		t.Errorf("%s", out)
	}
	if !strings.Contains(last, "after: exit code 3") || !strings.Contains(last, "continuing the search in the store") {
		t.Errorf("%s", last)
	}
}
