package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/clmc/clmc/internal/testkit/daily"
	"github.com/clmc/clmc/internal/testkit/thorough"
)

var (
	kills      = flag.Int("kills", thorough.Of(4, 10), "how often TestKill kills a run")
	strikeSeed = flag.Uint64("strike-seed", 0, "the seed of what tests do harm to, and when; 0: that of today")
)

// strikes is how often a test is to do harm.
func strikes() int {
	if testing.Short() {
		return *kills / 3
	}
	return *kills
}

// strikeRand returns the random numbers of a test that does harm, and their seed.
func strikeRand(t *testing.T, test uint64) (*rand.Rand, uint64) {
	t.Helper()
	seed := *strikeSeed
	if seed == 0 {
		seed = daily.Seed()
	}
	t.Logf("-strike-seed %d", seed)
	return rand.New(rand.NewPCG(seed, test)), seed
}

// asCommand in the environment makes the test binary the command itself.
const asCommand = "CLMC_TEST_COMMAND"

// clmc prepares the command with these arguments.
func clmc(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// outcome is what a run ends in.
type outcome struct {
	code           int
	stdout, stderr string
	result         // of --format json
}

// result is the part of a result that must not depend on interruptions.
type result struct {
	Verdict    string
	Complete   bool
	Violations []struct{ ID string }
	Outcomes   []map[string]int64
	Statistics struct {
		States, Steps, Executions, Redundant, Blocked, Cuts, Depth int
		Saved                                                      map[string]int
	}
}

// run runs the command to its end.
func run(t *testing.T, args ...string) outcome {
	t.Helper()
	cmd := clmc(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	return finished(t, cmd.Run(), &stdout, &stderr)
}

func finished(t *testing.T, err error, stdout, stderr *bytes.Buffer) outcome {
	t.Helper()
	o := outcome{stdout: stdout.String(), stderr: stderr.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		o.code = exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	if json.Valid(stdout.Bytes()) {
		if err := json.Unmarshal(stdout.Bytes(), &o.result); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// manyOutcomes is a model with as many states as a test of crashes wants.
const manyOutcomes = `package main

import "github.com/clmc/clmc/models/cl"

const n = 3
const rounds = 3

var x, y cl.AtomicInt

func kernel() {
	i := cl.GetGlobalID(0)
	sum := int32(0)
	for j := range rounds {
		sum = 2*sum + cl.AtomicFetchAddExplicit(&x, int32(i+1), cl.MemoryOrderRelaxed)
		if sum%3 == int32(j) {
			cl.AtomicStoreExplicit(&y, sum%5, cl.MemoryOrderRelaxed)
		}
	}
	cl.Observe("sum", sum%7)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, 1))
	cl.Finish()
}
`

// enqueued is a model like it, of kernels that a kernel enqueues.
const enqueued = `package main

import "github.com/clmc/clmc/models/cl"

const n = 3
const rounds = 2

var x, y cl.AtomicInt

func child(i int) {
	sum := int32(0)
	for j := range rounds {
		sum = 2*sum + cl.AtomicFetchAddExplicit(&x, int32(i+1), cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		if sum%3 == int32(j) {
			cl.AtomicStoreExplicit(&y, sum%5, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
	}
	cl.Observe("sum", sum%7)
}

func parent() {
	for i := range n {
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), func() { child(i) })
	}
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
`

// failing is manyOutcomes with an assertion that fails in some executions.
var failing = strings.Replace(manyOutcomes, "\tcl.Observe", "\tcl.Assert(sum%11 != 3, \"never three\")\n\tcl.Observe", 1)

// manyStates is a kernel in OpenCL C like manyOutcomes.
const manyStates = `
kernel void count(global atomic_int *x, global atomic_int *y, global int *sums) {
	int i = get_global_id(0), sum = 0;
	for (int j = 0; j < ROUNDS; j++) {
		sum = 2 * sum + atomic_fetch_add_explicit(x, i + 1, memory_order_relaxed);
		if (sum % 3 == j)
			atomic_store_explicit(y, sum % 5, memory_order_relaxed);
	}
	sums[i] = sum;
}
`

// write writes a file into a new directory.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// begin returns the arguments that begin a search in a store, or go on with it.
func begin(dir string, search ...string) []string {
	args := []string{"resume", dir}
	if _, err := os.Stat(filepath.Join(dir, "clmc-store")); err != nil {
		args = append([]string{"explore", "--store", dir}, search...)
	}
	return append(args, "--mem", "32MiB", "--format", "json", "--progress", "never")
}

// victim is a search to kill.
type victim struct {
	args []string // of clmc explore
	want outcome
	took time.Duration
}

// victims lists searches, undisturbed: of kernels that the host enqueues, of
// kernels that a kernel enqueues, in which units and locations have other numbers
// from one state to the next, and of loops that wait. Those to be killed often are
// searched in several ways, fail, or are in OpenCL C. Each takes some seconds at most: a
// search that is killed again and again takes many times as long as undisturbed.
func victims(t *testing.T) (list []*victim) {
	hosted, enqueued := write(t, "model.go", manyOutcomes), write(t, "enqueued.go", enqueued)
	all := [][]string{
		{hosted, "-D", "rounds=3"},
		{enqueued, "-D", "rounds=2"},
	}
	if *kills > 10 {
		all = [][]string{
			{hosted, "-D", "rounds=4"},
			{hosted, "-D", "rounds=4", "--exact"},
			{hosted, "-D", "rounds=4", "--por", "sleep"},
			{hosted, "-D", "rounds=3", "--por", "none"},
			{enqueued, "-D", "n=2", "-D", "rounds=4"},
			{"../../models/bench/sensebarrier", "-D", "n=6"},
			{write(t, "failing.go", failing), "-D", "rounds=4", "--all"},
			{write(t, "kernel.cl", manyStates), "--global", "4", "--local", "1", "-D", "ROUNDS=3", "--arg", "x=zero[1]", "--arg", "y=zero[1]", "--arg", "sums=zero[4]"},
		}
	}
	for _, args := range all {
		v := &victim{args: args}
		began := time.Now()
		v.want = run(t, append([]string{"explore", "--format", "json"}, args...)...)
		v.took = time.Since(began)
		if !v.want.Complete {
			t.Fatalf("%v: %+v", args, v.want)
		}
		t.Logf("%v: undisturbed %v, %s, %d states", args, v.took.Round(time.Millisecond), v.want.Verdict, v.want.Statistics.States)
		list = append(list, v)
	}
	return list
}

// TestKill kills runs at random moments. Each is resumed, and what it ends in
// must be what it ends in undisturbed.
func TestKill(t *testing.T) {
	rng, _ := strikeRand(t, 1)
	list := victims(t)
	searches, killed := 0, 0
	for ; killed < strikes() || searches < len(list); searches++ {
		n, resumed := list[searches%len(list)].endure(t, rng)
		killed += n
		t.Logf("%v: killed %d times, resumed %d times", list[searches%len(list)].args, n, resumed)
	}
	t.Logf("%d searches, %d kills", searches, killed)
}

// endure kills and resumes one search until it comes to its end, and returns how
// often it did.
func (v *victim) endure(t *testing.T, rng *rand.Rand) (killed, resumed int) {
	dir := filepath.Join(t.TempDir(), "store")
	patience := max(v.took/4, time.Millisecond)
	for {
		args := append(begin(dir, v.args...), "--checkpoint-every", fmt.Sprint(time.Millisecond<<rng.IntN(9)))
		if args[0] == "resume" {
			resumed++
		}
		cmd := clmc(args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		strike := time.AfterFunc(time.Duration(rng.Int64N(int64(patience))), func() { cmd.Process.Kill() })
		err := cmd.Wait()
		strike.Stop()
		if cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			killed++
			patience += patience / 4
			continue
		}
		want := &v.want
		if o := finished(t, err, &stdout, &stderr); o.code != want.code || !reflect.DeepEqual(o.result, want.result) {
			t.Fatalf("%v, after %d kills: exit code %d, %s, %d states of %d, %d outcomes of %d\n%s", v.args, killed, o.code,
				o.Verdict, o.Statistics.States, want.Statistics.States, len(o.Outcomes), len(want.Outcomes), o.stderr)
		}
		return killed, resumed
	}
}

// TestTerminate interrupts a run politely, again and again.
func TestTerminate(t *testing.T) {
	model := write(t, "model.go", manyOutcomes)
	want := run(t, "explore", "--format", "json", model)
	dir := filepath.Join(t.TempDir(), "store")
	patience := 200 * time.Millisecond
	for signals := 0; ; signals++ {
		if signals == 100 {
			t.Fatal("the search does not get on")
		}
		args := begin(dir, model)
		cmd := clmc(args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		strike := time.AfterFunc(patience, func() { cmd.Process.Signal(syscall.SIGTERM) })
		err := cmd.Wait()
		strike.Stop()
		patience += patience / 4
		if cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			continue // before it listened
		}
		o := finished(t, err, &stdout, &stderr)
		if o.code == 3 {
			kept := begin(dir, model)[0] == "resume" // else the model was being loaded
			if kept != strings.Contains(o.stderr, "clmc resume "+dir) {
				t.Fatalf("%v: there is a store: %v, and it is said how to go on: %v\n%s", args, kept, !kept, o.stderr)
			}
			continue
		}
		if o.code != want.code || !reflect.DeepEqual(o.result, want.result) {
			t.Fatalf("after %d signals: %+v", signals, o)
		}
		break
	}
}

// half makes a store with a search that is not finished.
func half(t *testing.T, model string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	o := run(t, "explore", "--store", dir, "--max-states", "300", model)
	if o.code != 3 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	return dir
}

// TestDamage flips bits of a store's files, and cuts them short. A store that is
// damaged is refused with a message, or the damage makes no difference.
func TestDamage(t *testing.T) {
	model := write(t, "model.go", manyOutcomes)
	want := run(t, "explore", "--format", "json", model)
	good := half(t, model)
	rng, seed := strikeRand(t, 2)
	n := 2 * strikes()
	refused := 0
	for i := range n {
		dir := filepath.Join(t.TempDir(), "store")
		if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
			t.Fatal(err)
		}
		what := damage(t, dir, rng, i%3 == 0)
		o := run(t, "resume", dir, "--format", "json")
		switch {
		case o.code == 2 && strings.HasPrefix(o.stderr, "clmc: ") && strings.Contains(o.stderr, dir) && !strings.Contains(o.stderr, "goroutine "):
			refused++
			if !strings.Contains(o.stderr, "the store is damaged") && !strings.Contains(o.stderr, "another format") { // else clmc run would not begin again
				t.Errorf("seed %d, %s: not known to be damage: %s", seed, what, o.stderr)
			}
		case o.code == want.code && reflect.DeepEqual(o.result, want.result):
		default:
			t.Errorf("seed %d, %s: exit code %d, %s, %d states\n%.2000s", seed, what, o.code, o.Verdict, o.Statistics.States, o.stderr)
		}
	}
	t.Logf("seed %d: %d of %d damaged stores were refused", seed, refused, n)
}

// damage flips a bit of some file of a store, or cuts the file short.
func damage(t *testing.T, dir string, rng *rand.Rand, cut bool) string {
	t.Helper()
	var files []string
	filepath.WalkDir(dir, func(path string, e os.DirEntry, _ error) error {
		if info, err := e.Info(); err == nil && info.Size() > 0 && !e.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	path := files[rng.IntN(len(files))]
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := rng.IntN(len(data))
	what := fmt.Sprintf("%s: bit flipped in byte %d of %d", path, at, len(data))
	if cut {
		data = data[:at]
		what = fmt.Sprintf("%s: cut to %d bytes", path, at)
	} else {
		data[at] ^= 1 << rng.IntN(8)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return what
}

// TestForeign has files of a store missing, or another program's, or another
// format's: it is refused, and nothing is made of it.
func TestForeign(t *testing.T) {
	good := half(t, write(t, "model.go", manyOutcomes))
	for what, spoil := range map[string]func(dir string) error{
		"no database": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "db")) },
		"an empty database": func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "db")), os.Mkdir(filepath.Join(dir, "db"), 0o777))
		},
		"a file for a database": func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "db")), os.WriteFile(filepath.Join(dir, "db"), nil, 0o666))
		},
		"another's database": func(dir string) error { return foreign(filepath.Join(dir, "db")) },
		"an older format": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "clmc-store"), []byte("clmc store, format 1\nmemory 33554432\n"), 0o666)
		},
		"a newer format": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "clmc-store"), []byte("clmc store, format 3\nmemory 33554432\n"), 0o666)
		},
		"a mark that says no": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "clmc-store"), []byte("\x00\x01"), 0o666)
		},
		"a mark that is a folder": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "clmc-store")), os.Mkdir(filepath.Join(dir, "clmc-store"), 0o777))
		},
	} {
		dir := filepath.Join(t.TempDir(), "store")
		if err := errors.Join(os.CopyFS(dir, os.DirFS(good)), spoil(dir)); err != nil {
			t.Fatal(what, err)
		}
		o := run(t, "resume", dir)
		if o.code != 2 || o.stdout != "" || !strings.HasPrefix(o.stderr, "clmc: "+dir) || strings.Contains(o.stderr, "goroutine ") {
			t.Errorf("%s: exit code %d: %s%s", what, o.code, o.stdout, o.stderr)
		}
		t.Logf("%s: %s", what, strings.TrimSpace(strings.ReplaceAll(o.stderr, dir, "DIR")))
	}
}

// foreign replaces a folder by a database that knows nothing of searches.
func foreign(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	db, err := badger.Open(badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		return err
	}
	return errors.Join(db.Update(func(txn *badger.Txn) error { return txn.Set([]byte("user"), []byte("1")) }), db.Close())
}

// TestClock sets the dates of all files far back and far forth between two runs,
// as a clock that jumps would: the search goes on as if nothing had happened.
// (Within a run, time is told by the monotonic clock.)
func TestClock(t *testing.T) {
	model := write(t, "model.go", manyOutcomes)
	want := run(t, "explore", "--format", "json", model)
	good := half(t, model)
	for _, year := range []int{1970, 2106} {
		dir := filepath.Join(t.TempDir(), "store")
		if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
			t.Fatal(err)
		}
		date := time.Date(year, 2, 1, 0, 0, 0, 0, time.UTC)
		filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error { return os.Chtimes(path, date, date) })
		status, err := os.ReadFile(filepath.Join(dir, "status.json"))
		if err != nil || !bytes.Contains(status, []byte(`"updated": "20`)) {
			t.Fatalf("%v: %s", err, status)
		}
		status = regexp.MustCompile(`("updated": ")\d+`).ReplaceAll(status, fmt.Appendf(nil, "${1}%d", year))
		if err := os.WriteFile(filepath.Join(dir, "status.json"), status, 0o666); err != nil {
			t.Fatal(err)
		}
		if o := run(t, "status", dir); o.code != 0 || !strings.Contains(o.stdout, "Go on with") {
			t.Errorf("%d: status: exit code %d: %s%s", year, o.code, o.stdout, o.stderr)
		}
		if o := run(t, "resume", dir, "--format", "json"); o.code != want.code || !reflect.DeepEqual(o.result, want.result) {
			t.Errorf("%d: exit code %d, %s, %d states: %s", year, o.code, o.Verdict, o.Statistics.States, o.stderr)
		}
	}
}

// TestSecondProcess checks that a store serves one process at a time, and that
// its status can be read meanwhile.
func TestSecondProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	model := write(t, "model.go", manyOutcomes)
	cmd := clmc("explore", "--store", dir, "-D", "n=5", "-D", "rounds=4", model)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	deadline := time.Now().Add(time.Minute)
	for {
		if o := run(t, "status", dir); strings.Contains(o.stdout, fmt.Sprintf("running, process %d", cmd.Process.Pid)) {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("no status: %s%s", o.stdout, o.stderr)
		}
		time.Sleep(50 * time.Millisecond)
	}
	o := run(t, "resume", dir)
	if o.code != 2 || !strings.Contains(o.stderr, fmt.Sprintf("in use by process %d", cmd.Process.Pid)) {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if o := run(t, "status", dir); !strings.Contains(o.stdout, "the process ended without notice") {
		t.Errorf("%s", o.stdout)
	}
}
