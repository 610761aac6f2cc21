package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reported returns what is said of these events, and whether the run is good.
func reported(t *testing.T, args []string, ended error, events ...string) (said string, good bool) {
	t.Helper()
	var to bytes.Buffer
	r := newReport(&to, args)
	if err := r.read(strings.NewReader(strings.Join(events, "\n"))); err != nil {
		t.Fatal(err)
	}
	good = r.end(ended)
	return to.String(), good
}

// Events of package a, and what go test says where something fails.
const (
	started   = `{"Action":"run","Package":"m/a","Test":"TestX"}`
	subtest   = `{"Action":"run","Package":"m/a","Test":"TestX/it's 1+1"}`
	endedWell = `{"Action":"pass","Package":"m/a","Elapsed":1.25}`
	endedBad  = `{"Action":"fail","Package":"m/a","Elapsed":1.25}`
)

var errFailed = errors.New("exit status 1")

func output(test, text string) string {
	return `{"Action":"output","Package":"m/a","Test":"` + test + `","Output":"` + text + `\n"}`
}

func result(test, how string) string {
	return `{"Action":"` + how + `","Package":"m/a","Test":"` + test + `"}`
}

// plain takes away the settings that these tests may be run with.
func plain(t *testing.T) {
	t.Helper()
	for _, name := range settings {
		t.Setenv(name, "")
	}
}

// TestSettings has a test fail that is not run by default, on other hardware: the command that repeats it says so.
func TestSettings(t *testing.T) {
	plain(t)
	t.Setenv("CLMC_THOROUGH", "1")
	t.Setenv("GOARCH", "386")
	said, _ := reported(t, nil, errFailed, started, result("TestX", "fail"), endedBad)
	if want := "to repeat it: CLMC_THOROUGH=1 GOARCH=386 go test -count=1 -run '^TestX$' m/a\n"; !strings.Contains(said, want) {
		t.Errorf("%s\nwant %s", said, want)
	}
}

// TestReport tests what is said of runs of all sorts: all of it.
func TestReport(t *testing.T) {
	plain(t)
	for name, c := range map[string]struct {
		args   []string
		ended  error
		events []string
		good   bool
		want   string
	}{
		"passed": {nil, nil, []string{started, output("TestX", "=== RUN   TestX"), result("TestX", "pass"), endedWell}, true,
			"ok       1.2 s  m/a\n1 passed, 0 failed, 0 skipped\n"},
		"subtests count, and not what they are of": {nil, nil, []string{started, subtest, result("TestX/it's 1+1", "pass"), result("TestX", "pass"), endedWell}, true,
			"ok       1.2 s  m/a\n1 passed, 0 failed, 0 skipped\n"},
		"a package without tests": {nil, nil, []string{`{"Action":"output","Package":"m/b","Output":"?   \tm/b\t[no test files]\n"}`, `{"Action":"skip","Package":"m/b"}`, started, result("TestX", "pass"), endedWell}, true,
			"ok       1.2 s  m/a\n1 passed, 0 failed, 0 skipped\n"},
		"nothing was run": {nil, nil, []string{endedWell}, false,
			"no test was run\n0 passed, 0 failed, 0 skipped\n"},
		"a subtest fails": {[]string{"-vet=off", "-ldflags=-w", "-timeout", "20m", "-seeds", "8", "-race", "-run", "TestX", "./..."}, errFailed,
			[]string{started, subtest, output("TestX/it's 1+1", "    x_test.go:3: it is 3"), result("TestX/it's 1+1", "fail"), result("TestX", "fail"), output("", "FAIL"), endedBad}, false,
			"--- m/a, TestX/it's 1+1\n    x_test.go:3: it is 3\nto repeat it: go test -count=1 -run '^TestX$/^it.s 1\\+1$' -seeds 8 -race m/a\nFAIL     1.2 s  m/a\n0 passed, 1 failed, 0 skipped\n"},
		"values with slashes": {[]string{"-mutants", "3/14", "-outputdir", "/tmp/of/it", "-race", "./..."}, errFailed,
			[]string{started, output("TestX", "    x_test.go:3: oh"), result("TestX", "fail"), output("", "FAIL"), endedBad}, false,
			"--- m/a, TestX\n    x_test.go:3: oh\nto repeat it: go test -count=1 -run '^TestX$' -mutants 3/14 -outputdir /tmp/of/it -race m/a\nFAIL     1.2 s  m/a\n0 passed, 1 failed, 0 skipped\n"},
		"it fails beside its subtests": {nil, errFailed, []string{started, subtest, result("TestX/it's 1+1", "pass"), output("TestX", "    x_test.go:9: too few"), result("TestX", "fail"), endedBad}, false,
			"--- m/a, TestX\n    x_test.go:9: too few\nto repeat it: go test -count=1 -run '^TestX$' m/a\nFAIL     1.2 s  m/a\n1 passed, 1 failed, 0 skipped\n"},
		"a panic": {nil, errFailed, []string{started, subtest, output("TestX/it's 1+1", "panic: oh"), endedBad}, false,
			"--- m/a, TestX/it's 1+1\npanic: oh\nto repeat it: go test -count=1 -run '^TestX$/^it.s 1\\+1$' m/a\nFAIL     1.2 s  m/a\n0 passed, 1 failed, 0 skipped\n"},
		"a build fails": {nil, errFailed, []string{`{"ImportPath":"m/a [m/a.test]","Action":"build-output","Output":"a.go:1:1: no such thing\n"}`, `{"ImportPath":"m/a [m/a.test]","Action":"build-fail"}`,
			`{"Action":"output","Package":"m/a","Output":"FAIL\tm/a [build failed]\n"}`, `{"Action":"fail","Package":"m/a","FailedBuild":"m/a [m/a.test]"}`}, false,
			"a.go:1:1: no such thing\nFAIL\tm/a [build failed]\nto repeat it: go test -count=1 -run '^$' m/a\nFAIL     0.0 s  m/a\n0 passed, 1 failed, 0 skipped\n"},
		"a package fails though its tests pass": {nil, errFailed, []string{started, result("TestX", "pass"), `{"Action":"output","Package":"m/a","Output":"exit status 3\n"}`, endedBad}, false,
			"exit status 3\nto repeat it: go test -count=1 m/a\nFAIL     1.2 s  m/a\n1 passed, 1 failed, 0 skipped\n"},
		"reasons of skips": {nil, nil, []string{started, output("TestX", "    x_test.go:3: no gopls here"), output("TestX", "--- SKIP: TestX (0.00s)"), result("TestX", "skip"),
			`{"Action":"run","Package":"m/a","Test":"TestY"}`, output("TestY", "    y_test.go:7: no gopls here"), result("TestY", "skip"),
			`{"Action":"run","Package":"m/a","Test":"TestZ"}`, result("TestZ", "skip"), `{"Action":"run","Package":"m/a","Test":"TestV"}`, result("TestV", "pass"), endedWell}, true,
			"ok       1.2 s  m/a\nskipped: no gopls here: m/a TestX, m/a TestY\nskipped: no reason is given: m/a TestZ\n1 passed, 0 failed, 3 skipped\n"},
		"go test is killed": {nil, errFailed, []string{started}, false,
			"m/a did not come to its end\n0 passed, 1 failed, 0 skipped\n"},
		"go test fails though nothing does": {nil, errFailed, []string{started, result("TestX", "pass"), endedWell}, false,
			"ok       1.2 s  m/a\ngo test: exit status 1\n1 passed, 0 failed, 0 skipped\n"},
	} {
		if said, good := reported(t, c.args, c.ended, c.events...); said != c.want || good != c.good {
			t.Errorf("%s: good is %v, and it is said:\n%s\nwant %v and\n%s", name, good, said, c.good, c.want)
		}
	}
}

// TestRun runs go test on a module in which a package passes, one has no tests, one fails and one cannot be built.
func TestRun(t *testing.T) {
	plain(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module m\n\ngo 1.26\n",
		"good/good_test.go":  "package good\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) {}\n",
		"bad/bad_test.go":    "package bad\n\nimport \"testing\"\n\nfunc TestBad(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { t.Error(\"oh\") }) }\n",
		"none/none.go":       "package none\n",
		"broken/broken.go":   "package broken\n",
		"broken/the_test.go": "package broken\n\nvar x int = \"\"\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct {
		args  []string
		code  int
		says  []string
		last  string
		never string
	}{
		{[]string{"./good", "./none"}, 0, []string{"m/good"}, "\n1 passed, 0 failed, 0 skipped\n", "none"},
		{[]string{"./..."}, 1, []string{"--- m/bad, TestBad/sub\n    bad_test.go:5: oh\n", "to repeat it: go test -count=1 -run '^TestBad$/^sub$' m/bad\n", "the_test.go:3:13: ", "to repeat it: go test -count=1 -run '^$' m/broken\n", "m/good"}, "\n1 passed, 2 failed, 0 skipped\n", "none"},
		{[]string{"-run", "NoSuchTest", "./good"}, 1, []string{"no test was run"}, "\n0 passed, 0 failed, 0 skipped\n", "ok "},
		{[]string{"./nowhere"}, 1, nil, " failed, 0 skipped\n", "ok "},
	} {
		var stdout, stderr strings.Builder
		code := run(append([]string{"-vet=off"}, c.args...), &stdout, &stderr)
		said := stdout.String()
		bad := code != c.code || !strings.HasSuffix(said, c.last) || strings.Contains(said, c.never)
		for _, s := range c.says {
			bad = bad || !strings.Contains(said, s)
		}
		if bad {
			t.Errorf("%v: exit code %d, want %d\n%s%s", c.args, code, c.code, said, &stderr)
		}
	}
}
