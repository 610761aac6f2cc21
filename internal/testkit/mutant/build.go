package mutant

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A builder builds the tests that are to tell the mutants of a list, each package of tests once for all
// mutants of the schema and once for each that is built alone.
type builder struct {
	root string
	list []Mutant
	dir  string // of what it writes

	once   sync.Once
	schema *schema
	failed error

	mu     sync.Mutex
	builds map[string]*build
}

// build is one test binary, made when it is first asked for.
type build struct {
	once sync.Once
	file string
	err  error
}

// newBuilder makes one for these mutants. What it writes stands beside the test that runs, where the go command removes it.
func newBuilder(list []Mutant) (*builder, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	in := ""
	if strings.Contains(exe, "go-build") {
		in = filepath.Dir(exe)
	}
	dir, err := os.MkdirTemp(in, "clmc-mutants-")
	if err != nil {
		return nil, err
	}
	return &builder{root: root, list: list, dir: dir, builds: map[string]*build{}}, nil
}

// ready makes the schema, the first time.
func (b *builder) ready() error {
	b.once.Do(func() {
		c, err := newCompiler(b.list)
		if err == nil {
			b.schema, err = c.schema(b.list)
		}
		b.failed = err
	})
	return b.failed
}

// number is that of a mutant in the schema, 0 if it is not in it, and why it is not.
func (b *builder) number(m Mutant) (int, error) {
	for i, n := range b.list {
		if n == m {
			return i + 1, b.schema.alone[i+1]
		}
	}
	return 0, fmt.Errorf("it is of no list")
}

// binary returns the test of the package in a folder, and the value of Environment with which the mutant is active in it.
// alone says why it is built for this mutant only, if it is.
func (b *builder) binary(dir string, m Mutant) (file, active string, alone, err error) {
	if err := b.ready(); err != nil {
		return "", "", nil, err
	}
	n, alone := b.number(m)
	if alone == nil {
		file, err = b.unmutated(dir)
		return file, fmt.Sprint(n), nil, err
	}
	path, text, err := m.text()
	if err != nil {
		return "", "", alone, err
	}
	file, err = b.built(dir, m.Rule, func(overlay map[string]string) {
		overlay[path] = strings.Replace(text, m.Old, m.New, 1)
	})
	return file, "0", alone, err
}

// unmutated returns the test of the package in a folder with all mutants of the schema, of which none is active by itself.
func (b *builder) unmutated(dir string) (string, error) {
	if err := b.ready(); err != nil {
		return "", err
	}
	return b.built(dir, "", b.writeSchema)
}

// writeSchema says which files there are in the schema, by what replaces them.
func (b *builder) writeSchema(overlay map[string]string) {
	for name, f := range b.schema.files {
		overlay[filepath.Join(b.root, filepath.FromSlash(name))] = f.text
	}
	for dir, name := range b.schema.packages() {
		overlay[filepath.Join(b.root, filepath.FromSlash(dir), activeFile)] = fmt.Sprintf(activeSource, name)
	}
}

// built builds the test of the package in a folder, the first time, with the texts that overlay is given for files.
func (b *builder) built(dir, variant string, overlay func(map[string]string)) (string, error) {
	key := dir + "\x00" + variant
	b.mu.Lock()
	k := b.builds[key]
	if k == nil {
		k = &build{file: filepath.Join(b.dir, fmt.Sprintf("%d.test.exe", len(b.builds)))}
		b.builds[key] = k
	}
	b.mu.Unlock()
	k.once.Do(func() {
		texts := map[string]string{}
		overlay(texts)
		k.err = b.compile(dir, k.file, texts)
	})
	return k.file, k.err
}

// compile builds the test of the package in a folder, with these texts for files.
func (b *builder) compile(dir, file string, texts map[string]string) error {
	replace := map[string]string{}
	for name, text := range texts {
		as := filepath.Join(file+".d", fmt.Sprintf("%d.go", len(replace)))
		if err := os.MkdirAll(filepath.Dir(as), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(as, []byte(text), 0o600); err != nil {
			return err
		}
		replace[name] = as
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".json", list, 0o600); err != nil {
		return err
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", file+".json", "-o", file, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("does not build: %w\n%s", err, out)
	}
	return nil
}

// fate is what came of a run of tests.
type fate int

const (
	passed    fate = iota
	failed         // a test failed
	undecided      // the time was over, or the system ended it
	unusable       // nothing was run that could tell
)

// result is what came of one run, and what it printed.
type result struct {
	fate
	test string // that failed or, if undecided, was running
	out  string
	took time.Duration
}

// bounds are how long a run may take: time of the processors, so that a machine that is busy decides
// nothing, and time on the clock for what waits without end. When the former is over the system kills the process.
type bounds struct{ cpu, clock time.Duration }

// execute runs a test binary in its package's folder.
func execute(file, dir, active string, flags []string, within bounds) result {
	began := time.Now()
	args := append([]string{"-test.v", "-test.failfast", "-test.timeout", within.clock.String()}, flags...)
	cmd := exec.Command(file, args...)
	if sh, err := exec.LookPath("sh"); err == nil && within.cpu > 0 {
		limited := fmt.Sprintf(`ulimit -t %d 2> /dev/null; exec "$0" "$@"`, int(math.Ceil(within.cpu.Seconds())))
		cmd = exec.Command(sh, append([]string{"-c", limited, file}, args...)...)
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), Environment+"="+active)
	cmd.WaitDelay = time.Minute
	b, err := cmd.CombinedOutput()
	r := result{out: string(b), took: time.Since(began)}
	r.fate, r.test = read(r.out, err)
	return r
}

var (
	failLine    = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+) \(`)
	runLine     = regexp.MustCompile(`(?m)^=== (?:RUN|CONT|NAME) +(\S+)$`)
	passLine    = regexp.MustCompile(`(?m)^--- PASS: `)
	runningLine = regexp.MustCompile(`(?m)^\s*running tests:\n((?:\t+\S.*\n)+)`)
	exhausted   = regexp.MustCompile(`(?m)^fatal error: (runtime: )?(out of memory|cannot allocate memory)`)
)

// read tells from what a run of tests printed, and how it ended, what came of it and which test that was.
func read(out string, err error) (fate, string) {
	switch {
	case err == nil && passLine.MatchString(out):
		return passed, ""
	case err == nil:
		return unusable, ""
	case strings.Contains(out, "panic: test timed out after "):
		test := ""
		if m := runningLine.FindStringSubmatch(out); m != nil {
			lines := strings.Split(strings.TrimSpace(m[1]), "\n")
			test, _, _ = strings.Cut(strings.TrimSpace(lines[len(lines)-1]), " ")
		}
		return undecided, test
	case strings.Contains(err.Error(), "signal: killed"), exhausted.MatchString(out):
		return undecided, deepest(runLine, out)
	case failLine.MatchString(out):
		return failed, deepest(failLine, out)
	case strings.Contains(out, "\npanic: "), strings.Contains(out, "\nfatal error: "), strings.HasPrefix(out, "panic: "):
		return failed, deepest(runLine, out)
	}
	return unusable, ""
}

// deepest returns the longest of the names of the first test that is named: the subtest, not the one that has it.
func deepest(line *regexp.Regexp, out string) (name string) {
	all := line.FindAllStringSubmatch(out, -1)
	if line == runLine && len(all) > 0 {
		return all[len(all)-1][1] // the last that began
	}
	for _, m := range all {
		if name == "" || strings.HasPrefix(m[1], name+"/") {
			name = m[1]
		}
	}
	return name
}

// only is the pattern of one test, if there is one.
func only(test string) string {
	if test == "" {
		return ""
	}
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
