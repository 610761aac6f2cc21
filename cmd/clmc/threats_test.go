package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/thorough"
)

// threats are who docs/distribution.md speaks of in its table of threats, in that order, with tests of what stops them.
var threats = []struct {
	who   string
	tests []string
}{
	{"a stranger on the network", []string{"TestPermissions", "TestAttacks", "TestStrangers"}},
	{"the holder of a worker's key", []string{"TestAttacks", "TestRightsOfThePage", "TestUnfit", "TestHostileMessage"}},
	{"the holder of an asker's key", []string{"TestAttacks", "TestRightsOfThePage", "TestEndsNoThird", "TestHogs"}},
	{"the holder of an administrator's key", []string{"TestRightsOfThePage"}},
	{"whoever can read the hub's folder", nil},
	{"the author of a model, also of one in a job", []string{"TestHogs", "TestHogsComeToAllReaders", "TestHogsInterrupted", "TestHostileNames", "TestHostileInputs", "TestOwnFolder", "TestLimitsHold", "TestWritesInside", "TestKilledWriters"}},
	{"the author of a list of checks", []string{"TestHogs", "TestHostileNames", "TestStoreOfAList", "TestForgedVerdict"}},
	{"the author of a trace", []string{"TestHogs", "TestHostileNames", "TestHostileInputs", "TestPipesAndDevices"}},
	{"the author of a store, or of results that are remembered", []string{"TestDamage", "TestForeign", "TestFailingDisk", "TestKilledOptimisers"}},
	{"the library of an OpenCL device", []string{"TestNoLibraryUnasked"}},
}

// TestThreats holds the table of threats against this list, and the list against the tests that there are.
func TestThreats(t *testing.T) {
	page, err := os.ReadFile("../../docs/distribution.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| who | what they can do | what stops them from more |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if !ok || len(rows) != len(threats) {
		t.Fatalf("the page has %d rows, want %d", len(rows), len(threats))
	}
	there := testsThere(t)
	for i, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 3 || cells[0] != threats[i].who || len(cells[1]) < 10 || len(cells[2]) < 10 {
			t.Errorf("row %d is %q, want what %s can do, and what stops them", i, row, threats[i].who)
		}
		for _, name := range threats[i].tests {
			if !there[name] {
				t.Errorf("%s: there is no %s", threats[i].who, name)
			}
		}
	}
}

// testsThere are the names of all tests.
func testsThere(t *testing.T) map[string]bool {
	there, function := map[string]bool{}, regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir("../..", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil || len(there) < 500 {
		t.Fatalf("%d tests, %v", len(there), err)
	}
	return there
}

// TestOwnFolder has models name files of other folders: none is read, and nothing of it is printed.
func TestOwnFolder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(at("in"), 0o777); err != nil {
		t.Fatal(err)
	}
	const kernel = "kernel void k(global int *p) { p[0] = 1; }\n//clmc:launch k global=1 local=1\n"
	const model = "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n//cl:program FILE\nvar k func(p *int32)\n\nvar p int32\n\nfunc main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), &p) }\n"
	for name, text := range map[string]string{
		"secret.cl": "a secret\n" + kernel,
		"in/up.sim": "../secret.cl\nk\n1 1 1\n1 1 1\n<size=4 fill=0>\n", "in/abs.sim": at("secret.cl") + "\nk\n1 1 1\n1 1 1\n<size=4 fill=0>\n",
		"in/up.cl": "#include \"../secret.cl\"\n" + kernel, "in/abs.cl": "#include \"" + at("secret.cl") + "\"\n" + kernel,
		"in/down.cl": "#include \"sub/../../secret.cl\"\n" + kernel,
		"in/up.go":   strings.Replace(model, "FILE", "../secret.cl", 1), "in/abs.go": strings.Replace(model, "FILE", at("secret.cl"), 1),
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(at("in/*"))
	if err != nil || len(files) != 7 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if o := run(t, "explore", "--progress", "never", file); o.code != 2 || strings.Contains(o.stdout+o.stderr, "a secret") {
			t.Errorf("%s: exit code %d, want 2\n%s%s", filepath.Base(file), o.code, o.stdout, o.stderr)
		}
	}
}

// TestStoreOfAList has a list name a folder of other things as its store: what is not clmc's stays, however old it is.
func TestStoreOfAList(t *testing.T) {
	dir := t.TempDir()
	mine := map[string]string{"notes.txt": "mine", "results/notes.json": "mine", "results/0123.json": "mine", "searches/mine/file": "mine"}
	for name, text := range mine {
		path := filepath.Join(dir, "home", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list := filepath.Join(dir, "list.yaml")
	if err := os.WriteFile(list, []byte("store: home\nkeep: 1ns\nchecks:\n  - {model: \"@mp_relaxed\", expect: CL1001}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if o := run(t, "run", "--progress", "never", list); o.code != 0 {
			t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
		}
	}
	for name, text := range mine {
		if got, err := os.ReadFile(filepath.Join(dir, "home", name)); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestWritesInside has a model's folder hold a link to a file elsewhere: --write changes nothing there, and what is the model's own it does.
func TestWritesInside(t *testing.T) {
	const kernel = "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar x cl.AtomicInt\n\nfunc k() { cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice) }\n"
	const host = "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nfunc main() {\n\tcl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))\n\tcl.Finish()\n}\n"
	for _, link := range []bool{true, false} {
		dir := t.TempDir()
		put := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			return path
		}
		put("in/host.go", host)
		file := filepath.Join(dir, "in/kernel.go")
		if !link {
			put("in/kernel.go", kernel)
		} else if err := os.Symlink(put("out/kernel.go", kernel), file); err != nil {
			t.Skip(err)
		}
		o := run(t, "optimise", "--write", filepath.Join(dir, "in"))
		now, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if link && (o.code != 2 || string(now) != kernel || !strings.Contains(o.stderr, "outside of the model's folder")) || !link && (o.code != 0 || string(now) == kernel) {
			t.Errorf("a link: %v, exit code %d: %s%s\n%s", link, o.code, o.stdout, o.stderr, now)
		}
	}
}

// TestKilledWriters kills clmc optimise and clmc repair at any moment while they change a file: it is as it was, or as it is to be.
func TestKilledWriters(t *testing.T) {
	rng, seed := strikeRand(t, 49)
	t.Logf("seed %d", seed)
	wrong, err := os.ReadFile("../../models/shipped/mp_relaxed/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, text string }{{"optimise", storeOfAll}, {"repair", string(wrong)}} {
		file := write(t, "model.go", c.text)
		began := time.Now()
		if o := run(t, c.command, "--write", file); o.code != 0 {
			t.Fatalf("%s: exit code %d: %s%s", c.command, o.code, o.stdout, o.stderr)
		}
		took := time.Since(began)
		after, err := os.ReadFile(file)
		if err != nil || string(after) == c.text {
			t.Fatalf("%s changes nothing: %v", c.command, err)
		}
		was := 0
		for range thorough.Of(6, 200) {
			if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := clmc(c.command, "--write", file)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.Int64N(int64(took) + 1)))
			cmd.Process.Kill()
			cmd.Wait()
			now, err := os.ReadFile(file)
			if err != nil || string(now) != c.text && !bytes.Equal(now, after) {
				t.Errorf("%s was killed and leaves %v\n%s", c.command, err, now)
			}
			if string(now) == c.text {
				was++
			}
		}
		t.Logf("%s: %d times as it was", c.command, was)
	}
}

// TestKilledOptimisers kills clmc optimise at any moment while it keeps what it has found: whoever asks the same again with that
// store gets the answer of a search that nobody disturbed. clmc repair keeps nothing, and says so.
func TestKilledOptimisers(t *testing.T) {
	rng, seed := strikeRand(t, 50)
	t.Logf("seed %d", seed)
	answer := func(o outcome) map[string]any {
		var doc map[string]any
		if err := json.Unmarshal([]byte(o.stdout), &doc); err != nil {
			t.Fatalf("%v: %s%s", err, o.stdout, o.stderr)
		}
		for _, effort := range []string{"seconds", "checks", "replays", "cores", "kept", "states", "steps"} { // what was done, which depends on what was kept
			delete(doc, effort)
		}
		return doc
	}
	for _, args := range [][]string{{"optimise", "--from", "strongest", "../../models/bench/boundedq"}, {"optimise", "../../models/bench/peterson"}} {
		args = append(args, "--format", "json", "--store")
		began := time.Now()
		whole := run(t, append(args, filepath.Join(t.TempDir(), "undisturbed"))...)
		took, kills, kept := time.Since(began), 0, 0
		for range thorough.Of(1, 20) {
			dir := filepath.Join(t.TempDir(), "store")
			for range 1 + rng.IntN(4) {
				cmd := clmc(append(args, dir)...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(rng.Int64N(int64(took) + 1)))
				cmd.Process.Kill()
				if cmd.Wait() != nil {
					kills++
				}
			}
			if logs, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")); len(logs) == 1 {
				kept++
			}
			if o := run(t, append(args, dir)...); o.code != whole.code || !reflect.DeepEqual(answer(o), answer(whole)) {
				t.Errorf("%v, after %d kills: exit code %d, want %d\n%s\nwant %s\n%s", args, kills, o.code, whole.code, o.stdout, whole.stdout, o.stderr)
			}
		}
		t.Logf("%s: %d kills, after which there were %d stores", args[0], kills, kept)
	}
	for _, args := range [][]string{{"optimise", "--repair"}, {"repair"}} {
		if o := run(t, append(args, "--store", t.TempDir(), "@mp_relaxed")...); o.code != 2 || !strings.Contains(o.stderr, "--store") {
			t.Errorf("%v: exit code %d: %s%s", args, o.code, o.stdout, o.stderr)
		}
	}
}

// storeOfAll is a model of which an operation can be weaker.
const storeOfAll = `package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func k() { cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderSeqCst, cl.MemoryScopeAllSVMDevices) }

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`
