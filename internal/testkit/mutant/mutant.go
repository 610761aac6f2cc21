package mutant

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Mutant is a rule that is broken on purpose.
type Mutant struct {
	Rule     string // what no longer holds, after the rule's number if it has one; unique in its package
	File     string // the source file, from the module's root
	Old, New string // the text, which stands there once, and what replaces it
	Tell     string // what should tell: styles of random programs, or a pattern of models
}

// registered are the mutants of all lists of the package whose tests run.
var registered []Mutant

// List makes mutants of rows, each with the fields in the order of Mutant.
func List(rows [][5]string) []Mutant {
	list := make([]Mutant, len(rows))
	for i, r := range rows {
		list[i] = Mutant{Rule: r[0], File: r[1], Old: r[2], New: r[3], Tell: r[4]}
	}
	registered = append(registered, list...)
	return list
}

// hangs are the mutants for which meeting the time limit is being caught, by their rules, with why.
var hangs = map[string]string{}

// Hangs says of mutants, by their rules, that what they break ends: without it a test never ends, which
// is how it is told. The reasons are for who reads the list.
func Hangs(reasons map[string]string) bool {
	for rule, why := range reasons {
		hangs[rule] = why
	}
	return true
}

// shared builds what tells the registered mutants.
var shared = sync.OnceValues(func() (*builder, error) { return newBuilder(registered) })

// Run is one mutant's turn: what its tests come to.
type Run struct {
	Mutant
	tests  *builder
	last   string        // the test that told it the last time, if any
	likely []string      // patterns of the tests that are most likely to tell it
	caught string        // the test that failed
	open   *result       // what was not decided, if anything was
	took   time.Duration // of the tests
	within bounds        // how long tests may run, instead of what they say, if it is not zero
}

// Try runs survives, which says whether the tests pass without m's rule, for each mutant whose
// turn it is, as many at a time as -parallel says, and fails if one does.
func Try(t *testing.T, list []Mutant, survives func(t *testing.T, m *Run) (out string, survived bool)) {
	t.Helper()
	turn, err := turns()
	if err != nil {
		t.Fatal(err)
	}
	if turn.none() {
		t.Skip("mutants are tried by make check and make nightly, or with -mutants all")
	}
	tests, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	book, err := openLedger()
	if err != nil {
		t.Fatal(err)
	}
	tried, done := 0, 0
	for _, m := range list {
		if !turn.has(m) {
			continue
		}
		if book.since(m) {
			done++
			continue
		}
		tried++
		t.Run(m.Rule, func(t *testing.T) {
			t.Parallel()
			r := &Run{Mutant: m, tests: tests, last: book.book[m.Rule].test}
			out, survived := survives(t, r)
			if err := r.verdict(out, survived, hangs[m.Rule]); err != nil {
				t.Fatal(err)
			}
			if err := book.caught(r); err != nil {
				t.Error(err)
			}
		})
	}
	t.Logf("%d of %d mutants are tried (%s), %d of this turn have been caught before", tried, len(list), turn, done)
}

// verdict is an error for a mutant that no test has told; why is the reason for which it may hang, if there is one.
func (r *Run) verdict(out string, survived bool, why string) error {
	switch {
	case !survived:
		return nil
	case r.open != nil && why != "":
		r.caught = r.open.test
		return nil
	case r.open != nil:
		return fmt.Errorf("not decided: %s had not ended after %v; find a test that tells it sooner or, if what it breaks is that something ends, list it with mutant.Hangs\n%s",
			r.open.test, r.open.took.Round(time.Second), r.open.out)
	}
	return fmt.Errorf("nothing fails without it:\n%s", out)
}

// TryTests is Try for mutants of which Tell says which tests of the package at hand fail.
func TryTests(t *testing.T, list []Mutant) {
	t.Helper()
	Try(t, list, func(t *testing.T, m *Run) (string, bool) { return m.Survives(t, "-run", m.Tell, ".") })
}

// Apply fails for mutants that break nothing that is there or do not compile, and for two of one name.
func Apply(t *testing.T, list []Mutant) {
	t.Helper()
	c, err := newCompiler(list)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range list {
		if names[m.Rule] {
			t.Errorf("%s: listed twice", m.Rule)
		}
		names[m.Rule] = true
		if err := c.check(m); err != nil {
			t.Error(err)
		}
	}
	for rule := range hangs {
		if !names[rule] {
			t.Errorf("%s: it is said to hang, and there is no such mutant", rule)
		}
	}
	if len(list) == 0 {
		t.Error("no mutants")
	}
}

// limit is how long tests may run that tell a mutant, if they do not say; to pass without one they may take patience.
var (
	limit    = bounds{5 * time.Minute, 30 * time.Minute}
	patience = bounds{15 * time.Minute, 90 * time.Minute}
)

// Survives runs tests with the replacement and returns what they print and
// whether all pass. The arguments are those of go test, packages last. That tests
// are not done in time does not tell the mutant: it has survived so far, and Try says that it is not decided.
func (r *Run) Survives(t *testing.T, args ...string) (out string, survived bool) {
	t.Helper()
	flags, packages, within, err := parseArgs(args)
	if err != nil {
		t.Fatal(err)
	}
	if r.within != (bounds{}) {
		within = r.within
	}
	if *usual {
		flags = withoutSeeds(flags)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		dir := filepath.Join(here, filepath.FromSlash(p))
		file, active, alone, err := r.tests.binary(dir, r.Mutant)
		if err != nil {
			t.Fatal(err)
		}
		if alone != nil {
			t.Logf("it has a build of its own: %v", alone)
		}
		res, with := r.tell(file, dir, active, p, flags, within)
		out = res.out
		switch res.fate {
		case unusable:
			t.Fatalf("no tests were run in %s:\n%s", p, res.out)
		case undecided:
			r.open = &res
		case failed:
			r.caught = shown(dir, p) + res.test
			if why := r.tests.unbroken(dir, res.test, with); why != "" {
				t.Fatalf("the test fails with no rule broken, so that it tells nothing:\n%s\nwith it broken:\n%s", why, res.out)
			}
			return res.out, false
		}
	}
	return out, true
}

// First gives patterns of the tests that are most likely to tell the mutant: these are tried before all others while none is known that has
// told it, the first pattern with ever more random programs.
func (r *Run) First(patterns ...string) { r.likely = patterns }

// tell runs the tests that are to tell the mutant, and returns what came of that and the flags that it took. Most mutants are told by the first
// of many random programs, so few are tried before many; and before all tests, alone, the one that has told it the last time.
func (r *Run) tell(file, dir, active, pkg string, flags []string, within bounds) (result, []string) {
	last, known := strings.CutPrefix(r.last, shown(dir, pkg))
	known = known && asked(flags, last)
	if !known {
		last = ""
	}
	soon := bounds{within.cpu / 5, within.clock / 5}
	for i, some := range r.steps(flags, last) {
		res := execute(file, dir, active, some, soon)
		r.took += res.took
		alone := known && i <= len(fewer(flags))
		if res.fate == failed && (!alone || inside(res.test, last)) && r.tests.unbroken(dir, res.test, some) == "" {
			return res, some
		}
		if res.fate == undecided {
			break
		}
	}
	res := execute(file, dir, active, flags, within)
	r.took += res.took
	return res, flags
}

// steps returns the flags of what is tried before all that flags ask for, each with few programs: the test that has told the mutant the last
// time, if any; what is likely to tell it, of which the first goes on with more programs; then all tests.
func (r *Run) steps(flags []string, last string) (steps [][]string) {
	few := fewer(flags)
	if last != "" {
		for _, f := range append(few, flags) {
			steps = append(steps, instead(f, only(last)))
		}
	}
	if len(few) == 0 || len(r.likely) == 0 {
		return append(steps, few...)
	}
	for _, pattern := range r.likely {
		steps = append(steps, instead(few[0], pattern))
	}
	for _, f := range few[1:] {
		steps = append(steps, instead(f, r.likely[0]))
	}
	return append(steps, few[1:]...)
}

// fewer returns flags that ask for less and less few of the random programs that the given ones ask for.
func fewer(flags []string) (less [][]string) {
	i := slices.Index(flags, "-seeds")
	if i < 0 {
		return nil
	}
	all, _ := strconv.Atoi(flags[i+1])
	for n := 5; n < all/3; n *= 8 {
		f := slices.Clone(flags)
		f[i+1] = strconv.Itoa(n)
		less = append(less, f)
	}
	return less
}

// withoutSeeds returns flags that leave the number of random programs to the tests.
func withoutSeeds(flags []string) []string {
	i := slices.Index(flags, "-seeds")
	if i < 0 {
		return flags
	}
	return slices.Delete(slices.Clone(flags), i, i+2)
}

// shown is what the names of tests begin with, of a package in a folder: nothing, of the package at hand.
func shown(dir, pkg string) string {
	if pkg == "." {
		return ""
	}
	return filepath.Base(dir) + "."
}

// asked reports whether flags ask for a test.
func asked(flags []string, test string) bool {
	i := slices.Index(flags, "-test.run")
	if i < 0 || test == "" {
		return false
	}
	top, _, _ := strings.Cut(flags[i+1], "/")
	name, _, _ := strings.Cut(test, "/")
	pattern, err := regexp.Compile(top)
	return err == nil && pattern.MatchString(name)
}

// parseArgs tells the flags of go test, as a test binary has them, from packages and the time limit.
func parseArgs(args []string) (flags, packages []string, within bounds, err error) {
	within = limit
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case strings.HasPrefix(a, "."):
			packages = append(packages, a)
		case !strings.HasPrefix(a, "-") || i+1 == len(args):
			return nil, nil, bounds{}, fmt.Errorf("%q: want flags with values, and packages that begin with a point", args)
		case a == "-timeout":
			i++
			clock, err := time.ParseDuration(args[i])
			if err != nil {
				return nil, nil, bounds{}, err
			}
			within = bounds{clock: clock}
		case a == "-run":
			i++
			flags = append(flags, "-test.run", args[i])
		default:
			i++
			flags = append(flags, a, args[i])
		}
	}
	if len(packages) == 0 {
		return nil, nil, bounds{}, fmt.Errorf("%q: no packages", args)
	}
	return flags, packages, within, nil
}

// checks holds what unbroken has found out.
var checks struct {
	sync.Mutex
	known map[string]*check
}

type check struct {
	once sync.Once
	why  string
}

// unbroken runs the test that has told a mutant with no mutant active, and returns what it prints if it does not
// pass. It is done once for a test and its arguments.
func (b *builder) unbroken(dir, test string, flags []string) (why string) {
	key := strings.Join(append([]string{dir, test}, flags...), "\x00")
	checks.Lock()
	c := checks.known[key]
	if c == nil {
		if checks.known == nil {
			checks.known = map[string]*check{}
		}
		c = &check{}
		checks.known[key] = c
	}
	checks.Unlock()
	c.once.Do(func() {
		file, err := b.unmutated(dir)
		if err != nil {
			c.why = err.Error()
			return
		}
		res := execute(file, dir, "0", instead(flags, among(flags, test)), patience)
		// The test that has this one may fail for want of the others.
		alone := res.fate == failed && res.test != "" && res.test != test && inside(test, res.test)
		if res.fate != passed && !alone {
			c.why = res.out
			if c.why == "" {
				c.why = "nothing is run"
			}
		}
	})
	return c.why
}

// among is the pattern of a test and, as far as it has subtests, of those among them that flags ask for: without the others it may fail.
func among(flags []string, test string) string {
	pattern := only(test)
	if i := slices.Index(flags, "-test.run"); i >= 0 && test != "" {
		asked := strings.Split(flags[i+1], "/")
		for _, p := range asked[min(len(asked), strings.Count(test, "/")+1):] {
			pattern += "/" + p
		}
	}
	return pattern
}

// inside reports whether a test is another or one within it.
func inside(test, of string) bool { return test == of || strings.HasPrefix(test, of+"/") }

// instead has the tests of a pattern run instead of those that flags ask for. Where the program ended before any test began there is none.
func instead(flags []string, pattern string) []string {
	flags = slices.Clone(flags)
	if i := slices.Index(flags, "-test.run"); i >= 0 && pattern != "" {
		flags[i+1] = pattern
	}
	return flags
}

// text returns the path of m's file and what stands in it.
func (m Mutant) text() (path, text string, err error) {
	root, err := root()
	if err != nil {
		return "", "", err
	}
	path = filepath.Join(root, filepath.FromSlash(m.File))
	b, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", m.Rule, err)
	}
	if n := strings.Count(string(b), m.Old); n != 1 {
		return "", "", fmt.Errorf("%s: %s contains %d times:\n%s", m.Rule, m.File, n, m.Old)
	}
	return path, string(b), nil
}

// root returns the folder of the module in which the tests run.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the tests")
		}
		dir = up
	}
}
