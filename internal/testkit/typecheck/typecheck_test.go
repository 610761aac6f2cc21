package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong on one system only is found there: in a function's body, in a test, and where words have 32 bits. That nothing is said
// where nothing is wrong is seen in make check.
func TestFaults(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module m\n\ngo 1.26\n",
		"m.go":         "package m\n\nconst big = 1 << 40\n",
		"m_windows.go": "package m\n\nfunc f() { var s string = 1; _ = s }\n",
		"words_386.go": "package m\n\nvar word int = big\n",
		"m_test.go":    "package m\n\nvar _ = none\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string][]string{
		"windows/386": {"undefined: none", "cannot use 1", "overflows"},
		"darwin/386":  {"unsupported GOOS/GOARCH"},
		"linux":       {"want GOOS/GOARCH"},
	} {
		var said strings.Builder
		code := run(dir, []string{system}, &said)
		if code == 0 {
			t.Errorf("%s: exit code %d\n%s", system, code, &said)
		}
		for _, text := range want {
			if strings.Count(said.String(), text) != 1 {
				t.Errorf("%s: want %q once\n%s", system, text, &said)
			}
		}
	}
}
