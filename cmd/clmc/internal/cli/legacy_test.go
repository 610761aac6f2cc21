package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// clmc runs a command line and returns its exit code and what it prints.
func clmc(args ...string) (code int, out string) {
	var stdout, stderr bytes.Buffer
	code = Main(args, &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

// TestLegacyAtomics follows the scope of OpenCL 1.x's atomics through all that
// repeats a search or remembers one.
func TestLegacyAtomics(t *testing.T) {
	dir := t.TempDir()
	note, model := "atomic functions of OpenCL 1.x", "@legacy_counter"
	for _, c := range []struct {
		args []string
		code int
		says bool
	}{
		{nil, exitVerified, true},
		{[]string{"--legacy-atomics", "device"}, exitVerified, true},
		{[]string{"--legacy-atomics", "work_group"}, exitViolation, true},
		{[]string{"--legacy-atomics", "work_group", "-D", "localSize=2"}, exitVerified, false},
		{[]string{"-D", "localSize=2"}, exitVerified, false},
	} {
		code, out := clmc(append([]string{"explore", model}, c.args...)...)
		if code != c.code || strings.Contains(out, note) != c.says {
			t.Errorf("%v: exit code %d, want %d, and a note: %t\n%s", c.args, code, c.code, c.says, out)
		}
	}

	bug := filepath.Join(dir, "bug.json")
	clmc("explore", "--legacy-atomics", "work_group", "--trace", bug, model)
	if code, out := clmc("replay", bug); code != exitViolation {
		t.Errorf("the replay: exit code %d\n%s", code, out)
	}

	store := filepath.Join(dir, "store")
	if code, out := clmc("explore", "--legacy-atomics", "work_group", "--store", store, model); code != exitViolation {
		t.Errorf("in a store: exit code %d\n%s", code, out)
	}
	if code, out := clmc("explore", "--store", store, model); code != exitUsage || !strings.Contains(out, "--legacy-atomics is device, and was work_group") {
		t.Errorf("the other reading in the same store: exit code %d\n%s", code, out)
	}
	if code, out := clmc("resume", store); code != exitViolation || !strings.Contains(out, note) {
		t.Errorf("resumed: exit code %d\n%s", code, out)
	}

	list := filepath.Join(dir, "list.yaml")
	text := "store: nights\nchecks:\n" +
		"- {model: \"@legacy_counter\"}\n" +
		"- {model: \"@legacy_counter\", name: narrow, legacy-atomics: work_group, expect: CL1001}\n"
	if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from what is remembered
		if code, out := clmc("run", list); code != exitVerified {
			t.Errorf("a list: exit code %d\n%s", code, out)
		}
	}
}
