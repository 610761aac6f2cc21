package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// script runs a script of stages, as .ci/check and .ci/nightly are ones, and returns what it prints and whether it succeeds.
func script(t *testing.T, text string, env ...string) (out string, ok bool) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash to run .ci with")
	}
	stages, err := filepath.Abs("../../../.ci/stages")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-uc", ". '"+filepath.ToSlash(stages)+"'\n"+text)
	cmd.Env = append(os.Environ(), env...)
	b, err := cmd.CombinedOutput()
	return string(b), err == nil
}

// A stage that fails does not keep the others from running, says how it is repeated, and fails the whole; what is skipped has its reason.
func TestStages(t *testing.T) {
	out, ok := script(t, "only=\nstage one 'says one' 'echo it is one'\nstage two 'fails' 'echo it is two; false; echo never'\nskip three 'no three here'\nstage four 'fails in a pipe' 'false | true'\nstage five 'passes' true\nfinish\n")
	if ok {
		t.Error("it succeeds")
	}
	for _, want := range []string{"== one: says one\nit is one\n-- one passed", "-- two failed, 0 s; to repeat it:\n   echo it is two; false; echo never\n", "== three: skipped: no three here\n", "-- four failed", "-- five passed",
		"failed: two: echo it is two", "failed: four: false | true", "skipped: three: no three here\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "never\n==") || !strings.HasSuffix(out, "\n2 passed, 2 failed, 1 skipped\n") {
		t.Error(out)
	}
	if out, ok := script(t, "only=\nstage one 'passes' true\nskip two 'no'\nfinish\n"); !ok || !strings.HasSuffix(out, "\n1 passed, 0 failed, 1 skipped\n") {
		t.Error(out)
	}
	if out, ok := script(t, "only=other\nstage one 'passes' true\nskip two 'no'\nfinish\n"); ok || !strings.HasSuffix(out, "\n0 passed, 0 failed, 0 skipped\n") {
		t.Errorf("nothing is run, and that is a success: %s", out)
	}
	if out, ok := script(t, "only='two three'\nstage one 'fails' false\nstage two 'passes' true\nfinish\n"); !ok || !strings.HasSuffix(out, "\n1 passed, 0 failed, 0 skipped\n") {
		t.Error(out)
	}
}

// What has passed is not run again when a night goes on after it was interrupted; what has failed, or was running, is.
func TestStagesGoOn(t *testing.T) {
	dir := t.TempDir()
	text := "only=\nstage one 'passes' 'echo first >> \"$log\"'\nstage two 'is killed the first time' 'echo second >> \"$log\"; if [ -n \"$killed\" ]; then kill -9 $PPID; fi'\nstage three 'fails' 'echo third >> \"$log\"; false'\nfinish\n"
	log := filepath.Join(dir, "log")
	run := func(killed string) (string, bool) {
		return script(t, text, "done_in="+dir, "log="+log, "killed="+killed)
	}
	if out, ok := run("yes"); ok || strings.Contains(out, "passed, ") && strings.Contains(out, "skipped\n") {
		t.Errorf("it is not killed: %s", out)
	}
	for range 2 {
		if out, ok := run(""); ok || !strings.Contains(out, "passed before") || !strings.HasSuffix(out, "\n2 passed, 1 failed, 0 skipped\n") {
			t.Error(out)
		}
	}
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if want := "first\nsecond\nsecond\nthird\nthird\n"; string(got) != want {
		t.Errorf("ran %q, want %q", got, want)
	}
}

// What make runs of .ci can be run.
func TestScriptsAreExecutable(t *testing.T) {
	files, err := filepath.Glob("../../../.ci/*")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "#!") && runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			t.Errorf("%s cannot be run: chmod +x", name)
		}
	}
}
