package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// module is the path of the module whose tests are run.
const module = "github.com/clmc/clmc"

// event is what go test -json says at a time. Those of a build have an ImportPath, the others a Package.
type event struct {
	Action      string
	ImportPath  string
	Package     string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string // in the end of a package: what could not be built
}

// report gathers what go test says, and writes what is to be known of it.
type report struct {
	to       io.Writer
	flags    []string        // those of go test that a repeated test needs, too
	packages map[string]*pkg // those that have not ended
	builds   map[string]*strings.Builder
	skips    map[string][]string // by reason: which tests
	passed   int
	failed   int
	skipped  int
}

// pkg is what is known of a package so far.
type pkg struct {
	tests map[string]*test
	order []string // the tests, as they began
	text  strings.Builder
}

// test is what is known of a test.
type test struct {
	text  strings.Builder
	ended string // how: pass, fail or skip; empty if it has not
	subs  bool   // whether it has subtests
	below bool   // whether one of them has failed
}

// newReport returns one of a run with these arguments of go test.
func newReport(to io.Writer, args []string) *report {
	return &report{to: to, flags: repeated(args), packages: map[string]*pkg{}, builds: map[string]*strings.Builder{}, skips: map[string][]string{}}
}

// repeated returns which of go test's arguments belong to a command that repeats a test: those that say what is
// built and what the tests do, and not which ones there are or how they are shown.
func repeated(args []string) (flags []string) {
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		if !strings.HasPrefix(args[i], "-") {
			continue
		}
		last := i
		if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !isPackage(args[i+1]) && !slices.Contains([]string{"short", "race", "v", "failfast"}, name) {
			last++
		}
		if !slices.Contains([]string{"run", "skip", "count", "p", "v", "vet", "ldflags", "failfast", "timeout", "json"}, name) {
			flags = append(flags, args[i:last+1]...)
		}
		i = last
	}
	return flags
}

// isPackage says whether an argument names packages, and is no value of the flag before it. Packages are named from
// the folder, as ./store/..., or from the module: a value may hold a slash, as 3/14 and /tmp/report do.
func isPackage(arg string) bool {
	return arg == "." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") || strings.HasPrefix(arg, module+"/")
}

// read reads events until there are no more.
func (r *report) read(from io.Reader) error {
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadString('\n')
		if strings.HasPrefix(line, "{") {
			var e event
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				return fmt.Errorf("%w: %s", err, line)
			}
			r.take(&e)
		} else if strings.TrimSpace(line) != "" {
			fmt.Fprint(r.to, line) // of go itself, for instance about a pattern
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// take takes an event.
func (r *report) take(e *event) {
	if e.Package == "" {
		r.build(e)
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &pkg{tests: map[string]*test{}}
		r.packages[e.Package] = p
	}
	if e.Test == "" {
		r.takeOfPackage(p, e)
		return
	}
	t := p.tests[e.Test]
	if t == nil {
		t = &test{}
		p.tests[e.Test] = t
		p.order = append(p.order, e.Test)
		for up := parent(e.Test); up != ""; up = parent(up) {
			if above := p.tests[up]; above != nil {
				above.subs = true
			}
		}
	}
	switch e.Action {
	case "output":
		t.text.WriteString(e.Output)
	case "pass", "fail", "skip":
		r.endOf(e.Package, p, e.Test, e.Action)
	}
}

// build takes what is said of a build.
func (r *report) build(e *event) {
	if e.Action != "build-output" {
		return
	}
	if r.builds[e.ImportPath] == nil {
		r.builds[e.ImportPath] = &strings.Builder{}
	}
	r.builds[e.ImportPath].WriteString(e.Output)
}

// takeOfPackage takes what is said of a package as a whole.
func (r *report) takeOfPackage(p *pkg, e *event) {
	switch e.Action {
	case "output":
		p.text.WriteString(e.Output)
	case "pass", "skip":
		if len(p.order) > 0 {
			cached := ""
			if strings.Contains(p.text.String(), "(cached)") {
				cached = " (cached)"
			}
			fmt.Fprintf(r.to, "ok   %7.1f s  %s%s\n", e.Elapsed, short(e.Package), cached)
		}
		delete(r.packages, e.Package)
	case "fail":
		r.failedPackage(p, e)
		delete(r.packages, e.Package)
	}
}

// failedPackage says why a package has failed. Where no test has, the package counts as one.
func (r *report) failedPackage(p *pkg, e *event) {
	was := r.failed
	for i := len(p.order) - 1; i >= 0; i-- { // the inner ones first: they are what did not end
		if t := p.tests[p.order[i]]; t.ended == "" {
			r.endOf(e.Package, p, p.order[i], "fail")
		}
	}
	failing := slices.ContainsFunc(p.order, func(name string) bool { return p.tests[name].ended == "fail" })
	if !failing {
		r.failed++
	}
	if r.failed > was || !failing {
		if text := r.builds[e.FailedBuild]; text != nil {
			fmt.Fprintf(r.to, "%s", text)
		}
		fmt.Fprint(r.to, p.text.String())
	}
	if !failing {
		again := ""
		if len(p.order) == 0 {
			again = "-run '^$' " // no test is needed to see it
		}
		fmt.Fprintf(r.to, "to repeat it: %s%s\n", r.command(again), short(e.Package))
	}
	fmt.Fprintf(r.to, "FAIL %7.1f s  %s\n", e.Elapsed, short(e.Package))
}

// endOf counts a test that has ended, and shows it if it has failed.
func (r *report) endOf(path string, p *pkg, name, how string) {
	t := p.tests[name]
	t.ended = how
	switch {
	case how == "fail":
		for up := parent(name); up != ""; up = parent(up) {
			if above := p.tests[up]; above != nil {
				above.below = true
			}
		}
		if !t.below {
			r.failed++
		}
		if said := strings.TrimRight(words(t.text.String()), "\n"); !t.below || said != "" {
			fmt.Fprintf(r.to, "--- %s, %s\n%s\n", short(path), name, said)
		}
		if !t.below {
			fmt.Fprintf(r.to, "to repeat it: %s%s\n", r.command("-run '"+pattern(name)+"' "), short(path))
		}
	case t.subs: // they have been counted
	case how == "skip":
		r.skipped++
		reason := reasonOf(t.text.String())
		r.skips[reason] = append(r.skips[reason], short(path)+" "+name)
	default:
		r.passed++
	}
	if how != "fail" {
		t.text.Reset()
	}
}

// settings are the variables of the environment on which it depends what tests try and for which machine they are built.
var settings = []string{"CLMC_THOROUGH", "CLMC_DAY", "CLMC_KERNELS", "CGO_ENABLED", "GOARCH", "GOOS"}

// command returns the beginning of a command that runs tests again.
func (r *report) command(what string) string {
	text := ""
	for _, name := range settings {
		if v := os.Getenv(name); v != "" {
			text += name + "=" + v + " "
		}
	}
	text += "go test -count=1 " + what
	for _, f := range r.flags {
		text += f + " "
	}
	return text
}

// end says what the run came to, and whether it is good. Of go test itself it is told how that ended.
func (r *report) end(ended error) (good bool) {
	for _, reason := range sorted(r.skips) {
		tests := r.skips[reason]
		more := ""
		if len(tests) > 3 {
			tests, more = tests[:3], fmt.Sprintf(" and %d more", len(tests)-3)
		}
		fmt.Fprintf(r.to, "skipped: %s: %s%s\n", reason, strings.Join(tests, ", "), more)
	}
	for path := range r.packages {
		r.failed++
		fmt.Fprintf(r.to, "%s did not come to its end\n", short(path))
	}
	switch {
	case ended != nil && r.failed == 0:
		fmt.Fprintf(r.to, "go test: %v\n", ended)
	case r.passed+r.failed == 0:
		fmt.Fprintln(r.to, "no test was run")
	}
	fmt.Fprintf(r.to, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	return ended == nil && r.failed == 0 && r.passed > 0
}

func sorted(m map[string][]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// parent returns the name of the test that a subtest is one of, "" if it is none.
func parent(name string) string {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return ""
	}
	return name[:i]
}

// pattern returns what go test -run takes for one test.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + strings.ReplaceAll(regexp.QuoteMeta(p), "'", ".") + "$"
	}
	return strings.Join(parts, "/")
}

// short names a package as a command in the root of the module does.
func short(path string) string {
	if path == module {
		return "."
	}
	if rest, ok := strings.CutPrefix(path, module+"/"); ok {
		return "./" + rest
	}
	return path
}

// framing are the lines with which go test says where a test begins and ends.
var framing = regexp.MustCompile(`(?m)^\s*(=== (RUN|PAUSE|CONT|NAME)|--- (PASS|FAIL|SKIP):).*\n`)

// words returns what a test has printed itself.
func words(text string) string { return framing.ReplaceAllString(text, "") }

// place is the place in a file that stands before what a test says.
var place = regexp.MustCompile(`^\s*[\w.]+\.go:\d+: `)

// reasonOf returns why a test was skipped, by what it printed.
func reasonOf(text string) string {
	var reason []string
	for line := range strings.Lines(words(text)) {
		reason = append(reason, strings.TrimSpace(place.ReplaceAllString(line, "")))
	}
	if text := strings.TrimSpace(strings.Join(reason, " ")); text != "" {
		return text
	}
	return "no reason is given"
}
